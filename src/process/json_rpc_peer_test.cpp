#include "process/json_rpc_peer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>

#include "base/limits.h"
#include "tests/support/scripted_process.h"

namespace lb {
namespace {

using namespace std::chrono_literals;
using test::ScriptedProcess;

/// A peer, the agent it talks to, and everything that came through its handlers, in order.
struct Talk {
  asio::io_context io;
  std::shared_ptr<ScriptedProcess> agent = std::make_shared<ScriptedProcess>(io.get_executor());
  std::vector<std::string> seen;
  bool answers_requests = true;
  std::vector<RpcId> requests;
  std::unique_ptr<JsonRpcPeer> peer = make_peer();

  std::unique_ptr<JsonRpcPeer> make_peer() {
    RpcHandlers handlers;
    handlers.request = [this](const RpcRequest& request) {
      seen.push_back("request " + std::string(request.method) + " " + text(request.params));
      requests.push_back(request.id);
      return answers_requests;
    };
    handlers.notification = [this](std::string_view method, const json::value& params) {
      seen.push_back("notification " + std::string(method) + " " + text(params));
    };
    handlers.noise = [this](const Line& line) { seen.push_back("noise " + line.text); };
    handlers.ended = [this](const ExitStatus& status) {
      seen.push_back("ended: " + status.text());
    };
    return std::make_unique<JsonRpcPeer>(io.get_executor(), agent, std::move(handlers));
  }

  void run_until_seen(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (seen.size() < count && std::chrono::steady_clock::now() < deadline) io.run_one_for(1s);
  }

  static std::string text(const json::value& value) {
    std::string out;
    append_json(out, value);
    return out;
  }
  static std::string text(const RpcReply& reply) {
    if (reply) return "result " + text(*reply);
    return "error " + std::to_string(reply.error().code) + " " + reply.error().message + " " +
           text(reply.error().data);
  }
  RpcCallback note(std::string name) {
    return [this, name](RpcReply reply) { seen.push_back(name + ": " + text(reply)); };
  }
};

asio::awaitable<void> call_into(JsonRpcPeer& peer, std::string method,
                                std::optional<RpcReply>& reply) {
  reply = co_await peer.call(std::move(method), json::object{{"a", 1}}, std::nullopt);
}

TEST_CASE("a call is one line and gets its own answer, also out of order") {
  Talk talk;
  std::optional<RpcReply> first;
  std::optional<RpcReply> second;
  asio::co_spawn(talk.io, call_into(*talk.peer, "one", first), asio::detached);
  asio::co_spawn(talk.io, call_into(*talk.peer, "two", second), asio::detached);
  talk.io.poll();
  CHECK(talk.agent->heard() ==
        std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"method":"one","params":{"a":1}})",
                                 R"({"jsonrpc":"2.0","id":2,"method":"two","params":{"a":1}})"});
  CHECK(talk.peer->calls_waiting() == 2);
  talk.agent->says(R"({"jsonrpc":"2.0","id":2,"result":{"b":"\ud83d"}})");
  talk.agent->says(
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad","data":{"why":"x"}}})");
  talk.io.poll();
  REQUIRE((first && second));
  CHECK(Talk::text(*second) == "result {\"b\":\"\xEF\xBF\xBD\"}");
  CHECK(Talk::text(*first) == R"(error -32602 bad {"why":"x"})");
  CHECK(first->error().kind == RpcError::Kind::Answered);
  CHECK(talk.peer->calls_waiting() == 0);
}

TEST_CASE("answers and notifications are delivered in the order of their lines") {
  Talk talk;
  talk.peer->request("prompt", json::object{}, std::nullopt, talk.note("prompt"));
  talk.agent->says(R"({"jsonrpc":"2.0","method":"update","params":{"n":1}})");
  talk.agent->says(R"({"jsonrpc":"2.0","id":1,"result":null})");
  talk.agent->says(R"({"jsonrpc":"2.0","method":"update"})");
  talk.io.poll();
  CHECK(talk.seen == std::vector<std::string>{R"(notification update {"n":1})",
                                              "prompt: result null", "notification update null"});
}

