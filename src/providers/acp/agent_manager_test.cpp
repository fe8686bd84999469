#include "providers/acp/agent_manager.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>

#include "tests/support/manual_timers.h"
#include "tests/support/run.h"
#include "tests/support/scripted_acp.h"
#include "tests/support/scripted_process.h"

namespace lb::acp {
namespace {

using namespace std::chrono_literals;

struct Fixture {
  Fixture() {
    script->attach(launcher);
    AgentManagerOptions options;
    options.name = "Codex";
    options.remedy = "Install it with: npm install -g codex-acp";
    options.launch = [] { return LaunchOptions{.argv = {"codex-acp"}, .cwd = "/", .env = {}}; };
    options.on_lost = [this](const Error& why) { lost.push_back(why); };
    options.on_status = [this](AgentStatus status, const std::optional<std::string>& message) {
      statuses.push_back(status);
      messages.push_back(message.value_or(""));
    };
    manager = std::make_shared<AgentManager>(io.get_executor(), launcher, timers, options);
  }
  ~Fixture() {
    manager.reset();
    test::run_ready(io);
  }
  Result<std::shared_ptr<Connection>> ensure() { return test::run(io, manager->ensure()); }
  void agent_dies() {
    launcher.agents().back()->exits({.code = 1, .signal = {}});
    REQUIRE(test::run_until(io, [this] { return !manager->connection(); }));
  }
  bool becomes(AgentStatus status) {
    return test::run_until(io, [&] { return manager->status() == status; });
  }

  asio::io_context io;
  test::ScriptedLauncher launcher{io.get_executor()};
  test::ManualTimers timers;
  std::shared_ptr<test::ScriptedAcp> script = std::make_shared<test::ScriptedAcp>();
  std::shared_ptr<AgentManager> manager;
  std::vector<AgentStatus> statuses;
  std::vector<std::string> messages;
  std::vector<Error> lost;
};

using Statuses = std::vector<AgentStatus>;

TEST_CASE("E1-TC-5.1a: the first session starts the process") {
  Fixture f;
  CHECK(f.manager->status() == AgentStatus::Idle);
  CHECK(f.launcher.launches().empty());
  REQUIRE(f.ensure().has_value());
  CHECK(f.launcher.launches().size() == 1);
  const auto* hello = f.script->last("initialize");
  REQUIRE(hello != nullptr);
  CHECK(hello->params.at("protocolVersion") == 1);
  CHECK(hello->params.at("clientCapabilities").at_pointer("/_meta/terminal_output") == true);
}

TEST_CASE("E1-TC-5.1b: a second session reuses the process, also while it starts") {
  Fixture f;
  int connected = 0;
  for (int i = 0; i < 3; ++i) {
    asio::co_spawn(f.io, f.manager->ensure(), [&](std::exception_ptr, auto result) {
      connected += result.has_value() ? 1 : 0;
    });
  }
  REQUIRE(test::run_until(f.io, [&] { return connected == 3; }));
  CHECK(f.ensure().has_value());
  CHECK(f.launcher.launches().size() == 1);
}

TEST_CASE("E1-TC-5.2a: connected after the handshake") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  CHECK(f.statuses == Statuses{AgentStatus::Starting, AgentStatus::Connected});
  CHECK(f.manager->abilities().version == "1.2");
  CHECK(f.manager->abilities().resume);
}

TEST_CASE("E1-TC-5.2b: disconnected when the process ends, with what it said") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  f.launcher.agents().back()->complains("panic: out of luck\n");
  f.agent_dies();
  CHECK(f.manager->status() == AgentStatus::Disconnected);
  CHECK(f.messages.back() == "Codex exited with code 1. It said: panic: out of luck");
  REQUIRE(f.lost.size() == 1);
  CHECK(f.lost[0].code == ErrorCode::ProcessCrash);
}

TEST_CASE("E1-TC-5.2c: reconnecting by itself after 1, 2, 4, 8 and 16 s, then no more") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  for (int i = 0; i < 5; ++i) f.launcher.fails_with({ErrorCode::AgentUnavailable, "gone"});
  f.agent_dies();
  for (const auto delay : {1s, 2s, 4s, 8s, 16s}) {
    REQUIRE(f.timers.next_in() == delay);
    f.timers.advance(delay - 1ms);
    test::run_ready(f.io);
    const std::size_t before = f.launcher.launches().size();
    f.timers.advance(1ms);
    CHECK(f.manager->status() == AgentStatus::Reconnecting);
    REQUIRE(test::run_until(f.io, [&] { return f.launcher.launches().size() == before + 1; }));
    test::run_ready(f.io);
  }
  CHECK(f.manager->status() == AgentStatus::Disconnected);
  CHECK_FALSE(f.timers.next_in().has_value());
  CHECK(f.launcher.launches().size() == 6);
}

TEST_CASE("E1-TC-5.2c: success begins the count anew") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  f.launcher.fails_with({ErrorCode::AgentUnavailable, "gone"});
  f.agent_dies();
  f.timers.advance(1s);
  test::run_ready(f.io);
  f.timers.advance(2s);
  REQUIRE(f.becomes(AgentStatus::Connected));
  f.agent_dies();
  CHECK(f.timers.next_in() == 1s);
}

