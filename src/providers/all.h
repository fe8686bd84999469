/// Which agents there are: the built-in ones, and those of the configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "providers/acp/provider.h"
#include "providers/registry.h"

namespace lb {

/// One `[agents.NAME]` of the configuration.
struct AgentConfig {
  std::string cli_type;
  std::string name;      // For people; empty: the built-in name, or the CLI type.
  std::string protocol;  // acp, claude or events; empty: as the built-in one, else acp.
  std::string command;   // Empty: as the built-in one.
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::string> path;  // Folders put before PATH.
  /// Protocol claude: offers the mode that never asks.
  std::optional<bool> allow_bypass;
  /// Protocol claude: minutes without work after which a process is let go; 0: never.
  std::optional<std::uint32_t> idle_minutes;
};

/// What every provider needs from the composition root.
using AgentDeps = acp::ProviderDeps;

/// Fills the registry: built-ins first, then the configured agents, each overriding one of the
/// same type. The error names the agent and what is wrong with its configuration.
Result<void> add_all_providers(ProviderRegistry& registry, const std::vector<AgentConfig>& agents,
                               const AgentDeps& deps);

/// Only what they are called, for who starts none of them.
void add_all_names(ProviderRegistry& registry, const std::vector<AgentConfig>& agents);

}  // namespace lb
