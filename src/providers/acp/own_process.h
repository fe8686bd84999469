/// OwnProcessProvider: an ACP agent with one process for all sessions, and one of its own for each
/// that needs it: a confined one, one in a worktree, one with an environment of its own.
///
/// Each of those processes is an AcpProvider with one session. One whose session was forgotten ends
/// its process and is used again by the next: none is destroyed while calls may refer to it. A fork
/// is made by the process of its original, because only that one can copy the conversation.
/// Owned by the registry. Lives on the io thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "providers/acp/provider.h"

namespace lb::acp {

class OwnProcessProvider final : public Provider {
 public:
  OwnProcessProvider(AgentSpec spec, ProviderDeps deps);

  [[nodiscard]] std::string_view cli_type() const override { return shared_.cli_type(); }
  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options,
                                                        std::optional<ForkPoint> before) override;
  void attach(const SessionId& session, std::shared_ptr<SessionSink> sink) override;
  void forget(const SessionId& session) override;

  // What one session is asked to do: by who runs it.
  asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) override {
    return of(session).send_message(session, std::move(prompt));
  }
  asio::awaitable<Result<void>> steer_turn(SessionId session, Prompt prompt) override {
    return of(session).steer_turn(session, std::move(prompt));
  }
  asio::awaitable<Result<void>> cancel_turn(SessionId session) override {
    return of(session).cancel_turn(session);
  }
  asio::awaitable<Result<void>> kill_session(SessionId session) override {
    return of(session).kill_session(session);
  }
  [[nodiscard]] bool is_alive(const SessionId& session) const override {
    return of(session).is_alive(session);
  }
  Result<PreparedAnswer> prepare_answer(const SessionId& session, const Answer& answer) override {
    return of(session).prepare_answer(session, answer);
  }
  asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) override {
    return of(session).set_mode(session, std::move(mode));
  }
  asio::awaitable<Result<void>> set_model(SessionId session, std::string model) override {
    return of(session).set_model(session, std::move(model));
  }
  asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) override {
    return of(session).set_thinking(session, std::move(level));
  }
  void hold(const SessionId& session, bool held) override { of(session).hold(session, held); }

  // The agent as a whole.
  void on_status(StatusCallback callback) override { told_ = std::move(callback); }
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override {
    return shared_.discover(std::move(project_dir));
  }
  asio::awaitable<std::int64_t> outside_mark(std::string project_dir) override {
    return shared_.outside_mark(std::move(project_dir));
  }
  [[nodiscard]] std::string records() const override { return shared_.records(); }
  [[nodiscard]] bool can_confine() const override { return true; }
  [[nodiscard]] std::optional<bool> takes_text() const override;
  asio::awaitable<AgentInfo> inspect() override;
  asio::awaitable<Result<void>> reconnect() override;
  void prewarm(const WarmPlace& place) override;
  void prewarm_shared(const WarmPlace& place) override;
  void end_prewarmed(const WarmPlace& place) override;
  [[nodiscard]] std::size_t prewarmed() const override;
  asio::awaitable<void> shutdown() override;

 private:
  using OwnPtr = std::shared_ptr<AcpProvider>;
  struct Own {
    OwnPtr by;
    WarmPlace place;
  };

  /// Who runs this session.
  [[nodiscard]] AcpProvider& of(const SessionId& session) const;
  /// The same for one that is opened at `place`: in a process of its own where it needs one, which
  /// was started ahead, used before, or is new.
  AcpProvider& at(const SessionId& session, const WarmPlace& place);
  OwnPtr unused(const WarmPlace& place);
  [[nodiscard]] AgentSpec spec_for(const WarmPlace& place) const;
  void give(const SessionId& session, Own own);
  void let_go(OwnPtr own);
  asio::awaitable<Result<ProviderSession>> move_fork(AcpProvider& maker, ProviderSession made,
                                                     CreateSessionOptions options);
  /// Of the agent as a whole: of the shared process, or where that is idle of the others.
  [[nodiscard]] AgentStatus status() const;
  void listen(AcpProvider& provider);

  AgentSpec spec_;
  ProviderDeps deps_;
  mutable AcpProvider shared_;
  std::vector<OwnPtr> all_;  // Those of their own; none goes before we do.
  std::vector<OwnPtr> unused_;
  std::map<SessionId, Own> own_;
  std::map<WarmPlace, OwnPtr> warm_;  // Started ahead.
  std::map<SessionId, std::shared_ptr<SessionSink>> sinks_;
  StatusCallback told_;
};

}  // namespace lb::acp
