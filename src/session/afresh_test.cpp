// An agent that no longer has a conversation: it ended before it saved it, or its files are gone.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

const Error kGone{ErrorCode::SessionNotFound, "Codex no longer has this conversation."};

/// A session with one turn, whose agent was killed and knows it no more.
SessionId forgotten(World& world) {
  const SessionId session = world.create("codex");
  const TurnId turn = world.begin(session, "Remember seven");
  world.codex->say(session, turn, "a1", Text("Seven."));
  world.codex->complete(session, turn);
  world.codex->crash(session);
  world.codex->load_error = kGone;
  return session;
}

TEST_CASE("an agent that forgot a session: the prompt fails and says what to do") {
  World world;
  const SessionId session = forgotten(world);
  const auto sent = world.send(session, "Which number?");
  REQUIRE_FALSE(sent.has_value());
  CHECK(sent.error().code == ErrorCode::ProcessCrash);  // The session itself is there.
  CHECK(sent.error().message.starts_with("Codex no longer has this conversation. Everything"));
  CHECK(sent.error().message.find("Send the message again") != std::string::npos);
  const Turn failed = world.turns(session).back();
  CHECK(failed.type == TurnType::Error);
  CHECK(failed.error_code == "PROCESS_CRASH");
  CHECK(failed.error_message == sent.error().message);
  const auto items = world.items(session);
  REQUIRE(items.size() == 3);  // All of it can still be read, and so can what was just written.
  CHECK(world.text(items[1]) == "Seven.");
  CHECK(world.text(items[2]) == "Which number?");
  CHECK(world.codex->created.size() == 1);
  CHECK(world.info(session).activity == Activity::Failed);
}

TEST_CASE("an agent that forgot a session: who sends again goes on, and it is said where") {
  World world;
  const SessionId session = forgotten(world);
  REQUIRE_FALSE(world.send(session, "Which number?").has_value());
  const TurnId turn = world.begin(session, "Then take eight");
  REQUIRE(world.codex->created.size() == 2);
  CHECK(world.codex->created[1].session_id == session);
  CHECK(world.codex->sent.back().prompt.content == "Then take eight");
  const auto items = world.items(session);
  REQUIRE(items.size() == 5);
  CHECK(items[3].turn_id == turn);
  CHECK(std::get<Message>(items[3].body).origin == Origin::System);
  CHECK(world.text(items[3]).find("does not remember what is above") != std::string::npos);
  CHECK(world.text(items[4]) == "Then take eight");

  // Forgotten again, it is told again: consent to one loss is not consent to the next.
  world.codex->complete(session, turn);
  world.codex->crash(session);
  CHECK_FALSE(world.send(session, "And now?").has_value());
  CHECK(world.codex->created.size() == 2);
}

TEST_CASE("an agent that has the session again after all goes on with it") {
  World world;
  const SessionId session = forgotten(world);
  REQUIRE_FALSE(world.send(session, "Which number?").has_value());
  world.codex->load_error.reset();
  world.begin(session, "Which number?");
  CHECK(world.codex->created.size() == 1);
}

TEST_CASE("a session in which nothing was said starts afresh at once") {
  World world;
  const SessionId session = world.create("codex");
  world.codex->crash(session);
  world.codex->load_error = kGone;
  world.begin(session, "Hello");
  CHECK(world.codex->created.size() == 2);
  CHECK(world.items(session).size() == 1);  // There is nothing above to be forgotten.
}

TEST_CASE("loading a session that its agent forgot says so; only a prompt starts afresh") {
  World world;
  const SessionId session = forgotten(world);
  for (int i = 0; i < 2; ++i) {
    const auto loaded = world.loop.run(world.service->load(session));
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().code == ErrorCode::ProcessCrash);
    CHECK(loaded.error().message.ends_with("Everything shown here is kept."));
  }
  CHECK_FALSE(world.send(session, "Which number?").has_value());
  CHECK(world.codex->created.size() == 1);
}

TEST_CASE("a session made outside that is gone before it was brought in is not found") {
  World world;
  world.outside = {{"cli-outside", "An old one", {}, {}}};
  world.restart();
  const Project project = world.project();
  SessionListRequest request;
  request.project_id = project.project_id;
  request.scope = ListScope::All;
  REQUIRE(world.loop.until([&] { return !world.service->list(request)->empty(); }));
  const SessionId session = world.service->list(request)->front().session_id;
  world.claude->load_error = kGone;
  CHECK(world.loop.run(world.service->load(session)).error().code == ErrorCode::SessionNotFound);
}

}  // namespace
}  // namespace lb
