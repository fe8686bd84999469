/// Which agents there are: the built-in ones, and those of the configuration.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "providers/agent_spec.h"
#include "providers/provider_base.h"
#include "providers/registry.h"

namespace lb {

/// A way to speak with agents: its name in the configuration, and what makes a provider of it.
struct Protocol {
  std::string_view name;
  std::unique_ptr<Provider> (*make)(AgentSpec spec, const ProviderDeps& deps);
  bool takes_claude_settings = false;  // allow_bypass and idle_minutes.
};
/// Every protocol that we speak.
std::vector<Protocol> protocols();

/// Fills the registry: built-ins first, then the configured agents, each overriding one of the
/// same type. The error names the agent and what is wrong with its configuration.
Result<void> add_all_providers(ProviderRegistry& registry, const std::vector<AgentConfig>& agents,
                               const ProviderDeps& deps,
                               const std::vector<Protocol>& known = protocols());

/// Only what they are called, for who starts none of them.
void add_all_names(ProviderRegistry& registry, const std::vector<AgentConfig>& agents);

}  // namespace lb
