// How a decision reaches the agent: prepare, commit, write, settle.
#include <doctest/doctest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/metrics.h"
#include "session/session_test_support.h"

namespace lb::test {
namespace {

std::uint64_t refused() {
  return counter("lb_upserts_refused_total", "Changes of items that were final.").value();
}

/// An agent that takes an answer when the test says so.
struct Gate {
  explicit Gate(const asio::any_io_executor& io)
      : opened(io, asio::steady_timer::time_point::max()) {}
  asio::steady_timer opened;
  bool writing = false;
  std::optional<Result<void>> taken;

  static asio::awaitable<Result<void>> take(std::shared_ptr<Gate> gate) {
    gate->writing = true;
    while (!gate->taken) co_await gate->opened.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return *std::exchange(gate->taken, std::nullopt);
  }
};

/// A session that asks `a1`.
struct Asked {
  Asked() {
    world.claude->ask(session, turn, "a1");
    world.loop.settle();
    world.claude->take_answer = [gate = gate](const Answer&) { return Gate::take(gate); };
  }
  SessionAnswerRequest decision(std::string option = "yes") const {
    SessionAnswerRequest request;
    request.session_id = session;
    request.item_id = ItemId("a1");
    request.option_id = std::move(option);
    return request;
  }
  /// Answers, and returns when the agent is being given it.
  void begin(SessionAnswerRequest request) {
    gate->writing = false;
    outcome.reset();
    asio::co_spawn(world.loop.context(),
                   ask(*world.service, &Session::answer, std::move(request), "me"),
                   [this](std::exception_ptr, Result<void> result) { outcome = result; });
    REQUIRE(world.loop.until([this] { return gate->writing; }));
  }
  Result<void> end(Result<void> how) {
    gate->taken = std::move(how);
    gate->opened.cancel();
    REQUIRE(world.loop.until([this] { return outcome.has_value(); }));
    return *outcome;
  }
  Item item() {
    for (const Item& one : world.items(session)) {
      if (one.item_id == ItemId("a1")) return one;
    }
    return {};
  }
  Approval approval() { return std::get<Approval>(item().body); }

