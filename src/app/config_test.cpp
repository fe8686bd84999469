// What config.toml may say, and what is said about the rest.

#include <doctest/doctest.h>

#include "app/options.h"

namespace lb {
namespace {

std::string problem(std::string_view text) {
  const auto read = parse_config(text, "config.toml");
  return read ? "" : read.error().message;
}

TEST_CASE("config: nothing said is nothing set") {
  const auto read = parse_config("", "config.toml");
  REQUIRE(read.has_value());
  CHECK_FALSE(read->warm_start.has_value());
  CHECK(read->agents.empty());
}

TEST_CASE("config: an agent of protocol claude may never ask, and may be let go sooner") {
  const auto read = parse_config(R"(
warm_start = false
worktrees = "~/trees"
checkpoints = false
checkpoint_wait_ms = 1500
terminal = false
terminal_token = false
[agents.claude-code]
allow_bypass = true
idle_minutes = 5
)",
                                 "config.toml");
  REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
  CHECK(read->warm_start == false);
  CHECK(read->worktrees == "~/trees");
  CHECK(read->checkpoints == false);
  CHECK(read->checkpoint_wait_ms == 1500U);
  CHECK(read->terminal == false);
  CHECK(read->terminal_token == false);
  CHECK(problem("checkpoint_wait_ms = 60000") ==
        "config.toml: `checkpoint_wait_ms`: expected a number from 0 to 20000");
  REQUIRE(read->agents.size() == 1);
  CHECK(read->agents[0].allow_bypass == true);
  CHECK(read->agents[0].idle_minutes == 5U);
}

TEST_CASE("config: the sessions of an agent can be confined by default") {
  const auto read =
      parse_config("[agents.codex]\nconfine = true\n[agent_servers.zed]\nconfine = false\n", "c");
  REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
  REQUIRE(read->agents.size() == 2);
  CHECK(read->agents[0].confine == true);
  CHECK(read->agents[1].confine == false);
  CHECK(problem("[agents.a]\nconfine = \"yes\"") ==
        "config.toml: [agents.a]: `confine`: expected true or false");
}

TEST_CASE("config: the editor is a program and arguments, one of which is the file") {
  const auto read = parse_config(R"(editor = ["code", "-g", "{path}:{line}"])", "c");
  REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
  CHECK(read->editor == std::vector<std::string>{"code", "-g", "{path}:{line}"});
  constexpr std::string_view kWrong =
      "config.toml: `editor`: expected a program and its arguments, one of them with {path}";
  CHECK(problem(R"(editor = ["code"])") == kWrong);
  CHECK(problem(R"(editor = ["{path}", "{path}"])") == kWrong);
  CHECK(problem(R"(editor = ["", "{path}"])") == kWrong);
  CHECK(problem(R"(editor = "code {path}")") ==
        "config.toml: `editor`: expected a list of strings");
}

TEST_CASE("config: wrong values are named with what is expected") {
  CHECK(problem("warm_start = \"no\"") == "config.toml: `warm_start`: expected true or false");
  CHECK(problem("port = 70000") == "config.toml: `port`: expected a number from 0 to 65535");
  CHECK(problem("[agents.a]\nidle_minutes = -1") ==
        "config.toml: [agents.a]: `idle_minutes`: expected a number from 0 to 10080");
  CHECK(problem("[agents.a]\nallow_bypass = 1") ==
        "config.toml: [agents.a]: `allow_bypass`: expected true or false");
  CHECK(problem("[agent_servers.a]\nallow_bypass = true") ==
        "config.toml: [agent_servers.a]: unknown key `allow_bypass`");
  CHECK(problem("warm_starts = true") == "config.toml: unknown key `warm_starts`");
}

}  // namespace
}  // namespace lb
