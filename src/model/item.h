/// Item: one thing on screen, and Upsert, its newest whole form.
///
/// Everyone above a provider sees only these values. An upsert carries the whole item, so applying
/// the newest one is enough: a reader may skip any number of earlier ones. `pos` and `rev` are
/// given by the timeline; a provider leaves them 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "model/attachment.h"

namespace lb {

/// create and update are open; the last three are final, and a final item never changes again.
enum class ItemStatus { Create, Update, Complete, Error, Cancelled };
template <>
struct EnumNames<ItemStatus> {
  static constexpr std::array<std::string_view, 5> names = {"create", "update", "complete", "error",
                                                            "cancelled"};
};
inline bool is_final(ItemStatus status) {
  return status >= ItemStatus::Complete;
}

enum class Origin { User, Agent, System };
template <>
struct EnumNames<Origin> {
  static constexpr std::array<std::string_view, 3> names = {"user", "agent", "system"};
};

struct Message {
  static constexpr std::string_view kName = "Message";
  static constexpr std::string_view kType = "message";
  Text content;
  Origin origin = Origin::Agent;
  std::vector<Attachment> attachments;
  std::optional<std::string> client_message_id = std::nullopt;  // Of a message of the user.
  friend bool operator==(const Message&, const Message&) = default;
};
template <class Fields>
void describe(Fields& field, Message& message) {
  field("content", message.content);
  field("origin", message.origin);
  field.optional("attachments", message.attachments);
  field.optional("clientMessageId", message.client_message_id);
}

struct Thinking {
  static constexpr std::string_view kName = "Thinking";
  static constexpr std::string_view kType = "thinking";
  Text content;
  std::string provider_id;
  friend bool operator==(const Thinking&, const Thinking&) = default;
};
template <class Fields>
void describe(Fields& field, Thinking& thinking) {
  field("content", thinking.content);
  field("providerId", thinking.provider_id);
}

enum class ToolKind { Read, Edit, Delete, Move, Search, Execute, Think, Fetch, Other };
template <>
struct EnumNames<ToolKind> {
  static constexpr std::array<std::string_view, 9> names = {
      "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"};
};

struct Location {
  static constexpr std::string_view kName = "Location";
  std::string path;
  std::optional<std::int64_t> line;
  friend bool operator==(const Location&, const Location&) = default;
};
template <class Fields>
void describe(Fields& field, Location& location) {
  field("path", location.path);
  field.optional("line", location.line);
}

/// A change of one file; no `old_text` means the file is new.
struct Diff {
  static constexpr std::string_view kName = "Diff";
  std::string path;
  std::optional<std::string> old_text;
  std::string new_text;
  friend bool operator==(const Diff&, const Diff&) = default;
};
template <class Fields>
void describe(Fields& field, Diff& diff) {
  field("path", diff.path);
  field.optional("oldText", diff.old_text);
  field("newText", diff.new_text);
}

struct ToolCall {
  static constexpr std::string_view kName = "ToolCall";
  static constexpr std::string_view kType = "tool_call";
  std::string tool_name;
  RawObject tool_arguments;  // Partial or empty until the arguments are whole.
  std::string call_id;       // The agent's own id: any string.
  std::optional<Text> tool_output;
  std::optional<bool> tool_output_is_error;
  std::optional<std::string> title;
  std::optional<ToolKind> kind;
  std::vector<Location> locations;
  std::vector<Diff> diffs;
  std::optional<std::int64_t> exit_code;
  std::optional<std::uint64_t> output_bytes;  // Then tool_output holds head and tail only.
  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};
template <class Fields>
void describe(Fields& field, ToolCall& tool) {
  field("toolName", tool.tool_name);
  field("toolArguments", tool.tool_arguments);
  field("callId", tool.call_id);
  field.optional("toolOutput", tool.tool_output);
  field.optional("toolOutputIsError", tool.tool_output_is_error);
  field.optional("title", tool.title);
  field.optional("kind", tool.kind);
  field.optional("locations", tool.locations);
  field.optional("diffs", tool.diffs);
  field.optional("exitCode", tool.exit_code);
  field.optional("outputBytes", tool.output_bytes);
}

enum class PlanStatus { Pending, InProgress, Completed };
template <>
struct EnumNames<PlanStatus> {
  static constexpr std::array<std::string_view, 3> names = {"pending", "in_progress", "completed"};
};

struct PlanEntry {
  static constexpr std::string_view kName = "PlanEntry";
  std::string content;
  PlanStatus status = PlanStatus::Pending;
  std::optional<std::string> priority;
  friend bool operator==(const PlanEntry&, const PlanEntry&) = default;
};
template <class Fields>
void describe(Fields& field, PlanEntry& entry) {
  field("content", entry.content);
  field("status", entry.status);
  field.optional("priority", entry.priority);
}

struct Plan {
  static constexpr std::string_view kName = "Plan";
  static constexpr std::string_view kType = "plan";
  std::vector<PlanEntry> entries;
  friend bool operator==(const Plan&, const Plan&) = default;
};
template <class Fields>
void describe(Fields& field, Plan& plan) {
  field("entries", plan.entries);
}

}  // namespace lb

#include "model/approval.h"

namespace lb {

using ItemBody = std::variant<Message, Thinking, ToolCall, Approval, Plan>;

struct Item {
  static constexpr std::string_view kName = "Item";
  TurnId turn_id;
  SessionId session_id;
  ItemId item_id;
  std::uint64_t pos = 0;
  std::uint64_t rev = 0;
  Timestamp source_timestamp;  // When the agent said it.
  Timestamp emitted_at;        // When we passed it on.
  ItemStatus status = ItemStatus::Create;
  Timestamp started_at;
  std::optional<Timestamp> ended_at;
  std::optional<std::string> error_code;
  std::optional<std::string> error_message;
  std::optional<std::string> parent_call_id;  // The subagent's call this belongs to.
  ItemBody body;
  friend bool operator==(const Item&, const Item&) = default;
};
template <class Fields>
void describe(Fields& field, Item& item) {
  field.tagged("type", item.body);
  field("turnId", item.turn_id);
  field("sessionId", item.session_id);
  field("itemId", item.item_id);
  field("pos", item.pos);
  field("rev", item.rev);
  field("sourceTimestamp", item.source_timestamp);
  field("emittedAt", item.emitted_at);
  field("status", item.status);
  field("startedAt", item.started_at);
  field.optional("endedAt", item.ended_at);
  field.optional("errorCode", item.error_code);
  field.optional("errorMessage", item.error_message);
  field.optional("parentCallId", item.parent_call_id);
}
extern template void describe(Encoder&, Item&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, Item&);

/// The newest whole form of an item, as providers emit it.
using Upsert = Item;

/// Nobody will finish it: it ends as cancelled. An approval expires.
void cut_short(Item& item, Timestamp at);

/// The text of an item that may grow while it is open, and its wire name. Null when it has none.
struct GrowingText {
  const Text* text = nullptr;
  std::string_view field;
};
GrowingText growing_text(const Item& item);

/// True when `newer` is `older` with text appended and nothing else a reader could tell: status
/// may go from create to update, and the two emission times may differ.
bool only_grew(const Item& older, const Item& newer);

}  // namespace lb
