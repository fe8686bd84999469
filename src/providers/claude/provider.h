/// Claude Code as a Provider: one process per session, on the CLI's own stdio protocol.
#pragma once

#include <memory>

#include "providers/agent_spec.h"
#include "providers/claude/config.h"
#include "providers/provider_base.h"

namespace lb {

std::unique_ptr<Provider> make_claude_provider(ClaudeConfig config, const ProviderDeps& deps);

namespace claude {
std::unique_ptr<Provider> make_provider(AgentSpec spec, const ProviderDeps& deps);
}

}  // namespace lb
