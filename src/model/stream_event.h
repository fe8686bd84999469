/// StreamEvent: the canonical envelope of `protocol = "events"`, before batching.
///
/// Any program that writes these as lines is an agent. The envelope and its eight payloads are
/// those of the provider epic; docs/wire.md documents them. Processing: stream/envelope_processor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/codec.h"
#include "model/item.h"
#include "model/turn.h"

namespace lb {

enum class StreamEventType {
  ResponseStart,
  ItemStart,
  ItemDelta,
  ItemDone,
  ItemError,
  ItemCancelled,
  ResponseDone,
  ResponseError,
};
template <>
struct EnumNames<StreamEventType> {
  static constexpr std::array<std::string_view, 8> names = {
      "response_start", "item_start",     "item_delta",    "item_done",
      "item_error",     "item_cancelled", "response_done", "response_error"};
};

enum class StreamItemType { Message, Reasoning, FunctionCall, FunctionCallOutput };
template <>
struct EnumNames<StreamItemType> {
  static constexpr std::array<std::string_view, 4> names = {"message", "reasoning", "function_call",
                                                            "function_call_output"};
};

/// A code and a text, as events carry them.
struct StreamError {
  static constexpr std::string_view kName = "StreamError";
  std::string code;
  std::string message;
  friend bool operator==(const StreamError&, const StreamError&) = default;
};
template <class Fields>
void describe(Fields& field, StreamError& error) {
  field("code", error.code);
  field("message", error.message);
}

struct ResponseStart {
  static constexpr std::string_view kName = "ResponseStart";
  static constexpr std::string_view kType = "response_start";
  std::string model_id;
  std::string provider_id;
  friend bool operator==(const ResponseStart&, const ResponseStart&) = default;
};
template <class Fields>
void describe(Fields& field, ResponseStart& start) {
  field("modelId", start.model_id);
  field("providerId", start.provider_id);
}

struct ItemStart {
  static constexpr std::string_view kName = "ItemStart";
  static constexpr std::string_view kType = "item_start";
  NonEmpty item_id;
  StreamItemType item_type = StreamItemType::Message;
  std::optional<std::string> initial_content;
  std::optional<std::string> name;     // function_call only
  std::optional<std::string> call_id;  // function_call only
  friend bool operator==(const ItemStart&, const ItemStart&) = default;
};
template <class Fields>
void describe(Fields& field, ItemStart& start) {
  field("itemId", start.item_id);
  field("itemType", start.item_type);
  field.optional("initialContent", start.initial_content);
  field.optional("name", start.name);
  field.optional("callId", start.call_id);
  const bool is_call = start.item_type == StreamItemType::FunctionCall;
  require(field, !is_call || !start.name.value_or("").empty(), "name",
          "a function_call needs a name");
  require(field, !is_call || !start.call_id.value_or("").empty(), "callId",
          "a function_call needs a callId");
}

struct ItemDelta {
  static constexpr std::string_view kName = "ItemDelta";
  static constexpr std::string_view kType = "item_delta";
  NonEmpty item_id;
  std::string delta_content;
  friend bool operator==(const ItemDelta&, const ItemDelta&) = default;
};
template <class Fields>
void describe(Fields& field, ItemDelta& delta) {
  field("itemId", delta.item_id);
  field("deltaContent", delta.delta_content);
}

struct FinalMessage {
  static constexpr std::string_view kName = "FinalMessage";
  static constexpr std::string_view kType = "message";
  std::string content;
  Origin origin = Origin::Agent;
  friend bool operator==(const FinalMessage&, const FinalMessage&) = default;
};
template <class Fields>
void describe(Fields& field, FinalMessage& message) {
  field("content", message.content);
  field("origin", message.origin);
}

struct FinalReasoning {
  static constexpr std::string_view kName = "FinalReasoning";
  static constexpr std::string_view kType = "reasoning";
  std::string content;
  std::string provider_id;
  friend bool operator==(const FinalReasoning&, const FinalReasoning&) = default;
};
template <class Fields>
void describe(Fields& field, FinalReasoning& reasoning) {
  field("content", reasoning.content);
  field("providerId", reasoning.provider_id);
}

struct FinalCall {
  static constexpr std::string_view kName = "FinalCall";
  static constexpr std::string_view kType = "function_call";
  std::string name;
  std::string call_id;
  RawObject arguments;
  friend bool operator==(const FinalCall&, const FinalCall&) = default;
};
template <class Fields>
void describe(Fields& field, FinalCall& call) {
  field("name", call.name);
  field("callId", call.call_id);
  field("arguments", call.arguments);
}

struct FinalOutput {
  static constexpr std::string_view kName = "FinalOutput";
  static constexpr std::string_view kType = "function_call_output";
  std::string call_id;
  std::string output;
  bool is_error = false;
  friend bool operator==(const FinalOutput&, const FinalOutput&) = default;
};
template <class Fields>
void describe(Fields& field, FinalOutput& output) {
  field("callId", output.call_id);
  field("output", output.output);
  field("isError", output.is_error);
}

struct FinalizedItem {
  static constexpr std::string_view kName = "FinalizedItem";
  std::variant<FinalMessage, FinalReasoning, FinalCall, FinalOutput> body;
  friend bool operator==(const FinalizedItem&, const FinalizedItem&) = default;
};
template <class Fields>
void describe(Fields& field, FinalizedItem& item) {
  field.tagged("type", item.body);
}

struct ItemDone {
  static constexpr std::string_view kName = "ItemDone";
  static constexpr std::string_view kType = "item_done";
  NonEmpty item_id;
  FinalizedItem final_item;
  friend bool operator==(const ItemDone&, const ItemDone&) = default;
};
template <class Fields>
void describe(Fields& field, ItemDone& done) {
  field("itemId", done.item_id);
  field("finalItem", done.final_item);
}

struct ItemError {
  static constexpr std::string_view kName = "ItemError";
  static constexpr std::string_view kType = "item_error";
  NonEmpty item_id;
  StreamError error;
  friend bool operator==(const ItemError&, const ItemError&) = default;
};
template <class Fields>
void describe(Fields& field, ItemError& error) {
  field("itemId", error.item_id);
  field("error", error.error);
}

enum class CancelReason { UserCancel, Timeout, ProcessDeath };
template <>
struct EnumNames<CancelReason> {
  static constexpr std::array<std::string_view, 3> names = {"user_cancel", "timeout",
                                                            "process_death"};
};

struct ItemCancelled {
  static constexpr std::string_view kName = "ItemCancelled";
  static constexpr std::string_view kType = "item_cancelled";
  NonEmpty item_id;
  std::optional<CancelReason> reason;
  friend bool operator==(const ItemCancelled&, const ItemCancelled&) = default;
};
template <class Fields>
void describe(Fields& field, ItemCancelled& cancelled) {
  field("itemId", cancelled.item_id);
  field.optional("reason", cancelled.reason);
}

enum class ResponseStatus { Completed, Cancelled, Error };
template <>
struct EnumNames<ResponseStatus> {
  static constexpr std::array<std::string_view, 3> names = {"completed", "cancelled", "error"};
};

struct ResponseDone {
  static constexpr std::string_view kName = "ResponseDone";
  static constexpr std::string_view kType = "response_done";
  ResponseStatus status = ResponseStatus::Completed;
  std::optional<std::string> finish_reason;
  std::optional<StreamError> error;
  std::optional<Usage> usage;
  friend bool operator==(const ResponseDone&, const ResponseDone&) = default;
};
template <class Fields>
void describe(Fields& field, ResponseDone& done) {
  field("status", done.status);
  field.optional("finishReason", done.finish_reason);
  field.optional("error", done.error);
  field.optional("usage", done.usage);
}

struct ResponseError {
  static constexpr std::string_view kName = "ResponseError";
  static constexpr std::string_view kType = "response_error";
  StreamError error;
  friend bool operator==(const ResponseError&, const ResponseError&) = default;
};
template <class Fields>
void describe(Fields& field, ResponseError& error) {
  field("error", error.error);
}

struct StreamPayload {
  static constexpr std::string_view kName = "StreamPayload";
  std::variant<ResponseStart, ItemStart, ItemDelta, ItemDone, ItemError, ItemCancelled,
               ResponseDone, ResponseError>
      body;
  friend bool operator==(const StreamPayload&, const StreamPayload&) = default;
};
template <class Fields>
void describe(Fields& field, StreamPayload& payload) {
  field.tagged("type", payload.body);
}

struct StreamEvent {
  static constexpr std::string_view kName = "StreamEvent";
  NonEmpty event_id;
  Timestamp timestamp;
  NonEmpty turn_id;
  NonEmpty session_id;
  StreamEventType type = StreamEventType::ResponseStart;
  StreamPayload payload;
  friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};
template <class Fields>
void describe(Fields& field, StreamEvent& event) {
  field("eventId", event.event_id);
  field("timestamp", event.timestamp);
  field("turnId", event.turn_id);
  field("sessionId", event.session_id);
  field("type", event.type);
  field("payload", event.payload);
  require(field, event.payload.body.index() == static_cast<std::size_t>(event.type), "payload.type",
          "differs from the outer type");
}
extern template void describe(Encoder&, StreamEvent&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, StreamEvent&);

}  // namespace lb
