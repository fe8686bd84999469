#include "providers/claude/process/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/limits.h"
#include "base/utf8.h"
#include "providers/claude/protocol.h"
#include "providers/program_info.h"

namespace lb::claude {
namespace {

constexpr std::string_view kInstall = "npm install -g @anthropic-ai/claude-code@latest";
constexpr std::array<std::string_view, 5> kEfforts = {"low", "medium", "high", "xhigh", "max"};

std::unexpected<Error> bad_option(std::string_view key, std::string_view reason) {
  return fail(ErrorCode::InvalidRequest, fmt::format("providerOptions.{}: {}", key, reason));
}

std::optional<std::int64_t> count_of(const json::value& value, std::int64_t least) {
  const double number = value.is_number() ? value.to_number<double>() : -1;
  if (number < static_cast<double>(least) || number > 1e6) return std::nullopt;
  if (std::floor(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Result<void> take_option(Choices& choices, std::string_view key, const json::value& value) {
  const std::string_view text = value.is_string() ? std::string_view(value.get_string()) : "";
  if (key == "maxThinkingTokens") {
    choices.max_thinking_tokens = count_of(value, 0);
    if (!choices.max_thinking_tokens) return bad_option(key, "a whole number from 0 to 1000000");
  } else if (key == "maxTurns") {
    choices.max_turns = count_of(value, 1);
    if (!choices.max_turns) return bad_option(key, "a whole number from 1");
  } else if (key == "effort") {
    if (!is_effort(text)) {
      return bad_option(key, fmt::format("one of {}", fmt::join(kEfforts, ", ")));
    }
    choices.effort = std::string(text);
  } else if (key == "fallbackModel" || key == "appendSystemPrompt") {
    if (text.empty()) return bad_option(key, "a text");
    (key == "fallbackModel" ? choices.fallback_model : choices.append_system_prompt) =
        std::string(text);
  } else if (key == "disallowedTools") {
    if (!value.is_array()) return bad_option(key, "a list of tool names");
    for (const json::value& tool : value.get_array()) {
      if (!tool.is_string() || tool.get_string().empty()) {
        return bad_option(key, "a list of tool names");
      }
      choices.disallowed_tools.emplace_back(tool.get_string());
    }
  } else {
    return bad_option(key,
                      "not an option of this agent; there are maxThinkingTokens, maxTurns, effort, "
                      "fallbackModel, appendSystemPrompt, disallowedTools");
  }
  return {};
}

}  // namespace

Result<Choices> choices_from(const RawObject& provider_options) {
  Choices choices;
  auto parsed = parse_json(provider_options.str());
  if (!parsed) return std::unexpected(std::move(parsed.error()).context("providerOptions"));
  for (const auto& member : parsed->get_object()) {
    auto taken = take_option(choices, member.key(), member.value());
    if (!taken) return std::unexpected(std::move(taken.error()));
  }
  return choices;
}

bool is_effort(std::string_view level) {
  return std::ranges::find(kEfforts, level) != kEfforts.end();
}

std::string thinking_of(const Choices& choices) {
  if (choices.effort) return *choices.effort;
  if (!choices.max_thinking_tokens) return "default";
  return *choices.max_thinking_tokens == 0 ? "off" : std::to_string(*choices.max_thinking_tokens);
}

Result<void> choose_thinking(Choices& choices, std::string_view level) {
  std::int64_t tokens = 0;
  const char* const end = level.data() + level.size();
  const auto read = std::from_chars(level.data(), end, tokens);
  const bool number = read.ec == std::errc() && read.ptr == end && tokens > 0 && tokens <= 1000000;
  if (!number && level != "default" && level != "off" && !is_effort(level)) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("thinking: default, off, a number of tokens, or one of {}",
                            fmt::join(kEfforts, ", ")));
  }
  choices.effort.reset();
  choices.max_thinking_tokens.reset();
  if (is_effort(level)) choices.effort = std::string(level);
  if (number || level == "off") choices.max_thinking_tokens = tokens;
  return {};
}

Error no_such_mode(const ClaudeConfig& config, std::string_view mode) {
  if (mode == "bypassPermissions") {
    return {ErrorCode::InvalidRequest,
            fmt::format("{} may not run without asking. To allow it, put `allow_bypass = true` "
                        "under [agents.{}] in config.toml and start Liminal Builder again.",
                        config.name, config.cli_type)};
  }
  return {ErrorCode::InvalidRequest, fmt::format("{} has no mode \"{}\".", config.name, mode)};
}

std::string terminal_command(const ClaudeConfig& config) {
  std::string command = config.command;
  for (const auto& [name, value] : config.env) {
    if (name == "CLAUDE_CONFIG_DIR") command = fmt::format("{}={} {}", name, value, command);
  }
  return command;
}

std::vector<std::string> argv_for(const ClaudeConfig& config, const LaunchPlan& plan) {
  std::vector<std::string> argv = {config.command};
  argv.insert(argv.end(), config.args.begin(), config.args.end());
  argv.insert(argv.end(),
              {"--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
               "--permission-prompt-tool=stdio", "--include-partial-messages"});
  // Values only as --flag=value: what comes from outside is never taken for a flag.
  switch (plan.begin) {
    case Begin::New:
      argv.push_back("--session-id=" + plan.cli_session_id);
      break;
    case Begin::Resume:
      argv.push_back("--resume=" + plan.cli_session_id);
      break;
    case Begin::Fork:
      argv.push_back("--resume=" + plan.fork_from);
      argv.emplace_back("--fork-session");
      argv.push_back("--session-id=" + plan.cli_session_id);
      break;
  }
  if (plan.model) argv.push_back("--model=" + *plan.model);
  if (plan.mode) argv.push_back("--permission-mode=" + *plan.mode);
  if (config.allow_bypass) argv.emplace_back("--allow-dangerously-skip-permissions");
  const Choices& choices = plan.choices;
  if (choices.max_thinking_tokens) {
    argv.push_back(fmt::format("--max-thinking-tokens={}", *choices.max_thinking_tokens));
  }
  if (choices.max_turns) argv.push_back(fmt::format("--max-turns={}", *choices.max_turns));
  if (choices.effort) argv.push_back("--effort=" + *choices.effort);
  if (choices.fallback_model) argv.push_back("--fallback-model=" + *choices.fallback_model);
  if (!choices.disallowed_tools.empty()) {
    argv.push_back(fmt::format("--disallowedTools={}", fmt::join(choices.disallowed_tools, ",")));
  }
  return argv;
}

Environment environment_for(const ClaudeConfig& config, const Environment& more) {
  Environment extra = {
      {"CLAUDE_CODE_ENTRYPOINT", "sdk-ts"},
      {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"},
      {"DISABLE_AUTOUPDATER", "1"},
  };
  extra.insert(extra.end(), config.env.begin(), config.env.end());
  extra.insert(extra.end(), more.begin(), more.end());
  return child_environment(extra, config.path_prefix);
}

std::string last_words(std::string_view stderr_tail) {
  std::string_view text = utf8_suffix(stderr_tail, limits::kClaudeErrorStderrBytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  return std::string(text);
}

Error not_startable(const ClaudeConfig& config, const Error& why) {
  return not_started(config.name, fmt::format("Install it with: {} ({})", kInstall, why.message),
                     why);
}

Error explain_start(const ClaudeConfig& config, std::string_view stderr_tail,
                    const ExitStatus& status) {
  const std::string said = last_words(stderr_tail);
  const auto says = [&](std::string_view part) { return said.find(part) != std::string::npos; };
  if (says("unknown option") || says("unknown argument")) {
    return {ErrorCode::AgentUnavailable,
            fmt::format("{} does not know an option: {}. Check the configured args, or update it: "
                        "{}",
                        config.name, said, kInstall)};
  }
  if (says("No conversation found")) {
    return {
        ErrorCode::SessionNotFound,
        fmt::format("{} has no record of this session in this directory any more.", config.name)};
  }
  if (says("root/sudo")) {
    return {ErrorCode::AgentUnavailable,
            fmt::format("{} refuses the mode that never asks for root: {}", config.name, said)};
  }
  if (says("/login") || says("Invalid API key") || says("not logged in")) {
    return {ErrorCode::AgentUnavailable, login_text(config.name, terminal_command(config), said)};
  }
  return {ErrorCode::SessionCreateFailed,
          fmt::format("Could not connect to {}: it {} before it was ready.{}{}", config.name,
                      status.text(), said.empty() ? "" : " It said: ", said)};
}

std::optional<std::vector<int>> version_of(std::string_view text) {
  std::vector<int> parts;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (parts.size() < 3) {
    int part = 0;
    const auto read = std::from_chars(at, end, part);
    if (read.ec != std::errc()) return std::nullopt;
    parts.push_back(part);
    at = read.ptr;
    if (parts.size() < 3 && (at == end || *at++ != '.')) return std::nullopt;
  }
  return parts;
}

}  // namespace lb::claude
