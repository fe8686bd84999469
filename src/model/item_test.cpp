#include "model/item.h"

#include <doctest/doctest.h>

#include "model/requests.h"
#include "model/server_message.h"
#include "model/stream_event.h"

using namespace lb;

namespace {

Item sample_message() {
  Item item;
  item.turn_id = TurnId("turn-1");
  item.session_id = SessionId("session-1");
  item.item_id = ItemId("turn-1:1:0");
  item.pos = 3;
  item.rev = 7;
  item.source_timestamp = item.emitted_at = item.started_at = {1'700'000'000'123};
  item.body =
      Message{.content = Text("Hello \"you\"\n"), .origin = Origin::Agent, .attachments = {}};
  return item;
}

}  // namespace

TEST_CASE("what nobody finishes is cancelled, and an approval expires") {
  Item item;
  item.body = Approval{};
  cut_short(item, {7});
  CHECK(item.status == ItemStatus::Cancelled);
  CHECK(item.ended_at == Timestamp{7});
  CHECK(std::get<Approval>(item.body).state == ApprovalState::Expired);
}

TEST_CASE("an item survives its own encoding") {
  const Item item = sample_message();
  const auto back = decode_text<Item>(encode(item));
  REQUIRE(back.has_value());
  CHECK(*back == item);
}

TEST_CASE("an item is written as the wire says") {
  CHECK(encode(sample_message()) ==
        R"({"type":"message","content":"Hello \"you\"\n","origin":"agent","turnId":"turn-1",)"
        R"("sessionId":"session-1","itemId":"turn-1:1:0","pos":3,"rev":7,)"
        R"("sourceTimestamp":"2023-11-14T22:13:20.123Z","emittedAt":"2023-11-14T22:13:20.123Z",)"
        R"("status":"create","startedAt":"2023-11-14T22:13:20.123Z"})");
}

TEST_CASE("growth is told from every other change") {
  Item before = sample_message();
  Item after = before;
  std::get<Message>(after.body).content.append("more");
  after.status = ItemStatus::Update;
  after.emitted_at.ms += 10;
  CHECK(only_grew(before, after));

  Item replaced = before;
  replaced.status = ItemStatus::Update;
  std::get<Message>(replaced.body).content = Text("Hello \"you\"\nmore");
  CHECK_FALSE(only_grew(before, replaced));  // Equal text from elsewhere: not known to be growth.

  Item ended = after;
  ended.status = ItemStatus::Complete;
  CHECK_FALSE(only_grew(before, ended));
}

TEST_CASE("errors of decoding name the path") {
  const auto open = decode_text<SessionOpenRequest>(
      R"({"type":"session:open","requestId":"r1","sessionId":"s1","since":4,"appends":true,"x":1})");
  REQUIRE(open.has_value());
  CHECK(open->since == 4);

  CHECK(decode_text<SessionOpenRequest>("{}").error().message == "sessionId: missing");
  CHECK(decode_text<SessionOpenRequest>(R"({"sessionId":"../x"})").error().message ==
        "sessionId: not a valid id");
}

TEST_CASE("server messages survive their own encoding") {
  ServerMessage message;
  message.request_id = "r9";
  message.body = SessionUpsertMessage{SessionId("session-1"), 7, sample_message()};
  const auto back = decode_text<ServerMessage>(encode(message));
  REQUIRE(back.has_value());
  CHECK(*back == message);
}
