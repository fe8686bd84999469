/// spawn: the one place that starts a process.
///
/// By argv, never through a shell. The child gets a session of its own, default signals, an empty
/// mask, the user's umask, exactly the descriptors it is given, exactly the environment it is
/// given, and dies with its parent (PR_SET_PDEATHSIG, which follows the thread that called: only
/// ever spawn from a thread that lives as long as the program, our io thread). vfork, so that the
/// cost does not grow with our memory.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace lb {

struct SpawnOptions {
  std::string program;  // The path given to execve.
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;
  std::string cwd;               // Empty: where we are.
  std::vector<int> descriptors;  // Entry i becomes descriptor i of the child; nothing else is open.
  int death_signal = 0;          // Sent to the child when its parent's thread ends.
  bool takes_terminal = false;   // Descriptor 0 is a terminal, and becomes its own.
};

struct Spawned {
  pid_t pid = -1;
  Fd pidfd;  // Readable when the child has ended; reap it with waitid(P_PIDFD).
};

/// Starts a child. The error's code is Busy when the system has no more to give (processes,
/// descriptors, memory), AgentUnavailable when the program cannot be run, ProjectPathInvalid when
/// the directory cannot be entered.
Result<Spawned> spawn(const SpawnOptions& options);

/// The umask that children get from now on; without this, ours. Call it before the first spawn.
void set_child_umask(mode_t mask);
/// That umask: files that we write for the user have it too.
mode_t umask_of_children();

/// A pipe whose ends close on exec: first what is read, second what is written.
Result<std::pair<Fd, Fd>> make_pipe();

}  // namespace lb
