// The example of docs/adding-an-agent.md, as a user would save and run it.
#include <doctest/doctest.h>

#include "tests/e2e/acp/world.h"

namespace lb::test {
namespace {

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("events: the example of the manual is an agent") {
  World world;
  const std::string manual = slurp(fs::path(LB_SOURCE_DIR) / "docs/adding-an-agent.md");
  const std::string opening = "```python\n";
  const std::size_t begin = manual.find(opening);
  REQUIRE(begin != std::string::npos);
  const std::size_t code = begin + opening.size();
  const fs::path script = world.root / "words.py";
  World::write(script, manual.substr(code, manual.find("```", code) - code));
  fs::permissions(script, fs::perms::owner_all);

  AgentConfig config;
  config.cli_type = "words";
  config.protocol = "events";
  config.command = script.string();
  config.env = world.environment();
  Provider& provider = world.start(config);
  const SessionId session("s1");
  const Heard& heard = world.listen(session);
  world.create(session);
  const Turn& turn = world.turn(session, "t1", "one two three");
  CHECK(turn.status == TurnStatus::Completed);
  CHECK(turn.model_id == "words-1");
  CHECK(heard.text("t1") == "You wrote 3 words.");
  const auto tools = heard.all<ToolCall>("t1");
  REQUIRE(tools.size() == 1);
  CHECK(std::get<ToolCall>(tools[0].body).tool_output->view() == "3");
  CHECK(world.turn(session, "t2", "again").status == TurnStatus::Completed);
  REQUIRE(run(world.io, provider.kill_session(session)).has_value());
  CHECK_FALSE(provider.is_alive(session));
}

}  // namespace
}  // namespace lb::test
