/// EventsProvider: any program that writes canonical stream events (`protocol = "events"`).
///
/// One process per session, started in the project's folder. The program keeps no history for us:
/// our timeline is all there is, and a session is opened again by starting the program anew.
/// docs/adding-an-agent.md has an example. Owned by the registry. Lives on the io thread.
#pragma once

#include <memory>
#include <string>

#include "providers/agent_spec.h"
#include "providers/events/session.h"
#include "providers/provider_base.h"

namespace lb::events {

class EventsProvider final : public ProviderOf<EventsSession> {
 public:
  EventsProvider(AgentSpec spec, const ProviderDeps& deps)
      : ProviderOf(spec.cli_type, spec.name, deps), spec_(std::move(spec)) {}

  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  [[nodiscard]] bool can_confine() const override { return true; }
  asio::awaitable<AgentInfo> inspect() override;

 protected:
  asio::awaitable<Result<void>> reopen(AnySession session) override;
  asio::awaitable<void> after_kill(AnySession session) override;

 private:
  Result<void> start(EventsSession& session);
  Result<ProviderSession> open(const SessionId& id, const WarmPlace& place);
  /// Idle or connected: there is no connection beside those of the sessions.
  void count_alive() { tell_status(any_alive() ? AgentStatus::Connected : AgentStatus::Idle); }

  AgentSpec spec_;
};

std::unique_ptr<Provider> make_provider(AgentSpec spec, const ProviderDeps& deps);

}  // namespace lb::events
