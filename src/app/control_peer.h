/// Who is at the other end of the control socket: the user at a terminal, or an agent?
///
/// The kernel keeps the number of the process that connected. Numbers are used again, and an agent
/// may stop us until a stranger has the number of a process that connected and ended. So the number
/// alone is never believed: the kernel gives a handle of the process (since Linux 6.5), or else the
/// process with that number must have the other end of the connection itself.
#pragma once

#include <optional>
#include <string_view>

namespace lb {

enum class PeerLookup {
  Handle,  // SO_PEERPIDFD; falls back on Socket where the kernel has no such thing.
  Socket,
};

/// Why this peer may not ask; nothing when it may. One that has ended or cannot be told may not.
std::optional<std::string_view> peer_problem(int socket, PeerLookup lookup = PeerLookup::Handle);

}  // namespace lb