TEST_CASE("requests of the other side: own id space, ids echoed verbatim") {
  Talk talk;
  talk.peer->request("ours", json::object{}, std::nullopt, talk.note("ours"));
  for (const char* id : {"1", "0", R"("b3-\"q\"")", "-7", "18446744073709551615"}) {
    talk.agent->says(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
                     R"(,"method":"ask","params":{}})");
  }
  talk.io.poll();
  REQUIRE(talk.requests.size() == 5);
  CHECK(talk.peer->calls_waiting() == 1);  // Their id 1 is not our id 1.
  for (const RpcId& id : talk.requests) {
    CHECK(talk.peer->respond(id, json::object{{"ok", true}}).has_value());
  }
  RpcError refusal;
  refusal.code = -32000;
  refusal.message = "no";
  refusal.data = json::array{1};
  CHECK(talk.peer->respond_error(talk.requests.front(), refusal).has_value());
  const auto& heard = talk.agent->heard();
  REQUIRE(heard.size() == 7);
  CHECK(heard[1] == R"({"jsonrpc":"2.0","id":1,"result":{"ok":true}})");
  CHECK(heard[2] == R"({"jsonrpc":"2.0","id":0,"result":{"ok":true}})");
  CHECK(heard[3] == R"({"jsonrpc":"2.0","id":"b3-\"q\"","result":{"ok":true}})");
  CHECK(heard[4] == R"({"jsonrpc":"2.0","id":-7,"result":{"ok":true}})");
  CHECK(heard[5] == R"({"jsonrpc":"2.0","id":18446744073709551615,"result":{"ok":true}})");
  CHECK(heard[6] ==
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":[1]}})");
}

TEST_CASE("an unknown request is answered -32601, an unknown notification is nobody's trouble") {
  Talk talk;
  talk.answers_requests = false;
  talk.agent->says(R"({"jsonrpc":"2.0","id":"x","method":"fs/read","params":{}})");
  talk.agent->says(R"({"jsonrpc":"2.0","method":"$/whatever"})");
  talk.io.poll();
  CHECK(
      talk.agent->heard() ==
      std::vector<std::string>{
          R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method not found: fs/read"}})"});
  CHECK(talk.peer->open());
}

TEST_CASE("noise between messages is told apart; the conversation goes on") {
  Talk talk;
  talk.agent->says("Debugger attached.");
  talk.agent->says("");
  talk.agent->says("{broken");
  talk.agent->says("[1,2]");
  talk.agent->says(R"({"neither":1})");
  talk.agent->says(R"({"jsonrpc":"2.0","id":99,"result":1})");
  talk.agent->says(
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  Line huge;
  huge.text = R"({"jsonrpc":"2.0","method":"x","params":")";
  huge.truncated = true;
  huge.bytes = limits::kLineBytesMax + 1;
  talk.agent->says(huge);
  talk.agent->says(R"({"jsonrpc":"2.0","method":"still here"})");
  talk.io.poll();
  REQUIRE(talk.seen.size() == 8);
  CHECK(talk.seen.front() == "noise Debugger attached.");
  CHECK(std::ranges::count_if(
            talk.seen, [](const std::string& one) { return one.starts_with("noise "); }) == 7);
  CHECK(talk.seen.back() == "notification still here null");
}

TEST_CASE("a call without an answer in time fails; the late answer is dropped") {
  Talk talk;
  talk.peer->request("slow", json::object{}, 20ms, talk.note("slow"));
  talk.run_until_seen(1);
  CHECK(talk.seen == std::vector<std::string>{"slow: error 0 no answer to slow in time null"});
  talk.agent->says(R"({"jsonrpc":"2.0","id":1,"result":1})");
  talk.io.poll();
  CHECK(talk.seen.size() == 1);
}

TEST_CASE("a coroutine that is cancelled stops waiting and leaves nothing behind") {
  Talk talk;
  std::optional<RpcReply> reply;
  asio::cancellation_signal stop;
  asio::co_spawn(talk.io, call_into(*talk.peer, "long", reply),
                 asio::bind_cancellation_slot(stop.slot(), asio::detached));
  talk.io.poll();
  CHECK(talk.peer->calls_waiting() == 1);
  stop.emit(asio::cancellation_type::terminal);
  talk.io.poll();
  CHECK(talk.peer->calls_waiting() == 0);
  REQUIRE(reply.has_value());
  CHECK(reply->error().kind == RpcError::Kind::Cancelled);
}

