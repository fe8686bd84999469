#include "timeline/timeline.h"

#include <doctest/doctest.h>

#include "base/codec.h"
#include "model/server_message.h"

using namespace lb;

namespace {

Item message(const std::string& id, Text text, ItemStatus status = ItemStatus::Create) {
  Item item;
  item.turn_id = TurnId("t1");
  item.session_id = SessionId("s1");
  item.item_id = ItemId(id);
  item.status = status;
  item.body = Message{.content = std::move(text), .origin = Origin::Agent, .attachments = {}};
  return item;
}

Turn turn(TurnType type) {
  Turn turn;
  turn.turn_id = TurnId("t1");
  turn.session_id = SessionId("s1");
  turn.type = type;
  if (type == TurnType::Complete) turn.status = TurnStatus::Completed;
  return turn;
}

Timeline new_timeline(TimelineOptions options = {}) {
  return Timeline(SessionId("s1"), TimelineStart{}, options);
}

std::vector<std::string> types(const Timeline::Changes& changes) {
  std::vector<std::string> names;
  for (const auto& frame : changes.frames) names.emplace_back(frame->type());
  return names;
}

ServerMessage decoded(const FramePtr& frame) {
  auto message = decode_text<ServerMessage>(frame->json);
  REQUIRE_MESSAGE(message.has_value(), frame->json);
  return *message;
}

std::string content_of(const FramePtr& frame) {
  const auto upsert = std::get<SessionUpsertMessage>(decoded(frame).body);
  return std::get<Message>(upsert.payload.body).content.str();
}

}  // namespace

TEST_CASE("a reader gets every entry once, in its newest form and in revision order") {
  Timeline timeline = new_timeline();
  Text a("one");
  timeline.put(message("a", a));
  timeline.put(message("b", Text("two")));
  a.append(" more");
  timeline.put(message("a", a, ItemStatus::Update));

  const auto changes = timeline.changes_since(0, ReadForm::Whole);
  REQUIRE(changes.frames.size() == 2);
  CHECK(content_of(changes.frames[0]) == "two");
  CHECK(content_of(changes.frames[1]) == "one more");
  CHECK(changes.frames[0]->rev == 2);
  CHECK(changes.rev == 3);
  CHECK(timeline.changes_since(3, ReadForm::Whole).frames.empty());
}

TEST_CASE("positions are given once and never change") {
  Timeline timeline = new_timeline();
  timeline.put(message("a", Text("1")));
  timeline.put(message("b", Text("2")));
  timeline.put(message("a", Text("3"), ItemStatus::Update));
  const auto forms = timeline.snapshot();
  REQUIRE(forms.size() == 2);
  CHECK(content_of(forms[0]) == "3");
  CHECK(forms[0]->pos == 1);
  CHECK(forms[1]->pos == 2);
}

TEST_CASE("a form is encoded once and shared by all readers") {
  Timeline timeline = new_timeline();
  timeline.put(message("a", Text("text")));
  const auto one = timeline.changes_since(0, ReadForm::Whole);
  const auto two = timeline.changes_since(0, ReadForm::Whole);
  CHECK(one.frames[0] == two.frames[0]);

  Text text("text");
  timeline.put(message("b", text));
  text.append(" and more");
  timeline.put(message("b", text, ItemStatus::Update));
  CHECK(timeline.changes_since(2, ReadForm::Appends).frames[0] ==
        timeline.changes_since(2, ReadForm::Appends).frames[0]);
}

TEST_CASE("a reader with appends gets only the text behind its own revision") {
  Timeline timeline = new_timeline();
  Text text("Grüße 😀");
  timeline.put(message("a", text));
  text.append(" und \"mehr\"");
  timeline.put(message("a", text, ItemStatus::Update));
  text.append("\n!");
  timeline.put(message("a", text, ItemStatus::Update));

  const auto all = timeline.changes_since(1, ReadForm::Appends);
  REQUIRE(types(all) == std::vector<std::string>{"session:append"});
  const auto append = std::get<SessionAppendMessage>(decoded(all.frames[0]).body);
  CHECK(append.text == " und \"mehr\"\n!");
  CHECK(append.from == 8);  // As a browser counts: the emoji is two.
  CHECK(append.field == "content");
  CHECK(append.rev == 3);

  const auto last = timeline.changes_since(2, ReadForm::Appends);
  CHECK(std::get<SessionAppendMessage>(decoded(last.frames[0]).body).text == "\n!");
  CHECK(types(timeline.changes_since(0, ReadForm::Appends)) ==
        std::vector<std::string>{"session:upsert"});
}