  World world;
  SessionId session = world.create();
  TurnId turn = world.begin(session);
  std::shared_ptr<Gate> gate = std::make_shared<Gate>(world.loop.executor());
  std::optional<Result<void>> outcome;
};

TEST_CASE("an answer is durable before it is written, and final when the agent has it") {
  Asked asked;
  const auto before = refused();
  asked.begin(asked.decision());
  CHECK_FALSE(is_final(asked.item().status));
  CHECK(asked.approval().state == ApprovalState::Pending);
  REQUIRE(asked.approval().answer.has_value());
  CHECK(asked.approval().answer->option_id == "yes");
  CHECK(asked.approval().answered_by == "me");
  CHECK_FALSE(asked.approval().answered_at.has_value());
  const auto stored =
      asked.world.loop.run(asked.world.store.read_entry(asked.session, EntryKind::Item, "a1"));
  REQUIRE((stored && stored->has_value()));
  CHECK(std::get<Approval>(decode_text<Item>((*stored)->payload)->body).answer.has_value());
  CHECK(asked.world.info(asked.session).activity == Activity::NeedsApproval);

  SUBCASE("whoever comes second is told so") {
    const auto second = asked.world.loop.run(
        ask(*asked.world.service, &Session::answer, asked.decision("no"), "other"));
    CHECK(second.error().code == ErrorCode::AlreadyAnswered);
  }
  CHECK(asked.end(Result<void>{}).has_value());
  CHECK(asked.item().status == ItemStatus::Complete);
  CHECK(asked.approval().state == ApprovalState::Answered);
  CHECK(asked.approval().answered_at.has_value());
  CHECK(asked.world.service->inbox().empty());
  asked.world.claude->complete(asked.session, asked.turn);
  CHECK(refused() == before);  // A normal answer counts nothing as refused.
}

TEST_CASE("who answered what and from where is on the disk before the agent hears of it") {
  Asked asked;
  const Caller caller{"browser", {AuditActor::Login, "id", "Firefox on Linux"}, "127.0.0.1"};
  const auto trail = [&] { return asked.world.loop.run(asked.world.service->audit({}))->entries; };
  const auto session = *asked.world.service->find(asked.session);
  asio::co_spawn(asked.world.loop.context(), session->answer(asked.decision(), caller),
                 [&](std::exception_ptr, Result<void> result) { asked.outcome = result; });
  REQUIRE(asked.world.loop.until([&] { return asked.gate->writing; }));
  REQUIRE(trail().size() == 1);
  const AuditEntry line = trail()[0];
  CHECK(line.kind == AuditKind::Answered);
  CHECK(line.by == caller.by);
  CHECK(line.address == "127.0.0.1");
  CHECK(line.via == "browser");
  CHECK(line.session_id == asked.session);
  CHECK(line.item_id == ItemId("a1"));
  CHECK(line.title == asked.approval().title);
  const ApprovalOption chosen = asked.approval().options[0];
  CHECK(line.answer == chosen.name);
  CHECK(line.option_kind == chosen.kind);

  SUBCASE("once") {
    CHECK(asked.end(Result<void>{}).has_value());
    CHECK(trail().size() == 1);
  }
  SUBCASE("and when the agent does not take it, that too") {
    CHECK_FALSE(asked.end(fail(ErrorCode::Busy, "it does not read")).has_value());
    REQUIRE(trail().size() == 2);
    CHECK(trail()[0].kind == AuditKind::AnswerLost);
    CHECK(trail()[0].item_id == ItemId("a1"));
  }
}

TEST_CASE("a line of the trail is short, and its pages end") {
  World world;
  AuditEntry entry;
  entry.title = std::string(limits::kAuditTextBytesMax - 1, 'x') + "é and more";
  for (int i = 0; i < 3; ++i) world.service->audit_trail().note(entry);
  AuditRequest two;
  two.limit = 2;
  const auto first = *world.loop.run(world.service->audit(two));
  REQUIRE(first.entries.size() == 2);
  CHECK(first.entries[0].title == std::string(limits::kAuditTextBytesMax - 1, 'x') + "…");
  REQUIRE(first.before.has_value());
  two.before = first.before;
  const auto rest = *world.loop.run(world.service->audit(two));
  CHECK(rest.entries.size() == 1);
  CHECK_FALSE(rest.before.has_value());
}

TEST_CASE("an agent that does not read leaves the approval open, and says so on it") {
  Asked asked;
  asked.begin(asked.decision());
  const auto given = asked.end(fail(ErrorCode::Busy, "the agent does not read its input"));
  REQUIRE_FALSE(given.has_value());
  CHECK(given.error().code == ErrorCode::Busy);
  CHECK_FALSE(is_final(asked.item().status));
  CHECK(asked.approval().state == ApprovalState::Pending);
  CHECK_FALSE(asked.approval().answer.has_value());
  CHECK_FALSE(asked.approval().answered_by.has_value());
  CHECK(asked.item().error_message ==
        "The agent did not take the answer: the agent does not read its input");
  REQUIRE(asked.world.service->inbox().size() == 1);

  SUBCASE("it can be answered again") {
    asked.begin(asked.decision("no"));
    CHECK_FALSE(asked.item().error_message.has_value());
    CHECK(asked.end(Result<void>{}).has_value());
    CHECK(asked.approval().answer->option_id == "no");
  }
}

TEST_CASE("an approval that the agent takes back while it is answered stays taken back") {
  Asked asked;
  const auto before = refused();
  asked.begin(asked.decision());
  Item withdrawn = asked.item();
  withdrawn.status = ItemStatus::Cancelled;
  std::get<Approval>(withdrawn.body).state = ApprovalState::Expired;
  asked.world.claude->upsert(withdrawn);
  CHECK_FALSE(asked.end(fail(ErrorCode::ProcessCrash, "the agent is gone")).has_value());
  CHECK(asked.approval().state == ApprovalState::Expired);
  CHECK(refused() == before);
}

TEST_CASE("a server that dies before the agent took the answer leaves what was chosen") {
  Asked asked;
  asked.begin(asked.decision());
  asked.world.restart();
  CHECK(asked.item().status == ItemStatus::Cancelled);
  CHECK(asked.approval().state == ApprovalState::Expired);
  REQUIRE(asked.approval().answer.has_value());
  CHECK(asked.approval().answer->option_id == "yes");
  CHECK(asked.approval().answered_by == "me");
}

TEST_CASE("a server that dies after the agent took the answer does not say that it did not") {
  Asked asked;
  asked.begin(asked.decision());
  asked.world.store.set_state({StoreState::Kind::Failed, "The disk is gone."});
  asked.gate->taken = Result<void>{};
  asked.gate->opened.cancel();
  asked.world.loop.settle();  // It is answered, and that is not stored any more.
  asked.world.store.set_state({});
  asked.world.restart();
  CHECK(asked.item().status == ItemStatus::Cancelled);
  CHECK(asked.approval().state == ApprovalState::Expired);
  CHECK(asked.approval().answer->option_id == "yes");
  CHECK(asked.item().error_code == "SERVER_RESTARTED");
  CHECK(asked.item().error_message ==
        "The server stopped while this answer was on its way; the agent may have had it.");
  const auto exported = asked.world.loop.run(
      asked.world.service->export_session(asked.session, ExportFormat::Markdown));
  CHECK(exported->find("Ended while an answer was on its way: the agent may have had it.") !=
        std::string::npos);
}

TEST_CASE("a server that dies when an answer is stored has the words that came with it") {
  Asked asked;
  asked.world.claude->carries_message = false;
  SessionAnswerRequest request = asked.decision();
  request.message = "and tidy up after it";
  asked.begin(std::move(request));
  asked.gate->taken = Result<void>{};
  asked.gate->opened.cancel();
  IoLoop aside;  // Looks into the store between two steps of the server.
  const auto answer_stored = [&] {
    const auto stored =
        aside.run(asked.world.store.read_entry(asked.session, EntryKind::Item, "a1"));
    return is_final(decode_text<Item>((*stored)->payload)->status);
  };
  REQUIRE(asked.world.loop.until(answer_stored));
  asked.world.restart();
  CHECK(asked.approval().state == ApprovalState::Answered);
  const auto is_words = [](const Turn& turn) { return turn.client_message_id == "answer:a1"; };
  const std::vector<Turn> turns = asked.world.turns(asked.session);
  const auto words = std::ranges::find_if(turns, is_words);
  REQUIRE(words != turns.end());
  CHECK(words->type == TurnType::Queued);
  CHECK(words->held);
  CHECK(words->content->str() == "and tidy up after it");
}

TEST_CASE("an answer that can never be stored is not given, and nobody waits for it") {
  Asked asked;
  auto& world = asked.world;
  world.claude->on_prepare_answer = [&] {
    world.store.set_state({StoreState::Kind::Full, "The disk is full."});
  };
  asio::co_spawn(world.loop.context(),
                 ask(*world.service, &Session::answer, asked.decision(), "me"),
                 [&](std::exception_ptr, Result<void> result) { asked.outcome = result; });
  world.loop.settle();
  CHECK_FALSE(asked.outcome.has_value());  // The disk may have room again.
  world.store.set_state({StoreState::Kind::Failed, "The disk is gone."});
  REQUIRE(world.loop.until([&] { return asked.outcome.has_value(); }));
  CHECK(asked.outcome->error().code == ErrorCode::StoreFull);
  CHECK_FALSE(asked.gate->writing);
}

TEST_CASE("an answer with words for which there is no room is not given") {
  Asked asked;
  asked.world.claude->carries_message = false;
  for (std::size_t i = 0; i < limits::kQueueMax; ++i) {
    REQUIRE(asked.world.send(asked.session, "Later").has_value());
  }
  SessionAnswerRequest request = asked.decision();
  request.message = "and tidy up after it";
  const auto given =
      asked.world.loop.run(ask(*asked.world.service, &Session::answer, request, "me"));
  REQUIRE_FALSE(given.has_value());
  CHECK(given.error().code == ErrorCode::Busy);
  CHECK_FALSE(asked.gate->writing);
  CHECK_FALSE(asked.approval().answer.has_value());
}

TEST_CASE("words for which the protocol has no place are the next prompt") {
  Asked asked;
  asked.world.claude->take_answer = {};
  SessionAnswerRequest request = asked.decision();
  request.message = "and tidy up after it";
  SUBCASE("no place") {
    asked.world.claude->carries_message = false;
    REQUIRE(asked.world.loop.run(ask(*asked.world.service, &Session::answer, request, "me"))
                .has_value());
    CHECK(asked.world.claude->sent.size() == 1);  // They wait for the end of the turn.
    asked.world.claude->complete(asked.session, asked.turn);
    REQUIRE(asked.world.loop.until([&] { return asked.world.claude->sent.size() == 2; }));
    CHECK(asked.world.claude->sent[1].prompt.content == "and tidy up after it");
  }
  SUBCASE("no place, and the agent ends the turn because of the answer") {
    asked.world.claude->carries_message = false;
    REQUIRE(asked.world.loop.run(ask(*asked.world.service, &Session::answer, request, "me"))
                .has_value());
    SUBCASE("they are sent") {
      asked.world.claude->complete(asked.session, asked.turn, TurnStatus::Cancelled);
      REQUIRE(asked.world.loop.until([&] { return asked.world.claude->sent.size() == 2; }));
      CHECK(asked.world.claude->sent[1].prompt.content == "and tidy up after it");
    }
    SUBCASE("they wait when the user stopped it") {
      REQUIRE(asked.world.loop
                  .run(ask(*asked.world.service, &Session::cancel, {asked.session, std::nullopt}))
                  .has_value());
      asked.world.claude->complete(asked.session, asked.turn, TurnStatus::Cancelled);
      asked.world.loop.settle();
      CHECK(asked.world.claude->sent.size() == 1);
    }
    SUBCASE("they wait with whatever else waits") {
      REQUIRE(asked.world.send(asked.session, "And the docs", "key").has_value());
      asked.world.claude->complete(asked.session, asked.turn, TurnStatus::Cancelled);
      asked.world.loop.settle();
      CHECK(asked.world.claude->sent.size() == 1);
    }
    SUBCASE("they wait when it failed") {
      asked.world.claude->fail_turn(asked.session, asked.turn, {ErrorCode::ProcessCrash, "No."});
      asked.world.loop.settle();
      CHECK(asked.world.claude->sent.size() == 1);
    }
  }
  SUBCASE("a place") {
    REQUIRE(asked.world.loop.run(ask(*asked.world.service, &Session::answer, request, "me"))
                .has_value());
    asked.world.claude->complete(asked.session, asked.turn);
    asked.world.loop.settle();
    CHECK(asked.world.claude->sent.size() == 1);
    CHECK(asked.world.claude->answers[0].second.message == "and tidy up after it");
  }
}

TEST_CASE("a call that the user refused ends as refused, and a turn's waiting is told apart") {
  for (const bool allow : {false, true}) {
    CAPTURE(allow);
    World world;
    const SessionId session = world.create();
    const TurnId turn = world.begin(session);
    world.claude->tool(session, turn, "t", "", ItemStatus::Create);
    world.claude->ask(session, turn, "q", "call-t");
    world.loop.settle();
    const Timestamp asked = world.clock.wall();
    REQUIRE(world.loop.until([&] { return world.clock.wall().ms > asked.ms + 20; }));
    SessionAnswerRequest request;
    request.session_id = session;
    request.item_id = ItemId("q");
    request.option_id = allow ? "yes" : "no";
    REQUIRE(world.loop.run(ask(*world.service, &Session::answer, request, "browser")).has_value());
    world.claude->tool(session, turn, "t", "It went wrong.", ItemStatus::Error);
    world.claude->complete(session, turn);
    world.loop.settle();
    const std::vector<Item> items = world.items(session);
    const auto call = std::ranges::find(items, ItemId("t"), &Item::item_id);
    REQUIRE(call != items.end());
    CHECK(call->status == (allow ? ItemStatus::Error : ItemStatus::Cancelled));
    CHECK((call->error_code == "REJECTED") == !allow);
    if (allow) CHECK(call->started_at.ms > asked.ms + 20);
    CHECK(world.turn(session, turn)->waited_ms.value_or(0) >= 20);
    const TurnId next = world.begin(session, "Again");
    world.claude->complete(session, next);
    CHECK(!world.turn(session, next)->waited_ms.has_value());
  }
}

}  // namespace
}  // namespace lb::test
