// The contracts of the provider epic, section 1: what a canonical stream event may say, how its
// ids hang together, and what is kept for later ingestion.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/item.h"
#include "model/stream_event.h"
#include "model/turn.h"
#include "tests/support/golden.h"

using namespace lb;

namespace {

std::string event(std::string_view type, std::string_view payload) {
  return fmt::format(R"({{"eventId":"e1","timestamp":"2026-02-18T10:00:00.000Z","turnId":"turn-1",)"
                     R"("sessionId":"session-1","type":"{}","payload":{{"type":"{}",{}}}}})",
                     type, type, payload);
}

StreamEvent accepted(std::string_view type, std::string_view payload) {
  const auto decoded = decode_text<StreamEvent>(event(type, payload));
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().message);
  const auto again = decode_text<StreamEvent>(encode(*decoded));
  REQUIRE(again.has_value());
  CHECK(*again == *decoded);
  return *decoded;
}

std::string refused(std::string_view text) {
  const auto decoded = decode_text<StreamEvent>(text);
  REQUIRE_FALSE(decoded.has_value());
  return decoded.error().message;
}

}  // namespace

TEST_CASE("TC-1.1a: the schema covers streaming text") {
  const auto start = accepted("item_start", R"("itemId":"i1","itemType":"message")");
  CHECK(std::get<ItemStart>(start.payload.body).item_type == StreamItemType::Message);
  const auto delta = accepted("item_delta", R"("itemId":"i1","deltaContent":"Hello")");
  CHECK(std::get<ItemDelta>(delta.payload.body).delta_content == "Hello");
}

