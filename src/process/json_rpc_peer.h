/// JsonRpcPeer: JSON-RPC 2.0, one object per line, with a child that both answers and asks.
///
/// Two id spaces: ours are integers we count; theirs are echoed verbatim, integer or string, and
/// may collide with ours. Everything is delivered in the order of the lines: a callback of
/// `request` runs before any later notification is handled. What is not JSON-RPC goes to `noise`
/// and never disturbs the conversation.
///
/// Owns its share of the process: destroying the peer fails every waiting call, kills a process
/// that is still alive, and calls no handler any more.
/// Lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "process/agent_process.h"

namespace lb {

/// Codes that JSON-RPC and ACP give a meaning to.
namespace rpc_code {
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;
inline constexpr std::int64_t kAuthenticationRequired = -32000;
inline constexpr std::int64_t kResourceNotFound = -32002;
}  // namespace rpc_code

/// Why a call has no result.
struct RpcError {
  enum class Kind {
    Answered,      // The other side answered with an error: code, message and data are its own.
    Timeout,       // No answer in time; a late one is dropped.
    ProcessEnded,  // The process went away, or its output did.
    NotSent,       // The line could not be queued; nothing was asked.
    Cancelled,     // Our side stopped waiting.
  };
  Kind kind = Kind::Answered;
  std::int64_t code = 0;
  std::string message;
  json::value data;  // null when there is none.
};
using RpcReply = std::expected<json::value, RpcError>;
using RpcCallback = std::function<void(RpcReply)>;

/// The id of a request of theirs, as they wrote it.
struct RpcId {
  RawJson text;
  friend bool operator==(const RpcId&, const RpcId&) = default;
};

/// A request of theirs. `params` lives until the handler returns; null when there are none.
struct RpcRequest {
  RpcId id;
  std::string_view method;
  const json::value& params;
};

struct RpcHandlers {
  /// True when the request was or will be answered; false (or no handler) answers -32601.
  std::function<bool(const RpcRequest&)> request;
  /// `params` lives until the handler returns.
  std::function<void(std::string_view method, const json::value& params)> notification;
  /// A line that is no JSON-RPC: noise on stdout, or one that was too long to keep.
  std::function<void(const Line&)> noise;
  /// Once, after every waiting call has failed. An exit status without code and signal: the
  /// process lives but closed its output, or its end is not known.
  std::function<void(const ExitStatus&)> ended;
};

class JsonRpcPeer {
 public:
  JsonRpcPeer(asio::any_io_executor executor, std::shared_ptr<AgentProcess> process,
              RpcHandlers handlers);
  JsonRpcPeer(const JsonRpcPeer&) = delete;
  JsonRpcPeer& operator=(const JsonRpcPeer&) = delete;
  ~JsonRpcPeer();

  /// Asks, and calls back exactly once, in line order. Without a timeout it waits until the
  /// process ends. When the line cannot be queued the callback runs before this returns.
  void request(std::string_view method, const json::value& params,
               std::optional<std::chrono::milliseconds> timeout, RpcCallback callback);
  /// The same for a coroutine. Cancelling the coroutine drops a later answer.
  asio::awaitable<RpcReply> call(std::string method, json::value params,
                                 std::optional<std::chrono::milliseconds> timeout);

  Result<void> notify(std::string_view method, const json::value& params);
  Result<void> respond(const RpcId& id, const json::value& result);
  /// The same, and waits until the process has taken it; see AgentProcess::deliver_line.
  asio::awaitable<Result<void>> deliver_response(RpcId id, json::value result,
                                                 std::chrono::milliseconds limit);
  Result<void> respond_error(const RpcId& id, const RpcError& error);

  /// While held nothing is read: the child waits when its pipe is full.
  void hold(bool held);

  [[nodiscard]] AgentProcess& process() const;
  /// False once the conversation has ended; `ended` was called or is about to be.
  [[nodiscard]] bool open() const;
  [[nodiscard]] std::size_t calls_waiting() const;

 private:
  class Conversation;
  std::shared_ptr<Conversation> conversation_;
};

}  // namespace lb
