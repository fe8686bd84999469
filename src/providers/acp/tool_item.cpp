#include "providers/acp/tool_item.h"

#include "providers/acp/asked_text.h"

namespace lb::acp {
namespace {

/// Makes `text` the output. Where it continues what was there, only the rest is appended, so that
/// readers get only that.
void set_output(ToolCall& call, std::string_view text) {
  if (!call.tool_output) {
    call.tool_output = Text(text);
  } else if (text.starts_with(call.tool_output->view())) {
    call.tool_output->append(text.substr(call.tool_output->size()));
  } else {
    call.tool_output = Text(text);
  }
}

void merge_output(OpenTool& tool, const ToolFields& fields) {
  ToolCall& call = tool.call();
  if (!fields.terminal_delta.empty()) {
    if (!call.tool_output) call.tool_output.emplace();
    append_within_limit(*call.tool_output, fields.terminal_delta);
    tool.streamed = true;
    return;
  }
  // Before it runs, the text of a tool says what it is about to do.
  if (tool.status == ToolStatus::Pending) return;
  const std::string* text = fields.content_text ? &*fields.content_text
                            : fields.raw_text   ? &*fields.raw_text
                                                : nullptr;
  if (text == nullptr) return;
  // A stream may have missed its first bytes and a summary may be cut: the longer one is the truth.
  if (tool.streamed && call.tool_output && text->size() < call.tool_output->size()) return;
  set_output(call, *text);
}

/// Some agents put the arguments as JSON text where others put the output.
bool take_arguments_from_text(OpenTool& tool, const ToolFields& fields) {
  if (fields.raw_input != nullptr || !fields.content_text || !tool.call().tool_arguments.empty() ||
      has_result(tool.status) || !fields.content_text->starts_with('{')) {
    return false;
  }
  const auto parsed = parse_json(*fields.content_text);
  if (!parsed || !parsed->is_object()) return false;
  tool.call().tool_arguments = RawObject(parsed->get_object());
  return true;
}

}  // namespace

void merge(OpenTool& tool, const ToolFields& fields) {
  ToolCall& call = tool.call();
  if (fields.status) tool.status = *fields.status;
  if (!fields.name.empty()) tool.name = fields.name;
  if (!fields.title.empty()) call.title = std::string(fields.title);
  if (!fields.kind.empty()) call.kind = tool_kind(fields.kind);
  tool.switches_mode = tool.switches_mode || fields.switches_mode;
  call.tool_name = !tool.name.empty() ? tool.name : call.title.value_or("tool");
  if (fields.raw_input != nullptr) {
    call.tool_arguments = RawObject(*fields.raw_input);
    if (std::string command = command_of(*fields.raw_input); !command.empty()) {
      tool.command = std::move(command);
    }
  }
  if (fields.diffs) call.diffs = *fields.diffs;
  if (fields.locations) call.locations = *fields.locations;
  if (fields.exit_code) call.exit_code = fields.exit_code;
  if (!take_arguments_from_text(tool, fields)) merge_output(tool, fields);
  if (tool.status == ToolStatus::Failed) call.tool_output_is_error = true;
  if (tool.status == ToolStatus::Completed && call.tool_output) call.tool_output_is_error = false;
}

}  // namespace lb::acp
