// Logged in or not: what is said of it, and what happens next.

#include "providers/claude/protocol.h"
#include "providers/claude/provider_test_support.h"
#include "tests/support/temp_dir.h"

using namespace lb;
using namespace lb::test;

TEST_CASE(
    "a CLI that is not logged in: the turn says what to do, and the next message tries again") {
  ClaudeConfig config;
  config.command = "claude-beta";
  House house(config);
  std::vector<std::pair<AgentStatus, std::string>> statuses;
  house.provider->on_status([&](AgentStatus status, const std::optional<std::string>& message) {
    statuses.emplace_back(status, message.value_or(""));
  });
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("logged out").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  const std::string advice = fmt::format(
      "Claude Code is not logged in. Run `CLAUDE_CONFIG_DIR={} claude-beta` in a terminal and log "
      "in with /login, or set a valid ANTHROPIC_API_KEY for this agent; then try again.",
      (house.folder / "config").string());
  CHECK(house.turns.back().error_code == "AUTHENTICATION_FAILED");
  CHECK(house.turns.back().error_message == advice);
  CHECK(house.upserts.empty());  // Nothing else speaks of /login.
  CHECK(statuses.back().second == advice);
  // The process ends: the next one sees a login that was made meanwhile.
  house.spin([&] { return !house.provider->is_alive(house.session); });
  CHECK(statuses.back() == std::pair(AgentStatus::Idle, advice));
  REQUIRE(house.send("hello").has_value());
  house.spin([&] { return house.ended_turns() == 2; });
  CHECK(house.launcher.launches().size() == 2);
  CHECK(statuses.back() == std::pair(AgentStatus::Connected, std::string()));

  REQUIRE(house.send("logged out").has_value());
  house.spin([&] { return house.ended_turns() == 3; });
  CHECK(statuses.back().second == advice);
  // Whom the API refuses for another reason it knows.
  REQUIRE(house.send("limited").has_value());
  house.spin([&] { return house.ended_turns() == 4; });
  CHECK(house.turns.back().error_code == "API_ERROR");
  CHECK(statuses.back().second.empty());

  REQUIRE(house.send("logged out").has_value());
  house.spin([&] { return house.ended_turns() == 5; });
  CHECK(statuses.back().second == advice);
  REQUIRE(house.run(house.provider->reconnect()).has_value());
  CHECK(statuses.back().second.empty());
  // Locked is nothing of it at any time.
  CHECK(std::ranges::find(statuses, AgentStatus::Disconnected,
                          [](const auto& told) { return told.first; }) == statuses.end());
}

TEST_CASE("whether there is a login is asked of the CLI itself, and again when one was made") {
  TempDir bin;
  std::ofstream(bin.file("claude")) << "#!/bin/sh\n";
  fs::permissions(bin.file("claude"), fs::perms::owner_all);
  ClaudeConfig config;
  config.command = bin.file("claude");
  House house(config);
  bool logged_in = false;
  int asked = 0;
  house.launcher.on_launch([&](std::shared_ptr<ScriptedProcess> agent) {
    if (house.launcher.launches().back().argv.back() == "--version") {
      agent->says("2.1.325 (Claude Code)");
    } else {
      REQUIRE(house.launcher.launches().back().argv[1] == "auth");
      ++asked;
      agent->says("{");
      agent->says(logged_in ? R"("loggedIn": true)" : R"("loggedIn": false)");
      agent->says("}");
    }
    agent->exits({.code = 0, .signal = {}});
  });
  const AgentInfo out = house.run(house.provider->inspect());
  CHECK(out.login == LoginState::Needed);
  CHECK(out.problem == "Claude Code is not logged in.");
  CHECK(out.remedy.value_or("").starts_with("Run `CLAUDE_CONFIG_DIR="));
  CHECK(out.status == AgentStatus::Idle);
  (void)house.run(house.provider->inspect());
  CHECK(asked == 1);  // Not with every look at the list.
  logged_in = true;
  fs::create_directories(house.folder / "config");
  std::ofstream(house.folder / "config/.credentials.json") << "{}";
  const AgentInfo in = house.run(house.provider->inspect());
  CHECK(asked == 2);
  CHECK(in.login == LoginState::Ok);
  CHECK(!in.problem.has_value());
}

TEST_CASE("the advice of the CLI for a terminal is left out of what we say of a login") {
  using lb::claude::login_text;
  CHECK(login_text("C", "c", "Please run /login · API Error: 401 invalid x-api-key")
            .starts_with("C could not log in: API Error: 401 invalid x-api-key. Run `c` in"));
  CHECK(login_text("C", "c", "Invalid API key · Please run /login")
            .starts_with("C could not log in: Invalid API key. Run `c` in"));
}
