/// What we read of the Agent Client Protocol, as typed views of its JSON.
///
/// Agents differ in what they leave out and how they spell it (native and npm codex-acp, Gemini,
/// OpenCode, Claude's adapter, and the simplified shapes `type`, `toolName`, `callId`); those
/// quirks end here. Unknown fields are ignored, a field of the wrong type counts as absent.
/// A view borrows from the JSON it was read from unless it says otherwise. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/item.h"
#include "model/session.h"
#include "model/turn.h"

namespace lb::acp {

inline constexpr int kProtocolVersion = 1;

/// `sessionUpdate`, or `type` in the simplified shape.
std::string_view update_kind(const json::object& update);

/// The text of a message chunk: text blocks as they are, other blocks as a readable mention.
std::string chunk_text(const json::object& update);

/// True for user text that the CLI wrote itself: surroundings and instructions for the model.
bool is_injected(std::string_view user_text);

enum class ToolStatus { Pending, InProgress, Completed, Failed };

/// The fields of one tool_call, tool_call_update or request_permission. Only what was said is set.
struct ToolFields {
  std::string_view call_id;
  std::string_view name;
  std::string_view title;
  std::string_view kind;
  std::optional<ToolStatus> status;
  const json::object* raw_input = nullptr;  // Never empty.
  std::optional<std::string> content_text;  // The text of `content`, out of its code fence. Owned.
  std::optional<std::string> raw_text;      // The text of `rawOutput`. Owned.
  std::string_view terminal_delta;
  std::optional<std::int64_t> exit_code;
  std::optional<std::vector<Diff>> diffs;
  std::optional<std::vector<Location>> locations;
  bool switches_mode = false;  // A plan to be accepted rather than a tool to be run.
};
ToolFields read_tool(const json::object& tool);

ToolKind tool_kind(std::string_view kind);

std::vector<ApprovalOption> read_options(const json::object& permission);
std::vector<PlanEntry> read_plan(const json::object& update);
std::vector<Command> read_commands(const json::object& update);

/// How the mode, the model and the thinking of a session are set: by which config options.
struct ConfigIds {
  std::string mode;
  std::string model;
  std::string thinking;
  bool set_mode = false;  // The agent names modes apart: session/set_mode is how to choose one.
};

/// Puts what a result of session/new, load, resume or set_config_option, or a config_option_update
/// says of modes and models over `facts`.
void read_facts(const json::object& from, SessionFacts& facts, ConfigIds& ids);

/// Puts what a usage_update says over `facts`.
void read_context(const json::object& update, SessionFacts& facts);

/// What the response to session/prompt says.
struct PromptResult {
  std::string_view stop_reason;
  std::optional<Usage> usage;
  std::string_view model;
};
PromptResult read_prompt_result(const json::object& result);

/// The text for people in a JSON-RPC error, wherever the agent put it. Never empty.
std::string error_text(std::string_view message, const json::value& data);
/// The sentence inside an error text that may be a model's JSON answer. Never empty.
std::string plain_error(std::string text);

/// A text that goes with a prompt. Its name is the end of its uri.
json::object attached_resource(std::string_view name, std::string_view text);

/// What an agent said of itself in `initialize`.
struct AgentAbilities {
  std::string name;
  std::string version;
  bool load = false;
  bool resume = false;
  bool close = false;
  bool fork = false;
  bool list = false;
  bool images = false;
  bool resources = false;  // A prompt may carry them.
  bool told = false;       // It has said all this.
  struct AuthMethod {
    std::string id;
    std::string name;
    std::vector<std::string> vars;  // Variables that must be set for it.
    bool interactive = false;       // Needs a terminal or a browser.
  };
  std::vector<AuthMethod> auth_methods;
};
AgentAbilities read_abilities(const json::object& initialize_result);

}  // namespace lb::acp
