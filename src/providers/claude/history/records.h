/// Where Claude Code keeps its records, and what a line of them is.
///
/// `<config>/projects/<slug>/<session>.jsonl`; the slug is made from the working directory and is
/// neither reversible nor unique, so the lines say where they belong. Subagents have files of their
/// own under `<slug>/<session>/subagents/`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "process/agent_process.h"

namespace lb::claude {

/// $CLAUDE_CONFIG_DIR, else ~/.claude, as the child with this environment sees it.
std::filesystem::path config_dir(const Environment& environment);

/// The folders under projects/ that may hold sessions of this directory.
std::vector<std::filesystem::path> project_folders(const std::filesystem::path& config,
                                                   const std::string& directory);
/// Every UTF-16 unit outside [A-Za-z0-9] as a dash.
std::string slug_of(std::string_view directory);

/// What a line is for a reader of the conversation.
enum class LineKind {
  Other,     // Bookkeeping, attachments, injected context.
  Prompt,    // The user said something.
  Command,   // The user ran a slash command.
  TaskNote,  // A background task woke the agent: a turn of its own.
  Output,    // What a local command printed.
  ToolResult,
  Interrupt,
  Assistant,
  Boundary,      // The conversation was compacted here.
  Note,          // Retries and notices.
  QueuedPrompt,  // Typed while a turn ran, and folded into it.
};
LineKind kind_of(const json::object& record);

inline bool begins_turn(LineKind kind) {
  return kind == LineKind::Prompt || kind == LineKind::Command || kind == LineKind::TaskNote;
}

/// What the user wrote: the prompt, or the command as it was typed.
std::string words_of(const json::object& record, LineKind kind);

std::optional<Timestamp> time_of(const json::object& record);

/// One line for a list: folded white space, at most 50 characters, cut between words.
std::string title_from(std::string_view prompt);

}  // namespace lb::claude
