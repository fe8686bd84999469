/// ClaudeConfig: how the user wants Claude Code to be run. From the built-in defaults or
/// `[agents.NAME]` with protocol "claude".
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "process/agent_process.h"

namespace lb {

struct ClaudeConfig {
  std::string cli_type = "claude-code";
  std::string name = "Claude Code";
  std::string command = "claude";
  std::vector<std::string> args;  // Before the flags that we add.
  Environment env;
  std::vector<std::string> path_prefix;
  /// A process without work ends after this long; the next prompt resumes the session.
  std::chrono::milliseconds idle_end = limits::kAgentIdleEnd;
  /// Offers the mode that never asks. Off unless the user's configuration says so.
  bool allow_bypass = false;
  MonoMs batch_age_ms = limits::kBatchAgeMs;
  /// How long the CLI may take to start, to take a prompt up and to stop a turn. Tests are shorter.
  std::chrono::milliseconds start_max = limits::kClaudeStartMax;
  std::chrono::milliseconds bind_max = limits::kClaudeBindMax;
  std::chrono::milliseconds interrupt_max = limits::kClaudeInterruptMax;
};

}  // namespace lb