TEST_CASE("TC-1.1b: the schema covers the life of a tool call") {
  const auto start = accepted(
      "item_start", R"("itemId":"i2","itemType":"function_call","name":"Bash","callId":"c1")");
  CHECK(std::get<ItemStart>(start.payload.body).name == "Bash");
  accepted("item_delta", R"("itemId":"i2","deltaContent":"{\"command\":")");
  const auto called = accepted(
      "item_done",
      R"("itemId":"i2","finalItem":{"type":"function_call","name":"Bash","callId":"c1","arguments":{"command":"ls"}})");
  const auto& call = std::get<FinalCall>(std::get<ItemDone>(called.payload.body).final_item.body);
  CHECK(call.arguments.str() == R"({"command":"ls"})");
  const auto result = accepted(
      "item_done",
      R"("itemId":"i3","finalItem":{"type":"function_call_output","callId":"c1","output":"a.txt","isError":false})");
  CHECK(std::get<FinalOutput>(std::get<ItemDone>(result.payload.body).final_item.body).call_id ==
        "c1");
}

TEST_CASE("TC-1.1c: the schema covers thinking") {
  accepted("item_start", R"("itemId":"r1","itemType":"reasoning","initialContent":"Hm")");
  const auto done = accepted(
      "item_done",
      R"("itemId":"r1","finalItem":{"type":"reasoning","content":"Hm, yes","providerId":"p"})");
  CHECK(std::get<FinalReasoning>(std::get<ItemDone>(done.payload.body).final_item.body).content ==
        "Hm, yes");
}

TEST_CASE("TC-1.1d: the schema covers the life of a turn") {
  const auto start = accepted("response_start", R"("modelId":"m-1","providerId":"claude-code")");
  CHECK(start.turn_id.text == "turn-1");
  CHECK(std::get<ResponseStart>(start.payload.body).model_id == "m-1");
  const auto done = accepted(
      "response_done",
      R"("status":"completed","finishReason":"end_turn","usage":{"inputTokens":5,"outputTokens":7,"cacheReadInputTokens":3})");
  CHECK(std::get<ResponseDone>(done.payload.body).usage ==
        Usage{.input_tokens = 5, .output_tokens = 7, .cache_read_input_tokens = 3});
  const auto failed = accepted(
      "response_done", R"("status":"error","error":{"code":"OVERLOADED","message":"Try later"})");
  CHECK(std::get<ResponseDone>(failed.payload.body).error->code == "OVERLOADED");
}

TEST_CASE("TC-1.1e: the schema covers errors of an item and of a response") {
  const auto item =
      accepted("item_error", R"("itemId":"i1","error":{"code":"BROKEN","message":"It broke"})");
  CHECK(std::get<ItemError>(item.payload.body).item_id.text == "i1");
  CHECK(std::get<ItemError>(item.payload.body).error.message == "It broke");
  const auto response =
      accepted("response_error", R"("error":{"code":"DOWN","message":"No answer"})");
  CHECK(std::get<ResponseError>(response.payload.body).error.code == "DOWN");
  accepted("item_cancelled", R"("itemId":"i1","reason":"user_cancel")");
}

TEST_CASE("TC-1.1f: malformed events are refused, and the error names the path and the reason") {
  CHECK(refused(event("item_delta", R"("deltaContent":"x")")) == "payload.itemId: missing");
  CHECK(refused(event("item_delta", R"("itemId":"i","deltaContent":7)")) ==
        "payload.deltaContent: expected a string");
  CHECK(refused(event("item_delta", R"("itemId":"","deltaContent":"x")")) ==
        "payload.itemId: must not be empty");
  CHECK(refused(event("item_start", R"("itemId":"i","itemType":"song")")) ==
        "payload.itemType: unknown value");
  CHECK(refused(event("item_start", R"("itemId":"i","itemType":"function_call","callId":"c")")) ==
        "payload.name: a function_call needs a name");
  CHECK(refused(event("item_start",
                      R"("itemId":"i","itemType":"function_call","name":"n","callId":"")")) ==
        "payload.callId: a function_call needs a callId");
  CHECK(refused(event("item_cancelled", R"("itemId":"i","reason":"bored")")) ==
        "payload.reason: unknown value");
  CHECK(refused(event("response_done",
                      R"("status":"completed","usage":{"inputTokens":"5","outputTokens":1})")) ==
        "payload.usage.inputTokens: expected a non-negative integer");
  CHECK(refused(event("response_done",
                      R"("status":"completed","usage":{"inputTokens":-5,"outputTokens":1})")) ==
        "payload.usage.inputTokens: expected a non-negative integer");
  CHECK(
      refused(event("item_done", R"("itemId":"i","finalItem":{"type":"message","content":"x"})")) ==
      "payload.finalItem.origin: missing");
  CHECK(refused("[]") == "expected an object");
  CHECK(refused("{").starts_with("not valid JSON"));
}

TEST_CASE("TC-1.1f: the outer type and the payload's type must agree") {
  CHECK(
      refused(
          R"({"eventId":"e","timestamp":"2026-02-18T10:00:00Z","turnId":"t","sessionId":"s",)"
          R"("type":"item_error","payload":{"type":"item_delta","itemId":"i","deltaContent":"x"}})") ==
      "payload.type: differs from the outer type");
}

TEST_CASE("TC-1.1f: a timestamp is a real instant in ISO 8601 UTC") {
  for (const std::string bad :
       {"2026-02-18 10:00:00Z", "2026-02-18T10:00:00", "2026-02-30T10:00:00Z",
        "2026-13-01T10:00:00Z", "2026-02-18T25:00:00Z", "yesterday", "", "2026-02-18T10:00:00.Z",
        "2026-02-18T10:00:00+01:00"}) {
    CAPTURE(bad);
    std::string text = event("response_start", R"("modelId":"m","providerId":"p")");
    text.replace(text.find("2026-02-18T10:00:00.000Z"), 24, bad);
    CHECK(refused(text) == "timestamp: expected an ISO 8601 UTC time");
  }
  CHECK(from_iso("2024-02-29T23:59:59.123456Z") == Timestamp{1'709'251'199'123});
}

TEST_CASE("unknown fields are ignored: tomorrow's agent may say more") {
  accepted("item_delta", R"("itemId":"i","deltaContent":"x","mood":"good","nested":{"a":[1,2]})");
}

TEST_CASE("TC-1.2a: all events of a turn share its turnId") {
  for (const auto& one : {accepted("response_start", R"("modelId":"m","providerId":"p")"),
                          accepted("item_delta", R"("itemId":"i","deltaContent":"x")"),
                          accepted("response_done", R"("status":"completed")")}) {
    CHECK(one.turn_id.text == "turn-1");
  }
  std::string without = event("item_delta", R"("itemId":"i","deltaContent":"x")");
  without.replace(without.find(R"("turnId":"turn-1",)"), 18, "");
  CHECK(refused(without) == "turnId: missing");
}

TEST_CASE("TC-1.2b: all events of an item share its itemId") {
  const auto start = accepted("item_start", R"("itemId":"i9","itemType":"message")");
  const auto delta = accepted("item_delta", R"("itemId":"i9","deltaContent":"x")");
  const auto done =
      accepted("item_done",
               R"("itemId":"i9","finalItem":{"type":"message","content":"x","origin":"agent"})");
  CHECK(std::get<ItemStart>(start.payload.body).item_id.text == "i9");
  CHECK(std::get<ItemDelta>(delta.payload.body).item_id.text == "i9");
  CHECK(std::get<ItemDone>(done.payload.body).item_id.text == "i9");
}

TEST_CASE("TC-1.2c: an invocation and its result share the callId") {
  CHECK(
      refused(event(
          "item_done",
          R"("itemId":"o","finalItem":{"type":"function_call_output","output":"x","isError":false})")) ==
      "payload.finalItem.callId: missing");
  CHECK(refused(event(
            "item_done",
            R"("itemId":"o","finalItem":{"type":"function_call","name":"n","arguments":{}})")) ==
        "payload.finalItem.callId: missing");
}

TEST_CASE("TC-1.3a: upserts and turns keep ids, order and provenance for later ingestion") {
  for (const std::string field : {"turnId", "sessionId", "itemId", "pos", "rev", "sourceTimestamp",
                                  "emittedAt", "status", "startedAt"}) {
    CAPTURE(field);
    Item item;
    item.turn_id = TurnId("t");
    item.session_id = SessionId("s");
    item.item_id = ItemId("i");
    item.body = ToolCall{};
    json::value value = *parse_json(encode(item));
    CHECK(value.as_object().erase(field) == 1);
    CHECK(decode<Item>(value).error().message == field + ": missing");
  }
  Turn turn;
  turn.turn_id = TurnId("t");
  turn.session_id = SessionId("s");
  turn.type = TurnType::Error;
  CHECK(decode_text<Turn>(encode(turn)).error().message == "errorCode: missing in a turn_error");
  turn.error_code = "X";
  CHECK(decode_text<Turn>(encode(turn)).has_value());
  turn.status = TurnStatus::Completed;
  CHECK_FALSE(decode_text<Turn>(encode(turn)).has_value());
}

TEST_CASE("TC-1.3b: the documentation says what is derived in Phase 2 and not here") {
  const std::string docs = test::slurp(std::string(LB_SOURCE_DIR) + "/docs/wire.md");
  for (const std::string word : {"turnSequenceNumber", "llmTurnNumber", "entryType", "Phase 2"}) {
    CAPTURE(word);
    CHECK(docs.find(word) != std::string::npos);
  }
}
