// Prompts, the queue, approvals, restarts and a full disk.

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

SessionAnswerRequest decision(const SessionId& session, const std::string& item,
                              std::optional<std::string> option) {
  SessionAnswerRequest request;
  request.session_id = session;
  request.item_id = ItemId(item);
  request.option_id = std::move(option);
  return request;
}

TEST_CASE("a send while a turn runs is queued, shown, and runs when the turn is complete") {
  World world;
  const SessionId session = world.create();
  const TurnId first = world.begin(session, "One");
  const auto second = world.send(session, "Two");
  REQUIRE(second.has_value());
  CHECK(second->queued);
  CHECK(world.claude->sent.size() == 1);
  const Turn queued = *world.turn(session, second->turn_id);
  CHECK(queued.type == TurnType::Queued);
  CHECK(queued.content == Text("Two"));
  CHECK(!queued.held);
  CHECK(world.items(session).size() == 1);  // Its message is published when its turn starts.
  world.claude->complete(session, first);
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 2; }));
  CHECK(world.claude->sent[1].prompt.turn_id == second->turn_id);
  world.loop.settle();
  const Turn started = *world.turn(session, second->turn_id);
  CHECK(started.type == TurnType::Started);
  CHECK(started.queued_at == queued.queued_at);
  CHECK(!started.content.has_value());
  CHECK(world.items(session).size() == 2);
}

TEST_CASE("a command about the agent names the session until something is said about the work") {
  World world;
  const SessionId session = world.create();
  const auto say = [&](const std::string& text) {
    world.claude->complete(session, world.begin(session, text));
    world.loop.settle();
    return world.info(session).title;
  };
  CHECK(say("/model sonnet[1m]") == "/model sonnet[1m]");
  CHECK(say("/compact") == "/compact");
  CHECK(say("Mend the cart") == "Mend the cart");
  CHECK(say("/model haiku") == "Mend the cart");
  World other;
  const SessionId review = other.create();
  other.claude->complete(review, other.begin(review, "/review the cart"));
  other.claude->complete(review, other.begin(review, "Thanks"));
  CHECK(other.info(review).title == "/review the cart");
}

TEST_CASE("a queued message can be edited and removed until it starts") {
  World world;
  const SessionId session = world.create();
  const TurnId running = world.begin(session);
  const TurnId two = world.send(session, "Two")->turn_id;
  const TurnId three = world.send(session, "Three")->turn_id;
  const auto queue = [&](TurnId turn, std::optional<std::string> content) {
    return world.loop.run(
        ask(*world.service, &Session::edit_queue, {session, std::move(turn), std::move(content)}));
  };
  REQUIRE(queue(two, "Two, better").has_value());
  CHECK(world.turn(session, two)->content == Text("Two, better"));
  REQUIRE(queue(three, std::nullopt).has_value());
  CHECK(world.turn(session, three)->status == TurnStatus::Cancelled);
  CHECK(queue(two, "  ").error().code == ErrorCode::InvalidRequest);
  CHECK(queue(running, "x").error().code == ErrorCode::TurnStarted);
  CHECK(queue(TurnId("nonesuch"), "x").error().code == ErrorCode::TurnNotFound);
  world.claude->complete(session, running);
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 2; }));
  CHECK(world.claude->sent[1].prompt.content == "Two, better");
  CHECK(queue(two, "too late").error().code == ErrorCode::TurnStarted);
  world.claude->complete(session, two);
  world.loop.settle();
  CHECK(world.claude->sent.size() == 2);
}

TEST_CASE("the order that the user gave the queue outlives an edit and a restart of the server") {
  World world;
  const SessionId session = world.create();
  world.begin(session);
  const TurnId two = world.send(session, "Two")->turn_id;
  const TurnId three = world.send(session, "Three")->turn_id;
  const TurnId four = world.send(session, "Four")->turn_id;
  const auto run = [&](auto asked) { return world.loop.run(std::move(asked)); };
  REQUIRE(run(ask(*world.service, &Session::reorder, {session, {four, two, three}})).has_value());
  REQUIRE(run(ask(*world.service, &Session::edit_queue, {session, two, "Two!"})).has_value());
  world.restart();
  SessionQueueRequest release;  // After a restart all of it is held.
  release.session_id = session;
  release.resume = true;
  REQUIRE(run(ask(*world.service, &Session::edit_queue, release)).has_value());
  for (const std::string expected : {"Four", "Two!", "Three"}) {
    CAPTURE(expected);
    REQUIRE(world.loop.until([&] {
      return !world.claude->sent.empty() && world.claude->sent.back().prompt.content == expected;
    }));
    world.claude->complete(session, world.claude->sent.back().prompt.turn_id);
  }
}

