/// AcpProvider: any agent that speaks the Agent Client Protocol, over one shared process.
///
/// Must outlive the run of its io_context: calls in flight refer to it.
/// Owned by the registry. Lives on the io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "process/agent_process.h"
#include "providers/acp/agent_manager.h"
#include "providers/acp/login.h"
#include "providers/acp/session.h"
#include "providers/provider.h"
#include "providers/timers.h"

namespace lb::acp {

/// One kind of ACP agent.
struct AgentSpec {
  std::string cli_type;
  std::string name;  // For people.
  std::vector<std::string> argv;
  Environment env;                // Put over our own.
  std::vector<std::string> path;  // Put before PATH.
  std::string install_hint;       // A whole sentence.
  std::string login_hint;         // A whole sentence.
  /// Modes in which the agent asks a human, best first; the first one it offers is where new
  /// sessions start when the user chose none.
  std::vector<std::string> asking_modes;
  /// Finds the agent's own sessions of a project on disk; blocking. None: the agent is asked.
  std::function<std::vector<DiscoveredSession>(const std::string& project_dir)> discover;
};

struct ProviderDeps {
  asio::any_io_executor executor;
  asio::any_io_executor blocking;  // For file work; may be the same.
  Launcher& launcher;
  const Clock& clock;
  Timers& timers;
};

class AcpProvider final : public Provider {
 public:
  AcpProvider(AgentSpec spec, ProviderDeps deps);
  ~AcpProvider() override;

  [[nodiscard]] std::string_view cli_type() const override { return spec_.cli_type; }

  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) override;
  asio::awaitable<Result<void>> cancel_turn(SessionId session) override;
  asio::awaitable<Result<void>> kill_session(SessionId session) override;
  [[nodiscard]] bool is_alive(const SessionId& session) const override;

  void on_upsert(const SessionId& session, UpsertCallback callback) override;
  void on_turn(const SessionId& session, TurnCallback callback) override;
  void on_report(const SessionId& session, ReportCallback callback) override;
  void on_status(StatusCallback callback) override;
  void forget(const SessionId& session) override;

  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  asio::awaitable<Result<void>> answer(SessionId session, Answer answer) override;
  asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) override;
  asio::awaitable<Result<void>> set_model(SessionId session, std::string model) override;
  asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) override;
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options) override;
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override;
  asio::awaitable<AgentInfo> inspect() override;
  asio::awaitable<Result<void>> reconnect() override;
  void prewarm(const std::string& project_dir) override;
  void prewarm_shared(const std::string& project_dir) override { prewarm(project_dir); }
  void end_prewarmed(const std::string& project_dir) override;
  [[nodiscard]] std::size_t prewarmed() const override;
  void hold(const SessionId& session, bool held) override;
  asio::awaitable<void> shutdown() override;

 private:
  using SessionPtr = std::shared_ptr<AcpSession>;
  using ConnectionPtr = std::shared_ptr<Connection>;
  /// Called with the answer before any later line is handled, so that no update is missed.
  using AnswerFirst = std::function<void(const json::object& result)>;

  [[nodiscard]] Environment environment() const;
  AgentManagerOptions manager_options();
  bool on_request(const RpcRequest& request);
  void on_notification(std::string_view method, const json::value& params);
  void on_lost(const Error& why);
  void on_stuck();
  Error on_logged_out(const RpcError& error);
  void logged_out(const Error& why);
  void logged_in();

  SessionPtr make_session(const SessionId& id, std::string project_dir);
  [[nodiscard]] SessionPtr find(const SessionId& id) const;
  [[nodiscard]] SessionPtr find_cli(std::string_view cli_session_id) const;
  /// From here on it is heard; its id at the agent stays what it is.
  void keep(const SessionPtr& session);
  void drop(const SessionId& id);
  [[nodiscard]] Result<SessionPtr> known(const SessionId& id) const;
  [[nodiscard]] std::shared_ptr<Listeners> listeners(const SessionId& id);
  [[nodiscard]] bool any_open() const;
  void apply_hold();

  asio::awaitable<Result<json::object>> call(ConnectionPtr connection, std::string method,
                                             json::object params, AnswerFirst first);
  asio::awaitable<Result<json::object>> call_logged_in(ConnectionPtr connection, std::string method,
                                                       json::object params, AnswerFirst first);
  /// Makes the agent have the session open: after this `session->connection` is live.
  enum class History { Import, Skip };
  asio::awaitable<Result<void>> open(SessionPtr session, History history);
  asio::awaitable<Result<void>> open_by(SessionPtr session, ConnectionPtr connection,
                                        std::string method, History history);
  [[nodiscard]] Error cannot_open(Error why) const;
  asio::awaitable<Result<void>> choose(SessionPtr session);
  asio::awaitable<Result<void>> apply_mode(SessionPtr session, std::string mode);
  asio::awaitable<Result<void>> apply_model(SessionPtr session, std::string model);
  asio::awaitable<Result<void>> apply_thinking(SessionPtr session, std::string level);
  asio::awaitable<void> start_ahead(std::string project_dir);
  void not_warm();
  void show_warm();
  asio::awaitable<Result<ProviderSession>> start_session(CreateSessionOptions options,
                                                         std::string method, json::object params);
  [[nodiscard]] std::optional<std::string> asking_mode(const SessionFacts& facts) const;
  asio::awaitable<std::vector<DiscoveredSession>> ask_for_sessions(std::string project_dir);

  AgentSpec spec_;
  ProviderDeps deps_;
  std::shared_ptr<AgentManager> manager_;
  std::map<SessionId, std::shared_ptr<Listeners>> listeners_;
  std::map<SessionId, SessionPtr> sessions_;
  /// The same by the agent's ids: every word it says is looked up here.
  std::map<std::string, SessionPtr, std::less<>> by_cli_;
  StatusCallback status_;
  std::optional<std::string> logged_out_;  // What to do about it; until something goes well.
  std::set<std::string> warm_;  // Projects for which the process was started ahead, unused yet.
  std::int64_t warm_shown_ = 0;
};

}  // namespace lb::acp
