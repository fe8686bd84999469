// The real Claude Code: its login, the limits of its account, and a message in the middle of a
// turn.
#include <doctest/doctest.h>

#include "tests/e2e/claude/claude_world.h"

namespace lb::test {

TEST_CASE("claude: whether there is a login is known before the first message") {
  ClaudeWorld with;
  const AgentInfo in = run(with.io, with.provider->inspect(), std::chrono::seconds(60));
  CHECK(in.login == LoginState::Ok);
  CHECK(!in.problem.has_value());

  ClaudeWorld without("");
  const AgentInfo out = run(without.io, without.provider->inspect(), std::chrono::seconds(60));
  CHECK(out.login == LoginState::Needed);
  CHECK(out.problem == "Claude Code is not logged in.");
  CHECK(out.remedy.value_or("").find("/login") != std::string::npos);
  without.begin();
  CHECK(without.say("hello").error_code == "AUTHENTICATION_FAILED");
  CHECK(std::ranges::count(without.statuses, AgentStatus::Disconnected) == 0);
}

TEST_CASE("claude: the limits of an account are told with the answers") {
  ClaudeWorld world("CLAUDE_CODE_OAUTH_TOKEN");
  world.begin();
  CHECK(world.say("[[used:92]] hello").status == TurnStatus::Completed);
  const std::vector<AccountLimit>& limits = world.heard->facts.limits;
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].window == "five_hour");
  CHECK(limits[0].used == doctest::Approx(0.92));
  CHECK(!limits[0].reached);
  REQUIRE(limits[0].resets_at.has_value());
  CHECK(limits[0].resets_at->ms > world.clock.wall().ms);
  CHECK(limits[1].window == "seven_day");
  const AgentInfo info = run(world.io, world.provider->inspect(), std::chrono::seconds(60));
  CHECK(info.limits == limits);
}

TEST_CASE("claude: a message in the middle of a turn is taken up between its tools") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:loop-tools]] [[words:6]] [[delay:300]] go");
  REQUIRE(world.until([&] { return !world.tools().empty(); }));
  const TurnId said(make_uuid());
  const auto written =
      run(world.io, world.provider->steer_turn(kSession, {said, "KEYWORD steered", {}}));
  REQUIRE_MESSAGE(written.has_value(), (written ? "" : written.error().message));
  REQUIRE(world.until([&] { return !world.heard->steered.empty(); }));
  CHECK(world.heard->steered[0].prompt == said);
  REQUIRE(world.heard->steered[0].into.has_value());
  CHECK(world.heard->steered[0].into->str() == world.last);
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
  std::ifstream log(world.model_log());
  bool reached = false;
  for (std::string line; std::getline(log, line);) reached = reached || line.contains("KEYWORD");
  CHECK(reached);
}

TEST_CASE("claude: a message into a turn without tools becomes the next turn") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:slow]] [[tps:20]] talk");  // Three seconds.
  REQUIRE(world.until([&] { return !world.heard->text(world.last).empty(); }));
  const std::string first = world.last;
  world.last = make_uuid();
  REQUIRE(run(world.io, world.provider->steer_turn(
                            kSession, {TurnId(world.last), "[[scenario:echo]] and this", {}}))
              .has_value());
  world.wait_for_end();
  CHECK(world.heard->text(world.last).find("and this") != std::string::npos);
  CHECK(world.heard->all<Message>(first).back().status == ItemStatus::Complete);
  CHECK(world.heard->steered.empty());
}

}  // namespace lb::test
