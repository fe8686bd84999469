#include "stream/envelope_processor.h"

#include <algorithm>
#include <utility>

namespace lb {
namespace {

/// The text of a message or a reasoning item; other finalized items have none.
const std::string* final_text(const FinalizedItem& item) {
  if (const auto* message = std::get_if<FinalMessage>(&item.body)) return &message->content;
  if (const auto* reasoning = std::get_if<FinalReasoning>(&item.body)) return &reasoning->content;
  return nullptr;
}

void set_text(Upsert& upsert, const Text& text) {
  if (auto* message = std::get_if<Message>(&upsert.body)) message->content = text;
  if (auto* thinking = std::get_if<Thinking>(&upsert.body)) thinking->content = text;
}

ItemStatus status_of(ResponseStatus status) {
  switch (status) {
    case ResponseStatus::Completed:
      return ItemStatus::Complete;
    case ResponseStatus::Cancelled:
      return ItemStatus::Cancelled;
    case ResponseStatus::Error:
      return ItemStatus::Error;
  }
  return ItemStatus::Error;
}

/// Structured error first, then what the finish reason says.
StreamError error_of(const ResponseDone& done) {
  if (done.error) return *done.error;
  return {done.finish_reason.value_or("RESPONSE_ERROR"), "The agent ended the turn with an error."};
}

}  // namespace

EnvelopeProcessor::Outputs EnvelopeProcessor::process(const StreamEvent& event, Now now) {
  const bool starts = std::holds_alternative<ResponseStart>(event.payload.body);
  if (!ended_ || starts) {
    std::visit([&](const auto& payload) { handle(payload, event, now); }, event.payload.body);
  }
  return std::exchange(outputs_, {});
}

EnvelopeProcessor::Outputs EnvelopeProcessor::tick(Now now) {
  for (auto& [id, open] : texts_) {
    if (open.batcher.tick(now.mono)) show(open, now);
  }
  return std::exchange(outputs_, {});
}

std::optional<MonoMs> EnvelopeProcessor::deadline() const {
  std::optional<MonoMs> first;
  for (const auto& [id, open] : texts_) {
    const auto due = open.batcher.deadline();
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

EnvelopeProcessor::Outputs EnvelopeProcessor::destroy(const StreamError& why, Now now) {
  close_items(ItemStatus::Error, why, now);
  if (turn_) {
    Turn end = *std::exchange(turn_, std::nullopt);
    end.type = TurnType::Error;
    end.error_code = why.code;
    end.error_message = why.message;
    end.ended_at = now.wall;
    outputs_.emplace_back(std::move(end));
  }
  ended_ = true;
  return std::exchange(outputs_, {});
}

void EnvelopeProcessor::handle(const ResponseStart& start, const StreamEvent& event, Now now) {
  if (turn_ && turn_->turn_id.str() != event.turn_id.text) {
    outputs_ =
        destroy({"PROTOCOL_ERROR", "The agent began another turn before this one ended."}, now);
  }
  ended_ = false;
  provider_id_ = start.provider_id;
  Turn turn;
  turn.type = TurnType::Started;
  turn.turn_id = TurnId(event.turn_id.text);
  turn.session_id = SessionId(event.session_id.text);
  turn.model_id = start.model_id;
  turn.provider_id = start.provider_id;
  turn.started_at = event.timestamp;
  turn_ = turn;
  outputs_.emplace_back(std::move(turn));
}

void EnvelopeProcessor::handle(const ItemStart& start, const StreamEvent& event, Now now) {
  const std::string& id = start.item_id.text;
  switch (start.item_type) {
    case StreamItemType::Message:
    case StreamItemType::Reasoning: {
      cancelled_.erase(id);
      OpenText open{new_upsert(id, event), Batcher(options_)};
      if (start.item_type == StreamItemType::Reasoning) {
        open.upsert.body = Thinking{.content = {}, .provider_id = provider_id_};
      }
      open.batcher.begin_with(start.initial_content.value_or(""), now.mono);
      texts_.insert_or_assign(id, std::move(open));
      return;
    }
    case StreamItemType::FunctionCall: {
      ToolCall call;
      call.tool_name = *start.name;
      call.call_id = *start.call_id;
      OpenTool open{new_upsert(id, event)};
      open.upsert.body = std::move(call);
      open.upsert.emitted_at = now.wall;
      outputs_.emplace_back(open.upsert);
      tools_.insert_or_assign(*start.call_id, std::move(open));
      return;
    }
    case StreamItemType::FunctionCallOutput:
      return;  // Everything about it is in its item_done.
  }
}

void EnvelopeProcessor::handle(const ItemDelta& delta, const StreamEvent& event, Now now) {
  const auto open = texts_.find(delta.item_id.text);
  if (open == texts_.end()) return;  // Tool arguments, cancelled and unknown items.
  open->second.upsert.source_timestamp = event.timestamp;
  if (open->second.batcher.add(delta.delta_content, now.mono)) show(open->second, now);
}

void EnvelopeProcessor::handle(const ItemDone& done, const StreamEvent& event, Now now) {
  if (cancelled_.contains(done.item_id.text)) return;
  if (final_text(done.final_item) != nullptr) {
    finish_text(done, event, now);
  } else if (const auto* call = std::get_if<FinalCall>(&done.final_item.body)) {
    finish_call(*call, done, event, now);
  } else {
    finish_output(std::get<FinalOutput>(done.final_item.body), event, now);
  }
}

void EnvelopeProcessor::finish_text(const ItemDone& done, const StreamEvent& event, Now now) {
  const std::string& id = done.item_id.text;
  auto node = texts_.extract(id);
  OpenText open =
      node ? std::move(node.mapped()) : OpenText{new_upsert(id, event), Batcher(options_)};
  if (open.batcher.flush()) show(open, now);
  if (const auto* message = std::get_if<FinalMessage>(&done.final_item.body)) {
    open.upsert.body = Message{.content = {}, .origin = message->origin, .attachments = {}};
  } else {
    const auto& reasoning = std::get<FinalReasoning>(done.final_item.body);
    open.upsert.body = Thinking{.content = {}, .provider_id = reasoning.provider_id};
  }
  // The streamed text is kept where it is the final one: it is already escaped and stored.
  const std::string& text = *final_text(done.final_item);
  set_text(open.upsert, open.batcher.text().view() == text ? open.batcher.text() : Text(text));
  open.upsert.source_timestamp = event.timestamp;
  emit_final(std::move(open.upsert), ItemStatus::Complete, now);
}

void EnvelopeProcessor::finish_call(const FinalCall& call, const ItemDone& done,
                                    const StreamEvent& event, Now now) {
  const auto known = tools_.find(call.call_id);
  if (known != tools_.end()) {
    auto& tool = std::get<ToolCall>(known->second.upsert.body);
    tool.tool_name = call.name;
    tool.tool_arguments = call.arguments;
    return;
  }
  OpenTool open{new_upsert(done.item_id.text, event)};
  ToolCall tool;
  tool.tool_name = call.name;
  tool.call_id = call.call_id;
  tool.tool_arguments = call.arguments;
  open.upsert.body = std::move(tool);
  open.upsert.emitted_at = now.wall;
  outputs_.emplace_back(open.upsert);
  tools_.emplace(call.call_id, std::move(open));
}

void EnvelopeProcessor::finish_output(const FinalOutput& output, const StreamEvent& event,
                                      Now now) {
  auto node = tools_.extract(output.call_id);
  if (!node) return;
  Upsert upsert = std::move(node.mapped().upsert);
  auto& tool = std::get<ToolCall>(upsert.body);
  tool.tool_output = Text(output.output);
  tool.tool_output_is_error = output.is_error;
  upsert.source_timestamp = event.timestamp;
  emit_final(std::move(upsert), ItemStatus::Complete, now);
}

void EnvelopeProcessor::handle(const ItemError& error, const StreamEvent& event, Now now) {
  auto node = texts_.extract(error.item_id.text);
  if (!node) return;
  OpenText& open = node.mapped();
  set_text(open.upsert, open.batcher.text());
  open.upsert.source_timestamp = event.timestamp;
  open.upsert.error_code = error.error.code;
  open.upsert.error_message = error.error.message;
  emit_final(std::move(open.upsert), ItemStatus::Error, now);
}

void EnvelopeProcessor::handle(const ItemCancelled& cancelled, const StreamEvent&, Now now) {
  const std::string& id = cancelled.item_id.text;
  cancelled_.insert(id);
  if (auto node = texts_.extract(id); node && node.mapped().shown) {
    // Readers have seen it: it ends where they saw it end. What nobody saw is dropped in silence.
    emit_final(std::move(node.mapped().upsert), ItemStatus::Cancelled, now);
  }
  const auto tool = std::ranges::find_if(
      tools_, [&](const auto& entry) { return entry.second.upsert.item_id.str() == id; });
  if (tool == tools_.end()) return;
  Upsert upsert = std::move(tool->second.upsert);
  tools_.erase(tool);
  emit_final(std::move(upsert), ItemStatus::Cancelled, now);
}

void EnvelopeProcessor::handle(const ResponseDone& done, const StreamEvent& event, Now now) {
  const StreamError why = error_of(done);
  close_items(status_of(done.status), why, now);
  Turn end;
  end.usage = done.usage;
  end.finish_reason = done.finish_reason;
  if (done.status == ResponseStatus::Error) {
    end.type = TurnType::Error;
    end.error_code = why.code;
    end.error_message = why.message;
  } else {
    end.type = TurnType::Complete;
    end.status =
        done.status == ResponseStatus::Cancelled ? TurnStatus::Cancelled : TurnStatus::Completed;
  }
  end_turn(event, std::move(end));
}

void EnvelopeProcessor::handle(const ResponseError& error, const StreamEvent& event, Now now) {
  close_items(ItemStatus::Error, error.error, now);
  Turn end;
  end.type = TurnType::Error;
  end.error_code = error.error.code;
  end.error_message = error.error.message;
  end_turn(event, std::move(end));
}

Upsert EnvelopeProcessor::new_upsert(const std::string& item_id, const StreamEvent& event) {
  Upsert upsert;
  upsert.turn_id = TurnId(event.turn_id.text);
  upsert.session_id = SessionId(event.session_id.text);
  upsert.item_id = ItemId(item_id);
  upsert.source_timestamp = upsert.started_at = event.timestamp;
  upsert.body = Message{};
  return upsert;
}

void EnvelopeProcessor::show(OpenText& open, Now now) {
  set_text(open.upsert, open.batcher.text());
  open.upsert.status = open.shown ? ItemStatus::Update : ItemStatus::Create;
  open.upsert.emitted_at = now.wall;
  open.shown = true;
  outputs_.emplace_back(open.upsert);
}

void EnvelopeProcessor::emit_final(Upsert upsert, ItemStatus status, Now now) {
  upsert.status = status;
  upsert.emitted_at = now.wall;
  upsert.ended_at = upsert.source_timestamp;
  outputs_.emplace_back(std::move(upsert));
}

void EnvelopeProcessor::close_items(ItemStatus status, const StreamError& why, Now now) {
  for (auto& [id, open] : std::exchange(texts_, {})) {
    if (status == ItemStatus::Complete && open.batcher.flush()) show(open, now);
    if (status == ItemStatus::Cancelled && !open.shown && open.batcher.text().empty()) continue;
    set_text(open.upsert, open.batcher.text());
    if (status == ItemStatus::Error) {
      open.upsert.error_code = why.code;
      open.upsert.error_message = why.message;
    }
    emit_final(std::move(open.upsert), status, now);
  }
  for (auto& [id, open] : std::exchange(tools_, {})) {
    // A call without a result is not complete, however well the turn ended.
    const bool failed = status == ItemStatus::Error;
    if (failed) {
      open.upsert.error_code = why.code;
      open.upsert.error_message = why.message;
    }
    emit_final(std::move(open.upsert), failed ? ItemStatus::Error : ItemStatus::Cancelled, now);
  }
  cancelled_.clear();
}

void EnvelopeProcessor::end_turn(const StreamEvent& event, Turn end) {
  end.turn_id = TurnId(event.turn_id.text);
  end.session_id = SessionId(event.session_id.text);
  end.ended_at = event.timestamp;
  if (turn_) {
    end.model_id = turn_->model_id;
    end.provider_id = turn_->provider_id;
    end.started_at = turn_->started_at;
  }
  turn_.reset();
  ended_ = true;
  outputs_.emplace_back(std::move(end));
}

}  // namespace lb
