// What the model says: streamed blocks and the assistant lines that confirm them.
//
// With partial messages every block arrives twice: deltas, then one `assistant` line, then
// `content_block_stop`. Deltas are shown; the assistant line has the exact text. Whether a text was
// cut is known only when something comes after it: another block, or `message_delta` with a stop
// reason. Until then a confirmed text stays open; if its message never gets a stop reason (the
// stream broke, the user interrupted) it ends as cancelled, with what there is.

#include <fmt/format.h>

#include <algorithm>

#include "providers/claude/translate/translator.h"

namespace lb::claude {
namespace {

std::optional<std::string> parent_of(const json::object& record) {
  const std::string_view parent = string_at(record, "parent_tool_use_id");
  return parent.empty() ? std::nullopt : std::optional<std::string>(parent);
}

std::int64_t index_of(const json::object& event) {
  const double index = number_at(event, "index");
  return index >= 0 && index < 1e6 ? static_cast<std::int64_t>(index) : 0;
}

}  // namespace

void Translator::stream_event(const json::object& record, Moment at) {
  const json::object* event = object_at(record, "event");
  if (event == nullptr) return;
  const std::string_view type = string_at(*event, "type");
  auto parent = parent_of(record);
  if (type == "message_start") {
    if (const json::object* message = object_at(*event, "message")) {
      message_start(*message, std::move(parent), at);
    }
    return;
  }
  const auto current = streaming_.find(parent.value_or(""));
  if (current == streaming_.end()) return;
  const auto found = speeches_.find(current->second);
  if (found == speeches_.end()) return;
  Speech& speech = found->second;
  if (type == "content_block_start") return block_start(speech, *event, at);
  if (type == "content_block_delta") return block_delta(speech, *event, at);
  if (type == "content_block_stop") return block_stop(speech, index_of(*event), at);
  if (type == "message_delta") return message_delta(speech, *event, at);
}

void Translator::message_start(const json::object& message, std::optional<std::string> parent,
                               Moment at) {
  if (!parent) {
    ensure_turn(at);
    end_retry_note(at);
    if (const auto model = string_at(message, "model"); !model.empty()) {
      turn_->turn.model_id = std::string(model);
    }
  }
  void_stream(parent, Instead::AnotherMessage, at);
  std::string id(string_at(message, "id"));
  speeches_.erase(id);
  streaming_[parent.value_or("")] = id;
  new_speech(std::move(id), std::move(parent), at).streamed = true;
}

Translator::Speech& Translator::new_speech(std::string id, std::optional<std::string> parent,
                                           Moment at) {
  Speech speech;
  speech.turn = turn_of(parent, at);
  speech.ordinal = ++numbers(speech.turn).message;
  speech.parent = std::move(parent);
  return speeches_[std::move(id)] = std::move(speech);
}

Translator::Block* Translator::block_at(Speech& speech, std::int64_t index) {
  const auto found = std::ranges::find(speech.blocks, index, &Block::index);
  return found == speech.blocks.end() ? nullptr : &*found;
}

Translator::Block& Translator::add_block(Speech& speech, BlockKind kind, std::int64_t index,
                                         Moment at) {
  if (block_at(speech, index) != nullptr) {
    for (const Block& block : speech.blocks) index = std::max(index, block.index + 1);
  }
  Block& block = speech.blocks.emplace_back();
  block.kind = kind;
  block.index = index;
  block.item = ItemId(fmt::format("{}:{}:{}", speech.turn.str(), speech.ordinal, index));
  const ItemPlace place{speech.turn, block.item, speech.parent};
  if (kind == BlockKind::Text) {
    items_.open_text(place, Message{.content = {}, .origin = Origin::Agent, .attachments = {}}, at);
  } else if (kind == BlockKind::Thinking) {
    items_.open_text(place, Thinking{.content = {}, .provider_id = options_.provider_id}, at);
  }
  return block;
}

void Translator::block_start(Speech& speech, const json::object& event, Moment at) {
  const json::object* content = object_at(event, "content_block");
  if (content == nullptr) return;
  settle(speech, ItemStatus::Complete, at);  // What came before in this message is whole.
  const std::string_view type = string_at(*content, "type");
  if (type == "text" || type == "thinking") {
    const bool text = type == "text";
    Block& block =
        add_block(speech, text ? BlockKind::Text : BlockKind::Thinking, index_of(event), at);
    const std::string_view begin = string_at(*content, type);
    if (!begin.empty()) items_.grow(*items_.find(block.item), begin, at);
  } else if (type.ends_with("tool_use")) {
    open_call(speech, add_block(speech, BlockKind::Tool, index_of(event), at), *content, at);
  }
}

void Translator::block_delta(Speech& speech, const json::object& event, Moment at) {
  const json::object* delta = object_at(event, "delta");
  Block* block = block_at(speech, index_of(event));
  if (delta == nullptr || block == nullptr || block->ended) return;
  const std::string_view type = string_at(*delta, "type");
  if (type == "input_json_delta" && block->kind == BlockKind::Tool) {
    block->json += string_at(*delta, "partial_json");
    return;
  }
  const bool text = type == "text_delta" && block->kind == BlockKind::Text;
  const bool thinking = type == "thinking_delta" && block->kind == BlockKind::Thinking;
  if (!text && !thinking) return;
  OpenItems::Entry* entry = items_.find(block->item);
  if (entry != nullptr && entry->batcher) {
    items_.grow(*entry, string_at(*delta, text ? "text" : "thinking"), at);
  }
}

void Translator::block_stop(Speech& speech, std::int64_t index, Moment at) {
  Block* block = block_at(speech, index);
  if (block == nullptr || block->stopped) return;
  block->stopped = true;
  if (block->kind != BlockKind::Tool || block->matched || block->json.empty()) return;
  const auto arguments = parse_json(block->json);
  if (arguments && arguments->is_object()) whole_arguments(*block, arguments->get_object(), at);
}

void Translator::message_delta(Speech& speech, const json::object& event, Moment at) {
  if (const json::object* usage = object_at(event, "usage"); usage != nullptr && !speech.parent) {
    facts_.answer_usage(*usage);
  }
  const json::object* delta = object_at(event, "delta");
  const std::string_view reason =
      delta != nullptr ? string_at(*delta, "stop_reason") : std::string_view();
  if (reason.empty()) return;
  if (turn_ && !speech.parent) turn_->stop_reason = std::string(reason);
  speech.stopped_well = true;
  settle(speech, ItemStatus::Complete, at);
}

/// Ends the texts of a message that are whole (or, for any other status, all that are open).
void Translator::settle(Speech& speech, ItemStatus status, Moment at) {
  for (Block& block : speech.blocks) {
    if (block.kind == BlockKind::Tool || block.ended) continue;
    if (status == ItemStatus::Complete && !block.matched && !block.stopped) continue;
    block.ended = true;
    if (OpenItems::Entry* entry = items_.find(block.item)) items_.end(*entry, {status, {}, {}}, at);
  }
}

/// The CLI asked its model again, and the new answer says it all once more: what of the old one
/// nobody confirmed is gone, as it is from the CLI's own record.
void Translator::take_back(Speech& speech, Moment at) {
  for (const Block& block : speech.blocks) {
    if (block.kind == BlockKind::Tool || block.ended || block.matched) continue;
    if (OpenItems::Entry* entry = items_.find(block.item)) items_.set_text(*entry, "", at);
  }
}

/// The stream of this thread will not go on: what it left unconfirmed is void.
void Translator::void_stream(const std::optional<std::string>& parent, Instead instead, Moment at) {
  const auto current = streaming_.find(parent.value_or(""));
  if (current == streaming_.end()) return;
  const auto found = speeches_.find(current->second);
  streaming_.erase(current);
  if (found == speeches_.end()) return;
  Speech& speech = found->second;
  if (instead == Instead::AnotherMessage && !speech.stopped_well) take_back(speech, at);
  settle(speech, speech.stopped_well ? ItemStatus::Complete : ItemStatus::Cancelled, at);
  for (Block& block : speech.blocks) {
    // A call that no assistant line confirmed was never made.
    if (block.kind != BlockKind::Tool || block.matched || speech.stopped_well) continue;
    const auto call = calls_.find(block.call_id);
    if (call == calls_.end() || call->second.done || call->second.item != block.item) continue;
    call->second.done = true;
    if (OpenItems::Entry* entry = items_.find(block.item)) {
      items_.end(*entry, {ItemStatus::Cancelled, {}, {}}, at);
    }
  }
}

void Translator::assistant(const json::object& record, Moment at) {
  const json::object* message = object_at(record, "message");
  if (message == nullptr) return;
  auto parent = parent_of(record);
  if (string_at(*message, "model") == kSyntheticModel) return synthetic(record, at);
  if (!parent) {
    ensure_turn(at);
    end_retry_note(at);
  }
  std::string id(string_at(*message, "id"));
  auto found = speeches_.find(id);
  if (found == speeches_.end() || found->second.parent != parent) {
    // Another message than the one that was streamed: the CLI asked again without streaming.
    const auto current = streaming_.find(parent.value_or(""));
    if (current != streaming_.end() && current->second != id) {
      void_stream(parent, Instead::AnotherMessage, at);
    }
    if (turn_ && !parent) turn_->turn.model_id = std::string(string_at(*message, "model"));
    new_speech(id, parent, at);
    found = speeches_.find(id);
  }
  Speech& speech = found->second;
  if (const std::string_view reason = string_at(*message, "stop_reason"); !reason.empty()) {
    speech.stopped_well = true;
    if (turn_ && !parent) turn_->stop_reason = std::string(reason);
  }
  if (const json::object* usage = object_at(*message, "usage");
      usage != nullptr && !parent && !speech.streamed) {
    facts_.answer_usage(*usage);
  }
  const json::array* blocks = array_at(*message, "content");
  if (blocks == nullptr) return;
  for (const json::value& value : *blocks) {
    if (value.is_object()) assistant_block(speech, value.get_object(), record, at);
  }
}

Translator::Block& Translator::match(Speech& speech, BlockKind kind, const json::object& block,
                                     Moment at) {
  for (Block& known : speech.blocks) {
    if (known.kind != kind || known.matched) continue;
    if (kind == BlockKind::Tool ? known.call_id == string_at(block, "id") : !known.ended) {
      return known;
    }
  }
  return add_block(speech, kind, static_cast<std::int64_t>(speech.blocks.size()), at);
}

void Translator::assistant_block(Speech& speech, const json::object& block,
                                 const json::object& record, Moment at) {
  const std::string_view type = string_at(block, "type");
  if (type.ends_with("tool_result")) return tool_result(block, record, at);
  if (type.ends_with("tool_use")) {
    Block& known = match(speech, BlockKind::Tool, block, at);
    known.matched = true;
    if (known.call_id.empty()) return open_call(speech, known, block, at);
    if (const json::object* input = object_at(block, "input")) whole_arguments(known, *input, at);
    return;
  }
  if (type != "text" && type != "thinking") return;
  Block& known = match(speech, type == "text" ? BlockKind::Text : BlockKind::Thinking, block, at);
  known.matched = true;
  OpenItems::Entry* entry = items_.find(known.item);
  if (entry == nullptr) return;
  items_.set_text(*entry, string_at(block, type), at);
  const bool aborted = bool_at(record, "aborted");
  if (!aborted && speech.streamed && !speech.stopped_well) return;  // Not sure yet.
  known.ended = true;
  items_.end(*entry, {aborted ? ItemStatus::Cancelled : ItemStatus::Complete, {}, {}}, at);
}

/// Texts of the CLI itself: an API error, or what a local command printed.
void Translator::synthetic(const json::object& record, Moment at) {
  const std::string text = text_of(record);
  if (text.empty() || text == kNoContent || text == kNoResponse) return;
  const auto parent = parent_of(record);
  if (!parent) ensure_turn(at);
  const std::string_view kind = string_at(record, "error");
  const bool failed = !kind.empty() || bool_at(record, "is_api_error_message") ||
                      bool_at(record, "isApiErrorMessage");
  const TurnId turn = turn_of(parent, at);
  if (failed && !parent) {
    end_retry_note(at);
    turn_->error_text = text;
    turn_->error_kind = std::string(kind);
    // The end of the turn says it, with advice that can be followed here.
    if (kind == "authentication_failed") return;
  }
  auto& entry = items_.open(
      {turn, ItemId(fmt::format("{}:note:{}", turn.str(), ++numbers(turn).note)), parent},
      Message{.content = Text(text), .origin = Origin::System, .attachments = {}}, at);
  Ending ending;
  if (failed) ending = {ItemStatus::Error, "API_ERROR", text};
  items_.end(entry, std::move(ending), at);
}

}  // namespace lb::claude
