/// What the processes below our guardians listen on, from /proc.
#pragma once

#include <vector>

#include "model/terminal.h"
#include "process/agent_process.h"

namespace lb {

/// Listening TCP sockets of `living` and of everything below them, by number: each address and port
/// once. At most limits::kPortProcessesMax processes are looked at and limits::kPortsListedMax
/// ports are listed. Blocks for milliseconds: not for the io thread.
std::vector<ListeningPort> ports_below(const std::vector<LivingProcess>& living);

}  // namespace lb
