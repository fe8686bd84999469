// The parts of Translator about text and approvals.
//
// A text item grows by appending until something else happens; then it is complete. After a broken
// stream an agent sends the whole text again: `again` counts how much of the shown text the
// repetition has confirmed. As long as it agrees nothing is shown, so nothing appears twice; where
// it differs, the old item ends as cancelled and the new text gets its own.
#include <utility>

#include "base/limits.h"
#include "providers/acp/asked_text.h"
#include "providers/acp/translator.h"

namespace lb::acp {
namespace {

Text& text_of(Item& item) {
  if (auto* thinking = std::get_if<Thinking>(&item.body)) return thinking->content;
  return std::get<Message>(item.body).content;
}

/// Some agents repeat a broken stream without a word. Where a failed text is one text twice, this
/// is how long it is once; else 0.
std::size_t length_once(std::string_view text) {
  constexpr std::size_t kTooShortToTell = 16;
  const std::size_t half = text.size() / 2;
  if (half < kTooShortToTell || text.size() % 2 != 0) return 0;
  return text.substr(0, half) == text.substr(half) ? half : 0;
}

}  // namespace

void Translator::open_text(TextKind kind, std::string_view message_id, Timestamp now) {
  ItemBody body;
  switch (kind) {
    case TextKind::Agent:
      body = Message{.content = {}, .origin = Origin::Agent, .attachments = {}};
      break;
    case TextKind::User:
      body = Message{.content = {}, .origin = Origin::User, .attachments = {}};
      break;
    case TextKind::Note:
      body = Message{.content = {}, .origin = Origin::System, .attachments = {}};
      break;
    case TextKind::Thought:
      body = Thinking{.content = {}, .provider_id = provider_id_};
      break;
  }
  text_ = std::make_unique<OpenText>();
  OpenText& text = *text_;
  text.kind = kind;
  text.message_id = message_id;
  if (kind == TextKind::User) {
    text.item = new_item(std::move(body), now);
    --next_index_;
    text.item.item_id = ItemId(turn_->turn_id.str() + ":user");
  } else {
    text.item = new_item(std::move(body), now);
  }
}

void Translator::close_text(Outputs& out, ItemStatus status, Timestamp now) {
  if (!text_) return;
  OpenText text = std::move(*std::exchange(text_, nullptr));
  Text& content = text_of(text.item);
  if (status == ItemStatus::Complete && text.again && *text.again < content.size()) {
    // The repetition was shorter: what it confirmed is the text, the rest was void.
    const std::string confirmed(content.view().substr(0, *text.again));
    emit_final(out, std::move(text.item), ItemStatus::Cancelled, now);
    if (confirmed.empty()) return;
    open_text(text.kind, text.message_id, now);
    text_of(text_->item) = Text(confirmed);
    emit(out, text_->item, text_->shown, now);
    close_text(out, status, now);
    return;
  }
  if (status == ItemStatus::Error) {
    if (const std::size_t once = length_once(content.view()); once > 0) {
      content = Text(std::string(content.view().substr(0, once)));
    }
  }
  emit_final(out, std::move(text.item), status, now);
}

void Translator::on_chunk(Outputs& out, TextKind kind, const json::object& update, Timestamp now) {
  const std::string text = chunk_text(update);
  const std::string_view message_id = string_at(update, "messageId");
  if (text.empty()) return;
  if (model_failed_ && kind == TextKind::Agent && message_id.empty()) {
    failure_text_ += text;
    return;
  }
  settle_tool(out, {}, now);
  on_text(out, kind, message_id, text, now);
}

// Each says something else about one piece of text; a struct would only name them again.
// NOLINTNEXTLINE(readability-function-size)
void Translator::on_text(Outputs& out, TextKind kind, std::string_view message_id,
                         std::string_view text, Timestamp now) {
  if (!ensure_turn(out, now)) return;
  if (text_ && text_->again && text_->kind == kind && on_text_again(out, message_id, text, now)) {
    return;
  }
  if (text_) {
    const bool same_message = message_id.empty() ? !text_->at_border || kind == TextKind::User
                                                 : text_->message_id == message_id;
    // What the user said has one id.
    const bool full = kind != TextKind::User &&
                      text_of(text_->item).size() + text.size() > limits::kTextItemBytesMax;
    if (text_->kind != kind || !same_message || full) close_text(out, ItemStatus::Complete, now);
  }
  if (!text_) {
    close_note(out, now);
    open_text(kind, message_id, now);
  }
  text_of(text_->item).append(text);
  emit(out, text_->item, text_->shown, now);
}

/// A piece of a text that is being repeated. False when it is not: then it is text like any other.
bool Translator::on_text_again(Outputs& out, std::string_view message_id, std::string_view text,
                               Timestamp now) {
  const std::string_view shown = text_of(text_->item).view();
  const std::string_view rest = shown.substr(*text_->again);
  text_->message_id = message_id;
  text_->at_border = false;
  if (rest.starts_with(text)) {
    text_->again = *text_->again + text.size();
    if (text.size() == rest.size()) text_->again.reset();
    return true;
  }
  if (text.starts_with(rest)) {
    text.remove_prefix(rest.size());
    text_->again.reset();
    text_of(text_->item).append(text);
    emit(out, text_->item, text_->shown, now);
    return true;
  }
  // It says something else this time.
  const std::string again(shown.substr(0, *text_->again));
  const TextKind kind = text_->kind;
  close_text(out, ItemStatus::Cancelled, now);
  close_note(out, now);
  open_text(kind, message_id, now);
  text_of(text_->item).append(again);
  text_of(text_->item).append(text);
  emit(out, text_->item, text_->shown, now);
  return true;
}

void Translator::on_user_chunk(Outputs& out, const json::object& update, Timestamp now) {
  // A live prompt is an item of the session's own; only history tells us something new.
  if (!replaying_) return;
  const std::string text = chunk_text(update);
  const std::string_view message_id = string_at(update, "messageId");
  if (text.empty()) return;
  if (is_injected(text)) return close_text(out, ItemStatus::Complete, now);
  settle_tool(out, {}, now);
  const bool continues = text_ && text_->kind == TextKind::User &&
                         (message_id.empty() || text_->message_id == message_id);
  if (!continues) {
    if (turn_) finish(out, End::Completed, now);
    Turn turn;
    turn.turn_id = TurnId(uuid_from("acp:" + replay_of_ + ":" + std::to_string(turns_made_++)));
    turn.started_at = now;
    begin_turn(out, std::move(turn));
  }
  on_text(out, TextKind::User, message_id, text, now);
}

// --- Replay -------------------------------------------------------------------------------------

void Translator::begin_replay(std::string cli_session_id) {
  replaying_ = true;
  replay_of_ = std::move(cli_session_id);
  turns_made_ = 0;
}

// --- Approvals ----------------------------------------------------------------------------------

Translator::Asked Translator::permission(const json::object& params, Timestamp now) {
  Asked asked;
  const json::object* described = object_at(params, "toolCall");
  Approval approval;
  approval.options = read_options(params);
  if (approval.options.empty() || !ensure_turn(asked.outputs, now)) return asked;
  close_text(asked.outputs, ItemStatus::Complete, now);
  if (described != nullptr) {
    const ToolFields fields = read_tool(*described);
    settle_tool(asked.outputs, fields.call_id, now);
    OpenTool* tool =
        fields.call_id.empty() ? nullptr : find_tool(asked.outputs, fields.call_id, now);
    if (tool != nullptr) {
      ToolFields news = fields;
      // A running tool may be asked about; being asked does not take its state back, and the text
      // of the question is not its output.
      if (tool->shown) news.status.reset();
      news.content_text.reset();
      const ToolCall before = tool->call();
      merge(*tool, news);
      const ToolCall& call = tool->call();
      if (!tool->shown || call != before) emit(asked.outputs, tool->item, tool->shown, now);
      approval.title = call.title.value_or(call.tool_name);
      approval.kind = tool->switches_mode ? ApprovalKind::Plan : ApprovalKind::Tool;
      approval.call_id = call.call_id;
      approval.tool_name = call.tool_name;
      if (!call.tool_arguments.empty()) approval.tool_arguments = call.tool_arguments;
      if (!tool->command.empty()) approval.detail = tool->command;
    } else {
      approval.title = std::string(fields.title);
    }
    std::string words = fields.content_text.value_or("");
    if (fields.raw_input != nullptr) words = without_choices(std::move(words), *fields.raw_input);
    if (!words.empty() && words != approval.detail.value_or("")) {
      std::string detail = approval.detail ? *approval.detail + "\n\n" : "";
      approval.detail = std::move(detail) + words;
    }
  }
  if (approval.title.empty()) approval.title = "The agent asks for permission";
  Item item = new_item(std::move(approval), now);
  asked.item_id = item.item_id;
  bool shown = false;
  emit(asked.outputs, item, shown, now);
  approvals_.emplace(item.item_id.str(), std::move(item));
  return asked;
}

const Approval* Translator::pending_approval(const ItemId& item) const {
  const auto found = approvals_.find(item.str());
  return found == approvals_.end() ? nullptr : &std::get<Approval>(found->second.body);
}

std::unique_ptr<Item> Translator::take_approval(const ItemId& item) {
  auto node = approvals_.extract(item.str());
  return node.empty() ? nullptr : std::make_unique<Item>(std::move(node.mapped()));
}

void Translator::asked_again(std::unique_ptr<Item> approval) {
  const std::string id = approval->item_id.str();
  approvals_.insert_or_assign(id, std::move(*approval));
}

Outputs Translator::withdrawn(const ItemId& item, Timestamp now) {
  auto approval = take_approval(item);
  return approval ? withdrawn(std::move(approval), now) : Outputs{};
}

Outputs Translator::withdrawn(std::unique_ptr<Item> approval, Timestamp now) {
  Outputs out;
  cut_short(*approval, now);
  emit_final(out, std::move(*approval), ItemStatus::Cancelled, now);
  return out;
}

}  // namespace lb::acp
