/// What a tool call of Claude Code shows beside its raw form: title, kind, files, diffs, exit code.
///
/// Only known tools get more than their name; an unknown tool is shown as it is. Pure.
#pragma once

#include <string>

#include "base/json.h"
#include "model/item.h"

namespace lb::claude {

/// From the name and the whole arguments.
void shape_call(ToolCall& tool, const json::object& arguments);

/// From the structured result (`tool_use_result`), which may be absent. `tool_output` and
/// `tool_output_is_error` are set already.
void shape_result(ToolCall& tool, const json::value* structured);

/// The text of a tool_result: its string, or its blocks joined by a newline with images named.
std::string output_text(const json::object& result);

}  // namespace lb::claude
