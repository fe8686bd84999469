// How the pieces fit: line() looks at the type of a record and passes it on. translator_blocks.cpp
// follows what the model says, translator_tools.cpp what tools return, translator_turns.cpp begins
// and ends turns, translator_system.cpp reads notes, tasks and states, approvals.cpp asks the user.

#include "providers/claude/translate/translator.h"

#include <fmt/format.h>

#include <algorithm>

namespace lb::claude {

Translator::Translator(TranslatorOptions options)
    : options_(std::move(options)),
      items_(options_.session, options_.batching, options_.forms,
             [this](const Upsert& upsert) { outputs_.emplace_back(upsert); }),
      facts_(options_.bypass_allowed) {}

void Translator::line(const json::object& record, Moment at) {
  const std::string_view type = string_at(record, "type");
  if (type == "stream_event") return stream_event(record, at);
  if (type == "assistant") return assistant(record, at);
  if (type == "user") return user_line(record, at);
  if (type == "system") return system_line(record, at);
  if (type == "result") return result(record, at);
  if (type == "command_lifecycle") return lifecycle(record);
  if (type == "rate_limit_event") {
    facts_.limits(record);
    return publish_facts();
  }
  if (type == "control_cancel_request") return withdraw(string_at(record, "request_id"), at);
  if (type == "control_request") {
    const json::object* request = object_at(record, "request");
    if (request != nullptr && string_at(*request, "subtype") == "can_use_tool") {
      ask(std::string(string_at(record, "request_id")), *request, at);
    }
  }
}

void Translator::initialized(const json::object& response) {
  facts_.initialized(response);
  publish_facts();
}

void Translator::publish_facts() {
  outputs_.emplace_back(facts_.facts());
}

void Translator::prompt(TurnId turn) {
  pending_.push_back(std::move(turn));
}

void Translator::retract(const TurnId& turn) {
  std::erase(pending_, turn);
  std::erase(steers_, turn);
}

void Translator::steer(TurnId turn) {
  steers_.push_back(turn);
  pending_.push_back(std::move(turn));
}

void Translator::emit_turn(const Turn& turn) {
  outputs_.emplace_back(turn);
}

// Tool results are the only part of a `user` line that is for us. The rest was put there by the
// CLI: nudges, interrupts, compaction summaries, output of local commands, prompts of subagents.
void Translator::user_line(const json::object& record, Moment at) {
  if (const json::array* blocks = content_of(record)) {
    for (const json::value& value : *blocks) {
      const json::object* block = value.if_object();
      if (block != nullptr && string_at(*block, "type") == "tool_result") {
        tool_result(*block, record, at);
      }
    }
  }
  const bool main_thread = string_at(record, "parent_tool_use_id").empty();
  if (main_thread && text_of(record).starts_with(kInterruptedPrefix)) {
    void_stream({}, Instead::Nothing, at);
  }
}

void Translator::user_message(std::string_view name, std::string text, Moment at) {
  if (!turn_ || text.empty()) return;
  const TurnId& turn = turn_->turn.turn_id;
  auto& entry = items_.open(
      {turn, ItemId(fmt::format("{}:{}", turn.str(), name)), {}},
      Message{.content = Text(std::move(text)), .origin = Origin::User, .attachments = {}}, at);
  items_.end(entry, {}, at);
}

}  // namespace lb::claude
