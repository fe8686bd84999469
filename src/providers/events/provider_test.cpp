#include "providers/events/provider.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>

#include "base/limits.h"
#include "tests/support/manual_timers.h"
#include "tests/support/recording_sink.h"
#include "tests/support/run.h"
#include "tests/support/scripted_process.h"

namespace lb::events {
namespace {

const SessionId kSession("s1");

struct Fixture {
  Fixture() {
    AgentSpec spec;
    spec.cli_type = "mine";
    spec.name = "Mine";
    spec.argv = {"mine"};
    spec.install_hint = "Write it.";
    provider = std::make_unique<EventsProvider>(
        spec, ProviderDeps{io.get_executor(), io.get_executor(), launcher, timers.clock(), timers});
    const auto told = [this](const SessionReport& report) {
      if (std::holds_alternative<SessionEnded>(report)) ++endings;
    };
    provider->attach(
        kSession,
        test::sink({.item = [this](const Upsert& item) { items[item.item_id.str()] = item; },
                    .turn = [this](const Turn& turn) { turns.push_back(turn); },
                    .report = told}));
  }
  ~Fixture() {
    test::run(io, provider->shutdown());
    test::run_ready(io);
  }
  Result<ProviderSession> create() {
    CreateSessionOptions options;
    options.session_id = kSession;
    options.project_dir = "/project";
    return test::run(io, provider->create_session(options));
  }
  std::shared_ptr<test::ScriptedProcess> agent() { return launcher.agents().back(); }
  void says(const std::string& turn, const std::string& type, const std::string& fields) {
    agent()->says(R"({"eventId":"e","timestamp":"2026-11-15T20:00:00.000Z","turnId":")" + turn +
                  R"(","sessionId":"s1","type":")" + type + R"(","payload":{"type":")" + type +
                  "\"" + fields + "}}");
  }
  /// Sends, with an agent that takes the prompt up at once.
  void begin(const std::string& turn) {
    std::optional<Result<SendResult>> sent;
    asio::co_spawn(io, provider->send_message(kSession, {TurnId(turn), "hi", {}}),
                   [&](std::exception_ptr, Result<SendResult> result) { sent = result; });
    test::run_ready(io);
    CHECK_FALSE(sent.has_value());  // Not before the agent has begun.
    says(turn, "response_start", R"(,"modelId":"m","providerId":"mine")");
    REQUIRE(test::run_until(io, [&] { return sent.has_value(); }));
    REQUIRE(sent->has_value());
    CHECK((*sent)->turn_id.str() == turn);
  }
  bool until_final() {
    return test::run_until(io, [&] { return !turns.empty() && is_final(turns.back()); });
  }

