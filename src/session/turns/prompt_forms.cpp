#include "session/turns/prompt_forms.h"

#include <algorithm>
#include <utility>

#include "base/codec.h"

namespace lb {

std::optional<std::string> client_message_id(const std::string& key) {
  return key.empty() ? std::nullopt : std::optional(key);
}

PromptRecord to_record(const UserPrompt& prompt, PromptFate fate) {
  PromptRecord record;
  record.turn_id = prompt.turn;
  record.key = prompt.key;
  record.content = prompt.content;
  if (!prompt.attachments.empty()) record.attachments = encode(prompt.attachments);
  record.settled = fate == PromptFate::Settled;
  return record;
}

UserPrompt from_record(const PromptRecord& record) {
  UserPrompt prompt;
  prompt.turn = record.turn_id;
  prompt.key = record.key;
  prompt.content = record.content;
  const auto parsed = parse_json(record.attachments);
  if (!parsed || !parsed->is_array()) return prompt;
  for (const json::value& one : parsed->get_array()) {
    if (auto attachment = decode<Attachment>(one)) {
      prompt.attachments.push_back(std::move(*attachment));
    }
  }
  return prompt;
}

Item user_item(const UserPrompt& prompt, const SessionId& session, Timestamp now) {
  Item item;
  item.session_id = session;
  item.turn_id = prompt.turn;
  item.item_id = ItemId(prompt.turn.str() + ":user");
  item.status = ItemStatus::Complete;
  item.source_timestamp = item.emitted_at = item.started_at = now;
  item.ended_at = now;
  Message message;
  message.content = Text(prompt.content);
  message.origin = Origin::User;
  message.attachments = prompt.attachments;
  message.client_message_id = client_message_id(prompt.key);
  item.body = std::move(message);
  return item;
}

Attachment attachment_of(AttachmentRef ref, const AttachmentRecord& record) {
  Attachment out{std::move(ref.attachment_id), std::move(ref.name), record.mime_type};
  if (record.mime_type != Attachment::kText) return out;
  out.bytes = record.bytes.size();
  const bool open_end = !record.bytes.empty() && !record.bytes.ends_with('\n');
  out.lines = static_cast<std::uint64_t>(std::ranges::count(record.bytes, '\n')) + open_end;
  return out;
}

std::string words_of(const UserPrompt& prompt) {
  if (!prompt.content.empty() || prompt.attachments.empty()) return prompt.content;
  const Attachment& first = prompt.attachments.front();
  return first.name.value_or(first.mime_type == Attachment::kText ? "Text" : "Image");
}

Turn turn_of(const UserPrompt& prompt, const SessionId& session, TurnType type) {
  Turn turn;
  turn.turn_id = prompt.turn;
  turn.session_id = session;
  turn.type = type;
  turn.client_message_id = client_message_id(prompt.key);
  turn.queued_at = prompt.queued_at;
  return turn;
}

}  // namespace lb
