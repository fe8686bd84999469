/// AgentManager: the one process of one agent type, shared by all of its sessions.
///
///     idle → starting → connected → disconnected → reconnecting → connected …
///
/// It starts on demand; whoever asks while it starts shares that start. When the process ends by
/// itself, it is started again after 1, 2, 4, 8, 16 s (at most 30), five times; then only the user
/// (reconnect) or the next prompt brings it back. Success begins the count anew. A stop that we
/// asked for leads back to idle.
///
/// Owned by its provider (a shared_ptr, because starts and stops outlive the call that asked for
/// them). Lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "process/agent_process.h"
#include "process/json_rpc_peer.h"
#include "providers/acp/protocol.h"
#include "providers/provider.h"
#include "providers/timers.h"

namespace lb::acp {

/// A conversation with a process that has said hello.
struct Connection {
  std::shared_ptr<JsonRpcPeer> peer;
  AgentAbilities abilities;
  std::uint64_t generation = 0;  // Counts the processes of this agent.
};

/// Called with an answer before any later line is handled, so that no update is missed.
using AnswerFirst = std::function<void(const json::object& result)>;
/// Calls a method and waits for its answer, for at most limits::kAgentCall. `Unauthenticated` when
/// the agent wants a login first.
asio::awaitable<Result<json::object>> call(std::shared_ptr<Connection> connection,
                                           std::string method, json::object params,
                                           AnswerFirst first = {});

/// What a manager needs from outside.
struct AgentManagerOptions {
  std::string name;    // For people: "Codex".
  std::string remedy;  // What to do when it is not installed.
  /// Asked at every start, so that an installation in between is found.
  std::function<Result<LaunchOptions>()> launch;
  std::function<bool(const RpcRequest&)> on_request;
  std::function<void(std::string_view method, const json::value& params)> on_notification;
  /// The process ended by itself; its sessions are gone with it.
  std::function<void(const Error&)> on_lost;
  StatusCallback on_status;
};

class AgentManager : public std::enable_shared_from_this<AgentManager> {
 public:
  AgentManager(asio::any_io_executor executor, Launcher& launcher, Timers& timers,
               AgentManagerOptions options);

  /// The connection, after a start if need be.
  asio::awaitable<Result<std::shared_ptr<Connection>>> ensure();
  /// The user asks for another try: nothing when connected, at once instead of later when waiting.
  asio::awaitable<Result<void>> reconnect();
  /// Close stdin, SIGTERM after half a second, SIGKILL after 5 s; returns when the process is gone.
  /// Not politely: killed at once.
  asio::awaitable<void> stop(bool politely = true);

  [[nodiscard]] AgentStatus status() const { return status_; }
  /// The live connection, or null.
  [[nodiscard]] const std::shared_ptr<Connection>& connection() const { return connection_; }
  /// What `initialize` said last; empty before the first connection.
  [[nodiscard]] const AgentAbilities& abilities() const { return abilities_; }

 private:
  struct Start;  // One start in flight, and who waits for it.

  std::shared_ptr<Start> begin(AgentStatus during);
  static asio::awaitable<void> run(std::shared_ptr<AgentManager> self,
                                   std::shared_ptr<Start> start);
  asio::awaitable<Result<std::shared_ptr<Connection>>> connect(std::shared_ptr<Start> start);
  static asio::awaitable<Result<std::shared_ptr<Connection>>> wait(std::shared_ptr<Start> start);
  void finish(const std::shared_ptr<Start>& start, Result<std::shared_ptr<Connection>> result);
  RpcHandlers handlers(std::uint64_t generation);
  void on_ended(std::uint64_t generation, const ExitStatus& status);
  void schedule_retry();
  void set_status(AgentStatus status, std::optional<std::string> message);

  asio::any_io_executor executor_;
  Launcher& launcher_;
  Timers& timers_;
  AgentManagerOptions options_;
  AgentStatus status_ = AgentStatus::Idle;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<JsonRpcPeer> greeting_;  // Started, has not said hello yet.
  std::shared_ptr<Start> start_;
  AgentAbilities abilities_;
  std::uint64_t generation_ = 0;
  int tries_ = 0;
  Timers::Handle retry_;
};

/// The end of a process in words: how it ended and the last of what it complained about.
std::string end_text(const std::string& name, const ExitStatus& status,
                     const std::string& complaints);

}  // namespace lb::acp