TEST_CASE("after a cancel or a failed turn the queue is held until the user releases it") {
  for (const bool fails : {true, false}) {
    World world;
    const SessionId session = world.create();
    const TurnId one = world.begin(session);
    const TurnId two = world.send(session, "Two")->turn_id;
    if (fails) {
      world.claude->fail_turn(session, one, {ErrorCode::ProcessCrash, "It crashed."});
    } else {
      world.claude->complete(session, one, TurnStatus::Cancelled);
    }
    world.loop.settle();
    CHECK(world.turn(session, two)->held);
    CHECK(world.claude->sent.size() == 1);
    CHECK(world.info(session).activity == (fails ? Activity::Failed : Activity::Idle));
    // What is said now (the failed prompt once more, or another) goes first, and only that.
    const auto three = world.send(session, "Three");
    CHECK(!three->queued);
    const auto four = world.send(session, "Four");  // While that runs: behind what is held.
    CHECK(four->queued);
    CHECK(world.turn(session, four->turn_id)->held);
    world.claude->complete(session, three->turn_id);
    world.loop.settle();
    CHECK(world.claude->sent.size() == 2);
    CHECK(world.claude->sent[1].prompt.turn_id == three->turn_id);
    CHECK(world.turn(session, two)->held);
    SessionQueueRequest resume{session, std::nullopt, std::nullopt, true};
    REQUIRE(world.loop.run(ask(*world.service, &Session::edit_queue, resume)).has_value());
    REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 3; }));
    CHECK(world.claude->sent[2].prompt.turn_id == two);
  }
}

TEST_CASE("a prompt that the agent does not take is an error, and a failed turn to be seen") {
  World world;
  const SessionId session = world.create();
  world.claude->send_error = Error{ErrorCode::AgentUnavailable, "No answer within 30 s."};
  const auto sent = world.send(session, "Hello", "key-1");
  REQUIRE(!sent.has_value());
  CHECK(sent.error().code == ErrorCode::AgentUnavailable);
  REQUIRE(world.turns(session).size() == 1);
  const Turn turn = world.turns(session)[0];
  CHECK(turn.type == TurnType::Error);
  CHECK(turn.error_code == "AGENT_UNAVAILABLE");
  CHECK(world.text(world.items(session).at(0)) == "Hello");
  world.claude->send_error.reset();
  const auto again = world.send(session, "Hello", "key-1");
  CHECK(again->turn_id == turn.turn_id);  // A retry gets the same turn, whatever became of it.
  CHECK(world.claude->sent.empty());
}

TEST_CASE("the same key never sends twice, also across a restart") {
  World world;
  const SessionId session = world.create();
  const auto one = world.send(session, "Hello", "key-1");
  CHECK(world.send(session, "Hello", "key-1")->turn_id == one->turn_id);
  const auto queued = world.send(session, "Next", "key-2");
  CHECK(world.send(session, "Next", "key-2")->turn_id == queued->turn_id);
  CHECK(world.claude->sent.size() == 1);
  world.restart();
  CHECK(world.send(session, "Hello", "key-1")->turn_id == one->turn_id);
  CHECK(world.send(session, "Next", "key-2")->turn_id == queued->turn_id);
  CHECK(world.claude->sent.empty());
  CHECK(world.turns(session).size() == 2);
}

TEST_CASE("a prompt that is cancelled before the agent gets it never reaches it") {
  World world;
  const SessionId session = world.create();
  SessionSendRequest request;
  request.session_id = session;
  request.content = "Do not do it";
  std::optional<Result<SessionSentMessage>> sent;
  asio::co_spawn(
      world.loop.context(), ask(*world.service, &Session::send, request),
      [&](std::exception_ptr, Result<SessionSentMessage> result) { sent = std::move(result); });
  // It is being stored when the user presses stop.
  REQUIRE(
      world.loop.run(ask(*world.service, &Session::cancel, {session, std::nullopt})).has_value());
  REQUIRE(world.loop.until([&] { return sent.has_value(); }));
  REQUIRE(!sent->has_value());
  CHECK(sent->error().code == ErrorCode::Cancelled);
  CHECK(world.claude->sent.empty());
  CHECK(world.claude->cancelled.empty());
  REQUIRE(world.turns(session).size() == 1);
  CHECK(world.turns(session)[0].status == TurnStatus::Cancelled);
  CHECK(world.text(world.items(session).at(0)) == "Do not do it");
}

