/// EventsProvider: any program that writes canonical stream events (`protocol = "events"`).
///
/// One process per session, started in the project's folder. The program keeps no history for us:
/// our timeline is all there is, and a session is opened again by starting the program anew.
/// docs/adding-an-agent.md has an example. Owned by the registry. Lives on the io thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "providers/events/session.h"
#include "providers/provider.h"

namespace lb::events {

struct AgentSpec {
  std::string cli_type;
  std::string name;
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::string> path;
  std::string install_hint;
};

struct ProviderDeps {
  asio::any_io_executor executor;
  asio::any_io_executor blocking;
  Launcher& launcher;
  const Clock& clock;
  Timers& timers;
};

class EventsProvider final : public Provider {
 public:
  EventsProvider(AgentSpec spec, ProviderDeps deps);

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
  asio::awaitable<AgentInfo> inspect() override;
  void hold(const SessionId& session, bool held) override;
  asio::awaitable<void> shutdown() override;

 private:
  using SessionPtr = std::shared_ptr<EventsSession>;
  [[nodiscard]] Result<SessionPtr> known(const SessionId& id) const;
  std::shared_ptr<Listeners> listeners(const SessionId& id);
  Result<void> start(const SessionPtr& session);
  Result<ProviderSession> open(const SessionId& id, const std::string& project_dir);
  void tell_status(std::optional<std::string> message);

  AgentSpec spec_;
  ProviderDeps deps_;
  std::map<SessionId, std::shared_ptr<Listeners>> listeners_;
  std::map<SessionId, SessionPtr> sessions_;
  StatusCallback status_;
};

}  // namespace lb::events
