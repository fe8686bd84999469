// The provider over a scripted CLI: what takes too long, forks, and how much it thinks.

#include "providers/claude/provider_test_support.h"
#include "tests/support/temp_dir.h"

using namespace lb;
using namespace lb::test;

namespace {

std::string user_line(std::string_view uuid, std::string_view time, std::string_view text) {
  return fmt::format(
      R"({{"type":"user","uuid":"{}","parentUuid":null,"timestamp":"{}","message":{{"role":"user","content":"{}"}}}})"
      "\n",
      uuid, time, text);
}

std::string answer_line(std::string_view uuid, std::string_view parent, std::string_view time) {
  return fmt::format(
      R"({{"type":"assistant","uuid":"{}","parentUuid":"{}","timestamp":"{}","message":{{"id":"m-{}","model":"opus","stop_reason":"end_turn","content":[{{"type":"text","text":"answer {}"}}]}}}})"
      "\n",
      uuid, parent, time, uuid, uuid);
}

bool has(const std::vector<std::string>& argv, const std::string& flag) {
  return std::ranges::find(argv, flag) != argv.end();
}

}  // namespace

TEST_CASE("what a terminal added behind a turn that the CLI knows by another id is imported") {
  House house;
  house.record("outside", user_line("u1", "2026-01-01T00:00:00.000Z", "ours") +
                              answer_line("a1", "u1", "2026-01-01T00:00:05.000Z") +
                              user_line("u2", "2026-01-01T01:00:00.000Z", "in a terminal") +
                              answer_line("a2", "u2", "2026-01-01T01:00:05.000Z"));
  LoadSessionOptions options;
  options.cli_session_id = "outside";
  options.project_dir = house.project();
  options.last_known_turn = TurnId("a-slash-command-of-ours");
  options.last_known_at = from_iso("2026-01-01T00:30:00.000Z");
  REQUIRE(house.run(house.provider->load_session(house.session, options)).has_value());
  REQUIRE(house.upserts.size() == 2);
  CHECK(house.upserts[0].item_id.str() == "u2:user");
  CHECK(house.ended_turns() == 1);
}

TEST_CASE("a session whose record is gone is not begun again in silence") {
  House house;
  LoadSessionOptions options;
  options.cli_session_id = "gone";
  options.project_dir = house.project();
  options.last_known_turn = TurnId("said-before");
  const auto loaded = house.run(house.provider->load_session(house.session, options));
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().code == ErrorCode::SessionNotFound);
  CHECK(loaded.error().message ==
        "Claude Code no longer has this conversation: its record of it is gone.");
  CHECK(house.launcher.launches().empty());
  options.last_known_turn.reset();  // Nothing was said in it: there is nothing to miss.
  REQUIRE(house.run(house.provider->load_session(house.session, options)).has_value());
  CHECK(house.launcher.launches().back().argv.back() == "--session-id=gone");
}

TEST_CASE("a CLI that does not answer `initialize` in time is ended and the session refused") {
  CHECK(ClaudeConfig().start_max == std::chrono::seconds(30));
  ClaudeConfig config;
  config.start_max = std::chrono::milliseconds(40);
  House house(config);
  house.launcher.on_launch([](const std::shared_ptr<ScriptedProcess>&) {});  // Says nothing.
  const auto refused = house.create();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::AgentUnavailable);
  CHECK(refused.error().message.find("did not answer \"initialize\"") != std::string::npos);
  CHECK(house.launcher.agents()[0]->killed());
  CHECK_FALSE(house.provider->is_alive(house.session));
}

TEST_CASE("a prompt that is not taken up in time fails and must not run later") {
  CHECK(ClaudeConfig().bind_max == std::chrono::seconds(30));
  ClaudeConfig config;
  config.bind_max = std::chrono::milliseconds(40);
  House house(config);
  REQUIRE(house.create().has_value());
  const auto refused = house.send("never mind");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::AgentUnavailable);
  CHECK(refused.error().message.find("did not take up the message") != std::string::npos);
  CHECK(house.launcher.agents()[0]->killed());
  CHECK(house.turns.empty());
}

TEST_CASE("an interrupt that does not end the turn ends the process; the next message resumes") {
  for (const std::string how : {"hang deaf", "hang stuck"}) {
    INFO(how);
    ClaudeConfig config;
    config.interrupt_max = std::chrono::milliseconds(40);
    House house(config);
    REQUIRE(house.create().has_value());
    REQUIRE(house.send(how).has_value());
    REQUIRE(house.run(house.provider->cancel_turn(house.session)).has_value());
    CHECK(house.heard(0, "control_request").size() == 2);  // initialize and interrupt.
    CHECK(house.launcher.agents()[0]->killed());
    CHECK_FALSE(house.provider->is_alive(house.session));
    REQUIRE(house.ended_turns() == 1);
    CHECK(house.turns.back().type == TurnType::Complete);
    CHECK(house.turns.back().status == TurnStatus::Cancelled);
    REQUIRE(house.send("go on").has_value());
    house.spin([&] { return house.ended_turns() == 2; });
    CHECK(house.turns.back().status == TurnStatus::Completed);
  }
}

