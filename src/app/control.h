/// The control socket: how `open` and `export` reach the server of a data directory.
///
/// `DATA_DIR/control.sock`, for this user only (0600), and not for the agents: the peer must have
/// our user id and must not descend from us. One request per connection: a JSON object on a line;
/// the answer is everything until the end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace lb {

namespace asio = boost::asio;

/// Answers one request. The text goes to the client as it is; an error as `{"code","message"}`.
using ControlHandler = std::function<asio::awaitable<Result<std::string>>(json::object request)>;

/// Told of everyone who was not answered, and why.
using ControlRefused = std::function<void(std::string why)>;

/// Lives on the io thread; the socket's file is gone when it is.
class ControlServer {
 public:
  ControlServer(asio::any_io_executor io, std::string directory, ControlHandler handler,
                ControlRefused refused);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  Result<void> start();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

/// Asks the server of `directory`; blocks. `AgentUnavailable` when there is none.
Result<std::string> ask_server(const std::string& directory, const json::object& request);

}  // namespace lb
