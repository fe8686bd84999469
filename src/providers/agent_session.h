/// AgentSession: one conversation as its provider holds it. Each protocol derives its own.
///
/// Owned by the provider's table (provider_base.h) and by its own coroutines, which may outlive
/// that. What the agent says goes to the sink with `tell`. Lives on the io thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <utility>

#include "process/agent_process.h"
#include "providers/provider.h"

namespace lb {

class AgentSession {
 public:
  /// `agent` is its name for people.
  AgentSession(SessionId id, std::string agent) : id_(std::move(id)), agent_(std::move(agent)) {
    owner_->session_id = id_;
  }
  AgentSession(const AgentSession&) = delete;
  AgentSession& operator=(const AgentSession&) = delete;
  virtual ~AgentSession() = default;

  [[nodiscard]] const SessionId& id() const { return id_; }
  /// Whose a process is that this session has to itself.
  [[nodiscard]] std::shared_ptr<const ProcessOwner> owner() const { return owner_; }
  [[nodiscard]] const std::string& agent() const { return agent_; }
  /// From now on `sink` is told; null: nobody.
  void attach(std::shared_ptr<SessionSink> sink) { sink_ = std::move(sink); }

  /// A process holds it.
  [[nodiscard]] virtual bool alive() const = 0;
  /// Returns when the turn has really begun, or an error.
  virtual asio::awaitable<Result<void>> send(Prompt prompt) = 0;
  virtual asio::awaitable<Result<void>> cancel() = 0;
  /// Ends what the session has running; an open turn is cancelled.
  virtual asio::awaitable<void> kill() = 0;
  /// The same because the server stops: an open turn ends as an error.
  virtual asio::awaitable<void> shutdown() = 0;
  virtual void hold(bool held) = 0;

  // What not every agent can do.
  virtual asio::awaitable<Result<void>> steer(Prompt prompt);
  virtual Result<PreparedAnswer> prepare_answer(const Answer& answer);
  virtual asio::awaitable<Result<void>> set_mode(std::string mode);
  virtual asio::awaitable<Result<void>> set_model(std::string model);
  virtual asio::awaitable<Result<void>> set_thinking(std::string level);

 protected:
  /// A session that was started ahead gets its name when it is taken.
  void rename(SessionId id) {
    id_ = std::move(id);
    owner_->session_id = id_;
  }

  // The sink may drop itself while it is told.
  void tell(Upsert item) {
    if (const auto sink = sink_) sink->item(std::move(item));
  }
  void tell(Turn turn) {
    if (const auto sink = sink_) sink->turn(std::move(turn));
  }
  void tell(SessionReport report) {
    if (const auto sink = sink_) sink->report(std::move(report));
  }

 private:
  SessionId id_;
  std::shared_ptr<ProcessOwner> owner_ = std::make_shared<ProcessOwner>();
  std::string agent_;
  std::shared_ptr<SessionSink> sink_;
};

}  // namespace lb
