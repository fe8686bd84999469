/// What the kernel tells about one socket of this machine when it is asked by name (sock_diag(7)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lb {

/// The answer to one request of type SOCK_DIAG_BY_FAMILY; empty when there is no such socket or
/// the kernel does not know the question.
std::string ask_sock_diag(std::string_view request);

/// The inode of the other end of a connected Unix socket.
std::optional<std::uint64_t> unix_peer_inode(int socket);

}  // namespace lb
