/// ConfinableProvider: an ACP agent with one process for all sessions, and one of its own for each
/// that is confined.
///
/// Each of those processes is an AcpProvider with one session. One whose session was forgotten is
/// used again by the next: none is destroyed while calls may refer to it. A fork begins in the
/// process of its original, because only that one can copy the conversation.
/// Owned by the registry. Lives on the io thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "providers/acp/provider.h"

namespace lb::acp {

class ConfinableProvider final : public Provider {
 public:
  ConfinableProvider(AgentSpec spec, ProviderDeps deps);

  [[nodiscard]] std::string_view cli_type() const override { return shared_.cli_type(); }
  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) override;
  asio::awaitable<Result<void>> steer_turn(SessionId session, Prompt prompt) override;
  asio::awaitable<Result<void>> cancel_turn(SessionId session) override;
  asio::awaitable<Result<void>> kill_session(SessionId session) override;
  [[nodiscard]] bool is_alive(const SessionId& session) const override;
  void attach(const SessionId& session, std::shared_ptr<SessionSink> sink) override;
  void on_status(StatusCallback callback) override { told_ = std::move(callback); }
  void forget(const SessionId& session) override;
  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  Result<PreparedAnswer> prepare_answer(const SessionId& session, const Answer& answer) override;
  asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) override;
  asio::awaitable<Result<void>> set_model(SessionId session, std::string model) override;
  asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) override;
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options) override;
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override;
  asio::awaitable<std::int64_t> outside_mark(std::string project_dir) override;
  [[nodiscard]] std::string records() const override { return shared_.records(); }
  [[nodiscard]] std::optional<bool> takes_text() const override;
  asio::awaitable<AgentInfo> inspect() override;
  asio::awaitable<Result<void>> reconnect() override;
  void prewarm(const WarmPlace& place) override;
  void prewarm_shared(const WarmPlace& place) override;
  void end_prewarmed(const WarmPlace& place) override;
  [[nodiscard]] std::size_t prewarmed() const override;
  void hold(const SessionId& session, bool held) override;
  asio::awaitable<void> shutdown() override;

 private:
  using OwnPtr = std::shared_ptr<AcpProvider>;

  /// Who runs this session.
  [[nodiscard]] AcpProvider& of(const SessionId& session);
  [[nodiscard]] const AcpProvider& of(const SessionId& session) const;
  /// Gives a session a process of its own, unless it has one: started ahead, used before, or new.
  AcpProvider& confine(const SessionId& session, const std::string& project_dir);
  OwnPtr unused();
  /// Of the agent as a whole: of the shared process, or where that is idle of the others.
  [[nodiscard]] AgentStatus status() const;
  void listen(AcpProvider& provider);

  AgentSpec spec_;  // Of the confined ones.
  ProviderDeps deps_;
  AcpProvider shared_;
  std::vector<OwnPtr> all_;  // Those of their own; none goes before we do.
  std::vector<OwnPtr> unused_;
  std::map<SessionId, OwnPtr> own_;
  std::map<std::string, OwnPtr> warm_;  // Started ahead, by project.
  std::map<SessionId, std::shared_ptr<SessionSink>> sinks_;
  StatusCallback told_;
};

}  // namespace lb::acp
