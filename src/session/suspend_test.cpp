// What is in memory follows from what is open: sessions are suspended when nobody uses them, and
// come back as they were.

#include <doctest/doctest.h>

#include <chrono>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

/// A world in which sessions are suspended as soon as they may.
struct SuspendingWorld : World {
  SuspendingWorld() { restart_suspending(); }
  void restart_suspending() {
    suspend_every = std::chrono::milliseconds(5);
    restart();
  }
  void wait_until_suspended() {
    REQUIRE(loop.until([&] { return service->awake() == 0; }));
  }
  SessionId talked() {
    const SessionId session = create();
    const TurnId turn_id = begin(session, "Tell me");
    claude->say(session, turn_id, turn_id.str() + ":1:0", Text("Something."));
    claude->tool(session, turn_id, turn_id.str() + ":1:1", "output");
    claude->complete(session, turn_id);
    return session;
  }
  std::vector<std::string> frames(const SessionId& session, Revision since = 0) {
    std::vector<std::string> all;
    const auto history = loop.run(service->timeline(session, since));
    REQUIRE(history.has_value());
    for (const auto* list : {&history->items, &history->turns}) {
      for (const FramePtr& frame : *list) {
        all.push_back(std::to_string(frame->rev) + " " + std::string(frame->payload()));
      }
    }
    return all;
  }
  Revision rev(const SessionId& session) { return loop.run(service->timeline(session, 0))->rev; }
};

TEST_CASE("a session that nobody uses is suspended, and is the same when it is opened again") {
  SuspendingWorld world;
  const SessionId session = world.talked();
  SessionFacts facts;
  facts.commands = {{"plan", "Plan first", std::nullopt}};
  facts.model = "big";
  world.claude->report(session, facts);
  const auto before = world.frames(session);
  const Revision rev = world.rev(session);
  const SessionStatus status = *world.service->status(session);
  CHECK(status.info.unread);
  CHECK(status.state == SessionState::Open);
  world.wait_until_suspended();

  // Who only looks resumes nothing, and sees the same.
  CHECK(*world.service->status(session) == status);
  CHECK(world.service->list({status.info.project_id, ListScope::All, false})->size() == 1);
  CHECK(world.service->glance().size() == 1);
  CHECK(world.service->inbox().empty());
  CHECK(world.service->awake() == 0);

  CHECK(world.frames(session) == before);
  CHECK(world.rev(session) == rev);
  CHECK(world.frames(session, rev).empty());
  CHECK(world.service->awake() == 1);
  world.wait_until_suspended();

  // A cursor from before is good, and gets only what is new.
  OpenOptions options;
  options.session_id = session;
  options.since = rev;
  auto opened = world.loop.run(world.service->open(options));
  REQUIRE(opened.has_value());
  CHECK_FALSE(opened->reset);
  CHECK_FALSE(opened->history);
  const TurnId turn = world.begin(session, "More");
  world.claude->complete(session, turn);
  REQUIRE(world.loop.until([&] { return world.turn(session, turn)->type == TurnType::Complete; }));
  std::vector<FramePtr> news;
  REQUIRE(world.loop.until([&] {
    for (FramePtr& frame : opened->reader->next(SIZE_MAX)) news.push_back(std::move(frame));
    return opened->reader->cursor() == world.rev(session);
  }));
  for (const FramePtr& frame : news) CHECK(frame->rev > rev);
  CHECK(world.claude->loaded.empty());  // The agent had it all the time.
}

TEST_CASE("who reads, runs, waits or asks is not suspended") {
  SuspendingWorld world;
  const SessionId read = world.talked();
  const SessionId running = world.create();
  const SessionId asked = world.create();
  OpenOptions options;
  options.session_id = read;
  auto opened = world.loop.run(world.service->open(options));
  REQUIRE(opened.has_value());
  const TurnId runs = world.begin(running);
  const TurnId asks = world.begin(asked);
  world.claude->ask(asked, asks, "a1");
  world.claude->complete(asked, asks);
  const SessionId idle = world.talked();
  REQUIRE(world.loop.until([&] { return world.service->awake() == 3; }));
  CHECK(world.info(asked).activity == Activity::NeedsApproval);
  CHECK(world.info(running).activity == Activity::Working);

  opened->reader.reset();
  REQUIRE(world.loop.until([&] { return world.service->awake() == 2; }));
  world.claude->complete(running, runs);
  REQUIRE(world.loop.until([&] { return world.service->awake() == 1; }));
  SessionAnswerRequest answer;
  answer.session_id = asked;
  answer.item_id = ItemId("a1");
  answer.option_id = "yes";
  REQUIRE(world.loop.run(ask(*world.service, &Session::answer, answer, "test")).has_value());
  world.wait_until_suspended();
  CHECK(world.claude->answers.size() == 1);
  CHECK(world.info(idle).activity == Activity::Idle);
}

