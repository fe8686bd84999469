/// Control: requests of ours that the CLI answers (initialize, interrupt, set_model …).
///
/// Each request gets an id of its own and one answer: the CLI's, or an error when the time is up or
/// the process went away. Lives on the io thread; owned by a session.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "process/agent_process.h"

namespace lb::claude {

class Control {
 public:
  explicit Control(asio::any_io_executor io) : io_(std::move(io)) {}

  /// Writes the request and waits for its answer. The payload of the answer, which may be empty.
  asio::awaitable<Result<json::object>> request(std::shared_ptr<AgentProcess> process,
                                                json::object body, std::chrono::milliseconds limit);
  /// A control_response arrived.
  void answered(const json::object& record);
  /// The process is gone: nobody will answer.
  void fail_all(const Error& error);

 private:
  struct Waiting {
    explicit Waiting(const asio::any_io_executor& io) : timer(io) {}
    asio::steady_timer timer;
    std::optional<Result<json::object>> answer;
  };

  asio::any_io_executor io_;
  std::map<std::string, std::shared_ptr<Waiting>, std::less<>> waiting_;
  std::uint64_t requests_ = 0;
};

/// A prompt as the CLI reads it. `uuid` becomes the id of the prompt in the CLI's own record.
std::string prompt_line(std::string_view uuid, json::array content);
/// The answer to a request of the CLI that we do not serve.
std::string unsupported_line(std::string_view request_id, std::string_view subtype);

}  // namespace lb::claude