TEST_CASE("a fork resumes the original under an id of its own and leaves it alone") {
  House house;
  const auto original = house.create();
  REQUIRE(original.has_value());
  CreateSessionOptions options = house.options();
  options.session_id = SessionId("session-2");
  const auto fork = [&] {
    return house.run(house.provider->fork_session(house.session, options, {}));
  };
  const auto empty = fork();
  CHECK(empty.error().code == ErrorCode::SessionNotFound);
  CHECK(empty.error().message.find("say something") != std::string::npos);
  CHECK(house.launcher.launches().size() == 1);

  REQUIRE(house.run(house.provider->set_mode(house.session, "plan")).has_value());
  house.record(original->cli_session_id, user_line("u1", "2026-01-01T00:00:00.000Z", "before") +
                                             answer_line("a1", "u1", "2026-01-01T00:00:05.000Z"));
  int copied = 0;
  const auto count = [&](const Upsert&) { ++copied; };
  house.provider->attach(options.session_id, sink({.item = count, .turn = {}, .report = {}}));
  const auto forked = fork();
  REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
  CHECK(forked->cli_session_id != original->cli_session_id);
  CHECK(copied == 0);  // The session layer copies the conversation.
  const auto& argv = house.launcher.launches().back().argv;
  CHECK(has(argv, "--resume=" + original->cli_session_id));
  CHECK(has(argv, "--fork-session"));
  CHECK(has(argv, "--session-id=" + forked->cli_session_id));
  CHECK(has(argv, "--permission-mode=plan"));
  CHECK(house.launcher.launches().back().cwd == house.project());
  CHECK(house.provider->is_alive(house.session));
  CHECK(house.provider->is_alive(options.session_id));
  CHECK(house.run(house.provider->fork_session(SessionId("unknown"), options, {})).error().code ==
        ErrorCode::SessionNotFound);
}

TEST_CASE("a fork before a turn, or into another folder, resumes a copy of the record") {
  House house;
  const auto original = house.create();
  REQUIRE(original.has_value());
  house.record(original->cli_session_id, user_line("u1", "2026-01-01T00:00:00.000Z", "before") +
                                             answer_line("a1", "u1", "2026-01-01T00:00:05.000Z"));
  CreateSessionOptions options = house.options();
  options.session_id = SessionId("session-2");
  options.env = {{"LIMINAL_PORT_FIRST", "4100"}};
  ForkPoint point;
  point.turn = TurnId("later");
  SUBCASE("before the first there is nothing to remember") {
    const auto forked =
        house.run(house.provider->fork_session(house.session, options, std::move(point)));
    REQUIRE(forked.has_value());
    const auto& launch = house.launcher.launches().back();
    CHECK(has(launch.argv, "--session-id=" + forked->cli_session_id));
    CHECK(variable(launch.env, "LIMINAL_PORT_FIRST") == "4100");
  }
  SUBCASE("before a later one there is") {
    point.last_kept = TurnId("u1");
    const auto forked =
        house.run(house.provider->fork_session(house.session, options, std::move(point)));
    REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
    const auto& launch = house.launcher.launches().back();
    CHECK(has(launch.argv, "--resume=" + forked->cli_session_id));
    CHECK(launch.cwd == house.project());
  }
  SUBCASE("another folder is where it works") {
    TempDir other;
    options.project_dir = other.path();
    const auto forked = house.run(house.provider->fork_session(house.session, options, {}));
    REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
    const auto& launch = house.launcher.launches().back();
    CHECK(has(launch.argv, "--resume=" + forked->cli_session_id));
    CHECK(launch.cwd == other.path());
  }
}

