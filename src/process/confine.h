/// Confining: the namespaces of an agent, made by its guardian without any help of root.
///
/// The guardian clones a child into a user, a PID and a mount namespace. That child is the init of
/// the PID namespace: when it ends, by whatever cause, the kernel kills everything below it. It
/// builds the walls (walls.h), mounts /proc and /dev/pts of its own, then enters a second user and
/// mount namespace below the first, so that every mount it made is locked: nobody below can take
/// one away, not even with all capabilities of a namespace of his own. Then it gives up all
/// capabilities for good.
///
/// What a path stands for is pinned: each folder above a wall that the user could rename is a mount
/// point of its own, which nobody below can rename or replace.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "process/walls.h"

namespace lb {

/// Like fork, into new user, PID and mount namespaces. The child must call `confine_self` next.
pid_t fork_into_namespaces();

struct ConfineOptions {
  std::vector<Wall> walls;
  bool make_missing = true;  // Folders that a wall wants made are.
  uid_t user = 0;            // Who the agent is, before and after.
  gid_t group = 0;           // The same.
  std::string folder;        // Where it works.
};

/// In the child: everything above. Returns what was refused, in words, or nothing.
std::string confine_self(const ConfineOptions& options);

}  // namespace lb