TEST_CASE("empty prompts are refused") {
  World world;
  const SessionId session = world.create();
  CHECK(world.send(session, " \n\t ").error().code == ErrorCode::InvalidRequest);
  CHECK(world.claude->sent.empty());
}

TEST_CASE("the limit of a prompt and of the queue are named answers") {
  World world;
  const SessionId session = world.create();
  const std::string large(limits::kPromptBytesMax + 1, 'x');
  CHECK(world.send(session, large).error().code == ErrorCode::TooLarge);
  world.begin(session);
  const auto waits = world.send(session, "q");
  REQUIRE(waits.has_value());
  auto longer = ask(*world.service, &Session::edit_queue, {session, waits->turn_id, large});
  CHECK(world.loop.run(std::move(longer)).error().code == ErrorCode::TooLarge);
  for (std::size_t i = 1; i < limits::kQueueMax; ++i) REQUIRE(world.send(session, "q").has_value());
  CHECK(world.send(session, "one too many").error().code == ErrorCode::Busy);
}

TEST_CASE("send to a session that is not open loads it first") {
  World world;
  const SessionId session = world.create();
  world.restart();
  world.begin(session, "Are you there?");
  CHECK(world.claude->loaded.size() == 1);
  CHECK(world.claude->sent.size() == 1);
  world.claude->complete(session, world.claude->sent[0].prompt.turn_id);
  world.claude->crash(session);
  world.claude->load_error = Error{ErrorCode::ProcessCrash, "It cannot be resumed."};
  CHECK(world.send(session, "And now?").error().code == ErrorCode::ProcessCrash);
}

TEST_CASE("P10: what ran when the server died is ended once, and never run again") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Work");
  Text growing("Half an ans");
  world.claude->say(session, turn, "i1", growing, ItemStatus::Create);
  world.loop.until([&] { return false; }, std::chrono::milliseconds(300));
  growing.append("wer");
  world.claude->say(session, turn, "i1", growing, ItemStatus::Update);
  world.claude->ask(session, turn, "i2");
  const TurnId waiting = world.send(session, "Next")->turn_id;
  world.loop.until([&] { return false; }, std::chrono::milliseconds(300));
  const Revision seen = world.loop.run(world.service->timeline(session, 0))->rev;

  world.restart();
  CHECK(world.claude->sent.empty());
  const auto after = world.loop.run(world.service->timeline(session, seen));
  CHECK(after->items.size() == 2);  // Everything that was open changed, above every number seen.
  CHECK(after->turns.size() == 2);
  const Turn ended = *world.turn(session, turn);
  CHECK(ended.type == TurnType::Error);
  CHECK(ended.error_code == "SERVER_RESTARTED");
  CHECK(!ended.error_message->empty());
  const auto items = world.items(session);
  REQUIRE(items.size() == 3);
  CHECK(world.text(items[1]) == "Half an answer");
  CHECK(items[1].status == ItemStatus::Error);
  CHECK(items[1].error_code == "SERVER_RESTARTED");
  CHECK(items[2].status == ItemStatus::Cancelled);
  CHECK(std::get<Approval>(items[2].body).state == ApprovalState::Expired);
  CHECK(world.turn(session, waiting)->held);
  CHECK(world.info(session).activity == Activity::Failed);
  CHECK(world.info(session).unread);

  const auto forms = world.items(session);
  world.restart();  // And once more: nothing is left to end.
  CHECK(world.items(session) == forms);
  SessionQueueRequest resume{session, std::nullopt, std::nullopt, true};
  REQUIRE(world.loop.run(ask(*world.service, &Session::edit_queue, resume)).has_value());
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 1; }));
  CHECK(world.claude->sent[0].prompt.content == "Next");
  CHECK(world.claude->sent[0].prompt.turn_id == waiting);
}

