// The real Claude Code: started ahead, told how much to think, forked, and used in a terminal
// meanwhile.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/e2e/claude/claude_world.h"

namespace lb::test {
namespace {

/// The files of sessions that the CLI has written.
std::size_t session_files(const ClaudeWorld& world) {
  std::error_code none;
  const fs::path projects = world.root / "home/.claude/projects";
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(projects, none)) {
    if (entry.path().extension() == ".jsonl") ++count;
  }
  return count;
}

/// The last effort that the model was asked for.
std::string last_effort(const ClaudeWorld& world) {
  std::ifstream log(world.model_log());
  std::string effort;
  for (std::string line; std::getline(log, line);) {
    const auto value = parse_json(line);
    if (!value || !value->is_object()) continue;
    const json::object* body = object_at(value->get_object(), "body");
    const json::object* config = body != nullptr ? object_at(*body, "output_config") : nullptr;
    if (config != nullptr) effort = string_at(*config, "effort");
  }
  return effort;
}

/// The model that the newest request was for.
std::string last_model(const ClaudeWorld& world) {
  std::ifstream log(world.model_log());
  std::string model;
  for (std::string line; std::getline(log, line);) {
    const auto value = parse_json(line);
    if (!value || !value->is_object() || !value->get_object().contains("scenario")) continue;
    model = string_at(value->get_object(), "model");
  }
  return model;
}

/// As after a restart of the server, with what the session layer keeps.
void load_again(ClaudeWorld& world, const TurnId& last) {
  LoadSessionOptions options;
  options.cli_session_id = world.session.cli_session_id;
  options.project_dir = world.project();
  options.told = world.heard->facts;
  options.last_known_turn = last;
  world.restart();
  const auto loaded = run(world.io, world.provider->load_session(kSession, std::move(options)),
                          std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
}

}  // namespace

TEST_CASE("claude: an untouched default model stays the default, whatever name an answer bears") {
  ClaudeWorld world;
  world.begin();
  // As behind a gateway, or with a dated snapshot. The CLI alone would go on with that one.
  const Turn first = world.say("[[as:claude-sonnet-4-5]] one");
  CHECK(first.status == TurnStatus::Completed);
  const std::string asked = last_model(world);
  REQUIRE(asked != "claude-sonnet-4-5");
  CHECK(world.heard->facts.model == "default");
  const auto window = world.heard->facts.context;
  REQUIRE(window.has_value());
  world.from_file();  // The CLI has written it.
  load_again(world, first.turn_id);
  CHECK(world.say("two").status == TurnStatus::Completed);
  CHECK(last_model(world) == asked);
  CHECK(world.heard->facts.model == "default");
  CHECK(world.heard->facts.context->size == window->size);
}

TEST_CASE("claude: what a session cost goes on after a resume, and a turn costs only itself") {
  ClaudeWorld world;
  world.begin();
  const double one = world.say("one").cost_usd.value_or(0);
  const Turn second = world.say("two");
  REQUIRE(one > 0);
  const double two = second.cost_usd.value_or(0);
  CHECK(two < 1.5 * one);
  world.from_file();
  load_again(world, second.turn_id);
  const double three = world.say("three").cost_usd.value_or(0);
  REQUIRE(three > 0);
  CHECK(three < 1.5 * one);
  CHECK(world.heard->facts.cost_usd == doctest::Approx(one + two + three));
}

TEST_CASE("claude: an approved plan ends plan mode, also for the process that comes next") {
  ClaudeWorld world;
  world.begin();
  REQUIRE(run(world.io, world.provider->set_mode(kSession, "plan")).has_value());
  world.start_saying("[[scenario:exit-plan]] plan it");
  world.answer(world.asked(), "allow");
  world.wait_for_end();
  CHECK(world.heard->facts.mode == "default");
  run(world.io, world.provider->kill_session(kSession));
  LoadSessionOptions options;
  options.cli_session_id = world.session.cli_session_id;
  options.project_dir = world.project();
  options.mode = world.heard->facts.mode;
  options.last_known_turn = TurnId(world.last);
  REQUIRE(run(world.io, world.provider->load_session(kSession, options), std::chrono::seconds(60))
              .has_value());
  CHECK(world.say("[[scenario:text]] and now").status == TurnStatus::Completed);
  CHECK(world.heard->facts.mode == "default");
}

TEST_CASE("claude: one started ahead is taken by a session; one that is not leaves no trace") {
  ClaudeWorld world;
  const auto warm_up = [&] {
    world.provider->prewarm(world.project());
    REQUIRE(world.until([&] { return world.statuses.back() == AgentStatus::Connected; }));
  };
  warm_up();
  CHECK(world.provider->prewarmed() == 1);
  world.provider->end_prewarmed(world.project());
  REQUIRE(world.until([&] { return world.statuses.back() == AgentStatus::Idle; }));
  CHECK(session_files(world) == 0);

  warm_up();
  CreateSessionOptions options;
  options.session_id = kSession;
  options.project_dir = world.project();
  options.model = "sonnet";
  options.mode = "plan";
  options.thinking = "low";
  const auto created =
      run(world.io, world.provider->create_session(options), std::chrono::seconds(60));
  REQUIRE_MESSAGE(created.has_value(), (created ? "" : created.error().message));
  world.session = *created;
  CHECK(world.provider->prewarmed() == 0);
  CHECK(session_files(world) == 0);  // Nothing was said yet.
  CHECK(run(world.io, world.provider->discover(world.project())).empty());
  CHECK(world.heard->facts.mode == "plan");
  CHECK(world.heard->facts.model == "sonnet");
  CHECK(world.heard->facts.thinking == "low");
  CHECK(world.say("[[scenario:text]] hi").status == TurnStatus::Completed);
  CHECK(last_effort(world) == "low");
  CHECK(world.heard->facts.mode == "plan");
  CHECK(shown(world.from_file()) == shown(*world.heard));
  CHECK(session_files(world) == 1);
}

TEST_CASE("claude: how much to think is switched in a running session, and reaches the model") {
  ClaudeWorld world;
  world.begin();
  REQUIRE(world.heard->facts.thinking_levels.size() > 2);
  CHECK(world.heard->facts.thinking == "default");
  CHECK(world.say("[[scenario:text]] as you like").status == TurnStatus::Completed);
  const std::string by_default = last_effort(world);
  for (const std::string level : {"high", "low", "default"}) {
    INFO(level);
    REQUIRE(run(world.io, world.provider->set_thinking(kSession, level)).has_value());
    CHECK(world.heard->facts.thinking == level);
    CHECK(world.say("[[scenario:text]] now").status == TurnStatus::Completed);
    CHECK(last_effort(world) == (level == "default" ? by_default : level));
  }
}

TEST_CASE("claude: a fork knows what was said and goes its own way") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("[[scenario:text]] remember this").status == TurnStatus::Completed);
  world.from_file();  // The CLI has written it.
  const SessionId copy("session-2");
  Heard& heard = world.listen(copy);
  CreateSessionOptions options;
  options.session_id = copy;
  options.project_dir = world.project();
  const auto forked =
      run(world.io, world.provider->fork_session(kSession, options, {}), std::chrono::seconds(60));
  REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
  const std::string turn = make_uuid();
  CHECK(world.turn(copy, turn, "[[scenario:echo]] on my own").status == TurnStatus::Completed);
  CHECK(heard.text(turn).find("on my own") != std::string::npos);
  CHECK(world.say("[[scenario:echo]] the first").status == TurnStatus::Completed);
  std::ifstream log(world.model_log());
  std::string line;
  bool knew = false;
  while (std::getline(log, line)) {
    knew = knew || (line.contains("on my own") && line.contains("remember this"));
  }
  CHECK(knew);
}

