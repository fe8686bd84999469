// The demo agent as a real process, through guardian, pipes and JSON-RPC peer: what a provider has
// to live with.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

#include "base/limits.h"
#include "process/json_rpc_peer.h"
#include "tests/faults/stage.h"

namespace lb::test {
namespace {

using namespace std::chrono_literals;

/// A demo agent and all that it says.
struct Demo {
  Stage stage;
  std::shared_ptr<AgentProcess> agent;
  std::unique_ptr<JsonRpcPeer> peer;
  std::map<std::string, std::string> said;  // By session.
  std::optional<ExitStatus> ended;
  std::size_t noise = 0;
  std::size_t truncated = 0;

  explicit Demo(std::vector<std::string> flags = {}) {
    auto options = agent_options(stage.mark, {});
    options.argv.back() = "demo-agent";
    for (const char* flag : {"--pace", "0", "--state-dir", ""}) options.argv.emplace_back(flag);
    options.argv.insert(options.argv.end(), flags.begin(), flags.end());
    auto launched = stage.launcher.launch(options);
    REQUIRE(launched.has_value());
    agent = *launched;
    RpcHandlers handlers;
    handlers.notification = [this](std::string_view method, const json::value& params) {
      if (method == "session/update") note(params.as_object());
    };
    handlers.noise = [this](const Line& line) {
      ++noise;
      truncated += line.truncated ? 1 : 0;
    };
    handlers.ended = [this](const ExitStatus& status) { ended = status; };
    peer = std::make_unique<JsonRpcPeer>(stage.io.get_executor(), agent, std::move(handlers));
  }
  ~Demo() {
    peer.reset();
    agent.reset();
    stage.io.restart();
    stage.io.run_for(5s);
  }
  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;

