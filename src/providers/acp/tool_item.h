/// OpenTool: a tool call while it may still change, put together from whatever the agent says.
///
/// tool_call, tool_call_update and request_permission come in any order and each carries only some
/// fields; merging is the same for all three. Pure.
#pragma once

#include <string>

#include "model/item.h"
#include "providers/acp/protocol.h"

namespace lb::acp {

struct OpenTool {
  Item item;  // Its body is always a ToolCall.
  ToolStatus status = ToolStatus::Pending;
  std::string name;       // As the agent names it; empty when it only gives titles.
  std::string command;    // What runs, where it is a command.
  bool streamed = false;  // The output came piece by piece from a terminal.
  bool shown = false;     // A reader has seen it.
  bool switches_mode = false;

  [[nodiscard]] ToolCall& call() { return std::get<ToolCall>(item.body); }
};

/// Puts what was said over what is known; what was not said stays.
void merge(OpenTool& tool, const ToolFields& fields);

inline bool has_result(ToolStatus status) {
  return status == ToolStatus::Completed || status == ToolStatus::Failed;
}

}  // namespace lb::acp
