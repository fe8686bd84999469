/// Slash commands that are about the agent and not about the work.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lb {

/// "/model sonnet", "/clear": such a prompt says nothing of what a session is about. Others, such
/// as "/review the cart", do.
inline bool is_housekeeping(std::string_view prompt) {
  constexpr auto kCommands = std::to_array<std::string_view>(
      {"agents",       "approvals",   "clear",  "compact", "config", "context", "cost",
       "doctor",       "effort",      "exit",   "fast",    "help",   "hooks",   "login",
       "logout",       "mcp",         "memory", "mode",    "model",  "models",  "new",
       "output-style", "permissions", "plugin", "plugins", "quit",   "reset",   "resume",
       "sandbox",      "skills",      "stats",  "status",  "theme",  "tools",   "usage",
       "version",      "vim"});
  const std::size_t begin = prompt.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || prompt[begin] != '/') return false;
  const std::string_view rest = prompt.substr(begin + 1);
  const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r\n"));
  return std::ranges::find(kCommands, name) != kCommands.end();
}

}  // namespace lb
