// What is done in one window is seen in the others.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/server/live_server.h"

using namespace lb;
using namespace lb::test;

TEST_CASE_FIXTURE(LiveServer, "settings are changed in one window and told to the others") {
  Socket here(port(), {bearer()});
  Socket elsewhere(port(), {bearer()});
  REQUIRE(elsewhere.until("project:list"));
  here.send({{"type", "settings:change"}, {"requestId", "1"}, {"sendKey", "ctrl-enter"}});
  const auto told = elsewhere.until("settings");
  REQUIRE(told);
  const json::object* settings = object_at(*told, "settings");
  REQUIRE(settings != nullptr);
  CHECK(string_at(*settings, "sendKey") == "ctrl-enter");
}

TEST_CASE_FIXTURE(LiveServer, "a page reorders the queue, and every reader sees the places") {
  const SessionId session = create();
  send(session, "first");
  const TurnId second = send(session, "second");
  const TurnId third = send(session, "third");
  auto reader = socket();
  reader->send({{"type", "session:open"}, {"sessionId", session.str()}, {"requestId", "o"}});
  REQUIRE(reader->until("session:history", "o"));
  auto asker = socket();
  asker->send({{"type", "session:reorder"},
               {"sessionId", session.str()},
               {"turnIds", json::array{third.str(), second.str()}},
               {"requestId", "r"}});
  REQUIRE(asker->until("ok", "r"));
  std::map<std::string, double> places;
  while (places.size() < 2) {
    const auto changed = reader->until("session:turn");
    REQUIRE(changed);
    const json::object& turn = *object_at(*changed, "payload");
    places[std::string(string_at(turn, "turnId"))] = number_at(turn, "place");
  }
  CHECK(places[third.str()] < places[second.str()]);
  asker->send({{"type", "session:reorder"},
               {"sessionId", session.str()},
               {"turnIds", json::array{third.str()}},
               {"requestId", "r2"}});
  const auto refused = asker->until("error", "r2");
  REQUIRE(refused);
  CHECK(string_at(*refused, "code") == "INVALID_REQUEST");
  CHECK(string_at(*refused, "sessionId") == session.str());
}
