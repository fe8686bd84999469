// Gemini and OpenCode, offline against the scripted model: that any agent that speaks ACP works,
// not only the one we know best. Half a gigabyte of packages, hence only in script/test
// --all-agents.
#include <doctest/doctest.h>
#include <signal.h>

#include "tests/e2e/acp/world.h"

namespace lb::test {
namespace {

const bool kNotAsked = std::getenv("LB_TEST_ALL_AGENTS") == nullptr;

struct Gemini {
  static constexpr const char* kCliType = "gemini";
  static constexpr const char* kVariable = "LB_TEST_GEMINI";
  static constexpr const char* kArgument = "--acp";
  static constexpr bool kKeepsSessions = false;  // Written at its own end: a kill takes them.

  static void prepare(AgentWorld& world, const std::string& model) {
    fs::create_directories(world.root / "home/.gemini");
    World::write(world.root / "home/.gemini/settings.json",
                 R"({"security":{"auth":{"selectedType":"gemini-api-key"}},)"
                 R"("privacy":{"usageStatisticsEnabled":false}})");
    world.config.env.emplace_back("GEMINI_API_KEY", "test");
    world.config.env.emplace_back("GOOGLE_GEMINI_BASE_URL", model);
    world.config.env.emplace_back("GEMINI_CLI_TRUST_WORKSPACE", "true");
  }
};

struct Opencode {
  static constexpr const char* kCliType = "opencode";
  static constexpr const char* kVariable = "LB_TEST_OPENCODE";
  static constexpr const char* kArgument = "acp";
  static constexpr bool kKeepsSessions = true;

  static void prepare(AgentWorld& world, const std::string& model) {
    fs::create_directories(world.root / "home/.config/opencode");
    World::write(
        world.root / "home/.config/opencode/opencode.json",
        R"({"model":"scripted/scripted","permission":{"bash":"ask"},"provider":{"scripted":)"
        R"({"npm":"@ai-sdk/openai-compatible","name":"Scripted","options":{"baseURL":")" +
            model +
            R"(/v1","apiKey":"sk-test"},"models":{"scripted":{"name":"Scripted",)"
            R"("tool_call":true}}}}})");
    world.config.env.emplace_back("OPENCODE_DISABLE_AUTOUPDATE", "1");
    world.config.env.emplace_back("OPENCODE_DISABLE_MODELS_FETCH", "1");
  }
};

template <class Kind>
class OtherWorld : public AgentWorld {
 public:
  OtherWorld() {
    const std::string model = "http://127.0.0.1:" + start_model();
    config.cli_type = Kind::kCliType;
    config.command = required_cli(Kind::kVariable);
    config.args = {Kind::kArgument};
    config.env = environment();
    config.path = {fs::path(required_cli("LB_TEST_NODE")).parent_path().string()};
    Kind::prepare(*this, model);
    begin();
  }
};

template <class Kind>
struct Confined : Kind {};

TEST_CASE_TEMPLATE("other agents end to end: create, stream, tools, permission, cancel" *
                       doctest::skip(kNotAsked),
                   Kind, Gemini, Opencode, Confined<Gemini>, Confined<Opencode>) {
  OtherWorld<Kind> world;
  if constexpr (!std::is_same_v<Kind, Gemini> && !std::is_same_v<Kind, Opencode>) world.confine();
  CHECK_FALSE(world.create(kSession).cli_session_id.empty());

  CHECK(world.turn(kSession, "t1", "[[scenario:text]] hi").status == TurnStatus::Completed);
  CHECK(world.heard->text("t1").find("a short scripted answer") != std::string::npos);

  CHECK(world.turn(kSession, "t2", "[[scenario:tool]] read it").status == TurnStatus::Completed);
  const auto tools = world.heard->template all<ToolCall>("t2");
  REQUIRE(tools.size() == 1);
  const auto& read = std::get<ToolCall>(tools[0].body);
  CHECK_MESSAGE(tools[0].status == ItemStatus::Complete,
                read.call_id << ": " << read.tool_output.value_or(Text()).view());
  CHECK(world.heard->text("t2").find("The file contains a greeting.") != std::string::npos);

  const fs::path made = world.root / "project/made-by-permission";
  world.send(kSession, "t3", "[[scenario:permission]] may I");
  world.answer(world.approval("t3"), OptionKind::RejectOnce);
  REQUIRE(world.until([&] { return world.heard->ended("t3"); }));
  CHECK_FALSE(fs::exists(made));

  world.send(kSession, "t4", "[[scenario:permission]] may I now");
  world.answer(world.approval("t4"), OptionKind::AllowOnce);
  REQUIRE(world.until([&] { return world.heard->ended("t4"); }));
  CHECK(fs::exists(made));

  world.send(kSession, "t5", "[[scenario:slow]] talk");
  REQUIRE(world.until([&] { return !world.heard->text("t5").empty(); }));
  REQUIRE(run(world.io, world.provider->cancel_turn(kSession)).has_value());
  REQUIRE(world.until([&] { return world.heard->ended("t5"); }));
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);

  CHECK(world.turn(kSession, "t6", "[[scenario:echo]] still there").status ==
        TurnStatus::Completed);
  for (const auto& [id, item] : world.heard->items) CHECK(is_final(item.status));
}

TEST_CASE_TEMPLATE("other agents end to end: killed in mid-turn, back again, and loaded" *
                       doctest::skip(kNotAsked),
                   Kind, Gemini, Opencode) {
  OtherWorld<Kind> world;
  const ProviderSession session = world.create(kSession);
  world.turn(kSession, "t1", "[[scenario:echo]] first prompt");
  world.send(kSession, "t2", "[[scenario:gated]] [[gate:never]] wait");
  REQUIRE(world.until([&] { return !world.heard->text("t2").empty(); }));
  for (const pid_t agent : marked_named(world.mark, Kind::kCliType)) ::kill(agent, SIGKILL);
  const auto nodes = marked_named(world.mark, "node");
  // The model is a node process too, and the oldest one.
  for (std::size_t i = 1; i < nodes.size(); ++i) ::kill(nodes[i], SIGKILL);
  REQUIRE(world.until([&] { return world.heard->ended("t2"); }));
  CHECK(world.heard->turns.back().error_code == "PROCESS_CRASH");
  if (!Kind::kKeepsSessions) {
    const SessionId other("session-2");
    world.listen(other);
    world.create(other);
    CHECK(world.turn(other, "t3", "[[scenario:echo]] back again").status == TurnStatus::Completed);
    return;
  }
  CHECK(world.turn(kSession, "t3", "[[scenario:echo]] back again").status == TurnStatus::Completed);

  world.restart();
  const auto loaded = run(
      world.io, world.provider->load_session(kSession, world.load_options(session.cli_session_id)),
      std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  const auto found = run(world.io, world.provider->discover(world.project()));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cli_session_id == session.cli_session_id);
  std::string prompts;
  for (const auto& [id, item] : world.heard->items) {
    const auto* message = std::get_if<Message>(&item.body);
    if (message != nullptr && message->origin == Origin::User) prompts += message->content.view();
  }
  CHECK(prompts.find("first prompt") != std::string::npos);
  CHECK(prompts.find("back again") != std::string::npos);
}

}  // namespace
}  // namespace lb::test
