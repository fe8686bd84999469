#include "model/item.h"

namespace lb {

void cut_short(Item& item, Timestamp at) {
  item.status = ItemStatus::Cancelled;
  item.ended_at = at;
  if (auto* approval = std::get_if<Approval>(&item.body)) approval->state = ApprovalState::Expired;
}

GrowingText growing_text(const Item& item) {
  if (const auto* message = std::get_if<Message>(&item.body)) return {&message->content, "content"};
  if (const auto* thinking = std::get_if<Thinking>(&item.body)) {
    return {&thinking->content, "content"};
  }
  if (const auto* tool = std::get_if<ToolCall>(&item.body); tool != nullptr && tool->tool_output) {
    return {&*tool->tool_output, "toolOutput"};
  }
  return {};
}

namespace {

bool same_but_text(const Message& a, const Message& b) {
  return a.origin == b.origin && a.attachments == b.attachments &&
         a.client_message_id == b.client_message_id;
}
bool same_but_text(const Thinking& a, const Thinking& b) {
  return a.provider_id == b.provider_id;
}
bool same_but_text(const ToolCall& a, const ToolCall& b) {
  return a.tool_name == b.tool_name && a.call_id == b.call_id &&
         a.tool_output_is_error == b.tool_output_is_error && a.title == b.title &&
         a.kind == b.kind && a.exit_code == b.exit_code && a.output_bytes == b.output_bytes &&
         a.locations == b.locations && a.tool_arguments == b.tool_arguments && a.diffs == b.diffs;
}
bool same_but_text(const Approval&, const Approval&) {
  return false;
}
bool same_but_text(const Plan&, const Plan&) {
  return false;
}

}  // namespace

bool only_grew(const Item& older, const Item& newer) {
  const GrowingText before = growing_text(older);
  const GrowingText after = growing_text(newer);
  if (before.text == nullptr || after.text == nullptr || !after.text->grew_from(*before.text)) {
    return false;
  }
  if (is_final(older.status) || newer.status != ItemStatus::Update) return false;
  if (older.body.index() != newer.body.index() || older.turn_id != newer.turn_id ||
      older.parent_call_id != newer.parent_call_id || older.error_code != newer.error_code ||
      older.error_message != newer.error_message || older.started_at != newer.started_at ||
      older.ended_at != newer.ended_at) {
    return false;
  }
  return std::visit(
      [&]<class T>(const T& was) { return same_but_text(was, std::get<T>(newer.body)); },
      older.body);
}

}  // namespace lb
