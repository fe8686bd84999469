// A message in the middle of a turn, from the session's side.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

struct Steering : World {
  Steering() {
    session = create();
    SessionFacts facts;
    facts.steers = true;
    claude->report(session, facts);
    running = begin(session, "Do it");
  }
  Result<SessionSentMessage> steer(const std::string& text) {
    SessionSendRequest request;
    request.session_id = session;
    request.content = text;
    request.client_message_id = "key of " + text;
    request.steer = true;
    return loop.run(ask(*service, &Session::send, std::move(request)));
  }
  const Message* said(const std::string& text) {
    for (const Item& item : shown = items(session)) {
      const auto* message = std::get_if<Message>(&item.body);
      if (message != nullptr && message->content == Text(text)) return message;
    }
    return nullptr;
  }
  std::vector<Item> shown;
  SessionId session;
  TurnId running;
};

TEST_CASE("a message into a running turn stands in that turn as soon as the agent takes it up") {
  Steering world;
  const auto sent = world.steer("Use the other file");
  REQUIRE(sent.has_value());
  CHECK(!sent->queued);
  REQUIRE(world.claude->steered.size() == 1);
  CHECK(world.claude->steered[0].prompt.content == "Use the other file");
  CHECK(world.said("Use the other file") == nullptr);
  world.claude->report(world.session, Steered{sent->turn_id, world.running});
  world.loop.settle();
  const Message* message = world.said("Use the other file");
  REQUIRE(message != nullptr);
  CHECK(message->client_message_id == "key of Use the other file");
  CHECK(world.shown.back().turn_id == world.running);
  world.claude->complete(world.session, world.running);
  world.loop.settle();
  CHECK(world.turns(world.session).size() == 1);
  CHECK(world.info(world.session).activity == Activity::Idle);
  // Sent again after a lost answer it is the same message.
  CHECK(world.steer("Use the other file")->turn_id == sent->turn_id);
  CHECK(world.claude->steered.size() == 1);
}

TEST_CASE("what was queued waits until a message into the turn is taken up or has run") {
  Steering world;
  const TurnId queued = world.send(world.session, "Afterwards")->turn_id;
  const TurnId into = world.steer("Now")->turn_id;
  world.claude->complete(world.session, world.running);
  world.loop.settle();
  CHECK(world.claude->sent.size() == 1);  // The agent is about to begin what it was told last.
  world.claude->start(world.session, into);
  world.loop.settle();
  CHECK(world.said("Now") != nullptr);
  CHECK(world.turn(world.session, into)->client_message_id == "key of Now");
  world.claude->complete(world.session, into);
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 2; }));
  CHECK(world.claude->sent[1].prompt.turn_id == queued);
}

TEST_CASE("a message that nobody took is shown with the reason, never lost") {
  Steering world;
  SUBCASE("the agent did not take it") {
    world.claude->steer_error = Error{ErrorCode::ProcessCrash, "It is gone."};
    CHECK(world.steer("Now").error().message == "It is gone.");
  }
  SUBCASE("its process died") {
    const TurnId turn = world.steer("Now")->turn_id;
    world.claude->report(world.session,
                         Steered{turn, fail(ErrorCode::ProcessCrash, "It is gone.")});
  }
  SUBCASE("the server was restarted") {
    REQUIRE(world.steer("Now").has_value());
    world.restart();
  }
  world.loop.settle();
  CHECK(world.said("Now") != nullptr);
  const Turn failed = world.turns(world.session).back();
  CHECK(failed.type == TurnType::Error);
  CHECK(failed.client_message_id == "key of Now");
}

TEST_CASE("an agent that takes nothing while it works refuses, and says what to do instead") {
  World world;
  const SessionId session = world.create();
  world.begin(session);
  SessionSendRequest request;
  request.session_id = session;
  request.content = "Now";
  request.steer = true;
  const auto refused = world.loop.run(ask(*world.service, &Session::send, request));
  CHECK(refused.error().code == ErrorCode::NotSupported);
  CHECK(refused.error().message.find("queue") != std::string::npos);
}

}  // namespace
}  // namespace lb
