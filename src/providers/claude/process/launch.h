/// How Claude Code is started, and what it means when it does not stay.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "process/agent_process.h"
#include "providers/claude/config.h"

namespace lb::claude {

/// What `providerOptions` may say: a closed list, and never a path, an environment or a hook.
struct Choices {
  std::optional<std::int64_t> max_thinking_tokens;
  std::optional<std::int64_t> max_turns;
  std::optional<std::string> effort;
  std::optional<std::string> fallback_model;
  std::optional<std::string> append_system_prompt;
  std::vector<std::string> disallowed_tools;
};
Result<Choices> choices_from(const RawObject& provider_options);

/// What `--effort` takes.
bool is_effort(std::string_view level);
/// How much to think, as one word: an effort, "off", a number of tokens, or "default".
std::string thinking_of(const Choices& choices);
/// The same the other way round; the error names what there is.
Result<void> choose_thinking(Choices& choices, std::string_view level);
/// Why this mode cannot be had.
Error no_such_mode(const ClaudeConfig& config, std::string_view mode);

/// Which conversation the process shall hold.
enum class Begin { New, Resume, Fork };
struct LaunchPlan {
  Begin begin = Begin::New;
  std::string cli_session_id;
  std::string fork_from;  // With Begin::Fork.
  std::string directory;
  std::string project_dir;  // That it was made or loaded for; the record may say another directory.
  bool confined = false;
  Environment env;  // Put over the configured one.
  std::optional<std::string> model;
  std::optional<std::string> mode;
  Choices choices;
};

/// What a person types to run the same Claude Code, with the same login, in a terminal.
std::string terminal_command(const ClaudeConfig& config);
std::vector<std::string> argv_for(const ClaudeConfig& config, const LaunchPlan& plan);
/// The child's whole environment, with what a session adds.
Environment environment_for(const ClaudeConfig& config, const Environment& more = {});

/// The last lines of stderr, for an error message.
std::string last_words(std::string_view stderr_tail);

/// Why a process ended before it was ready, and what the user can do about it.
Error explain_start(const ClaudeConfig& config, std::string_view stderr_tail,
                    const ExitStatus& status);
Error not_startable(const ClaudeConfig& config, const Error& why);

/// `2.1.197 (Claude Code)` → {2, 1, 197}; nothing when it is no version.
std::optional<std::vector<int>> version_of(std::string_view text);
/// Older ones do not speak the protocol as we know it.
inline const std::vector<int> kOldestVersion = {2, 0, 0};

}  // namespace lb::claude
