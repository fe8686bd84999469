/// Whose connection it is: the user of this machine at the other end of a loopback connection.
///
/// Loopback is shared by all users of a machine, and a launch code can be seen by others where it
/// is an argument of a program (`xdg-open URL`). The kernel knows whose socket the other end is.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string_view>

namespace lb {

using UserId = unsigned;

/// Both ends of a connection as the other side sees them: `near` is the other side's own end.
struct ConnectionEnds {
  boost::asio::ip::tcp::endpoint near;
  boost::asio::ip::tcp::endpoint far;
};

/// The owner of the socket with these ends in a table as /proc/net/tcp and /proc/net/tcp6 hold it.
std::optional<UserId> owner_in(std::string_view table, const ConnectionEnds& ends);

/// The user at the other end; nothing when it is not on this machine, or in another network.
std::optional<UserId> peer_user(const boost::asio::ip::tcp::socket& socket);

}  // namespace lb
