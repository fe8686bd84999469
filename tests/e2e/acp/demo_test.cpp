// The provider and its manager with real processes: the demo agent, well-behaved and not.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>

#include "base/limits.h"
#include "tests/e2e/acp/world.h"

namespace lb::test {
namespace {

const SessionId kSession("session-1");

class DemoWorld : public World {
 public:
  explicit DemoWorld(std::vector<std::string> flags = {}) {
    config.cli_type = "demo";
    config.command = "/proc/self/exe";
    config.args = {"demo-agent", "--pace", "0"};
    config.args.insert(config.args.end(), flags.begin(), flags.end());
    config.env = environment();
    provider = &start(config);
    heard = &listen(kSession);
  }
  /// The agent itself: the marked process that is no guardian.
  std::vector<pid_t> agents() const {
    const auto guardians = marked_named(mark, "lb-guardian");
    std::vector<pid_t> found = marked(mark);
    std::erase_if(found,
                  [&](pid_t pid) { return std::ranges::find(guardians, pid) != guardians.end(); });
    return found;
  }
  bool becomes(AgentStatus status) {
    return until([&] { return !statuses.empty() && statuses.back() == status; });
  }

  AgentConfig config;
  Provider* provider = nullptr;
  Heard* heard = nullptr;
};

TEST_CASE("E1-TC-5.1a, E1-TC-5.1b, E1-TC-5.2a: sessions of a real agent share one process") {
  DemoWorld world;
  CHECK(world.agents().empty());
  world.create(kSession);
  CHECK(world.statuses == std::vector<AgentStatus>{AgentStatus::Starting, AgentStatus::Connected});
  REQUIRE(world.agents().size() == 1);
  const pid_t agent = world.agents().front();
  world.listen(SessionId("session-2"));
  world.create(SessionId("session-2"));
  CHECK(world.agents() == std::vector<pid_t>{agent});
}

TEST_CASE("E1-TC-5.2b, E1-TC-5.2c: a killed agent is disconnected, then comes back by itself") {
  DemoWorld world;
  world.create(kSession);
  const pid_t first = world.agents().at(0);
  ::kill(first, SIGKILL);
  REQUIRE(world.becomes(AgentStatus::Connected));
  REQUIRE(world.until([&] { return world.statuses.size() >= 5; }));
  CHECK(world.statuses == std::vector<AgentStatus>{AgentStatus::Starting, AgentStatus::Connected,
                                                   AgentStatus::Disconnected,
                                                   AgentStatus::Reconnecting,
                                                   AgentStatus::Connected});
  CHECK(world.last_message.find("SIGKILL") != std::string::npos);
  CHECK(world.agents().at(0) != first);
}

TEST_CASE("E1-TC-5.2d: manual reconnect does not wait for the timer") {
  DemoWorld world;
  world.create(kSession);
  ::kill(world.agents().at(0), SIGKILL);
  REQUIRE(world.becomes(AgentStatus::Disconnected));
  const auto began = std::chrono::steady_clock::now();
  REQUIRE(run(world.io, world.provider->reconnect()).has_value());
  CHECK(world.statuses.back() == AgentStatus::Connected);
  CHECK(world.agents().size() == 1);
  const auto took = std::chrono::steady_clock::now() - began;
  INFO("ms: " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  // Waiting out the back-off would show as a reconnecting status before this one.
  CHECK(std::ranges::find(world.statuses, AgentStatus::Reconnecting) == world.statuses.end());
}

TEST_CASE("E1-TC-5.3a: stop ends the agent and the children that do not want to go") {
  DemoWorld world;
  world.create(kSession);
  world.turn(kSession, "t1", "/fork plain setsid double term-ignoring");
  REQUIRE(world.until([&] { return world.agents().size() >= 4; }));
  world.stop();
  CHECK(ms_until_gone(world.mark, std::chrono::seconds(2)) >= 0);
}

TEST_CASE("E1-TC-5.5b: a handshake that fails or never ends in words, without a process left") {
  DemoWorld world({"--fail", "initialize"});
  CreateSessionOptions options;
  options.session_id = kSession;
  options.project_dir = world.project();
  const auto created = run(world.io, world.provider->create_session(options));
  REQUIRE_FALSE(created.has_value());
  CHECK(created.error().message.starts_with("Could not connect to Demo"));
  CHECK(ms_until_gone(world.mark, std::chrono::seconds(3)) >= 0);
}

TEST_CASE("E1-TC-5.6b: the process survives everyone who listens") {
  DemoWorld world;
  world.create(kSession);
  const pid_t agent = world.agents().at(0);
  world.provider->attach(kSession, nullptr);
  run_ready(world.io);
  CHECK(world.agents() == std::vector<pid_t>{agent});
  world.listen(kSession);
  CHECK(world.turn(kSession, "t1", "hello").status == TurnStatus::Completed);
}

TEST_CASE("acp: 50 sessions prompted at the same instant are 50 complete turns") {
  DemoWorld world;
  constexpr int kSessions = 50;
  std::vector<Heard*> all;
  for (int i = 0; i < kSessions; ++i) {
    const SessionId session("many-" + std::to_string(i));
    all.push_back(&world.listen(session));
    world.create(session);
  }
  CHECK(world.agents().size() == 1);
  int begun = 0;
  for (int i = 0; i < kSessions; ++i) {
    Prompt prompt;
    prompt.turn_id = TurnId("turn-" + std::to_string(i));
    prompt.content = "/load chunks=200 bytes=40 every_us=0";
    asio::co_spawn(
        world.io, world.provider->send_message(SessionId("many-" + std::to_string(i)), prompt),
        [&](std::exception_ptr, Result<SendResult> sent) { begun += sent.has_value() ? 1 : 0; });
  }
  REQUIRE(world.until([&] {
    return std::ranges::all_of(all, [](const Heard* heard) {
      return !heard->turns.empty() && is_final(heard->turns.back());
    });
  }));
  CHECK(begun == kSessions);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i]->turns.back().status == TurnStatus::Completed);
    CHECK(all[i]->text("turn-" + std::to_string(i)).size() == 200U * 40U);
  }
}

