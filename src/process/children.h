/// Who our children are, and how those nobody wants any more are ended.
///
/// A subreaper inherits every process whose parents died. The guardian ends all of its children
/// when its CLI ends; the server ends what a killed guardian left behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace lb {

/// Makes this process inherit the orphans of its descendants.
void become_subreaper();

/// Processes that were started by `spawn` and not yet reaped: no sweep touches them.
void note_own_child(pid_t pid);
void forget_own_child(pid_t pid);

/// The direct children of this process, all threads' together. May miss one that was born or
/// orphaned this moment: ask again.
std::vector<pid_t> direct_children();

/// SIGKILL to a direct child and to its process group, so that a fork under way is caught too.
/// Only for children that have a session of their own.
void kill_child_and_group(pid_t child);

/// One pass over the orphans we inherited: kills them and reaps what is dead. Returns how many it
/// found, dead or alive: each may have left us children of its own while we looked, so call again
/// a little later until a pass finds none.
std::size_t sweep_orphans();

}  // namespace lb