TEST_CASE("claude: what a terminal says after a slash command of ours is imported on load") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("[[scenario:text]] [[words:300]] one").status == TurnStatus::Completed);
  const Turn command = world.say("/compact");
  CHECK(command.status == TurnStatus::Completed);
  REQUIRE(command.ended_at.has_value());
  world.restart();  // Our process is gone.
  const auto terminal = world.launcher.launch(
      {.argv = {required_cli("LB_TEST_CLAUDE"), "-p", "--resume=" + world.session.cli_session_id,
                "[[scenario:echo]] from a terminal"},
       .cwd = world.project(),
       .env = child_environment(world.agent_environment(), {})});
  REQUIRE(terminal.has_value());
  REQUIRE(run(world.io, (*terminal)->exited(), std::chrono::seconds(60)).code == 0);

  LoadSessionOptions options;
  options.cli_session_id = world.session.cli_session_id;
  options.project_dir = world.project();
  options.last_known_turn = command.turn_id;
  options.last_known_at = command.ended_at;
  Heard& heard = world.listen(SessionId("again"));
  REQUIRE(run(world.io, world.provider->import_history(SessionId("again"), options)).has_value());
  std::vector<TurnId> turns;
  for (const Turn& turn : heard.turns) {
    if (is_final(turn)) turns.push_back(turn.turn_id);
  }
  REQUIRE(turns.size() == 1);
  CHECK(heard.text(turns[0].str()).find("from a terminal") != std::string::npos);
}

}  // namespace lb::test