TEST_CASE("growth changes the text and the status, and nothing else that a reader sees") {
  Timeline timeline = new_timeline();
  Text text("a");
  Item first = message("a", text);
  first.emitted_at = {1000};
  timeline.put(first);
  text.append("b");
  Item second = message("a", text, ItemStatus::Update);
  second.emitted_at = {2000};
  CHECK(timeline.put(second).grew);
  const auto upsert = std::get<SessionUpsertMessage>(
      decoded(timeline.changes_since(0, ReadForm::Whole).frames[0]).body);
  CHECK(upsert.payload.emitted_at.ms == 1000);
  CHECK(upsert.payload.status == ItemStatus::Update);
}

TEST_CASE("a final form is hidden until it is stored, and so is all that came after it") {
  Timeline timeline = new_timeline();
  Text text("done");
  timeline.put(message("a", text));
  const auto final = timeline.put(message("a", text, ItemStatus::Complete));
  CHECK(final.kind == Timeline::PutKind::Durable);
  timeline.put(message("b", Text("later")));
  CHECK(timeline.visible() == 1);
  CHECK(timeline.head() == 3);
  CHECK(timeline.changes_since(0, ReadForm::Whole).frames.empty());

  timeline.durable_up_to(final.rev);
  CHECK(timeline.visible() == 3);
  const auto changes = timeline.changes_since(0, ReadForm::Whole);
  REQUIRE(changes.frames.size() == 2);
  CHECK(content_of(changes.frames[0]) == "done");
}

TEST_CASE("text that waits behind a commit is shown as it was at the visible revision") {
  Timeline timeline = new_timeline();
  Text text("one");
  timeline.put(message("a", text));  // 1
  text.append(" two");
  timeline.put(message("a", text, ItemStatus::Update));                               // 2
  const auto gate = timeline.put(message("b", Text("final"), ItemStatus::Complete));  // 3
  text.append(" three");
  timeline.put(message("a", text, ItemStatus::Update));  // 4

  const auto whole = timeline.changes_since(0, ReadForm::Whole);
  REQUIRE(whole.frames.size() == 1);
  CHECK(content_of(whole.frames[0]) == "one two");
  CHECK(whole.rev == 2);
  const auto append = timeline.changes_since(1, ReadForm::Appends);
  REQUIRE(append.frames.size() == 1);
  CHECK(std::get<SessionAppendMessage>(decoded(append.frames[0]).body).text == " two");

  timeline.durable_up_to(gate.rev);
  const auto rest = timeline.changes_since(2, ReadForm::Appends);
  REQUIRE(types(rest) == std::vector<std::string>{"session:upsert", "session:append"});
  CHECK(std::get<SessionAppendMessage>(decoded(rest.frames[1]).body).text == " three");
}

TEST_CASE("queued and ended turns and approvals are stored before they are shown") {
  Timeline timeline = new_timeline();
  CHECK(timeline.put(turn(TurnType::Queued)).kind == Timeline::PutKind::Durable);
  CHECK(timeline.put(turn(TurnType::Started)).kind == Timeline::PutKind::Shown);
  Item approval = message("p", Text());
  approval.body = Approval{};
  CHECK(timeline.put(approval).kind == Timeline::PutKind::Durable);
  CHECK(timeline.put(turn(TurnType::Complete)).kind == Timeline::PutKind::Durable);
  CHECK(timeline.visible() == 0);
  timeline.durable_up_to(timeline.head());
  CHECK(timeline.changes_since(0, ReadForm::Whole).frames.size() == 2);
}