TEST_CASE(
    "acp: an agent that crashes, floods, babbles or ignores a cancel harms one turn at most") {
  DemoWorld world;
  world.create(kSession);
  CHECK(world.turn(kSession, "t0", "hello").status == TurnStatus::Completed);
  SUBCASE("crash") {
    const Turn turn = world.turn(kSession, "t1", "/crash");
    CHECK(turn.error_code == "PROCESS_CRASH");
    CHECK(turn.error_message->find("SIGSEGV") != std::string::npos);
  }
  SUBCASE("exit") {
    const Turn turn = world.turn(kSession, "t1", "/exit 7");
    CHECK(turn.error_message->find("exited with code 7") != std::string::npos);
  }
  SUBCASE("garbage") {
    CHECK(world.turn(kSession, "t1", "/garbage").status == TurnStatus::Completed);
  }
  SUBCASE("a line of 40 MB and 20 MB of complaints") {
    CHECK(is_final(world.turn(kSession, "t1", "/huge-line 40")));
    CHECK(world.turn(kSession, "t1b", "/stderr-flood 20").status == TurnStatus::Completed);
  }
  SUBCASE("error and refusal") {
    CHECK(world.turn(kSession, "t1", "/error").type == TurnType::Error);
    CHECK(world.turn(kSession, "t1b", "/refuse").type == TurnType::Error);
    CHECK(world.turn(kSession, "t1c", "/max-tokens").finish_reason == "max_tokens");
  }
  SUBCASE("a late end after a cancel") {
    world.send(kSession, "t1", "/ignore-cancel seconds=1");
    REQUIRE(world.until([&] { return !world.heard->text("t1").empty(); }));
    REQUIRE(run(world.io, world.provider->cancel_turn(kSession)).has_value());
    REQUIRE(world.until([&] { return world.heard->ended("t1"); }));
    // It finished what it was told to stop: that is how it ended.
    CHECK(world.heard->turns.back().type == TurnType::Complete);
  }
  SUBCASE("no end of its own") {
    world.send(kSession, "t1", "/hang");
    // Once it has spoken it does not even read: the cancel is never heard.
    REQUIRE(world.until([&] { return world.heard->text("t1").ends_with("from me. "); }));
    REQUIRE(run(world.io, world.provider->cancel_turn(kSession)).has_value());
    REQUIRE(world.until([&] { return world.heard->ended("t1"); }));
    CHECK(world.heard->turns.back().error_code == "INTERRUPT_FAILED");
  }
  CHECK(world.turn(kSession, "t2", "hello again").status == TurnStatus::Completed);
}

TEST_CASE("acp: questions of the demo agent are answered one by one") {
  DemoWorld world;
  world.create(kSession);
  world.send(kSession, "t1", "/approve 3");
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(world.until([&] { return world.heard->all<Approval>("t1").size() == i + 1; }));
    const Upsert item = world.heard->all<Approval>("t1").back();
    Answer answer;
    answer.item_id = item.item_id;
    answer.option_id = std::get<Approval>(item.body).options.at(0).option_id;
    world.give(kSession, item, answer);
  }
  REQUIRE(world.until([&] { return world.heard->ended("t1"); }));
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
}

}  // namespace
}  // namespace lb::test