TEST_CASE("what another server runs is not ended because this one was restarted") {
  World world;
  const auto running = [&](const std::string& owner) {
    const SessionId session = world.create();
    const TurnId turn = world.begin(session);
    WriteBatch batch;
    SessionWrite& write = batch.sessions.emplace_back();
    write.session = session;
    for (const SessionRecord& record : world.loop.run(world.store.load_catalog())->sessions) {
      if (record.id == session) write.record = record;
    }
    write.record->owner = owner;
    REQUIRE(world.loop.run(world.store.commit(std::move(batch))).has_value());
    return std::pair(session, turn);
  };
  const auto theirs = running("the epoch of another store");
  const auto ours = running(world.store.info().epoch);
  world.restart();
  CHECK(world.turn(ours.first, ours.second)->error_code == "SERVER_RESTARTED");
  const auto unfinished = *world.loop.run(world.store.load_unfinished());
  REQUIRE(unfinished.size() == 1);
  CHECK(unfinished[0].session == theirs.first);
  CHECK(unfinished[0].entries.size() == 1);
}

TEST_CASE("P10: a prompt that was accepted and not begun is shown as such after a restart") {
  World world;
  const SessionId session = world.create();
  SessionWrite write;
  write.session = session;
  write.prompts.push_back({TurnId("lost"), "key-1", "Did you get this?", "", false});
  WriteBatch batch;
  batch.sessions.push_back(write);
  REQUIRE(world.loop.run(world.store.commit(batch)).has_value());
  world.restart();
  CHECK(world.text(world.items(session).at(0)) == "Did you get this?");
  CHECK(world.turn(session, TurnId("lost"))->error_code == "SERVER_RESTARTED");
  CHECK(world.send(session, "Did you get this?", "key-1")->turn_id == TurnId("lost"));
  CHECK(world.claude->sent.empty());
}

TEST_CASE("activity and unread: working, waiting for the user, failed, done") {
  World world;
  const SessionId session = world.create();
  CHECK(world.info(session).activity == Activity::Idle);
  CHECK(world.service->glance().empty());
  const TurnId turn = world.begin(session);
  CHECK(world.info(session).activity == Activity::Working);
  world.claude->ask(session, turn, "a1");
  CHECK(world.info(session).activity == Activity::NeedsApproval);
  CHECK(world.heard.activity.back().activity == Activity::NeedsApproval);
  REQUIRE(world.loop.until([&] { return world.service->inbox().size() == 1; }));
  CHECK(world.service->inbox()[0].item.item_id == ItemId("a1"));
  REQUIRE(
      world.loop.run(ask(*world.service, &Session::answer, decision(session, "a1", "yes"), "me"))
          .has_value());
  CHECK(world.info(session).activity == Activity::Working);
  CHECK(world.service->inbox().empty());
  world.claude->complete(session, turn);
  CHECK(world.info(session).activity == Activity::Idle);
  CHECK(world.info(session).unread);
  CHECK(world.service->glance().size() == 1);
  (*world.service->find(session))->mark_read();
  CHECK(!world.heard.activity.back().unread);
  CHECK(world.service->glance().empty());
  const TurnId bad = world.begin(session);
  world.claude->fail_turn(session, bad, {ErrorCode::ProcessCrash, "Gone."});
  CHECK(world.info(session).activity == Activity::Failed);
}

TEST_CASE("P20: an approval is answered once, bound to what was shown, durable before it is sent") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.claude->ask(session, turn, "a1");
  world.loop.settle();
  const auto answer = [&](SessionAnswerRequest request) {
    return world.loop.run(ask(*world.service, &Session::answer, std::move(request), "browser"));
  };
  CHECK(answer(decision(session, "none", "yes")).error().code == ErrorCode::ItemNotFound);
  CHECK(answer(decision(session, "a1", "maybe")).error().code == ErrorCode::InvalidRequest);
  CHECK(answer(decision(session, "a1", std::nullopt)).error().code == ErrorCode::InvalidRequest);
  SessionAnswerRequest stale = decision(session, "a1", "yes");
  stale.rev = 1;
  CHECK(answer(stale).error().code == ErrorCode::ApprovalChanged);
  CHECK(world.claude->answers.empty());

  SessionAnswerRequest fresh = decision(session, "a1", "yes");
  fresh.message = "go ahead";
  fresh.rev = world.service->inbox().at(0).item.rev;
  REQUIRE(answer(fresh).has_value());
  REQUIRE(world.claude->answers.size() == 1);
  CHECK(world.claude->answers[0].second.option_id == "yes");
  CHECK(world.claude->answers[0].second.message == "go ahead");
  const auto items = world.items(session);
  CHECK(items.back().status == ItemStatus::Complete);
  CHECK(std::get<Approval>(items.back().body).answered_by == "browser");
  CHECK(answer(decision(session, "a1", "no")).error().code == ErrorCode::AlreadyAnswered);
  CHECK(world.claude->answers.size() == 1);
}

