#include "providers/acp/translator.h"

#include <fmt/format.h>

#include <utility>

namespace lb::acp {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Translator::Translator(SessionId session, std::string provider_id)
    : session_id_(std::move(session)), provider_id_(std::move(provider_id)) {}

// --- Items --------------------------------------------------------------------------------------

Item Translator::new_item(ItemBody body, Timestamp now) {
  Item item;
  item.session_id = session_id_;
  item.turn_id = turn_->turn_id;
  // ACP marks no messages, so all items of a turn count as blocks of one.
  item.item_id = ItemId(fmt::format("{}:1:{}", turn_->turn_id.str(), next_index_++));
  item.source_timestamp = item.emitted_at = item.started_at = now;
  item.body = std::move(body);
  return item;
}

void Translator::emit(Outputs& out, Item& item, bool& shown, Timestamp now) {
  item.status = shown ? ItemStatus::Update : ItemStatus::Create;
  item.source_timestamp = item.emitted_at = now;
  shown = true;
  out.emplace_back(item);
}

void Translator::emit_final(Outputs& out, Item item, ItemStatus status, Timestamp now) {
  item.status = status;
  item.source_timestamp = item.emitted_at = now;
  item.ended_at = now;
  if (status == ItemStatus::Error && turn_ && turn_->type == TurnType::Error) {
    item.error_code = turn_->error_code;
    item.error_message = turn_->error_message;
  }
  out.emplace_back(std::move(item));
}

// --- Turns --------------------------------------------------------------------------------------

void Translator::begin_turn(Outputs& out, Turn turn) {
  turn.type = TurnType::Started;
  turn.session_id = session_id_;
  turn.provider_id = provider_id_;
  turn.model_id = facts_.model;
  turn_ = std::make_unique<Turn>(std::move(turn));
  next_index_ = 0;
  cancel_requested_ = false;
  model_failed_ = false;
  failure_text_.clear();
  out.emplace_back(*turn_);
}

Outputs Translator::start_turn(TurnId turn, Timestamp now) {
  Outputs out = settle(now);
  replaying_ = false;
  Turn started;
  started.turn_id = std::move(turn);
  started.started_at = now;
  closed_tools_.clear();
  begin_turn(out, std::move(started));
  prompted_ = true;
  return out;
}

/// What the agent says outside of a turn begins a turn of its own; the rest of a cancelled one is
/// dropped. False: drop it.
bool Translator::ensure_turn(Outputs& out, Timestamp now) {
  if (turn_) return true;
  if (last_was_cancelled_ && !replaying_) return false;
  Turn turn;
  turn.origin = TurnOrigin::Agent;
  turn.started_at = now;
  const std::string seed =
      replaying_ ? fmt::format("acp:{}:{}", replay_of_, turns_made_++)
                 : fmt::format("acp:{}:{}:{}", session_id_.str(), now.ms, turns_made_++);
  turn.turn_id = TurnId(uuid_from(seed));
  begin_turn(out, std::move(turn));
  return true;
}

Outputs Translator::settle(Timestamp now) {
  Outputs out;
  if (unprompted_turn_open()) finish(out, End::Completed, now);
  return out;
}

Outputs Translator::end_turn(const json::object& result, Timestamp now) {
  Outputs out;
  if (!turn_) return out;
  const PromptResult read = read_prompt_result(result);
  const std::string_view reason = read.stop_reason;
  if (!reason.empty()) turn_->finish_reason = std::string(reason);
  turn_->usage = read.usage;
  if (!read.model.empty()) turn_->model_id = std::string(read.model);
  if (read.usage) {
    Usage& all = facts_.usage ? *facts_.usage : facts_.usage.emplace();
    all.input_tokens += read.usage->input_tokens;
    all.output_tokens += read.usage->output_tokens;
    out.emplace_back(facts_);
  }
  if (reason == "cancelled") {
    finish(out, End::Cancelled, now);
  } else if (model_failed_) {
    turn_->error_code = std::string(name_of(ErrorCode::ProtocolError));
    turn_->error_message = plain_error(failure_text_);
    finish(out, End::Failed, now);
  } else if (reason == "end_turn" || reason == "max_tokens" || reason == "max_turn_requests") {
    finish(out, End::Completed, now);
  } else {
    turn_->error_code = std::string(name_of(ErrorCode::ProtocolError));
    turn_->error_message = reason == "refusal"
                               ? "The agent refused to go on with this prompt."
                               : fmt::format(
                                     "The agent ended the turn in a way that is not known "
                                     "here (\"{}\").",
                                     reason);
    finish(out, End::Failed, now);
  }
  return out;
}

Outputs Translator::end_turn_with_error(const Error& why, Timestamp now) {
  // An agent that was told to stop may call that an error; to the user it is his own doing.
  if (turn_ && cancel_requested_) {
    Outputs out;
    finish(out, End::Cancelled, now);
    return out;
  }
  return fail_turn(why, now);
}

Outputs Translator::end_turn_with_error(const RpcError& error, Timestamp now) {
  // What to do about a missing login is known to the provider, which answers for it.
  const bool login = error.code == rpc_code::kAuthenticationRequired;
  return end_turn_with_error(Error{login ? ErrorCode::Unauthenticated : ErrorCode::ProtocolError,
                                   error_text(error.message, error.data)},
                             now);
}

Outputs Translator::fail_turn(const Error& why, Timestamp now) {
  Outputs out;
  if (!turn_) return out;
  turn_->error_code = std::string(name_of(why.code));
  turn_->error_message = why.message;
  finish(out, End::Failed, now);
  return out;
}

void Translator::finish(Outputs& out, End end, Timestamp now) {
  turn_->type = end == End::Failed ? TurnType::Error : TurnType::Complete;
  if (end != End::Failed) {
    turn_->status = end == End::Completed ? TurnStatus::Completed : TurnStatus::Cancelled;
  }
  close_items(out, end, now);
  turn_->ended_at = now;
  out.emplace_back(*std::exchange(turn_, nullptr));
  last_was_cancelled_ = end == End::Cancelled;
  prompted_ = cancel_requested_ = false;
}

void Translator::close_items(Outputs& out, End end, Timestamp now) {
  const ItemStatus cut = end == End::Failed ? ItemStatus::Error : ItemStatus::Cancelled;
  close_text(out, end == End::Completed ? ItemStatus::Complete : cut, now);
  settle_tool(out, {}, now);
  while (!tools_.empty()) close_tool(out, tools_.begin()->second, cut, now);
  while (!approvals_.empty()) {
    const ItemId item(approvals_.begin()->first);
    for (Output& output : withdrawn(item, now)) out.push_back(std::move(output));
  }
  close_note(out, now);
  if (plan_) {
    emit_final(out, std::move(plan_->item), end == End::Completed ? ItemStatus::Complete : cut,
               now);
    plan_.reset();
  }
}

bool Translator::silence_is_normal() const {
  if (!approvals_.empty()) return true;
  for (const auto& [id, tool] : tools_) {
    if (tool.status == ToolStatus::InProgress) return true;
  }
  return false;
}

// --- Updates ------------------------------------------------------------------------------------

Outputs Translator::update(const json::object& update, Timestamp now) {
  Outputs out;
  const std::string_view kind = update_kind(update);
  if (kind == "agent_message_chunk") {
    on_chunk(out, TextKind::Agent, update, now);
  } else if (kind == "agent_thought_chunk") {
    on_chunk(out, TextKind::Thought, update, now);
  } else if (kind == "user_message_chunk") {
    on_user_chunk(out, update, now);
  } else if (kind == "tool_call") {
    on_tool(out, update, true, now);
  } else if (kind == "tool_call_update") {
    on_tool(out, update, false, now);
  } else if (kind == "plan") {
    on_plan(out, update, now);
  } else if (kind == "session_info_update") {
    on_session_info(out, update, now);
  } else if (kind == "notice" || kind == "compaction_update") {
    const std::string_view message = string_at(update, "message");
    on_note(out, message.empty() ? chunk_text(update) : std::string(message), now);
  } else if (kind == "compaction_summary_chunk") {
    on_chunk(out, TextKind::Note, update, now);
  } else {
    on_facts(out, kind, update);
  }
  return out;
}

void Translator::on_facts(Outputs& out, std::string_view kind, const json::object& update) {
  const SessionFacts before = facts_;
  if (kind == "available_commands_update") {
    facts_.commands = read_commands(update);
  } else if (kind == "config_option_update") {
    read_facts(update, facts_, config_ids_);
  } else if (kind == "current_mode_update") {
    const std::string_view mode = string_at(update, "currentModeId");
    if (!mode.empty()) facts_.mode = std::string(mode);
  } else if (kind == "usage_update") {
    if (text_) text_->at_border = true;
    read_context(update, facts_);
  }
  if (facts_ != before) out.emplace_back(facts_);
}

OpenTool* Translator::find_tool(Outputs& out, std::string_view call_id, Timestamp now) {
  if (const auto known = tools_.find(call_id); known != tools_.end()) return &known->second;
  if (closed_tools_.contains(call_id) || !ensure_turn(out, now)) return nullptr;
  close_text(out, ItemStatus::Complete, now);
  OpenTool tool;
  ToolCall call;
  call.call_id = std::string(call_id);
  tool.item = new_item(std::move(call), now);
  return &tools_.emplace(std::string(call_id), std::move(tool)).first->second;
}

void Translator::on_tool(Outputs& out, const json::object& update, bool announced, Timestamp now) {
  const ToolFields fields = read_tool(update);
  // Without an id there is nothing to show it by and nothing that could follow.
  if (fields.call_id.empty()) return;
  settle_tool(out, fields.call_id, now);
  OpenTool* tool = find_tool(out, fields.call_id, now);
  if (tool == nullptr) return;
  const bool had_result = has_result(tool->status);
  const ToolCall before = tool->call();
  merge(*tool, fields);
  if (!has_result(tool->status)) {
    if (!tool->shown || tool->call() != before) emit(out, tool->item, tool->shown, now);
    return;
  }
  // History announces a tool as finished and sends its output behind it: wait for that.
  if (announced && !had_result) {
    settling_tool_ = std::string(fields.call_id);
    emit(out, tool->item, tool->shown, now);
    return;
  }
  close_tool(out, *tool, ItemStatus::Complete, now);
}

void Translator::settle_tool(Outputs& out, std::string_view except, Timestamp now) {
  if (settling_tool_.empty() || settling_tool_ == except) return;
  const auto tool = tools_.find(settling_tool_);
  settling_tool_.clear();
  if (tool != tools_.end()) close_tool(out, tool->second, ItemStatus::Complete, now);
}

/// With a result the result decides; without one, `status`.
void Translator::close_tool(Outputs& out, OpenTool& tool, ItemStatus status, Timestamp now) {
  const std::string call_id = tool.call().call_id;
  if (tool.status == ToolStatus::Completed) status = ItemStatus::Complete;
  if (tool.status == ToolStatus::Failed) status = ItemStatus::Error;
  if (settling_tool_ == call_id) settling_tool_.clear();
  closed_tools_.insert(call_id);
  emit_final(out, std::move(tool.item), status, now);
  tools_.erase(call_id);
}

void Translator::on_plan(Outputs& out, const json::object& update, Timestamp now) {
  settle_tool(out, {}, now);
  if (!ensure_turn(out, now)) return;
  close_text(out, ItemStatus::Complete, now);
  if (!plan_) plan_ = std::make_unique<OpenItem>(new_item(Plan{}, now));
  std::get<Plan>(plan_->item.body).entries = read_plan(update);
  emit(out, plan_->item, plan_->shown, now);
}

void Translator::on_session_info(Outputs& out, const json::object& update, Timestamp now) {
  if (const std::string_view title = string_at(update, "title"); !title.empty()) {
    out.emplace_back(SessionTitle{std::string(title)});
  }
  const json::object* meta = object_at(update, "_meta");
  const json::object* codex = meta != nullptr ? object_at(*meta, "codex") : nullptr;
  if (codex == nullptr || !turn_ || replaying_) return;
  if (const json::object* status = object_at(*codex, "threadStatus")) {
    // The npm adapter of Codex puts a failure as ordinary text behind this and ends normally.
    if (string_at(*status, "type") == "systemError") model_failed_ = true;
  }
  const json::object* error = object_at(*codex, "error");
  if (error == nullptr) return;
  if (!bool_at(*error, "willRetry")) {
    failure_text_ = plain_error(std::string(string_at(*error, "message")));
    return;
  }
  if (text_ && text_->kind != TextKind::Note) text_->again = 0;
  std::string note(string_at(*error, "message"));
  if (const std::string_view more = string_at(*error, "additionalDetails"); !more.empty()) {
    note += fmt::format(" ({})", more);
  }
  on_note(out, std::move(note), now);
}

void Translator::on_note(Outputs& out, std::string text, Timestamp now) {
  if (trimmed(text).empty() || !ensure_turn(out, now)) return;
  if (!note_) {
    Message message{.content = {}, .origin = Origin::System, .attachments = {}};
    note_ = std::make_unique<OpenItem>(new_item(std::move(message), now));
  }
  Text& content = std::get<Message>(note_->item.body).content;
  if (note_->shown && content.view() == text) return;
  content = Text(std::move(text));
  emit(out, note_->item, note_->shown, now);
}

Outputs Translator::note(std::string text, Timestamp now) {
  Outputs out;
  if (turn_) on_note(out, std::move(text), now);
  return out;
}

void Translator::close_note(Outputs& out, Timestamp now) {
  if (note_) emit_final(out, std::move(note_->item), ItemStatus::Complete, now);
  note_.reset();
}

Outputs Translator::session_result(const json::object& result) {
  Outputs out;
  const SessionFacts before = facts_;
  read_facts(result, facts_, config_ids_);
  if (facts_ != before) out.emplace_back(facts_);
  return out;
}

Outputs Translator::chose_mode(std::string mode) {
  facts_.mode = std::move(mode);
  return {facts_};
}

Outputs Translator::chose_model(std::string model) {
  facts_.model = std::move(model);
  return {facts_};
}

Outputs Translator::chose_thinking(std::string level) {
  facts_.thinking = std::move(level);
  return {facts_};
}

}  // namespace lb::acp