TEST_CASE("an agent that speaks to a suspended session is heard, under new revisions") {
  SuspendingWorld world;
  const SessionId session = world.talked();
  const Revision rev = world.rev(session);
  world.wait_until_suspended();
  const TurnId own("own");
  world.claude->start(session, own, TurnOrigin::Agent);
  CHECK(world.info(session).activity == Activity::Working);
  world.claude->say(session, own, "own:1:0", Text("By the way."));
  world.claude->complete(session, own);
  REQUIRE(world.loop.until([&] { return world.turn(session, own)->type == TurnType::Complete; }));
  CHECK(world.turn(session, own)->rev > rev);
  CHECK(world.items(session).back().rev > rev);
  world.wait_until_suspended();
}

TEST_CASE("the end of an agent is told of suspended sessions, and the next prompt loads them") {
  SuspendingWorld world;
  const SessionId session = world.talked();
  const TurnId last = world.turns(session).back().turn_id;
  world.wait_until_suspended();
  world.heard.activity.clear();
  world.claude->crash(session);
  REQUIRE(world.heard.activity.size() == 1);
  CHECK(world.heard.activity[0].status == SessionState::Dead);
  world.wait_until_suspended();
  CHECK_FALSE(world.claude->knows(session));  // Nothing is kept of it there either.

  const auto before = world.frames(session);
  world.begin(session, "Again");
  REQUIRE(world.claude->loaded.size() == 1);
  CHECK(world.claude->loaded[0].options.last_known_turn == last);
  CHECK(world.claude->knows(session));
  const auto after = world.frames(session);
  CHECK(after.size() == before.size() + 2);  // The prompt and its turn.
}

TEST_CASE("keys, numbers and what a crash took are as good after a suspension as before") {
  SuspendingWorld world;
  const SessionId session = world.create();
  const auto sent = world.send(session, "Once", "key-1");
  REQUIRE(sent.has_value());
  world.claude->complete(session, sent->turn_id);
  world.wait_until_suspended();
  const auto twice = world.send(session, "Once", "key-1");
  REQUIRE(twice.has_value());
  CHECK(twice->turn_id == sent->turn_id);
  CHECK(world.claude->sent.size() == 1);
  const Revision rev = world.rev(session);
  world.wait_until_suspended();

  world.restart_suspending();  // As after a crash: the numbers that were reserved are not used
                               // again.
  CHECK(world.rev(session) > rev);
  OpenOptions lost;
  lost.session_id = session;
  lost.since = rev + 5;  // Shown by the life before, and taken by its end.
  CHECK(world.loop.run(world.service->open(lost))->reset);
  const TurnId turn = world.begin(session, "On");
  world.claude->complete(session, turn);
  world.wait_until_suspended();
  CHECK(world.loop.run(world.service->open(lost))->reset);  // Not only before the first time.
  const Revision now = world.rev(session);
  world.wait_until_suspended();

  world.loop.run(world.service->stop());  // In order: nothing is left out.
  world.restart_suspending();
  CHECK(world.rev(session) == now);
}

TEST_CASE("a deleted session leaves nothing but the mark that it is not to be listed") {
  SuspendingWorld world;
  const SessionId kept = world.talked();
  const SessionId session = world.talked();
  const std::string cli_id = "cli-" + session.str();
  world.wait_until_suspended();
  OpenOptions options;
  options.session_id = session;
  auto opened = world.loop.run(world.service->open(options));
  REQUIRE(world.loop.run(world.service->remove(session)).has_value());
  CHECK(opened->reader->ended());
  opened->reader.reset();
  CHECK(world.service->status(session).error().code == ErrorCode::SessionNotFound);
  CHECK(world.loop.run(world.service->timeline(session, 0)).error().code ==
        ErrorCode::SessionNotFound);
  CHECK_FALSE(world.claude->knows(session));
  world.wait_until_suspended();

  // Discovery still finds it in the CLI's own records: in this life, and in the next.
  world.outside = {{cli_id, "Deleted", {}, {}}, {"cli-other", "Other", {}, {}}};
  world.claude->outside = world.outside;
  const SessionListRequest there{world.project("other").project_id, ListScope::All, false};
  REQUIRE(world.loop.until([&] { return !world.service->list(there)->empty(); }));
  REQUIRE(world.service->list(there)->size() == 1);
  CHECK(world.service->list(there)->front().title == "Other");
  world.restart_suspending();
  REQUIRE(world.loop.until([&] { return world.claude->discoveries >= 2; }));
  world.loop.settle();
  CHECK(world.service->list(there)->size() == 1);
  const SessionListRequest here{world.info(kept).project_id, ListScope::All, false};
  CHECK(world.service->list(here)->size() == 1);
}

}  // namespace
}  // namespace lb