  void note(const json::object& params) {
    const json::object* update = object_at(params, "update");
    if (update == nullptr || string_at(*update, "sessionUpdate") != "agent_message_chunk") return;
    said[std::string(string_at(params, "sessionId"))] +=
        string_at(*object_at(*update, "content"), "text");
  }
  RpcReply call(std::string method, json::object params) {
    return stage.run(peer->call(std::move(method), std::move(params), std::nullopt));
  }
  std::string open() {
    REQUIRE(call("initialize", {{"protocolVersion", 1}}).has_value());
    return new_session();
  }
  std::string new_session() {
    const auto session = call("session/new", {{"cwd", "/"}, {"mcpServers", json::array()}});
    REQUIRE(session.has_value());
    return std::string(string_at(session->as_object(), "sessionId"));
  }
  static json::object prompt(std::string_view session, std::string_view text) {
    return {{"sessionId", session},
            {"prompt", json::array{json::object{{"type", "text"}, {"text", text}}}}};
  }
  RpcReply ask(const std::string& session, std::string_view text) {
    return call("session/prompt", prompt(session, text));
  }
};

TEST_CASE("50 sessions of one agent prompted at the same instant: 50 complete turns") {
  Demo demo;
  std::vector<std::string> sessions = {demo.open()};
  while (sessions.size() < 50) sessions.push_back(demo.new_session());
  std::size_t complete = 0;
  std::size_t answered = 0;
  for (const std::string& session : sessions) {
    demo.peer->request("session/prompt",
                       Demo::prompt(session, "/load chunks=100 bytes=50 every_us=100"),
                       std::nullopt, [&](const RpcReply& reply) {
                         ++answered;
                         if (reply && string_at(reply->as_object(), "stopReason") == "end_turn") {
                           ++complete;
                         }
                       });
  }
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (answered < 50 && std::chrono::steady_clock::now() < deadline) {
    demo.stage.io.restart();
    demo.stage.io.run_one_for(100ms);
  }
  CHECK(complete == 50);
  for (const std::string& session : sessions) CHECK(demo.said[session].size() == 5000);
}

TEST_CASE("F2: an agent that crashes or leaves in the middle of a turn fails the turn at once") {
  {
    Demo demo;
    const std::string session = demo.open();
    const auto reply = demo.ask(session, "/crash");
    REQUIRE(!reply.has_value());
    CHECK(reply.error().kind == RpcError::Kind::ProcessEnded);
    CHECK(demo.ended == ExitStatus{.code = {}, .signal = SIGSEGV});
    CHECK(demo.said[session].starts_with("I am about to crash"));
  }
  Demo demo;
  const std::string session = demo.open();
  CHECK(!demo.ask(session, "/exit 7").has_value());
  CHECK(demo.ended == ExitStatus{.code = 7, .signal = {}});
  CHECK(demo.agent->stderr_tail() == "demo agent: told to exit with code 7\n");
}

TEST_CASE("F3: an agent that hangs is noticed by the timeout, and a stop ends it") {
  Demo demo;
  const std::string session = demo.open();
  const auto reply =
      demo.stage.run(demo.peer->call("session/prompt", Demo::prompt(session, "/hang"), 300ms));
  REQUIRE(!reply.has_value());
  CHECK(reply.error().kind == RpcError::Kind::Timeout);
  CHECK(demo.stage.run(stop_gracefully(demo.agent)) == ExitStatus{.code = {}, .signal = SIGTERM});
}

TEST_CASE("an agent deaf to the end of input and to SIGTERM is killed after 5 s") {
  Demo demo({"--ignore-eof", "--ignore-term"});
  demo.open();
  CHECK(demo.stage.run(stop_gracefully(demo.agent)) == ExitStatus{.code = {}, .signal = SIGKILL});
}

TEST_CASE("F15: noise and nonsense between messages do not disturb a turn") {
  Demo demo({"--banner"});
  const std::string session = demo.open();
  CHECK(demo.noise == 2);
  const auto reply = demo.ask(session, "/garbage");
  REQUIRE(reply.has_value());
  CHECK(demo.said[session] == "Before the noise. After the noise.\n");
  CHECK(demo.noise == 2 + 8);
}

TEST_CASE("F10, F17: a line beyond the limit and a flood on stderr cost nothing but themselves") {
  Demo demo;
  const std::string session = demo.open();
  CHECK(demo.ask(session, "/huge-line 40").has_value());
  CHECK(demo.truncated == 1);
  CHECK(demo.said[session] == "That was one line.\n");
  CHECK(demo.ask(session, "/huge-line 20").has_value());
  CHECK(demo.truncated == 1);
  CHECK(demo.said[session].size() > (20U << 20U));
  CHECK(demo.ask(session, "/stderr-flood 32").has_value());
  CHECK(demo.agent->stderr_tail().size() == limits::kStderrTailBytes);
}

TEST_CASE("F5: what the agent forked is gone with it") {
  Demo demo;
  const std::string session = demo.open();
  CHECK(demo.ask(session, "/fork plain setsid double term-ignoring").has_value());
  CHECK(demo.stage.until([&] { return marked(demo.stage.mark).size() >= 6; }));
  demo.agent->close_stdin();
  CHECK(demo.stage.run(demo.agent->exited()) == ExitStatus{.code = 0, .signal = {}});
  CHECK(marked(demo.stage.mark).empty());
}

TEST_CASE("F1: faults of the handshake: an error, silence, death") {
  Demo failing({"--fail", "initialize"});
  CHECK(failing.call("initialize", {}).error().code == -32603);
  Demo dying({"--crash", "initialize"});
  CHECK(dying.call("initialize", {}).error().kind == RpcError::Kind::ProcessEnded);
  CHECK(dying.ended == ExitStatus{.code = {}, .signal = SIGKILL});
  Demo silent({"--hang", "initialize"});
  const auto reply = silent.stage.run(silent.peer->call("initialize", json::object(), 200ms));
  CHECK(reply.error().kind == RpcError::Kind::Timeout);
}

}  // namespace
}  // namespace lb::test