TEST_CASE("a final entry never changes again") {
  Timeline timeline = new_timeline();
  timeline.put(message("a", Text("done"), ItemStatus::Complete));
  CHECK(timeline.put(message("a", Text("other"), ItemStatus::Update)).kind ==
        Timeline::PutKind::Refused);
  timeline.put(turn(TurnType::Complete));
  CHECK(timeline.put(turn(TurnType::Error)).kind == Timeline::PutKind::Refused);
  CHECK(timeline.head() == 2);
}

TEST_CASE("a pump stops at its byte limit and the cursor goes only as far as what was told") {
  Timeline timeline = new_timeline();
  for (int i = 0; i < 10; ++i) {
    timeline.put(message("m" + std::to_string(i), Text(std::string(1000, 'x'))));
  }
  const auto first = timeline.changes_since(0, ReadForm::Whole, 2000);
  CHECK(first.frames.size() == 2);
  CHECK(first.rev == 2);
  CHECK(timeline.changes_since(first.rev, ReadForm::Whole).frames.size() == 8);
}

TEST_CASE("memory is bounded: old final entries go, open ones stay, the floor says so") {
  Timeline timeline = new_timeline({.final_bytes_max = 10'000, .spans_max = 8});
  timeline.put(message("open", Text("still growing")));
  for (int i = 0; i < 100; ++i) {
    timeline.put(
        message("m" + std::to_string(i), Text(std::string(1000, 'x')), ItemStatus::Complete));
  }
  CHECK(timeline.size() == 101);  // Nothing is let go before it is durable.
  timeline.durable_up_to(timeline.head());
  CHECK(timeline.final_bytes() <= 10'000);
  CHECK(timeline.size() < 12);
  CHECK(timeline.floor() > 80);
  CHECK(timeline.open_item(ItemId("open")) != nullptr);

  timeline.release();
  CHECK(timeline.size() == 1);
  CHECK(timeline.final_bytes() == 0);
  CHECK(timeline.floor() == timeline.head());
}

TEST_CASE("a reader behind the kept spans gets the whole form instead of an append") {
  Timeline timeline = new_timeline({.final_bytes_max = 1000, .spans_max = 8});
  Text text("start");
  timeline.put(message("a", text));
  for (int i = 0; i < 20; ++i) {
    text.append(" x");
    timeline.put(message("a", text, ItemStatus::Update));
  }
  CHECK(types(timeline.changes_since(2, ReadForm::Appends)) ==
        std::vector<std::string>{"session:upsert"});
  CHECK(types(timeline.changes_since(20, ReadForm::Appends)) ==
        std::vector<std::string>{"session:append"});
}

TEST_CASE("only growth is not urgent") {
  Timeline timeline = new_timeline();
  Text text("a");
  timeline.put(message("a", text));
  CHECK(timeline.urgent_since(0));
  CHECK_FALSE(timeline.urgent_since(1));
  text.append("b");
  timeline.put(message("a", text, ItemStatus::Update));
  CHECK_FALSE(timeline.urgent_since(1));
  timeline.put(message("a", text, ItemStatus::Complete));
  CHECK_FALSE(timeline.urgent_since(1));  // Not stored yet.
  timeline.durable_up_to(3);
  CHECK(timeline.urgent_since(1));
}

TEST_CASE("a timeline goes on above what the store has") {
  Timeline timeline(SessionId("s1"), {.head = 1000, .next_pos = 51});
  const auto put = timeline.put(message("a", Text("x")));
  CHECK(put.rev == 1001);
  CHECK(timeline.floor() == 1000);
  CHECK(timeline.snapshot()[0]->pos == 51);
  Item old = message("old", Text("closed by a restart"), ItemStatus::Error);
  old.pos = 7;  // It was in the store and keeps its place.
  timeline.put(old);
  CHECK(timeline.form_of(ItemId("old"))->pos == 7);
  CHECK(timeline.next_pos() == 52);
}

TEST_CASE("a replaced text is sent whole, and so is a change of anything else") {
  Timeline timeline = new_timeline();
  Text text("abc");
  timeline.put(message("a", text));
  timeline.put(message("a", Text("abcdef"), ItemStatus::Update));
  CHECK(types(timeline.changes_since(1, ReadForm::Appends)) ==
        std::vector<std::string>{"session:upsert"});
}
