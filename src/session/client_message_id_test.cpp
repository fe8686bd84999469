// The client's id of a message: on the user's item and on every form of its turn.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

using Key = std::optional<std::string>;

/// The id that the user's message of a turn carries.
Key on_message(World& world, const SessionId& session, const TurnId& turn) {
  for (const Item& item : world.items(session)) {
    const auto* message = std::get_if<Message>(&item.body);
    if (message == nullptr || message->origin != Origin::User) continue;
    if (item.turn_id == turn) return message->client_message_id;
  }
  return "there is no such message";
}

TEST_CASE("the message and its turn carry the client's id, while it runs and when it ended") {
  for (const bool agent_starts : {true, false}) {
    World world;
    world.claude->starts_turns = agent_starts;
    const SessionId session = world.create();
    const TurnId turn = world.send(session, "Do it", "key-1")->turn_id;
    CHECK(on_message(world, session, turn) == Key("key-1"));
    CHECK(world.turn(session, turn)->type == TurnType::Started);
    CHECK(world.turn(session, turn)->client_message_id == "key-1");
    world.claude->say(session, turn, "i1", Text("Done."));
    world.claude->complete(session, turn);
    world.loop.settle();
    CHECK(world.turn(session, turn)->type == TurnType::Complete);
    CHECK(world.turn(session, turn)->client_message_id == "key-1");
    const TurnId without = world.begin(session, "Without a key");
    CHECK(on_message(world, session, without) == Key());
    CHECK(!world.turn(session, without)->client_message_id.has_value());
  }
}

TEST_CASE("a queued turn carries the client's id when it waits, is edited, runs and is removed") {
  World world;
  const SessionId session = world.create();
  const TurnId first = world.begin(session);
  const TurnId next = world.send(session, "Next", "key-2")->turn_id;
  const TurnId never = world.send(session, "Never", "key-3")->turn_id;
  CHECK(world.turn(session, next)->type == TurnType::Queued);
  CHECK(world.turn(session, next)->client_message_id == "key-2");
  REQUIRE(world.loop.run(ask(*world.service, &Session::edit_queue, {session, next, "Better"}))
              .has_value());
  CHECK(world.turn(session, next)->client_message_id == "key-2");
  REQUIRE(world.loop.run(ask(*world.service, &Session::edit_queue, {session, never, std::nullopt}))
              .has_value());
  CHECK(world.turn(session, never)->status == TurnStatus::Cancelled);
  CHECK(world.turn(session, never)->client_message_id == "key-3");
  world.claude->fail_turn(session, first, {ErrorCode::ProcessCrash, "It crashed."});
  world.loop.settle();
  CHECK(world.turn(session, next)->held);
  CHECK(world.turn(session, next)->client_message_id == "key-2");
  SessionQueueRequest resume{session, std::nullopt, std::nullopt, true};
  REQUIRE(world.loop.run(ask(*world.service, &Session::edit_queue, resume)).has_value());
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 2; }));
  world.claude->complete(session, next);
  world.loop.settle();
  CHECK(on_message(world, session, next) == Key("key-2"));
  CHECK(world.turn(session, next)->client_message_id == "key-2");
}

TEST_CASE("a send that the agent does not take is a failed turn with the client's id") {
  World world;
  const SessionId session = world.create();
  world.claude->send_error = Error{ErrorCode::AgentUnavailable, "No answer within 30 s."};
  CHECK(!world.send(session, "Hello", "key-1").has_value());
  REQUIRE(world.turns(session).size() == 1);
  const Turn failed = world.turns(session)[0];
  CHECK(failed.type == TurnType::Error);
  CHECK(failed.client_message_id == "key-1");
  CHECK(on_message(world, session, failed.turn_id) == Key("key-1"));
}

TEST_CASE("P10: the client's id is there after a restart, whatever the message had come to") {
  World world;
  const SessionId session = world.create();
  const TurnId running = world.send(session, "Work", "key-1")->turn_id;
  const TurnId waiting = world.send(session, "Next", "key-2")->turn_id;
  SessionWrite write;
  write.session = session;
  write.prompts.push_back({TurnId("lost"), "key-3", "Did you get this?", "", false});
  WriteBatch batch;
  batch.sessions.push_back(write);
  REQUIRE(world.loop.run(world.store.commit(batch)).has_value());
  world.restart();
  CHECK(world.turn(session, running)->error_code == "SERVER_RESTARTED");
  CHECK(world.turn(session, running)->client_message_id == "key-1");
  CHECK(on_message(world, session, running) == Key("key-1"));
  CHECK(world.turn(session, waiting)->held);
  CHECK(world.turn(session, waiting)->client_message_id == "key-2");
  CHECK(world.turn(session, TurnId("lost"))->client_message_id == "key-3");
  CHECK(on_message(world, session, TurnId("lost")) == Key("key-3"));
}

}  // namespace
}  // namespace lb
