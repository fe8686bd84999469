/// Who descends from whom, and who holds a socket: what /proc says of the processes of this
/// machine.
///
/// Numbers of processes are used again, and whoever may stop us chooses the moment. So nothing here
/// is believed that was read once: a line of ancestors counts when two readings agree, in the
/// numbers and in the times at which the processes began.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace lb {

/// A process that is not mistaken for a later one with its number.
struct ProcessName {
  pid_t pid = 0;
  std::uint64_t began = 0;  // In ticks since the machine started.

  friend bool operator==(const ProcessName&, const ProcessName&) = default;
};

/// `pid`, its parent, and so on; ends with `last`, or with the first process of all. Nothing when
/// it cannot be told: a process of the line is gone, or went while we looked.
std::optional<std::vector<ProcessName>> ancestors_of(pid_t pid, pid_t last);

/// True when `pid` is `ancestor` or was started by it, directly or not; also when that cannot be
/// told.
bool descends_from(pid_t pid, pid_t ancestor);

/// Every process below `ancestor`, without itself, as it is this moment.
std::vector<pid_t> descendants_of(pid_t ancestor);

/// Whether a process has a descriptor of the socket with this inode. Hidden: it may not be looked
/// at, or has descriptors where we cannot see them (on their way to somebody, or kept by an
/// io_uring).
enum class Holds { No, Yes, Hidden };
Holds holds_socket(pid_t pid, std::uint64_t inode);

/// Who has the socket with this inode.
enum class Holder {
  Descendant,  // A process below us.
  Another,     // A process that is not below us.
  Unseen,      // None that may be looked at: a service of the system, `sshd` for example.
  Hidden,      // Unseen, and a process below us hides what it has.
};
Holder holder_of(std::uint64_t inode, pid_t ancestor);

}  // namespace lb
