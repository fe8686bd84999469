/// What to do when an agent says no: errors in our words, and how to log in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/session.h"
#include "process/json_rpc_peer.h"
#include "providers/acp/protocol.h"
#include "providers/agent_spec.h"

namespace lb::acp {

/// A failed call as one of our errors.
Error error_from(const RpcError& error);

/// The way to log in that needs nobody: its key is in the agent's environment. Nothing when a
/// person has to do it.
std::optional<std::string> unattended_login(const AgentAbilities& abilities,
                                            const Environment& environment);

/// "Codex is not logged in. …", with what the user can do about it.
Error login_needed(const AgentSpec& agent, const AgentAbilities& abilities);

/// Whether an agent of this kind (`AgentSpec::kind`) has a login, from what it keeps on disk and
/// what is in its environment; nothing when that does not tell. Reads the disk: for a worker.
std::optional<LoginState> login_on_disk(std::string_view kind, const Environment& environment);

/// Whether a prompt failed because the agent is not logged in. Some say so only in their text.
bool is_login_error(const RpcError& error);

}  // namespace lb::acp