TEST_CASE("how much to think is chosen by what the model knows, and kept when it is resumed") {
  House house;
  CreateSessionOptions options = house.options();
  options.thinking = "10000";
  REQUIRE(house.run(house.provider->create_session(options)).has_value());
  CHECK(has(house.launcher.launches()[0].argv, "--max-thinking-tokens=10000"));
  CHECK(house.facts().thinking == "10000");
  const auto choose = [&](std::string level) {
    return house.run(house.provider->set_thinking(house.session, std::move(level)));
  };
  CHECK(choose("high").error().code == ErrorCode::InvalidRequest);  // It has no efforts.
  REQUIRE(choose("off").has_value());
  CHECK(house.facts().thinking == "off");
  REQUIRE(house.run(house.provider->set_model(house.session, "new")).has_value());
  CHECK(house.facts().thinking_levels.size() == 3);
  CHECK(choose("4000").error().code == ErrorCode::InvalidRequest);  // It ignores budgets.
  REQUIRE(choose("high").has_value());
  CHECK(house.facts().thinking == "high");
  REQUIRE(choose("default").has_value());
  REQUIRE(choose("low").has_value());

  const auto asked = house.heard(0, "control_request");
  REQUIRE(asked.size() == 7);
  const auto request = [&](std::size_t at) { return json::serialize(asked[at].at("request")); };
  CHECK(request(1) == R"({"subtype":"set_max_thinking_tokens","max_thinking_tokens":0})");
  CHECK(request(3) == R"({"subtype":"apply_flag_settings","settings":{"effortLevel":"high"}})");
  CHECK(request(4) == R"({"subtype":"set_max_thinking_tokens","max_thinking_tokens":null})");
  CHECK(request(5) == R"({"subtype":"apply_flag_settings","settings":{"effortLevel":null}})");
  CHECK(request(6) == R"({"subtype":"apply_flag_settings","settings":{"effortLevel":"low"}})");

  REQUIRE(house.run(house.provider->kill_session(house.session)).has_value());
  house.record("cli-1", user_line("t", "2026-01-01T00:00:00.000Z", "said before"));
  LoadSessionOptions again;
  again.cli_session_id = "cli-1";
  again.project_dir = house.project();
  again.last_known_turn = TurnId("t");
  again.thinking = "low";
  REQUIRE(house.run(house.provider->load_session(house.session, again)).has_value());
  CHECK(has(house.launcher.launches().back().argv, "--effort=low"));
  options.thinking = "--dangerous";
  CHECK(house.run(house.provider->create_session(options)).error().code ==
        ErrorCode::InvalidRequest);
}

TEST_CASE("the mode that never asks is there only where the configuration allows it") {
  House house;
  CreateSessionOptions options = house.options();
  options.mode = "bypassPermissions";
  const auto refused = house.run(house.provider->create_session(options));
  CHECK(refused.error().code == ErrorCode::InvalidRequest);
  CHECK(refused.error().message.find("allow_bypass = true") != std::string::npos);
  CHECK(refused.error().message.find("[agents.claude-code]") != std::string::npos);
  CHECK(house.launcher.launches().empty());

  ClaudeConfig config;
  config.allow_bypass = true;
  House free(config);
  options.project_dir = free.project();
  REQUIRE(free.run(free.provider->create_session(options)).has_value());
  CHECK(has(free.launcher.launches()[0].argv, "--permission-mode=bypassPermissions"));
  CHECK(has(free.launcher.launches()[0].argv, "--allow-dangerously-skip-permissions"));
}

TEST_CASE("an untouched model is named when the session is resumed, so that the CLI keeps it") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("hello").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  CHECK(house.facts().model == "opus");
  house.launcher.agents().back()->exits({.code = 0, .signal = {}});
  house.spin([&] { return !house.provider->is_alive(house.session); });
  REQUIRE(house.send("again").has_value());
  CHECK(has(house.launcher.launches().back().argv, "--model=opus"));
  (void)house.run(house.provider->kill_session(house.session));

  house.record("cli-9", user_line("u1", "2026-01-01T00:00:00.000Z", "x"));
  LoadSessionOptions options;
  options.cli_session_id = "cli-9";
  options.project_dir = house.project();
  options.told.model = "default";
  options.told.cost_usd = 1.5;
  options.last_known_turn = TurnId("u1");
  REQUIRE(house.run(house.provider->load_session(house.session, options)).has_value());
  CHECK(has(house.launcher.launches().back().argv, "--model=default"));
  CHECK(house.facts().cost_usd == 1.5);  // Counted on from there.
}

TEST_CASE("no room for another process is no missing program") {
  House house;
  house.launcher.fails_with({ErrorCode::Busy, "could not make a pipe: Too many open files"});
  const auto created = house.create();
  REQUIRE_FALSE(created.has_value());
  const std::string& said = created.error().message;
  CHECK(created.error().code == ErrorCode::Busy);
  CHECK(said.starts_with("Could not start Claude Code: this computer has no room"));
  CHECK(said.find("Too many open files") != std::string::npos);
  CHECK(said.find("installed") == std::string::npos);
}