TEST_CASE("E1-TC-5.2d: manual reconnect starts a new process at once and cancels the timer") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  CHECK(test::run(f.io, f.manager->reconnect()).has_value());  // Connected: nothing to do.
  CHECK(f.launcher.launches().size() == 1);
  f.agent_dies();
  REQUIRE(f.timers.next_in().has_value());
  CHECK(test::run(f.io, f.manager->reconnect()).has_value());
  CHECK(f.manager->status() == AgentStatus::Connected);
  CHECK(f.launcher.launches().size() == 2);
  CHECK_FALSE(f.timers.next_in().has_value());
}

TEST_CASE("E1-TC-5.3a: stop ends the process: stdin closed, and nothing comes back") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  test::run(f.io, f.manager->stop());
  CHECK(f.launcher.agents().back()->stdin_closed());
  CHECK_FALSE(f.launcher.agents().back()->alive());
  CHECK(f.manager->status() == AgentStatus::Idle);
  CHECK(f.lost.empty());
  CHECK_FALSE(f.timers.next_in().has_value());
  // It can be used again.
  CHECK(f.ensure().has_value());
}

TEST_CASE("E1-TC-5.3a: an agent that ignores the end of its input gets SIGTERM, soon") {
  Fixture f;
  REQUIRE(f.ensure().has_value());
  const auto agent = f.launcher.agents().back();
  agent->ignores_eof();
  bool stopped = false;
  asio::co_spawn(f.io, f.manager->stop(), [&](const std::exception_ptr&) { stopped = true; });
  REQUIRE(test::run_until(f.io, [&] { return agent->stdin_closed(); }));
  f.timers.advance(400ms);
  CHECK(agent->alive());
  f.timers.advance(100ms);
  CHECK(agent->terminated());
  CHECK(test::run_until(f.io, [&] { return stopped; }));
  CHECK_FALSE(agent->killed());
}

TEST_CASE("E1-TC-5.3a: stop during the handshake ends that too") {
  Fixture f;
  f.script->result.erase("initialize");
  bool failed = false;
  asio::co_spawn(f.io, f.manager->ensure(),
                 [&](std::exception_ptr, auto result) { failed = !result.has_value(); });
  REQUIRE(test::run_until(f.io, [&] { return f.script->count("initialize") == 1; }));
  test::run(f.io, f.manager->stop());
  CHECK(test::run_until(f.io, [&] { return failed; }));
  CHECK_FALSE(f.launcher.agents().back()->alive());
}

TEST_CASE("E1-TC-5.5a: not installed says so and how to install it") {
  Fixture f;
  f.launcher.fails_with({ErrorCode::AgentUnavailable, "codex-acp: not found"});
  const auto result = f.ensure();
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::AgentUnavailable);
  CHECK(result.error().message ==
        "Could not start Codex. Check that it's installed. "
        "Install it with: npm install -g codex-acp");
  CHECK(f.manager->status() == AgentStatus::Disconnected);
  CHECK_FALSE(f.timers.next_in().has_value());  // Trying again by itself would not help.
  CHECK(f.ensure().has_value());                // Retry works once it is there.
}

TEST_CASE("no room for another process is no missing program, and the next try tells") {
  Fixture f;
  f.launcher.fails_with({ErrorCode::Busy, "could not make a pipe: Too many open files"});
  const auto result = f.ensure();
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::Busy);
  CHECK(result.error().message.find("Too many open files") != std::string::npos);
  CHECK(result.error().message.find("installed") == std::string::npos);
  CHECK(f.manager->status() == AgentStatus::Idle);
  CHECK(f.ensure().has_value());
}

TEST_CASE("E1-TC-5.5b: a failed handshake says so and leaves no process") {
  Fixture f;
  SUBCASE("an error") {
    f.script->on["initialize"] = [](const auto& agent, const auto& heard) {
      test::ScriptedAcp::respond_error(agent, heard.id, -32603, "no");
    };
  }
  SUBCASE("an early end") {
    f.script->on["initialize"] = [](const auto& agent, const auto&) {
      agent->exits({.code = 2, .signal = {}});
    };
  }
  SUBCASE("nonsense") {
    f.script->result["initialize"] = "hello";
  }
  const auto result = f.ensure();
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::AgentUnavailable);
  CHECK(result.error().message.starts_with("Could not connect to Codex"));
  CHECK(f.manager->status() == AgentStatus::Disconnected);
  CHECK_FALSE(f.launcher.agents().back()->alive());
}

TEST_CASE("E1-TC-5.6b: the process does not depend on who listens") {
  Fixture f;
  // A browser that goes away only takes its own reader with it; the manager keeps the process.
  {
    const auto connection = f.ensure();
  }
  test::run_ready(f.io);
  CHECK(f.launcher.agents().back()->alive());
  CHECK(f.manager->status() == AgentStatus::Connected);
}

}  // namespace
}  // namespace lb::acp
