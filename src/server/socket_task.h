/// SocketTask: what goes on with a connection after HTTP: a WebSocket or a stream of events.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace lb {

namespace asio = boost::asio;

class SocketTask {
 public:
  SocketTask() = default;
  SocketTask(const SocketTask&) = delete;
  SocketTask& operator=(const SocketTask&) = delete;
  virtual ~SocketTask() = default;

  /// Takes the socket over, writes everything from the status line on, and returns when the
  /// connection is over.
  virtual asio::awaitable<void> run(asio::ip::tcp::socket socket) = 0;
};

}  // namespace lb
