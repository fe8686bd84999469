/// The host of the fault tests: a program that owns agents through GuardedLauncher, as our server
/// does, and is killed while it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "process/agent_process.h"

namespace lb::test {

/// The environment of this process with a marker in it.
std::vector<std::pair<std::string, std::string>> marked_environment(const std::string& mark);

/// How to start this program as the agent that plays `part`.
LaunchOptions agent_options(const std::string& mark, std::vector<std::string> part);

/// Owns `agents` families marked `mark`, says "ready" when all are up, and stays until killed.
int run_fault_host(const std::string& mark, std::size_t agents);

/// Who is killed in a round.
enum class Victim { Host, Guardian };

/// One round: a host whose agent has every kind of descendant, the kill, the wait. Milliseconds
/// until nothing was left, -1 when something was after 2 s.
std::int64_t survivor_round(Victim victim);

/// So many agents started and ended one way or another; what is left of them in this process.
struct CyclesResult {
  std::size_t zombies = 0;
  std::size_t descriptors = 0;  // More than before.
  std::int64_t grown_kib = 0;   // Resident memory, after the first fifth.
};
CyclesResult start_stop_cycles(std::size_t cycles);

}  // namespace lb::test
