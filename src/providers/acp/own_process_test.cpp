#include "providers/acp/own_process.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "providers/acp/provider_test_support.h"

namespace lb::acp {
namespace {

struct OwnProcess {
  OwnProcess() {
    script->attach(launcher);
    provider = std::make_unique<OwnProcessProvider>(
        Fixture::codex(),
        ProviderDeps{io.get_executor(), io.get_executor(), launcher, timers.clock(), timers});
  }
  ~OwnProcess() {
    test::run(io, provider->shutdown());
    test::run_ready(io);
  }
  void listen(const std::string& id) {
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
  }
  bool create(const std::string& id, bool confined, const std::string& dir = "/home/dev/project") {
    listen(id);
    CreateSessionOptions options;
    options.session_id = SessionId(id);
    options.project_dir = dir;
    options.confined = confined;
    return test::run(io, provider->create_session(std::move(options))).has_value();
  }
  static CreateSessionOptions in_worktree(const std::string& id, const std::string& port) {
    CreateSessionOptions options;
    options.session_id = SessionId(id);
    options.project_dir = "/home/dev/worktrees/" + id;
    options.own_process = true;
    if (!port.empty()) options.env = {{"LIMINAL_PORT_FIRST", port}};
    return options;
  }
  bool create_alone(const std::string& id, const std::string& port = "") {
    listen(id);
    return test::run(io, provider->create_session(in_worktree(id, port))).has_value();
  }
  bool load_alone(const std::string& id, const std::string& port) {
    listen(id);
    LoadSessionOptions options;
    options.cli_session_id = "cli-1";
    options.project_dir = "/home/dev/worktrees/" + id;
    options.own_process = true;
    options.env = {{"LIMINAL_PORT_FIRST", port}};
    options.last_known_turn = TurnId("t1");
    return test::run(io, provider->load_session(SessionId(id), options)).has_value();
  }
  void end(const std::string& id) {
    REQUIRE(test::run(io, provider->kill_session(SessionId(id))).has_value());
    provider->forget(SessionId(id));
    test::run_ready(io);
  }
  /// The first port of each process that was started; empty: it has none.
  [[nodiscard]] std::vector<std::string> ports() const {
    std::vector<std::string> all;
    for (const LaunchOptions& launch : launcher.launches()) {
      all.emplace_back(variable(launch.env, "LIMINAL_PORT_FIRST"));
    }
    return all;
  }
  [[nodiscard]] std::vector<bool> running() const {
    std::vector<bool> all;
    for (const auto& agent : launcher.agents()) all.push_back(agent->alive());
    return all;
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
  std::unique_ptr<OwnProcessProvider> provider;
};

TEST_CASE("acp: a confined session has a process of its own, all others share one") {
  OwnProcess f;
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
  OwnProcess f;
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
  OwnProcess f;
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
  OwnProcess f;
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
  OwnProcess f;
  f.script->result["initialize"] = json::parse(R"({"protocolVersion":1,"agentCapabilities":{}})");
  REQUIRE(f.create("walled", true));
  f.timers.advance(std::chrono::minutes(300));
  test::run_ready(f.io);
  CHECK(f.provider->is_alive(SessionId("walled")));
}

TEST_CASE("acp: the status of an agent is that of its confined processes where nothing else runs") {
  std::vector<AgentStatus> told;  // Outlives the provider, which tells its end as well.
  OwnProcess f;
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
  OwnProcess f;
  REQUIRE(f.create("walled-1", true));
  REQUIRE(test::run(f.io, f.provider->kill_session(SessionId("walled-1"))).has_value());
  f.provider->forget(SessionId("walled-1"));
  CHECK_FALSE(f.provider->is_alive(SessionId("walled-1")));
  REQUIRE(f.create("walled-2", true));
  CHECK(f.provider->is_alive(SessionId("walled-2")));
  CHECK(std::ranges::count(f.launched(), false) == 0);
}

TEST_CASE("acp: a session that wants a process of its own gets it, with its environment") {
  OwnProcess f;
  REQUIRE(f.create("free-1", false));
  REQUIRE(f.create_alone("tree-1", "4100"));
  REQUIRE(f.create_alone("tree-2", "4110"));
  REQUIRE(f.create_alone("tree-3"));
  REQUIRE(f.create("free-2", false));
  CHECK(f.ports() == std::vector<std::string>{"", "4100", "4110", ""});
  CHECK(f.launched() == std::vector<bool>{false, false, false, false});
  // What else the agent is configured with is there as well.
  CHECK(variable(f.launcher.launches().at(1).env, "OPENAI_API_KEY") == "k");
}

TEST_CASE("acp: who has variables of its own shares its process with nobody") {
  OwnProcess f;
  CreateSessionOptions options = OwnProcess::in_worktree("tree", "4100");
  options.own_process = false;
  REQUIRE(test::run(f.io, f.provider->create_session(options)).has_value());
  REQUIRE(f.create("free", false));
  CHECK(f.ports() == std::vector<std::string>{"4100", ""});
}

TEST_CASE("acp: nothing of a forgotten session runs, and its place is taken with other variables") {
  OwnProcess f;
  REQUIRE(f.create_alone("tree-1", "4100"));
  REQUIRE(f.create_alone("tree-2", "4110"));
  f.end("tree-1");
  CHECK(f.running() == std::vector<bool>{false, true});
  REQUIRE(f.create_alone("tree-3", "4120"));
  CHECK(f.ports() == std::vector<std::string>{"4100", "4110", "4120"});
  REQUIRE(f.create("walled", true));
  CHECK(f.launched() == std::vector<bool>{false, false, false, true});
  f.end("tree-2");
  f.end("tree-3");
  f.end("walled");
  CHECK(f.running() == std::vector<bool>{false, false, false, false});
}

TEST_CASE("acp: a session that could not be made leaves no process of its own behind") {
  OwnProcess f;
  f.script->on["session/new"] = [](const auto& agent, const auto& heard) {
    ScriptedAcp::respond_error(agent, heard.id, -32603, "no");
  };
  CHECK_FALSE(f.create_alone("tree", "4100"));
  f.provider->forget(SessionId("tree"));
  REQUIRE(test::run_until(f.io, [&] { return f.running() == std::vector<bool>{false}; }));
}

TEST_CASE("acp: a session that is loaded again has a process of its own again") {
  OwnProcess f;
  REQUIRE(f.create("free", false));
  REQUIRE(f.load_alone("tree", "4100"));
  CHECK(f.ports() == std::vector<std::string>{"", "4100"});
  REQUIRE(test::run(f.io, f.provider->kill_session(SessionId("tree"))).has_value());
  REQUIRE(f.load_alone("tree", "4100"));
  CHECK(f.ports() == std::vector<std::string>{"", "4100", "4100"});
}

TEST_CASE("acp: a fork that wants a process of its own goes on there") {
  OwnProcess f;
  f.script->result["session/fork"] = {{"sessionId", "cli-copy"}};
  const auto fork = [&](const std::string& from, const CreateSessionOptions& options) {
    f.listen(options.session_id.str());
    return test::run(f.io, f.provider->fork_session(SessionId(from), options, {})).has_value();
  };
  REQUIRE(f.create("free", false));
  REQUIRE(fork("free", OwnProcess::in_worktree("tree", "4100")));
  CHECK(f.ports() == std::vector<std::string>{"", "4100"});
  CHECK(f.script->count("session/resume") == 1);
  CHECK(f.provider->is_alive(SessionId("tree")));
  CHECK(f.endings == 0);
  // And back: what shares again, shares.
  CreateSessionOptions shared;
  shared.session_id = SessionId("again");
  shared.project_dir = "/home/dev/project";
  REQUIRE(fork("tree", shared));
  CHECK(f.ports() == std::vector<std::string>{"", "4100"});
  f.end("tree");
  CHECK(f.provider->is_alive(SessionId("again")));
  CHECK(f.running() == std::vector<bool>{true, false});
}

}  // namespace
}  // namespace lb::acp
