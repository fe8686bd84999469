// `system` lines: notes for the user, background tasks, states.

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "providers/claude/translate/translator.h"

namespace lb::claude {

void Translator::system_line(const json::object& record, Moment at) {
  const std::string_view subtype = string_at(record, "subtype");
  if (subtype == "init") return init(record, at);
  if (subtype == "session_state_changed") return state_changed(string_at(record, "state"), at);
  if (subtype == "api_retry" || subtype == "api_error") return retry(record, at);
  if (subtype == "compact_boundary") return compacted(record, at);
  if (subtype.starts_with("task_")) return task_line(subtype, record, at);
  if (subtype == "informational" || subtype == "model_refusal_no_fallback") {
    return note(std::string(string_at(record, "content")), at);
  }
  if (subtype != "status") return;
  if (const auto mode = string_at(record, "permissionMode"); !mode.empty()) {
    facts_.set_mode(mode);
    publish_facts();
  }
  // Compacting comes before `init` and may take a minute: it is the first sign of our turn.
  if (string_at(record, "status") == "compacting" && !turn_ && !pending_.empty()) ensure_turn(at);
}

void Translator::note(std::string text, Moment at) {
  if (text.empty() || (!turn_ && !last_turn_)) return;
  const TurnId turn = turn_ ? turn_->turn.turn_id : *last_turn_;
  auto& entry = items_.open(
      {turn, ItemId(fmt::format("{}:note:{}", turn.str(), ++numbers(turn).note)), {}},
      Message{.content = Text(std::move(text)), .origin = Origin::System, .attachments = {}}, at);
  items_.end(entry, {}, at);
}

/// One note for a row of retries: it says how far the CLI is. Minutes may pass with nothing else.
void Translator::retry(const json::object& record, Moment at) {
  if (!turn_) return;
  const json::object* error = object_at(record, "error");
  const double status =
      error != nullptr ? number_at(*error, "status") : number_at(record, "error_status");
  const json::value* attempt = either(record, "attempt", "retryAttempt");
  const json::value* most = either(record, "max_retries", "maxRetries");
  const auto whole = [](const json::value* value) {
    return value != nullptr && value->is_number() ? value->to_number<double>() : 0.0;
  };
  const std::string what = status > 0 ? fmt::format("The model's API answered {:.0f}", status)
                                      : std::string("The model's API could not be reached");
  std::string text = fmt::format("{}; retry {:.0f} of {:.0f}.", what, whole(attempt), whole(most));

  const TurnId& turn = turn_->turn.turn_id;
  if (!turn_->retry_note) {
    turn_->retry_note = ItemId(fmt::format("{}:note:{}", turn.str(), ++numbers(turn).note));
    items_.open({turn, *turn_->retry_note, {}},
                Message{.content = {}, .origin = Origin::System, .attachments = {}}, at);
  }
  OpenItems::Entry* entry = items_.find(*turn_->retry_note);
  std::get<Message>(entry->item.body).content = Text(std::move(text));
  entry->item.source_timestamp = at.wall;
  items_.show(*entry, at);
}

void Translator::end_retry_note(Moment at) {
  if (!turn_ || !turn_->retry_note) return;
  if (OpenItems::Entry* entry = items_.find(*turn_->retry_note)) items_.end(*entry, {}, at);
  turn_->retry_note.reset();
}

void Translator::compacted(const json::object& record, Moment at) {
  const json::value* data = either(record, "compact_metadata", "compactMetadata");
  const json::object* metadata = data != nullptr ? data->if_object() : nullptr;
  const json::value* before =
      metadata != nullptr ? either(*metadata, "pre_tokens", "preTokens") : nullptr;
  const double tokens = before != nullptr && before->is_number() ? before->to_number<double>() : 0;
  note(tokens > 0 ? fmt::format("The conversation was compacted; it held {:.0f} tokens.", tokens)
                  : "The conversation was compacted.",
       at);
}

void Translator::task_line(std::string_view subtype, const json::object& record, Moment at) {
  const std::string task(string_at(record, "task_id"));
  const std::string call(string_at(record, "tool_use_id"));
  if (subtype == "task_started" && !call.empty()) tasks_[task] = call;
  if (subtype != "task_notification") return;
  const auto known = tasks_.find(task);
  const std::string ended = call.empty() && known != tasks_.end() ? known->second : call;
  if (known != tasks_.end()) tasks_.erase(known);
  // A foreground agent's call ends by its result, which may say more.
  const auto found = calls_.find(ended);
  if (found != calls_.end() && found->second.background) task_over(ended, at);
}

/// A subagent has ended: what it left open will not go on.
void Translator::task_over(const std::string& call_id, Moment at) {
  const auto below = [&](std::optional<std::string> parent) {
    for (int depth = 0; parent && depth < limits::kClaudeNestingMax; ++depth) {
      if (*parent == call_id) return true;
      const auto found = calls_.find(*parent);
      parent = found == calls_.end() ? std::nullopt : found->second.parent;
    }
    return false;
  };
  expire([&](const Asked& asked) { return below(asked.parent); }, at);
  for (auto& [id, speech] : speeches_) {
    if (below(speech.parent)) settle(speech, ItemStatus::Complete, at);
  }
  close([&](const OpenItems::Entry& entry) { return below(entry.item.parent_call_id); },
        {ItemStatus::Cancelled, {}, {}}, at);
  std::erase_if(speeches_, [&](const auto& known) { return below(known.second.parent); });
  if (const auto call = calls_.find(call_id); call != calls_.end()) call->second.background = false;
}

bool Translator::is_background(const std::optional<std::string>& of) const {
  std::optional<std::string> parent = of;
  for (int depth = 0; parent && depth < limits::kClaudeNestingMax; ++depth) {
    const auto found = calls_.find(*parent);
    if (found == calls_.end()) return false;
    if (found->second.background) return true;
    parent = found->second.parent;
  }
  return false;
}

bool Translator::in_background() const {
  return std::ranges::any_of(calls_, [](const auto& call) { return call.second.background; });
}

/// Lines of a subagent live in the turn of its call, also after that turn has ended.
TurnId Translator::turn_of(const std::optional<std::string>& parent, Moment at) {
  if (parent) {
    const auto found = calls_.find(*parent);
    if (found != calls_.end()) return found->second.turn;
    if (!turn_ && last_turn_) return *last_turn_;
  }
  ensure_turn(at);
  return turn_->turn.turn_id;
}

void Translator::close(const std::function<bool(const OpenItems::Entry&)>& which,
                       const Ending& tool_ending, Moment at) {
  for (OpenItems::Entry* entry : items_.entries()) {
    if (!which(*entry)) continue;
    const ItemBody& body = entry->item.body;
    const auto* message = std::get_if<Message>(&body);
    Ending ending{ItemStatus::Cancelled, {}, {}};
    if (std::holds_alternative<ToolCall>(body)) ending = tool_ending;
    if (std::holds_alternative<Plan>(body)) ending.status = ItemStatus::Complete;
    if (message != nullptr && message->origin == Origin::System) {
      ending.status = ItemStatus::Complete;
    }
    items_.end(*entry, std::move(ending), at);
  }
  for (auto& [id, call] : calls_) {
    if (items_.find(call.item) == nullptr) call.done = true;
  }
}

}  // namespace lb::claude
