// Tool calls and what came of them.

#include <fmt/format.h>

#include "providers/claude/translate/tool_shape.h"
#include "providers/claude/translate/translator.h"

namespace lb::claude {

void Translator::open_call(Speech& speech, Block& block, const json::object& use, Moment at) {
  block.call_id = string_at(use, "id");
  ToolCall tool;
  tool.tool_name = string_at(use, "name");
  tool.call_id = block.call_id;
  const json::object* input = object_at(use, "input");
  if (input != nullptr && !input->empty()) tool.tool_arguments = RawObject(*input);
  shape_call(tool, input != nullptr ? *input : json::object());
  calls_[block.call_id] = Call{.turn = speech.turn,
                               .item = block.item,
                               .name = tool.tool_name,
                               .parent = speech.parent,
                               .done = false,
                               .background = false};
  items_.show(items_.open({speech.turn, block.item, speech.parent}, std::move(tool), at), at);
}

void Translator::whole_arguments(const Block& block, const json::object& input, Moment at) {
  OpenItems::Entry* entry = items_.find(block.item);
  auto* tool = entry != nullptr ? std::get_if<ToolCall>(&entry->item.body) : nullptr;
  if (tool == nullptr) return;
  RawObject arguments(input);
  if (entry->item.status == ItemStatus::Update && tool->tool_arguments == arguments) return;
  tool->tool_arguments = std::move(arguments);
  shape_call(*tool, input);
  entry->item.source_timestamp = at.wall;
  items_.show(*entry, at);
}

void Translator::tool_result(const json::object& block, const json::object& record, Moment at) {
  const std::string call_id(string_at(block, "tool_use_id"));
  const auto found = calls_.find(call_id);
  if (found == calls_.end()) return unknown_result(call_id, block, record, at);
  if (found->second.done) return;
  found->second.done = true;
  expire([&](const Asked& asked) { return asked.call_id == call_id; }, at);
  OpenItems::Entry* entry = items_.find(found->second.item);
  auto* tool = entry != nullptr ? std::get_if<ToolCall>(&entry->item.body) : nullptr;
  if (tool == nullptr) return;

  const json::value* structured = either(record, "tool_use_result", "toolUseResult");
  const bool failed = bool_at(block, "is_error");
  tool->tool_output = Text(output_text(block));
  tool->tool_output_is_error = failed;
  shape_result(*tool, structured);
  const bool stopped = failed && structured != nullptr && structured->is_string() &&
                       structured->get_string() == kRejectedResult;
  const ToolCall whole = *tool;
  const ItemStatus status = stopped  ? ItemStatus::Cancelled
                            : failed ? ItemStatus::Error
                                     : ItemStatus::Complete;
  items_.end(*entry, {status, {}, {}}, at);
  after_result(call_id, whole, structured, at);
}

/// A result for a call that nobody made: shown, so that nothing is lost, and nothing else.
void Translator::unknown_result(const std::string& call_id, const json::object& block,
                                const json::object& record, Moment at) {
  const std::string_view parent_id = string_at(record, "parent_tool_use_id");
  const auto parent =
      parent_id.empty() ? std::nullopt : std::optional<std::string>(std::string(parent_id));
  if (!parent && !turn_ && !last_turn_) return;  // Before any turn there is no place for it.
  const TurnId turn = turn_ || parent || !last_turn_ ? turn_of(parent, at) : *last_turn_;
  Numbers& count = numbers(turn);
  ToolCall tool;
  tool.tool_name = "unknown_tool";
  tool.call_id = call_id;
  tool.tool_output = Text(output_text(block));
  tool.tool_output_is_error = bool_at(block, "is_error");
  const ItemId item(fmt::format("{}:{}:tool:{}", turn.str(), count.message, ++count.tool));
  calls_[call_id] = Call{.turn = turn,
                         .item = item,
                         .name = tool.tool_name,
                         .parent = parent,
                         .done = true,
                         .background = false};
  const bool failed = *tool.tool_output_is_error;
  auto& entry = items_.open({turn, item, parent}, std::move(tool), at);
  items_.end(entry, {failed ? ItemStatus::Error : ItemStatus::Complete, {}, {}}, at);
}

void Translator::after_result(const std::string& call_id, const ToolCall& tool,
                              const json::value* structured, Moment at) {
  const json::object* object = structured != nullptr ? structured->if_object() : nullptr;
  if (tool.tool_name == "Agent" || tool.tool_name == "Task") {
    const bool launched = object != nullptr && (bool_at(*object, "isAsync") ||
                                                string_at(*object, "status") == "async_launched");
    if (launched) {
      calls_[call_id].background = true;
    } else {
      task_over(call_id, at);
    }
    return;
  }
  if (tool.tool_output_is_error.value_or(false)) return;
  if (plan_.apply(tool.tool_name, tool.tool_arguments.str(), structured)) show_plan(at);
}

void Translator::show_plan(Moment at) {
  if (!turn_) return;
  const TurnId& turn = turn_->turn.turn_id;
  const ItemId id(turn.str() + ":plan");
  OpenItems::Entry* entry = items_.find(id);
  if (entry == nullptr) entry = &items_.open({turn, id, {}}, Plan{}, at);
  std::get<Plan>(entry->item.body).entries = plan_.entries();
  entry->item.source_timestamp = at.wall;
  items_.show(*entry, at);
}

}  // namespace lb::claude
