/// AgentSpec: one kind of agent, ready to be given to its protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/agent_process.h"
#include "providers/provider.h"

namespace lb {

/// One `[agents.NAME]` of the configuration.
struct AgentConfig {
  std::string cli_type;
  std::string name;      // For people; empty: the built-in name, or the CLI type.
  std::string protocol;  // acp, claude or events; empty: as the built-in one, else acp.
  std::string command;   // Empty: as the built-in one.
  std::vector<std::string> args;
  Environment env;
  std::vector<std::string> path;  // Folders put before PATH.
  /// Its sessions are confined where nobody says otherwise.
  std::optional<bool> confine = {};
  /// Protocol claude: offers the mode that never asks.
  std::optional<bool> allow_bypass;
  /// Protocol claude: minutes without work after which a process is let go; 0: never.
  std::optional<std::uint32_t> idle_minutes;
};

/// What the configuration says and what only we know, put together.
struct AgentSpec {
  std::string cli_type;
  std::string name;  // For people.
  std::string protocol;
  std::vector<std::string> argv;
  Environment env;                // Put over our own.
  std::vector<std::string> path;  // Put before PATH.
  std::string install_hint;       // A whole sentence.
  std::string login_hint;         // A whole sentence.
  /// Which of the built-in agents it is, whatever it is called here; may be empty.
  std::string kind;
  /// Modes in which the agent asks a human, best first; the first one it offers is where new
  /// sessions start when the user chose none.
  std::vector<std::string> asking_modes;
  /// Finds the agent's own sessions of a project on disk; blocking. None: the agent is asked.
  std::function<std::vector<DiscoveredSession>(const std::string& project_dir)> discover;
  bool confine = false;                       // As in AgentConfig.
  bool confined = false;                      // Every process of this provider is.
  bool own_process = false;                   // It serves one session, and ends when that rests.
  std::optional<bool> allow_bypass;           // As in AgentConfig.
  std::optional<std::uint32_t> idle_minutes;  // As in AgentConfig.

  [[nodiscard]] std::string command() const { return argv.empty() ? std::string() : argv.front(); }
  /// The whole environment of its process, with what a session adds.
  [[nodiscard]] Environment environment(const Environment& more = {}) const {
    Environment all = env;
    all.insert(all.end(), more.begin(), more.end());
    return child_environment(all, path);
  }
};

}  // namespace lb
