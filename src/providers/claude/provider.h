/// Claude Code as a Provider: one process per session, on the CLI's own stdio protocol.
#pragma once

#include <memory>

#include "providers/claude/config.h"
#include "providers/provider.h"

namespace lb {

std::unique_ptr<Provider> make_claude_provider(ClaudeConfig config, ClaudeDeps deps);

}  // namespace lb
