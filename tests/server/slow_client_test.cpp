// A client that asks for much and reads nothing: what it costs is bounded, and it misses nothing.
#include <doctest/doctest.h>

#include <set>

#include "base/limits.h"
#include "base/metrics.h"
#include "tests/server/live_server.h"

using namespace lb;
using namespace lb::test;

namespace {

constexpr int kItems = 24;
constexpr std::size_t kItemBytes = 100'000;
constexpr std::size_t kWindowBytes = kItems * kItemBytes;

std::size_t waiting() {
  return static_cast<std::size_t>(gauge("lb_stream_waiting_bytes", "").value());
}

/// A session whose whole history is kWindowBytes and a little.
SessionId long_session(LiveServer& live) {
  const SessionId session = live.create();
  const TurnId turn = live.send(session, "go");
  live.on_io([&] {
    for (int i = 0; i < kItems; ++i) {
      const std::string id = turn.str() + ":1:" + std::to_string(i);
      live.claude->say(session, turn, id, Text(std::string(kItemBytes, 'x')), ItemStatus::Complete);
    }
    live.claude->complete(session, turn);
  });
  REQUIRE(live.eventually(
      [&] { return live.service->status(session)->info.activity == Activity::Idle; }));
  return session;
}

/// Asks `requests` times with `ask` and reads nothing until the server has had time for all of
/// them.
void ask_and_wait(LiveServer& live, Socket& lazy, int requests,
                  const std::function<json::object(int)>& ask) {
  for (int i = 0; i < requests; ++i) {
    json::object message = ask(i);
    message["requestId"] = "r" + std::to_string(i);
    lazy.send(message);
  }
  REQUIRE(live.eventually([] { return waiting() > limits::kControlBytesMax; }));
  auto other = live.socket();
  // Whoever reads is answered meanwhile, and the lazy one costs no more than one window.
  for (int round = 0; round < 50; ++round) {
    const std::string id = "o" + std::to_string(round);
    other->send({{"type", "project:list"}, {"requestId", id}});
    REQUIRE(other->until("project:list", id));
    CHECK(live.on_io([] { return waiting(); }) <
          limits::kControlBytesMax + kWindowBytes + kWindowBytes / 2);
  }
}

/// Every request is answered once the client reads.
void read_answers(Socket& lazy, int requests, std::string_view type) {
  std::set<std::string> answered;
  while (answered.size() < static_cast<std::size_t>(requests)) {
    const auto message = lazy.until(type);
    REQUIRE(message);
    CHECK(array_at(*message, "entries")->size() == kItems + 1);
    answered.insert(std::string(string_at(*message, "requestId")));
  }
}

}  // namespace

TEST_CASE_FIXTURE(LiveServer, "pages asked for by a client that does not read cost one window") {
  const SessionId session = long_session(*this);
  auto lazy = socket();
  const int requests = static_cast<int>(limits::kRequestsInFlightMax);
  ask_and_wait(*this, *lazy, requests, [&](int) {
    return json::object{{"type", "session:page"},
                        {"sessionId", session.str()},
                        {"before", 1'000'000},
                        {"count", 1000}};
  });
  read_answers(*lazy, requests, "session:page");
}

TEST_CASE_FIXTURE(LiveServer, "sessions opened by a client that does not read cost one window") {
  std::vector<SessionId> sessions;
  for (int i = 0; i < 8; ++i) sessions.push_back(long_session(*this));
  auto lazy = socket();
  const int requests = static_cast<int>(sessions.size());
  ask_and_wait(*this, *lazy, requests, [&](int i) {
    return json::object{{"type", "session:open"},
                        {"sessionId", sessions[static_cast<std::size_t>(i)].str()}};
  });
  read_answers(*lazy, requests, "session:history");
}

TEST_CASE_FIXTURE(LiveServer, "a client that goes while its pages wait leaves nothing behind") {
  const SessionId session = long_session(*this);
  {
    auto lazy = socket();
    for (int i = 0; i < 20; ++i) {
      lazy->send({{"type", "session:page"},
                  {"sessionId", session.str()},
                  {"before", 1'000'000},
                  {"count", 1000}});
    }
    REQUIRE(eventually([] { return waiting() > limits::kControlBytesMax; }));
  }
  CHECK(eventually([] { return waiting() == 0; }));
  CHECK(eventually([] { return gauge("lb_streams", "").value() == 0; }));
}
