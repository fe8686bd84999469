/// ProviderBase: what every provider does the same way.
///
/// The table of sessions and of who listens to them, finding a session and passing a command on to
/// it, forgetting it, and the agent's status. A protocol derives from ProviderOf<its AgentSession>
/// and adds how sessions are made and loaded (create_session, load_session, import_history) and
/// what is known of the program (inspect). docs/adding-an-agent.md shows a whole one.
/// Lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "process/agent_process.h"
#include "providers/agent_session.h"
#include "providers/provider.h"
#include "providers/timers.h"

namespace lb {

/// What every provider needs from the composition root. All of it outlives the provider.
struct ProviderDeps {
  asio::any_io_executor executor;
  asio::any_io_executor blocking;  // For file work; may be the same.
  Launcher& launcher;
  const Clock& clock;
  Timers& timers;
};

class ProviderBase : public Provider {
 public:
  /// `name` is the agent's for people.
  ProviderBase(std::string cli_type, std::string name, ProviderDeps deps)
      : cli_type_(std::move(cli_type)), name_(std::move(name)), deps_(std::move(deps)) {}

  [[nodiscard]] std::string_view cli_type() const final { return cli_type_; }
  asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) final;
  asio::awaitable<Result<void>> steer_turn(SessionId session, Prompt prompt) final;
  asio::awaitable<Result<void>> cancel_turn(SessionId session) final;
  asio::awaitable<Result<void>> kill_session(SessionId session) final;
  [[nodiscard]] bool is_alive(const SessionId& session) const final;
  void attach(const SessionId& session, std::shared_ptr<SessionSink> sink) final;
  void forget(const SessionId& session) final;
  void on_status(StatusCallback callback) final { status_callback_ = std::move(callback); }
  Result<PreparedAnswer> prepare_answer(const SessionId& session, const Answer& answer) final;
  asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) final;
  asio::awaitable<Result<void>> set_model(SessionId session, std::string model) final;
  asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) final;
  void hold(const SessionId& session, bool held) override;
  asio::awaitable<void> shutdown() override;

 protected:
  using AnySession = std::shared_ptr<AgentSession>;
  using Table = std::map<SessionId, AnySession>;

  /// Before a prompt, when no process holds the session: brings it back. Sessions that do so
  /// themselves in `send` need nothing here.
  virtual asio::awaitable<Result<void>> reopen(AnySession session);
  /// After a session was killed: drops it.
  virtual asio::awaitable<void> after_kill(AnySession session);

  /// Puts a session into the table, in the place of one with the same id; its sink hears it.
  virtual void keep(AnySession session);
  virtual void drop(const SessionId& session);
  [[nodiscard]] AnySession find_any(const SessionId& session) const;
  [[nodiscard]] Result<AnySession> known_any(const SessionId& session) const;
  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] bool any_alive() const;
  /// Who listens to a session; null: nobody.
  [[nodiscard]] std::shared_ptr<SessionSink> sink_of(const SessionId& session) const;

  /// Tells of a status that is new, or has a message, or takes one back.
  void tell_status(AgentStatus status, std::optional<std::string> message = {});
  [[nodiscard]] AgentStatus status() const { return status_; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ProviderDeps& deps() const { return deps_; }

 private:
  std::string cli_type_;
  std::string name_;
  ProviderDeps deps_;
  Table table_;
  std::map<SessionId, std::shared_ptr<SessionSink>> sinks_;
  StatusCallback status_callback_;
  AgentStatus status_ = AgentStatus::Idle;
  bool status_explained_ = false;  // The last one had a message.
};

/// A provider whose sessions are of one class.
template <class Session>
class ProviderOf : public ProviderBase {
 public:
  using ProviderBase::ProviderBase;

 protected:
  using SessionPtr = std::shared_ptr<Session>;

  static SessionPtr own(const AnySession& session) {
    return std::static_pointer_cast<Session>(session);
  }
  /// Null when there is none.
  [[nodiscard]] SessionPtr find(const SessionId& session) const { return own(find_any(session)); }
  [[nodiscard]] Result<SessionPtr> known(const SessionId& session) const {
    auto found = known_any(session);
    if (!found) return std::unexpected(std::move(found.error()));
    return own(*found);
  }
  /// All there are now: what is called with them may change the table.
  [[nodiscard]] std::vector<SessionPtr> sessions() const {
    std::vector<SessionPtr> all;
    for (const auto& [id, session] : table()) all.push_back(own(session));
    return all;
  }
};

}  // namespace lb