TEST_CASE("P12: a full disk refuses new turns, holds agents back, shows nothing undurable, heals") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.loop.settle();
  world.store.set_state({StoreState::Kind::Full, "No space left on device"});
  CHECK(world.claude->held == std::set<SessionId>{session});
  world.claude->say(session, turn, "i1", "The answer");
  world.claude->complete(session, turn);
  world.loop.settle();
  CHECK(world.items(session).size() == 1);  // Not complete for anyone before it is durable.
  const auto shown = world.turn(session, turn);
  CHECK((!shown || shown->type == TurnType::Started));
  CHECK(world.send(session, "More").error().code == ErrorCode::StoreFull);
  CHECK(world.claude->sent.size() == 1);
  SessionCreateRequest request;
  request.cli_type = "codex";
  request.project_id = world.info(session).project_id;
  CHECK(world.loop.run(world.service->create(request)).error().code == ErrorCode::StoreFull);

  world.store.set_state({});
  CHECK(world.claude->held.empty());
  REQUIRE(world.loop.until([&] { return world.items(session).size() == 2; }));
  CHECK(world.turn(session, turn)->type == TurnType::Complete);
  CHECK(world.send(session, "More").has_value());
}

TEST_CASE("a queued prompt that can never be stored does not go to the agent, and fails") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  REQUIRE(world.send(session, "More").has_value());
  world.store.set_state({StoreState::Kind::Full, "No space left on device"});
  world.claude->complete(session, turn);
  world.loop.settle();
  CHECK(world.info(session).activity == Activity::Working);  // The disk may have room again.
  world.store.set_state({StoreState::Kind::Failed, "The disk is gone"});
  REQUIRE(world.loop.until([&] { return world.info(session).activity == Activity::Failed; }));
  CHECK(world.claude->sent.size() == 1);
}

TEST_CASE("a tool output above the limit travels as head and tail; the whole can be fetched") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  std::string output = "BEGIN";
  while (output.size() < limits::kToolOutputInlineMax + 5) output += "äöü";
  output += "END";
  world.claude->tool(session, turn, "i1", output);
  world.claude->tool(session, turn, "i2", "small");
  world.claude->complete(session, turn);
  world.loop.settle();
  const auto items = world.items(session);
  const auto& cut = std::get<ToolCall>(items.at(1).body);
  CHECK(cut.output_bytes == output.size());
  CHECK(cut.tool_output->size() <= limits::kToolOutputInlineMax);
  CHECK(cut.tool_output->view().starts_with("BEGIN"));
  CHECK(cut.tool_output->view().ends_with("END"));
  CHECK(!std::get<ToolCall>(items.at(2).body).output_bytes.has_value());
  CHECK(*world.loop.run(world.service->output(session, ItemId("i1"))) == output);
  CHECK(*world.loop.run(world.service->output(session, ItemId("i2"))) == "small");
  CHECK(world.loop.run(world.service->output(session, ItemId("i9"))).error().code ==
        ErrorCode::ItemNotFound);
}

TEST_CASE("a final item never changes again, whatever the agent says later") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.claude->say(session, turn, "i1", "final");
  world.claude->say(session, turn, "i1", "changed", ItemStatus::Update);
  world.claude->complete(session, turn);
  world.claude->complete(session, turn, TurnStatus::Cancelled);
  world.loop.settle();
  CHECK(world.text(world.items(session).at(1)) == "final");
  CHECK(world.turn(session, turn)->status == TurnStatus::Completed);
}

TEST_CASE("a turn that the agent begins by itself makes the session busy") {
  World world;
  const SessionId session = world.create();
  world.claude->start(session, TurnId("own"), TurnOrigin::Agent);
  CHECK(world.info(session).activity == Activity::Working);
  CHECK(world.send(session, "Wait for it")->queued);
  world.claude->complete(session, TurnId("own"));
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 1; }));
  CHECK(world.turn(session, TurnId("own"))->origin == TurnOrigin::Agent);
}

TEST_CASE("P17: a stopping server takes no new turns and leaves the exact numbers behind") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.claude->complete(session, turn);
  world.loop.settle();
  const Revision rev = world.loop.run(world.service->timeline(session, 0))->rev;
  world.loop.run(world.service->stop());
  CHECK(world.send(session, "Too late").error().code == ErrorCode::Busy);
  world.restart();
  CHECK(world.loop.run(world.service->timeline(session, 0))->rev == rev);
}

}  // namespace
}  // namespace lb