  asio::io_context io;
  test::ScriptedLauncher launcher{io.get_executor()};
  test::ManualTimers timers;
  std::unique_ptr<EventsProvider> provider;
  std::map<std::string, Upsert> items;
  std::vector<Turn> turns;
  int endings = 0;
};

TEST_CASE("events: a turn of envelopes becomes items with ids of ours") {
  Fixture f;
  REQUIRE(f.create().has_value());
  CHECK(f.launcher.launches().at(0).cwd == "/project");
  f.begin("t1");
  CHECK(f.agent()->heard().at(0) == R"({"type":"open","sessionId":"s1","cwd":"/project"})");
  CHECK(f.agent()->heard().at(1) ==
        R"({"type":"prompt","sessionId":"s1","turnId":"t1","content":"hi"})");
  f.says("t1", "item_start", R"(,"itemId":"any name at all","itemType":"message")");
  f.says("t1", "item_delta", R"(,"itemId":"any name at all","deltaContent":"Hello")");
  REQUIRE(test::run_until(f.io, [&] { return f.agent()->unread() == 0; }));
  test::run_ready(f.io);
  f.timers.advance(std::chrono::milliseconds(limits::kBatchAgeMs));
  REQUIRE(f.items.contains("t1:1:0"));
  CHECK(std::get<Message>(f.items.at("t1:1:0").body).content.view() == "Hello");
  f.says("t1", "response_done", R"(,"status":"completed")");
  REQUIRE(f.until_final());
  CHECK(f.turns.back().status == TurnStatus::Completed);
  CHECK(f.turns.back().origin == TurnOrigin::User);
  CHECK(f.items.at("t1:1:0").status == ItemStatus::Complete);
}

TEST_CASE("events: what a session adds to the environment is there whenever its program starts") {
  Fixture f;
  LoadSessionOptions options;
  options.project_dir = "/worktree";
  options.env = {{"LIMINAL_PORT_FIRST", "4100"}};
  REQUIRE(test::run(f.io, f.provider->load_session(kSession, options)).has_value());
  f.agent()->exits({.code = 1, .signal = {}});
  test::run_ready(f.io);
  f.begin("t1");
  REQUIRE(f.launcher.launches().size() == 2);
  for (const LaunchOptions& launch : f.launcher.launches()) {
    CHECK(launch.cwd == "/worktree");
    CHECK(variable(launch.env, "LIMINAL_PORT_FIRST") == "4100");
  }
}

TEST_CASE("events: a line that is no event ends the turn with the reason") {
  Fixture f;
  REQUIRE(f.create().has_value());
  f.agent()->says("warming up");  // Noise outside of a turn is nobody's business.
  f.begin("t1");
  f.says("t1", "item_delta", "");
  REQUIRE(f.until_final());
  CHECK(f.turns.back().error_code == "INVALID_STREAM_EVENT");
  CHECK(f.turns.back().error_message->find("itemId: missing") != std::string::npos);
}

TEST_CASE("events: the end of the process ends the turn; the next prompt starts it again") {
  Fixture f;
  REQUIRE(f.create().has_value());
  f.begin("t1");
  f.agent()->complains("oh no");
  f.agent()->exits({.code = 1, .signal = {}});
  REQUIRE(f.until_final());
  CHECK(f.turns.back().error_code == "PROCESS_CRASH");
  CHECK(f.turns.back().error_message == "Mine exited with code 1. It said: oh no");
  CHECK(f.endings == 1);
  CHECK_FALSE(f.provider->is_alive(kSession));
  f.begin("t2");
  CHECK(f.launcher.launches().size() == 2);
}

TEST_CASE("events: a prompt that is never taken up is an error, not a turn") {
  Fixture f;
  REQUIRE(f.create().has_value());
  std::optional<Result<SendResult>> sent;
  asio::co_spawn(f.io, f.provider->send_message(kSession, {TurnId("t1"), "hi", {}}),
                 [&](std::exception_ptr, Result<SendResult> result) { sent = result; });
  test::run_ready(f.io);
  f.agent()->exits({.code = 0, .signal = {}});
  REQUIRE(test::run_until(f.io, [&] { return sent.has_value(); }));
  REQUIRE_FALSE(sent->has_value());
  CHECK(sent->error().code == ErrorCode::ProcessCrash);
  CHECK(f.turns.empty());
}

TEST_CASE("events: cancel is told to the agent; one that does not listen is ended") {
  Fixture f;
  REQUIRE(f.create().has_value());
  f.begin("t1");
  REQUIRE(test::run(f.io, f.provider->cancel_turn(kSession)).has_value());
  CHECK(f.agent()->heard().back() == R"({"type":"cancel","sessionId":"s1","turnId":"t1"})");
  SUBCASE("it listens") {
    f.says("t1", "response_done", R"(,"status":"cancelled")");
  }
  SUBCASE("it does not") {
    f.timers.advance(std::chrono::seconds(2));
  }
  REQUIRE(f.until_final());
  CHECK(f.turns.back().status == TurnStatus::Cancelled);
}

TEST_CASE("events: kill ends the process, not installed says so") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(test::run(f.io, f.provider->kill_session(kSession)).has_value());
  CHECK_FALSE(f.agent()->alive());
  CHECK_FALSE(f.provider->is_alive(kSession));
  f.launcher.fails_with({ErrorCode::AgentUnavailable, "no"});
  const auto created = f.create();
  REQUIRE_FALSE(created.has_value());
  CHECK(created.error().message == "Could not start Mine. Check that it's installed. Write it.");
}

}  // namespace
}  // namespace lb::events
