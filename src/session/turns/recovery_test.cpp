#include "session/turns/recovery.h"

#include <doctest/doctest.h>

namespace lb {
namespace {

const Timestamp kNow{1'700'000'000'000};

SessionRecord session() {
  SessionRecord record;
  record.id = SessionId("s1");
  return record;
}

StoredEntry open_item(const std::string& id, const std::string& turn, ItemBody body,
                      Revision rev = 1) {
  Item item;
  item.session_id = SessionId("s1");
  item.turn_id = TurnId(turn);
  item.item_id = ItemId(id);
  item.rev = rev;
  item.pos = rev;
  item.status = ItemStatus::Update;
  item.body = std::move(body);
  return {EntryKind::Item, id, rev, rev, true, encode(item)};
}

StoredEntry open_turn(const std::string& id, TurnType type, Revision rev = 1) {
  Turn turn;
  turn.session_id = SessionId("s1");
  turn.turn_id = TurnId(id);
  turn.type = type;
  turn.rev = rev;
  turn.pos = rev;
  if (type == TurnType::Queued) turn.content = Text("Next");
  return {EntryKind::Turn, id, rev, rev, true, encode(turn)};
}

PromptRecord prompt(const std::string& turn, bool settled) {
  return {TurnId(turn), "key-" + turn, "Next", "", settled};
}

const Turn& turn_at(const Recovery& plan, std::size_t at) {
  return std::get<Turn>(plan.forms.at(at));
}
const Item& item_at(const Recovery& plan, std::size_t at) {
  return std::get<Item>(plan.forms.at(at));
}

TEST_CASE("recovery: nothing open is nothing to do") {
  const Recovery plan = plan_recovery(session(), {}, {}, kNow);
  CHECK(plan.forms.empty());
  CHECK(plan.queued.empty());
  CHECK(plan.settled.empty());
  CHECK(!plan.turn_failed);
}

TEST_CASE("recovery: a turn that ran is an error, its text ends as it is, its approval expires") {
  Message text;
  text.content = Text("Half an ans");
  Unfinished left;
  left.entries = {open_turn("t1", TurnType::Started, 4), open_item("i1", "t1", text, 9),
                  open_item("i2", "t1", Approval{}, 7)};
  const Recovery plan = plan_recovery(session(), left, {{"t1", prompt("t1", true)}}, kNow);
  REQUIRE(plan.forms.size() == 3);
  CHECK(turn_at(plan, 0).type == TurnType::Error);
  CHECK(turn_at(plan, 0).error_code == "SERVER_RESTARTED");
  CHECK(turn_at(plan, 0).ended_at == kNow);
  CHECK(turn_at(plan, 0).client_message_id == "key-t1");
  CHECK(item_at(plan, 1).status == ItemStatus::Error);
  CHECK(growing_text(item_at(plan, 1)).text->str() == "Half an ans");
  CHECK(item_at(plan, 2).status == ItemStatus::Cancelled);
  CHECK(std::get<Approval>(item_at(plan, 2).body).state == ApprovalState::Expired);
  CHECK(!item_at(plan, 2).error_message.has_value());
  CHECK(plan.turn_failed);
  CHECK(plan.found == 9);
  CHECK(plan.queued.empty());
}

TEST_CASE("recovery: what was queued waits; what was on its way may be with the agent") {
  Unfinished left;
  left.entries = {open_turn("waits", TurnType::Queued), open_turn("went", TurnType::Queued)};
  left.prompts = {prompt("went", false)};
  PromptsByTurn prompts = {{"waits", prompt("waits", true)}, {"went", prompt("went", false)}};
  prompts["waits"].attachments = R"([{"attachmentId":"a1","mimeType":"image/png"}])";
  const Recovery plan = plan_recovery(session(), left, prompts, kNow);
  REQUIRE(plan.queued.size() == 1);
  CHECK(plan.queued[0].turn == TurnId("waits"));
  // Turns of earlier versions did not name what goes with them.
  REQUIRE(turn_at(plan, 0).attachments.size() == 1);
  CHECK(turn_at(plan, 0).attachments[0].attachment_id == "a1");
  CHECK(plan.queued[0].content == "Next");
  CHECK(plan.queued[0].key == "key-waits");
  REQUIRE(plan.forms.size() == 3);
  CHECK(turn_at(plan, 0).type == TurnType::Queued);
  CHECK(turn_at(plan, 0).held);
  CHECK(turn_at(plan, 1).type == TurnType::Error);
  CHECK(!turn_at(plan, 1).content.has_value());
  CHECK(item_at(plan, 2).turn_id == TurnId("went"));  // And once only: its turn has ended above.
  REQUIRE(plan.settled.size() == 1);
  CHECK(plan.settled[0] == prompt("went", true));
}

TEST_CASE("recovery: a prompt without a turn is shown with its text, as a failed turn") {
  Unfinished left;
  left.prompts = {prompt("lost", false)};
  const Recovery plan = plan_recovery(session(), left, {}, kNow);
  REQUIRE(plan.forms.size() == 2);
  CHECK(growing_text(item_at(plan, 0)).text->str() == "Next");
  CHECK(turn_at(plan, 1).error_code == "SERVER_RESTARTED");
  CHECK(turn_at(plan, 1).client_message_id == "key-lost");
  CHECK(plan.turn_failed);
}

TEST_CASE("recovery: what an import was about to bring keeps its place and is not ended") {
  SessionRecord outside = session();
  outside.external = true;
  outside.imported = false;
  Unfinished left;
  left.entries = {open_turn("theirs", TurnType::Started, 5),
                  open_item("i1", "theirs", Message{}, 6), open_turn("ours", TurnType::Started, 8)};
  const Recovery plan = plan_recovery(outside, left, {{"ours", prompt("ours", true)}}, kNow);
  CHECK(plan.cut_import.turns.at(TurnId("theirs")) == 5);
  CHECK(plan.cut_import.items.at(ItemId("i1")) == 6);
  CHECK(plan.cut_import.turns.size() == 1);
  REQUIRE(plan.forms.size() == 1);
  CHECK(turn_at(plan, 0).turn_id == TurnId("ours"));
  CHECK(plan.found == 8);
}

}  // namespace
}  // namespace lb
