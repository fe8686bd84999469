#include "providers/acp/confinable.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "providers/acp/provider_test_support.h"

namespace lb::acp {
namespace {

struct Confinable {
  Confinable() {
    script->attach(launcher);
    provider = std::make_unique<ConfinableProvider>(
        Fixture::codex(),
        ProviderDeps{io.get_executor(), io.get_executor(), launcher, timers.clock(), timers});
  }
  ~Confinable() {
    test::run(io, provider->shutdown());
    test::run_ready(io);
  }
  bool create(const std::string& id, bool confined, const std::string& dir = "/home/dev/project") {
    provider->attach(
        SessionId(id),
        test::sink({.item =
                        [this, id](const Upsert& item) {
                          if (const auto* said = std::get_if<Message>(&item.body)) {
                            texts[id] = said->content.view();
                          }
                        },
                    .turn = [this](const Turn& turn) { ended_turns += is_final(turn); },
                    .report =
                        [this](const SessionReport& report) {
                          if (std::holds_alternative<SessionEnded>(report)) ++endings;
                        }}));
    CreateSessionOptions options;
    options.session_id = SessionId(id);
    options.project_dir = dir;
    options.confined = confined;
    return test::run(io, provider->create_session(std::move(options))).has_value();
  }
  [[nodiscard]] std::vector<bool> launched() const {
    std::vector<bool> all;
    for (const LaunchOptions& launch : launcher.launches()) all.push_back(launch.confined);
    return all;
  }

  asio::io_context io;
  test::ScriptedLauncher launcher{io.get_executor()};
  test::ManualTimers timers;
  std::shared_ptr<ScriptedAcp> script = std::make_shared<ScriptedAcp>();
  std::map<std::string, std::string> texts;
  std::size_t ended_turns = 0;
  int endings = 0;
  std::unique_ptr<ConfinableProvider> provider;
};

TEST_CASE("acp: a confined session has a process of its own, all others share one") {
  Confinable f;
  REQUIRE(f.create("free-1", false));
  REQUIRE(f.create("walled-1", true));
  REQUIRE(f.create("free-2", false));
  REQUIRE(f.create("walled-2", true));
  CHECK(f.launched() == std::vector<bool>{false, true, true});
  for (const char* id : {"free-1", "free-2", "walled-1", "walled-2"}) {
    CHECK(f.provider->is_alive(SessionId(id)));
  }
}

TEST_CASE("acp: two confined agents that give the same id to a session do not mix them up") {
  Confinable f;
  REQUIRE(f.create("walled-1", true));
  REQUIRE(f.create("walled-2", true));
  f.script->on["session/prompt"] = answers("from one of them");
  Prompt prompt;
  prompt.turn_id = TurnId("t1");
  prompt.content = "hi";
  REQUIRE(test::run(f.io, f.provider->send_message(SessionId("walled-1"), prompt)).has_value());
  REQUIRE(test::run_until(f.io, [&] { return f.texts.contains("walled-1"); }));
  CHECK(f.texts.at("walled-1") == "from one of them");
  CHECK_FALSE(f.texts.contains("walled-2"));
}

TEST_CASE("acp: a process started ahead is taken by a session of its kind only") {
  Confinable f;
  f.provider->prewarm({"/home/dev/project", true});
  REQUIRE(test::run_until(f.io, [&] { return f.script->count("initialize") == 1; }));
  CHECK(f.provider->prewarmed() == 1);
  REQUIRE(f.create("free", false));
  REQUIRE(f.create("elsewhere", true, "/home/dev/other"));
  CHECK(f.provider->prewarmed() == 1);
  CHECK(f.launched() == std::vector<bool>{true, false, true});
  REQUIRE(f.create("walled", true));
  CHECK(f.provider->prewarmed() == 0);
  CHECK(f.launched().size() == 3);
}

TEST_CASE("acp: the process of a confined session ends when it has nothing to do, and comes back") {
  Confinable f;
  f.script->on["session/prompt"] = answers("here");
  const auto send = [&](const char* turn) {
    Prompt prompt;
    prompt.turn_id = TurnId(turn);
    prompt.content = "hi";
    return test::run(f.io, f.provider->send_message(SessionId("walled"), prompt)).has_value();
  };
  const auto turns_end = [&](std::size_t count) {
    return test::run_until(f.io, [&] { return f.ended_turns == count; });
  };
  const auto minutes = [&](int count) {
    f.timers.advance(std::chrono::minutes(count));
    test::run_ready(f.io);
  };
  REQUIRE(f.create("free", false));
  REQUIRE(f.create("walled", true));
  minutes(20);
  REQUIRE(send("t1"));
  REQUIRE(turns_end(1));
  minutes(20);  // Counted from its last work.
  CHECK(f.provider->is_alive(SessionId("walled")));
  minutes(10);
  CHECK_FALSE(f.provider->is_alive(SessionId("walled")));
  REQUIRE(test::run_until(f.io, [&] { return !f.launcher.agents().at(1)->alive(); }));
  CHECK(f.endings == 0);
  // All others keep theirs.
  minutes(200);
  CHECK(f.provider->is_alive(SessionId("free")));
  REQUIRE(send("t2"));
  REQUIRE(turns_end(2));
  CHECK(f.launched() == std::vector<bool>{false, true, true});
  CHECK(f.script->count("session/resume") == 1);
  // A turn that runs, however long, is no idleness.
  f.script->on["session/prompt"] = [](const auto&, const auto&) {};
  REQUIRE(send("t3"));
  minutes(10);
  CHECK(f.provider->is_alive(SessionId("walled")));
}

TEST_CASE("acp: an agent that cannot open a conversation again keeps its process") {
  Confinable f;
  f.script->result["initialize"] = json::parse(R"({"protocolVersion":1,"agentCapabilities":{}})");
  REQUIRE(f.create("walled", true));
  f.timers.advance(std::chrono::minutes(300));
  test::run_ready(f.io);
  CHECK(f.provider->is_alive(SessionId("walled")));
}

TEST_CASE("acp: the status of an agent is that of its confined processes where nothing else runs") {
  std::vector<AgentStatus> told;  // Outlives the provider, which tells its end as well.
  Confinable f;
  f.provider->on_status([&](AgentStatus status, const auto&) { told.push_back(status); });
  REQUIRE(f.create("walled", true));
  CHECK(told == std::vector{AgentStatus::Starting, AgentStatus::Connected});
  f.launcher.agents().back()->exits({.code = 1, .signal = {}});
  REQUIRE(test::run_until(f.io, [&] { return told.back() != AgentStatus::Connected; }));
  test::run_ready(f.io);
  // Asked for, it comes back at once, and the shared one is not started for it.
  REQUIRE(test::run(f.io, f.provider->reconnect()).has_value());
  CHECK(told.back() == AgentStatus::Connected);
  CHECK(f.launched() == std::vector<bool>{true, true});
}

TEST_CASE("acp: what a forgotten session leaves is used by the next") {
  Confinable f;
  REQUIRE(f.create("walled-1", true));
  REQUIRE(test::run(f.io, f.provider->kill_session(SessionId("walled-1"))).has_value());
  f.provider->forget(SessionId("walled-1"));
  CHECK_FALSE(f.provider->is_alive(SessionId("walled-1")));
  REQUIRE(f.create("walled-2", true));
  CHECK(f.provider->is_alive(SessionId("walled-2")));
  CHECK(std::ranges::count(f.launched(), false) == 0);
}

}  // namespace
}  // namespace lb::acp
