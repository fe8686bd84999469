#include "providers/events/provider.h"

#include <fmt/format.h>

#include <utility>

#include "providers/program_info.h"

namespace lb::events {

std::unique_ptr<Provider> make_provider(AgentSpec spec, const ProviderDeps& deps) {
  return std::make_unique<EventsProvider>(std::move(spec), deps);
}

Result<void> EventsProvider::start(EventsSession& session) {
  const WarmPlace& place = session.place();
  auto process = deps().launcher.launch({.argv = spec_.argv,
                                         .cwd = place.project_dir,
                                         .env = spec_.environment(place.env),
                                         .confined = place.confined,
                                         .owner = session.owner()});
  if (!process) {
    Error why = not_started(spec_.name, spec_.install_hint, process.error());
    if (why.code == ErrorCode::AgentUnavailable) {
      tell_status(AgentStatus::Disconnected, why.message);
    }
    return std::unexpected(std::move(why));
  }
  session.follow(std::move(*process));
  count_alive();
  return {};
}

Result<ProviderSession> EventsProvider::open(const SessionId& id, const WarmPlace& place) {
  SessionPtr session = find(id);
  if (!session) {
    session = std::make_shared<EventsSession>(
        id, place, SessionDeps{spec_.name, deps().executor, deps().clock, deps().timers});
    keep(session);
  }
  if (!session->alive()) {
    if (auto started = start(*session); !started) {
      drop(id);
      return std::unexpected(started.error());
    }
  }
  return ProviderSession{id, spec_.cli_type, id.str()};
}

asio::awaitable<Result<ProviderSession>> EventsProvider::create_session(
    CreateSessionOptions options) {
  if (!options.provider_options.empty() || options.mode || options.model) {
    co_return fail(ErrorCode::InvalidRequest,
                   fmt::format("{} knows no modes, models or options", spec_.cli_type));
  }
  co_return open(options.session_id, WarmPlace::of(options));
}

asio::awaitable<Result<ProviderSession>> EventsProvider::load_session(SessionId session,
                                                                      LoadSessionOptions options) {
  co_return open(session, WarmPlace::of(options));
}

asio::awaitable<Result<void>> EventsProvider::import_history(SessionId, LoadSessionOptions) {
  co_return Result<void>{};  // There is none beside our own.
}

asio::awaitable<Result<void>> EventsProvider::reopen(AnySession session) {
  co_return start(*own(session));
}

asio::awaitable<void> EventsProvider::after_kill(AnySession session) {
  co_await ProviderBase::after_kill(std::move(session));
  count_alive();
}

asio::awaitable<AgentInfo> EventsProvider::inspect() {
  AgentInfo info = co_await inspect_agent(spec_, deps().blocking);
  info.protocol = "events";
  if (any_alive()) info.status = AgentStatus::Connected;
  co_return info;
}

}  // namespace lb::events
