/// The guardian: a small process between us and a CLI, in our own binary (`guardian`, not for
/// people), so that nothing a CLI starts outlives its session or our server.
///
/// It is the subreaper of everything below it: `setsid` and double forks do not get away. It holds
/// one end of a socket whose other end only our server holds. When the CLI ends, when the server
/// asks, or when that socket ends because the server is gone (even by SIGKILL), it kills all its
/// children until there are none, reports how the CLI ended, and exits.
///
/// Killed itself, it leaves its children to the server, which sweeps them (children.h). Only when
/// both are killed at the same moment may something with a session of its own survive; the CLI
/// itself does not (PR_SET_PDEATHSIG).
///
/// For a confined agent it is two processes: one outside, which only waits, and the guardian proper
/// as the init of the agent's namespaces (confine.h). There nothing survives either of them, nor
/// both and the server at once: the kernel sees to it.
#pragma once

#include <cstdint>
#include <string_view>

namespace lb {

/// The first argument that makes our binary a guardian: `liminal-builder guardian PROGRAM ARGV…`.
inline constexpr std::string_view kGuardianCommand = "guardian";
/// `guardian --confined WALLS… -- PROGRAM ARGV…`: behind walls (walls.h). Without a program it only
/// finds out whether the kernel allows it.
inline constexpr std::string_view kConfinedOption = "--confined";
inline constexpr std::string_view kEndOfWalls = "--";
/// Where the guardian finds its socket; 0, 1 and 2 are the CLI's.
inline constexpr int kGuardianSocket = 3;

/// What the server may ask: one byte each.
enum class GuardianOrder : char {
  Terminate = 'T',  // SIGTERM to the CLI's process group.
  Kill = 'K',       // End everything now.
};

/// What the guardian says before it exits: how the CLI ended. One message.
struct GuardianReport {
  std::int32_t signalled = 0;  // 1: value is a signal, 0: an exit code.
  std::int32_t value = 0;
};

/// Runs as a guardian and never returns to normal start-up; the result is the exit code. Call it
/// before anything else in main.
int run_guardian(int argc, char** argv);

}  // namespace lb
