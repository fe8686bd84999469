// Processes of Claude Code that are started before a session needs them.

#include "providers/claude/provider_test_support.h"

using namespace lb;
using namespace lb::test;

namespace {

/// What the CLI was asked, without `initialize`.
std::vector<std::string> asked(const House& house, std::size_t agent) {
  std::vector<std::string> subtypes;
  for (const json::object& line : house.heard(agent, "control_request")) {
    subtypes.emplace_back(string_at(line.at("request").get_object(), "subtype"));
  }
  REQUIRE(!subtypes.empty());
  CHECK(subtypes.front() == "initialize");
  subtypes.erase(subtypes.begin());
  return subtypes;
}

void warm_up(House& house) {
  house.provider->prewarm(house.project());
  house.spin([&] {
    const auto& agents = house.launcher.agents();
    return !agents.empty() && agents.back()->heard().size() == 1 && agents.back()->unread() == 0;
  });
}

}  // namespace

TEST_CASE("a session takes the process that was started ahead, with its model, mode and thinking") {
  std::vector<AgentStatus> statuses;  // Heard until the house is gone.
  House house;
  house.provider->on_status([&](AgentStatus status, const auto&) { statuses.push_back(status); });
  warm_up(house);
  CHECK(house.provider->prewarmed() == 1);
  CHECK(house.run(house.provider->inspect()).warm == 1);
  CHECK(statuses == std::vector{AgentStatus::Starting, AgentStatus::Connected});
  house.provider->prewarm(house.project());  // One is enough.
  CreateSessionOptions options = house.options();
  options.model = "opus";
  options.mode = "plan";
  options.thinking = "4000";
  const auto created = house.run(house.provider->create_session(options));
  REQUIRE(created.has_value());
  REQUIRE(house.launcher.launches().size() == 1);
  CHECK(house.provider->prewarmed() == 0);
  CHECK(std::ranges::count(house.launcher.launches()[0].argv,
                           "--session-id=" + created->cli_session_id) == 1);
  CHECK(asked(house, 0) ==
        std::vector<std::string>{"set_model", "set_permission_mode", "set_max_thinking_tokens"});
  CHECK(house.facts().model == "opus");
  CHECK(house.facts().mode == "plan");
  CHECK(house.facts().commands.size() == 1);
  CHECK(house.provider->is_alive(house.session));
  REQUIRE(house.send("hello").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  CHECK(house.upserts.back().session_id == house.session);
  CHECK(std::get<Message>(house.upserts.back().body).content.view() == "You said: hello");
}

TEST_CASE("a session that comes while the process is still starting waits for that one") {
  House house;
  house.provider->prewarm(house.project());
  REQUIRE(house.create().has_value());
  CHECK(house.launcher.launches().size() == 1);
  CHECK(house.provider->is_alive(house.session));
}

TEST_CASE("a process that was started ahead is for sessions with the same environment") {
  House house;
  warm_up(house);
  CreateSessionOptions options = house.options();
  options.own_process = true;
  options.env = {{"LIMINAL_PORT_FIRST", "4100"}};
  WarmPlace place = WarmPlace::of(options);
  SUBCASE("one with another environment starts its own") {
    REQUIRE(house.run(house.provider->create_session(options)).has_value());
    CHECK(house.provider->prewarmed() == 1);
  }
  SUBCASE("one with the same takes it, whoever else may share a process") {
    place.own_process = false;
    house.provider->prewarm(place);
    house.spin([&] { return house.launcher.launches().size() == 2; });
    REQUIRE(house.run(house.provider->create_session(options)).has_value());
    CHECK(house.provider->prewarmed() == 1);
  }
  REQUIRE(house.launcher.launches().size() == 2);
  CHECK(variable(house.launcher.launches()[0].env, "LIMINAL_PORT_FIRST").empty());
  CHECK(variable(house.launcher.launches()[1].env, "LIMINAL_PORT_FIRST") == "4100");
}

TEST_CASE("what only a command line can say needs a process of its own; the other one goes") {
  House house;
  warm_up(house);
  REQUIRE(house.create(RawObject(json::object{{"maxTurns", 3}})).has_value());
  CHECK(house.launcher.launches().size() == 2);
  house.spin([&] { return !house.launcher.agents()[0]->alive(); });
  CHECK(house.provider->prewarmed() == 0);
  CHECK(house.provider->is_alive(house.session));
}

TEST_CASE("a process started ahead is of its directory only") {
  House house;
  fs::create_directories(house.folder / "other");
  house.provider->prewarm((house.folder / "other").string());
  REQUIRE(house.create().has_value());
  CHECK(house.launcher.launches().size() == 2);
  CHECK(house.provider->prewarmed() == 1);
}

TEST_CASE("a process started ahead is confined or it is not, and taken accordingly") {
  House house;
  house.provider->prewarm({house.project(), true});
  REQUIRE(house.create().has_value());
  REQUIRE(house.launcher.launches().size() == 2);
  CHECK(house.launcher.launches()[0].confined);
  CHECK_FALSE(house.launcher.launches()[1].confined);
  CHECK(house.provider->prewarmed() == 1);
  CreateSessionOptions options;
  options.session_id = SessionId("walled");
  options.project_dir = house.project();
  options.confined = true;
  REQUIRE(house.run(house.provider->create_session(std::move(options))).has_value());
  CHECK(house.launcher.launches().size() == 2);
  CHECK(house.provider->prewarmed() == 0);
}

TEST_CASE("one that dies, fails or is let go leaves nothing, and sessions start as ever") {
  House house;
  SUBCASE("it dies") {
    warm_up(house);
    house.launcher.agents()[0]->exits({.code = {}, .signal = 9});
    house.spin([&] { return house.provider->prewarmed() == 0; });
  }
  SUBCASE("it dies while a session is taking it") {
    house.launcher.on_launch([](std::shared_ptr<ScriptedProcess> agent) {
      agent->complains("no luck\n");
      agent->exits({.code = 1, .signal = {}});
    });
    house.provider->prewarm(house.project());
    house.launcher.on_launch([](std::shared_ptr<ScriptedProcess> agent) {
      asio::co_spawn(agent->executor(), play(agent), asio::detached);
    });
  }
  SUBCASE("it is not installed") {
    house.launcher.fails_with({ErrorCode::AgentUnavailable, "claude: not found"});
    house.provider->prewarm(house.project());
    house.spin([&] { return house.provider->prewarmed() == 0; });
    CHECK(house.run(house.provider->inspect()).status == AgentStatus::Idle);
  }
  SUBCASE("nobody wants it") {
    warm_up(house);
    house.provider->end_prewarmed(house.project());
    CHECK(house.provider->prewarmed() == 0);
    house.spin([&] { return !house.launcher.agents()[0]->alive(); });
    CHECK(house.launcher.agents()[0]->stdin_closed());
    house.spin([&] { return house.run(house.provider->inspect()).status == AgentStatus::Idle; });
  }
  SUBCASE("the server stops") {
    warm_up(house);
    house.run(house.provider->shutdown());
    CHECK(house.provider->prewarmed() == 0);
    CHECK_FALSE(house.launcher.agents()[0]->alive());
  }
  REQUIRE(house.create().has_value());
  CHECK(house.provider->is_alive(house.session));
  CHECK(std::ranges::count_if(house.launcher.agents(),
                              [](const auto& agent) { return agent->alive(); }) == 1);
}
