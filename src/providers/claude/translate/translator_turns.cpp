// The life of a turn: `init` … `result`.
//
// One prompt of ours is with the CLI at a time and the next `init` takes it up. A background task
// that ends makes the CLI begin a turn of its own; when that happens just as we write a prompt,
// its `init` is taken for ours. The result tells (`origin`), and then our turn simply goes on: the
// answer to our prompt is still to come. If it never comes, `idle` ends the turn.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "providers/claude/translate/translator.h"

namespace lb::claude {
namespace {

std::vector<TurnId> prompts_of(const json::object& record) {
  std::vector<TurnId> prompts;
  if (const json::array* uuids = array_at(record, "user_message_uuids")) {
    for (const json::value& uuid : *uuids) {
      if (uuid.is_string()) prompts.emplace_back(std::string(uuid.get_string()));
    }
  }
  return prompts;
}

bool includes(const std::vector<TurnId>& turns, const TurnId& turn) {
  return std::ranges::find(turns, turn) != turns.end();
}

std::string error_message_of(const json::object& record, const std::string& error_text) {
  std::string message(string_at(record, "result"));
  if (const json::array* errors = array_at(record, "errors");
      errors != nullptr && message.empty()) {
    for (const json::value& error : *errors) {
      // The CLI's own diagnostics say nothing to a user.
      if (!error.is_string() || error.get_string().starts_with("[ede_diagnostic]")) continue;
      if (!message.empty()) message += "; ";
      message += error.get_string();
    }
  }
  if (message.empty()) message = error_text;
  if (message.empty()) {
    message = fmt::format(
        "Claude Code ended the turn with an error ({}).",
        string_at(record, "subtype").empty() ? "no reason given" : string_at(record, "subtype"));
  }
  return message;
}

}  // namespace

void Translator::init(const json::object& record, Moment at) {
  facts_.init(record);
  if (const std::string id(string_at(record, "session_id")); !id.empty() && id != cli_session_) {
    cli_session_ = id;
    outputs_.emplace_back(CliIdentity{id});
  }
  const bool known = turn_ && turn_->turn.model_id;
  if (!turn_) {
    const std::vector<TurnId> taken = prompts_of(record);
    if (!pending_.empty() && (taken.empty() || includes(taken, pending_.front()))) {
      take_prompt(taken, at);
    } else {
      start_turn(TurnId(make_uuid()), TurnOrigin::Agent, at);
    }
  }
  turn_->suspended.reset();
  if (const std::string_view model = string_at(record, "model"); !model.empty()) {
    turn_->turn.model_id = std::string(model);
  }
  if (!known) announce();
  publish_facts();
}

/// A prompt of ours runs; others that the CLI took into the same turn start with it.
void Translator::take_prompt(const std::vector<TurnId>& taken, Moment at) {
  const TurnId turn = pending_.front();
  pending_.pop_front();
  std::erase(steers_, turn);
  start_turn(turn, TurnOrigin::User, at);
  turn_->unbound.push_back(turn);
  for (const TurnId& other : taken) {
    if (std::erase(pending_, other) == 0) continue;
    std::erase(steers_, other);
    turn_->merged.push_back(other);
    turn_->unbound.push_back(other);
  }
}

void Translator::start_turn(TurnId turn, TurnOrigin origin, Moment at) {
  forget_past_turns();
  turn_.emplace();
  turn_->turn.type = TurnType::Started;
  turn_->turn.turn_id = std::move(turn);
  turn_->turn.session_id = options_.session;
  turn_->turn.origin = origin;
  turn_->turn.provider_id = options_.provider_id;
  turn_->turn.started_at = at.wall;
  interrupted_ = false;
}

void Translator::announce() {
  emit_turn(turn_->turn);
  for (const TurnId& other : turn_->merged) {
    Turn started = turn_->turn;
    started.turn_id = other;
    emit_turn(started);
  }
  for (TurnId& turn : std::exchange(turn_->unbound, {})) {
    outputs_.emplace_back(TurnBound{std::move(turn)});
  }
}

void Translator::begin_turn(TurnId turn, TurnOrigin origin, Moment at) {
  start_turn(std::move(turn), origin, at);
  announce();
}

void Translator::ensure_turn(Moment at) {
  if (turn_) return;
  if (pending_.empty()) {
    start_turn(TurnId(make_uuid()), TurnOrigin::Agent, at);
  } else {
    take_prompt({}, at);
  }
  announce();
}

void Translator::result(const json::object& record, Moment at) {
  if (!turn_ && pending_.empty()) return;  // A resume that failed says so; the process ends.
  ensure_turn(at);
  TurnEnd end = outcome(record);
  end.usage = usage_of(object_at(record, "usage"));
  end.cost_usd = facts_.result(record, end.usage);

  const json::object* origin = object_at(record, "origin");
  const bool of_task = origin != nullptr && string_at(*origin, "kind") == "task-notification";
  const bool named = includes(prompts_of(record), turn_->turn.turn_id);
  if (of_task && turn_->turn.origin == TurnOrigin::User && !named && !interrupted_) {
    turn_->suspended = std::move(end);
    return;
  }
  end_turn(std::move(end), at);
}

TurnEnd Translator::outcome(const json::object& record) const {
  const std::string_view terminal = string_at(record, "terminal_reason");
  const std::string_view subtype = string_at(record, "subtype");
  const std::string_view stop = string_at(record, "stop_reason");
  TurnEnd end;
  const bool aborted =
      terminal.starts_with("aborted") || (terminal.empty() && subtype == "error_during_execution");
  if (interrupted_ && aborted) {
    end.status = TurnStatus::Cancelled;
    end.finish_reason = terminal.empty() ? "cancelled" : std::string(terminal);
    return end;
  }
  if (!stop.empty()) end.finish_reason = std::string(stop);
  if (!bool_at(record, "is_error")) {
    end.status = TurnStatus::Completed;
    return end;
  }
  if (!terminal.empty() && terminal != "completed") end.finish_reason = std::string(terminal);
  end.type = TurnType::Error;
  end.error_message = error_message_of(record, turn_->error_text);
  const json::value* status = record.if_contains("api_error_status");
  if (turn_->error_kind == "authentication_failed") {
    end.error_code = kAuthenticationFailed;
    end.error_message = login_text(options_.agent, options_.command, end.error_message);
  } else if (subtype == "error_max_turns") {
    end.error_code = "MAX_TURNS";
  } else if ((status != nullptr && status->is_number()) ||
             end.error_message.starts_with("API Error")) {
    end.error_code = kApiError;
  } else {
    end.error_code = "AGENT_ERROR";
  }
  return end;
}

void Translator::end_turn(TurnEnd end, Moment at) {
  if (!turn_) return;
  const bool completed = end.status == TurnStatus::Completed;
  for (auto& [id, speech] : speeches_) {
    if (speech.parent) continue;
    // Confirmed texts of a completed turn are whole even if no stop reason was seen.
    if (completed || speech.stopped_well) settle(speech, ItemStatus::Complete, at);
  }
  expire([&](const Asked& asked) { return !is_background(asked.parent); }, at);
  Ending tools{ItemStatus::Cancelled, {}, {}};
  if (end.status != TurnStatus::Cancelled) {
    tools = {ItemStatus::Error, "NO_RESULT", "The turn ended without a result of this call."};
  }
  close([&](const OpenItems::Entry& entry) { return !is_background(entry.item.parent_call_id); },
        tools, at);
  std::erase_if(speeches_, [&](const auto& known) { return !is_background(known.second.parent); });
  std::erase_if(streaming_, [&](const auto& known) { return known.first.empty(); });

  Turn final_form = std::move(turn_->turn);
  const std::vector<TurnId> merged = std::move(turn_->merged);
  if (!end.finish_reason) end.finish_reason = turn_->stop_reason;
  turn_.reset();
  interrupted_ = false;
  last_turn_ = final_form.turn_id;
  final_form.type = end.type;
  final_form.status = end.status;
  final_form.ended_at = at.wall;
  final_form.finish_reason = std::move(end.finish_reason);
  final_form.usage = end.usage;
  final_form.cost_usd = end.cost_usd;
  if (end.type == TurnType::Error) {
    final_form.error_code = std::move(end.error_code);
    final_form.error_message = std::move(end.error_message);
  }
  emit_turn(final_form);
  for (const TurnId& other : merged) {
    final_form.turn_id = other;
    final_form.usage.reset();  // Counted once, with the turn it was merged into.
    final_form.cost_usd.reset();
    emit_turn(final_form);
  }
  publish_facts();
}

void Translator::state_changed(std::string_view state, Moment at) {
  if (state != "idle") return;
  if (turn_ && turn_->suspended) {
    TurnEnd end = std::move(*turn_->suspended);
    end_turn(std::move(end), at);
  }
  // An older CLI does not say that it took a prompt up; but it has nothing left to do.
  if (turn_ || lifecycles_ || !last_turn_) return;
  for (const TurnId& prompt : std::vector(steers_)) steered(prompt, *last_turn_);
}

/// A prompt that was written while a turn ran: taken up in it, at the next request to the model, or
/// thrown away by an interrupt. What becomes a turn of its own says so by its `init`.
void Translator::lifecycle(const json::object& record) {
  lifecycles_ = true;
  const TurnId prompt{std::string(string_at(record, "command_uuid"))};
  const std::string_view state = string_at(record, "state");
  if (!includes(steers_, prompt)) return;
  if (state == "started" && turn_) return steered(prompt, turn_->turn.turn_id);
  if (state == "cancelled") {
    steered(prompt, fail(ErrorCode::Cancelled, "Stopped before the agent took it up."));
  }
}

void Translator::steered(const TurnId& prompt, Result<TurnId> into) {
  outputs_.emplace_back(Steered{prompt, std::move(into)});
  retract(TurnId(prompt));  // By a copy: it may be an element of what it is taken from.
}

void Translator::process_ended(TurnEnd end, Moment at) {
  for (auto& [id, call] : calls_) call.background = false;
  const std::string code = end.error_code.empty() ? "PROCESS_CRASH" : end.error_code;
  const Error gone = end.status == TurnStatus::Cancelled
                         ? Error{ErrorCode::Cancelled, "Stopped before the agent took it up."}
                         : Error{ErrorCode::ProcessCrash, end.error_message};
  for (const TurnId& prompt : std::vector(steers_)) steered(prompt, std::unexpected(gone));
  end_turn(std::move(end), at);
  expire([](const Asked&) { return true; }, at);
  close([](const OpenItems::Entry&) { return true; },
        {ItemStatus::Error, code, "The agent ended before this call had a result."}, at);
  calls_.clear();
  speeches_.clear();
  streaming_.clear();
  tasks_.clear();
  pending_.clear();
  facts_.process_started();
}

/// Lets go of what only past turns needed; a background agent keeps its turn's.
void Translator::forget_past_turns() {
  std::erase_if(calls_, [&](const auto& known) {
    const Call& call = known.second;
    return call.done && !call.background && !is_background(call.parent);
  });
  // An id is never given twice: a late call of an old message is counted on from where it was.
  std::set<TurnId> needed;
  if (last_turn_) needed.insert(*last_turn_);
  for (const auto& [id, call] : calls_) needed.insert(call.turn);
  for (const auto& [id, speech] : speeches_) needed.insert(speech.turn);
  std::erase_if(numbers_, [&](const auto& known) { return !needed.contains(known.first); });
}

}  // namespace lb::claude