TEST_CASE("E1-TC-5.2a: when the process ends every waiting call fails at once, then `ended`") {
  Talk talk;
  talk.peer->request("one", json::object{}, std::nullopt, talk.note("one"));
  talk.peer->request("two", json::object{}, 60s, talk.note("two"));
  talk.agent->says(R"({"jsonrpc":"2.0","method":"last words"})");
  talk.agent->exits({.code = {}, .signal = SIGSEGV});
  talk.io.poll();
  CHECK(talk.seen ==
        std::vector<std::string>{"notification last words null",
                                 "one: error 0 the agent was killed by signal 11 (SIGSEGV) null",
                                 "two: error 0 the agent was killed by signal 11 (SIGSEGV) null",
                                 "ended: was killed by signal 11 (SIGSEGV)"});
  CHECK(!talk.peer->open());
  talk.peer->request("late", json::object{}, std::nullopt, talk.note("late"));
  CHECK(talk.seen.back().starts_with("late: error"));
  CHECK(talk.peer->notify("late", json::object{}).error().code == ErrorCode::ProcessCrash);
}

TEST_CASE("a process that closes its output and stays is given up after the grace") {
  Talk talk;
  talk.peer->request("one", json::object{}, std::nullopt, talk.note("one"));
  talk.agent->ends_output();
  talk.run_until_seen(2);
  REQUIRE(talk.seen.size() == 2);
  CHECK(talk.seen.front() == "one: error 0 the agent closed its output null");
}

TEST_CASE("a full pipe refuses the call at once") {
  Talk talk;
  talk.agent->stops_reading();
  std::optional<RpcReply> reply;
  asio::co_spawn(talk.io, call_into(*talk.peer, "one", reply), asio::detached);
  talk.io.poll();
  REQUIRE(reply.has_value());
  CHECK(reply->error().kind == RpcError::Kind::NotSent);
  CHECK(talk.peer->calls_waiting() == 0);
}

TEST_CASE("while held nothing is read; afterwards nothing is missing") {
  Talk talk;
  talk.peer->hold(true);
  for (int i = 0; i < 5; ++i) talk.agent->says(R"({"jsonrpc":"2.0","method":"n"})");
  talk.io.poll();
  CHECK(talk.seen.size() <= 1);  // The read that was under way when the hold came.
  CHECK(talk.agent->unread() >= 4);
  talk.agent->exits({.code = 0, .signal = {}});
  talk.io.run_for(limits::kRpcEndGrace + 200ms);
  CHECK(talk.peer->open());
  talk.peer->hold(false);
  talk.io.restart();
  talk.io.poll();
  CHECK(talk.seen.size() == 6);
  CHECK(talk.seen.back() == "ended: exited with code 0");
}

TEST_CASE("destroying a peer fails its calls, kills the process and calls no handler after that") {
  Talk talk;
  talk.peer->request("one", json::object{}, std::nullopt, talk.note("one"));
  std::optional<RpcReply> reply;
  asio::co_spawn(talk.io, call_into(*talk.peer, "two", reply), asio::detached);
  talk.io.poll();
  talk.peer.reset();
  talk.io.poll();
  CHECK(talk.agent->killed());
  REQUIRE(reply.has_value());
  CHECK(reply->error().kind == RpcError::Kind::ProcessEnded);
  const auto count = talk.seen.size();
  talk.agent->says(R"({"jsonrpc":"2.0","method":"ghost"})");
  talk.io.poll();
  CHECK(talk.seen.size() == count);
}

TEST_CASE("a peer may be destroyed from inside its own handler") {
  asio::io_context io;
  auto agent = std::make_shared<ScriptedProcess>(io.get_executor());
  std::unique_ptr<JsonRpcPeer> peer;
  RpcHandlers handlers;
  handlers.notification = [&](std::string_view, const json::value&) { peer.reset(); };
  peer = std::make_unique<JsonRpcPeer>(io.get_executor(), agent, std::move(handlers));
  agent->says(R"({"jsonrpc":"2.0","method":"bye"})");
  agent->says(R"({"jsonrpc":"2.0","method":"bye"})");
  io.run();
  CHECK(peer == nullptr);
  CHECK(agent->killed());
}

}  // namespace
}  // namespace lb
