/// AcpProvider: any agent that speaks the Agent Client Protocol, over one shared process.
///
/// Must outlive the run of its io_context: calls in flight refer to it.
/// Owned by the registry. Lives on the io thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "providers/acp/agent_manager.h"
#include "providers/acp/session.h"
#include "providers/agent_spec.h"
#include "providers/provider_base.h"

namespace lb::acp {

class AcpProvider final : public ProviderOf<AcpSession> {
 public:
  AcpProvider(AgentSpec spec, ProviderDeps deps);
  ~AcpProvider() override;

  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options,
                                                        std::optional<ForkPoint> before) override;
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override;
  [[nodiscard]] std::string records() const override;
  asio::awaitable<std::int64_t> outside_mark(std::string project_dir) override;
  asio::awaitable<AgentInfo> inspect() override;
  asio::awaitable<Result<void>> reconnect() override;
  void prewarm(const WarmPlace& place) override;
  void prewarm_shared(const WarmPlace& place) override { prewarm(place); }
  void end_prewarmed(const WarmPlace& place) override;
  [[nodiscard]] std::size_t prewarmed() const override;
  [[nodiscard]] std::optional<bool> takes_text() const override;
  void hold(const SessionId& session, bool held) override;
  asio::awaitable<void> shutdown() override;
  using ProviderBase::status;
  /// What the next process is like.
  void run_as(AgentSpec spec) {
    spec_ = std::move(spec);
    owner_ = std::make_shared<ProcessOwner>(SessionId(), TerminalId(), spec_.cli_type);
  }
  /// Its process is this session's alone, until another one comes.
  void belongs_to(const SessionId& session) {
    owner_->session_id = owner_->session_id.empty() ? session : SessionId();
  }
  /// What to do about a login that is missing, as far as is known.
  [[nodiscard]] const std::optional<std::string>& login_problem() const { return logged_out_; }

 protected:
  asio::awaitable<Result<void>> reopen(AnySession session) override;
  asio::awaitable<void> after_kill(AnySession session) override;
  /// From here on it is heard; its id at the agent stays what it is.
  void keep(AnySession session) override;
  void drop(const SessionId& id) override;

 private:
  using ConnectionPtr = std::shared_ptr<Connection>;

  AgentManagerOptions manager_options();
  bool on_request(const RpcRequest& request);
  void on_notification(std::string_view method, const json::value& params);
  void on_lost(const Error& why);
  void on_stuck();
  Error on_logged_out(const RpcError& error);
  void logged_out(const Error& why);
  void logged_in();

  SessionPtr make_session(const SessionId& id, std::string project_dir);
  [[nodiscard]] SessionPtr find_cli(std::string_view cli_session_id) const;
  void apply_hold();

  asio::awaitable<Result<json::object>> call_logged_in(ConnectionPtr connection, std::string method,
                                                       json::object params, AnswerFirst first);
  /// Makes the agent have the session open: after this `session->connection` is live.
  enum class History { Import, Skip };
  asio::awaitable<Result<void>> open(SessionPtr session, History history);
  asio::awaitable<Result<void>> open_by(SessionPtr session, ConnectionPtr connection,
                                        std::string method, History history);
  [[nodiscard]] Error cannot_open(Error why) const;
  asio::awaitable<void> start_ahead(std::string project_dir);
  void not_warm();
  void watch_idle();
  void end_if_idle();
  void show_warm();
  asio::awaitable<Result<ProviderSession>> start_session(CreateSessionOptions options,
                                                         std::string method, json::object params);
  asio::awaitable<std::vector<DiscoveredSession>> ask_for_sessions(std::string project_dir);

  AgentSpec spec_;
  std::shared_ptr<ProcessOwner> owner_ =
      std::make_shared<ProcessOwner>(SessionId(), TerminalId(), spec_.cli_type);
  std::shared_ptr<AgentManager> manager_;
  /// The sessions by the agent's ids: every word it says is looked up here.
  std::map<std::string, SessionPtr, std::less<>> by_cli_;
  std::optional<std::string> logged_out_;  // What to do about it; until something goes well.
  std::optional<LoginState> login_;        // As it was last seen on disk.
  std::set<std::string> warm_;  // Projects for which the process was started ahead, unused yet.
  std::int64_t warm_shown_ = 0;
  MonoMs opened_at_ = 0;  // The newest opening of a session.
  Timers::Handle idle_;
};

std::unique_ptr<Provider> make_provider(AgentSpec spec, const ProviderDeps& deps);

}  // namespace lb::acp
