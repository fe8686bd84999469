/// Whose connection it is: the user of this machine at the other end of a loopback connection.
///
/// Loopback is shared by all users of a machine, and by the agents. The kernel knows whose socket
/// the other end is.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lb {

using UserId = unsigned;

/// Both ends of a connection as the other side sees them: `near` is the other side's own end.
struct ConnectionEnds {
  boost::asio::ip::tcp::endpoint near;
  boost::asio::ip::tcp::endpoint far;
};

/// The socket at the other end.
struct PeerSocket {
  UserId user = 0;
  std::uint64_t inode = 0;  // 0: it was closed, nobody reads an answer.

  friend bool operator==(const PeerSocket&, const PeerSocket&) = default;
};

/// The socket with these ends in a table as /proc/net/tcp and /proc/net/tcp6 hold it.
std::optional<PeerSocket> socket_in(std::string_view table, const ConnectionEnds& ends);

/// The same from the kernel, in the time of one question; nothing where it cannot be asked.
std::optional<PeerSocket> ask_socket(const ConnectionEnds& ends);

/// The socket at the other end; nothing when it is not on this machine, or in another network.
std::optional<PeerSocket> peer_of(const boost::asio::ip::tcp::socket& socket);

}  // namespace lb
