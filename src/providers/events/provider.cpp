#include "providers/events/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "providers/program_info.h"

namespace lb::events {

EventsProvider::EventsProvider(AgentSpec spec, ProviderDeps deps)
    : spec_(std::move(spec)), deps_(std::move(deps)) {}

std::shared_ptr<Listeners> EventsProvider::listeners(const SessionId& id) {
  auto& known = listeners_[id];
  if (!known) known = std::make_shared<Listeners>();
  return known;
}

Result<EventsProvider::SessionPtr> EventsProvider::known(const SessionId& id) const {
  if (const auto found = sessions_.find(id); found != sessions_.end()) return found->second;
  return fail(ErrorCode::SessionNotFound, fmt::format("{} has no such session.", spec_.name));
}

/// Idle or connected: there is no connection beside those of the sessions.
void EventsProvider::tell_status(std::optional<std::string> message) {
  if (!status_) return;
  const bool any =
      std::ranges::any_of(sessions_, [](const auto& entry) { return entry.second->alive(); });
  status_(message ? AgentStatus::Disconnected
          : any   ? AgentStatus::Connected
                  : AgentStatus::Idle,
          std::move(message));
}

Result<void> EventsProvider::start(const SessionPtr& session) {
  LaunchOptions options;
  options.argv = spec_.argv;
  options.cwd = session->project_dir();
  options.env = child_environment(spec_.env, spec_.path);
  auto process = deps_.launcher.launch(std::move(options));
  if (!process) {
    std::string message = fmt::format("Could not start {}. Check that it's installed. {}",
                                      spec_.name, spec_.install_hint);
    tell_status(message);
    return fail(ErrorCode::AgentUnavailable, std::move(message));
  }
  session->attach(std::move(*process));
  tell_status(std::nullopt);
  return {};
}

Result<ProviderSession> EventsProvider::open(const SessionId& id, const std::string& project_dir) {
  auto& session = sessions_[id];
  if (!session) {
    session = std::make_shared<EventsSession>(
        id, project_dir, SessionDeps{spec_.name, deps_.executor, deps_.clock, deps_.timers},
        listeners(id));
  }
  if (!session->alive()) {
    if (auto started = start(session); !started) {
      sessions_.erase(id);
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
  co_return open(options.session_id, options.project_dir);
}

asio::awaitable<Result<ProviderSession>> EventsProvider::load_session(SessionId session,
                                                                      LoadSessionOptions options) {
  co_return open(session, options.project_dir);
}

asio::awaitable<Result<void>> EventsProvider::import_history(SessionId, LoadSessionOptions) {
  co_return Result<void>{};  // There is none beside our own.
}

asio::awaitable<Result<SendResult>> EventsProvider::send_message(SessionId id, Prompt prompt) {
  const auto session = known(id);
  if (!session) co_return std::unexpected(session.error());
  if (!(*session)->alive()) {
    if (auto started = start(*session); !started) co_return std::unexpected(started.error());
  }
  const TurnId turn = prompt.turn_id;
  if (auto begun = co_await (*session)->prompt(std::move(prompt)); !begun) {
    co_return std::unexpected(begun.error());
  }
  co_return SendResult{turn};
}

asio::awaitable<Result<void>> EventsProvider::cancel_turn(SessionId id) {
  const auto session = known(id);
  if (!session) co_return std::unexpected(session.error());
  co_return (*session)->cancel();
}

asio::awaitable<Result<void>> EventsProvider::kill_session(SessionId id) {
  const auto session = known(id);
  if (!session) co_return std::unexpected(session.error());
  const SessionPtr keep = *session;
  co_await keep->close({ErrorCode::Cancelled, "The session was closed."});
  sessions_.erase(id);
  tell_status(std::nullopt);
  co_return Result<void>{};
}

bool EventsProvider::is_alive(const SessionId& id) const {
  const auto session = known(id);
  return session && (*session)->alive();
}

void EventsProvider::on_upsert(const SessionId& session, UpsertCallback callback) {
  listeners(session)->upsert = std::move(callback);
}
void EventsProvider::on_turn(const SessionId& session, TurnCallback callback) {
  listeners(session)->turn = std::move(callback);
}
void EventsProvider::on_report(const SessionId& session, ReportCallback callback) {
  listeners(session)->report = std::move(callback);
}
void EventsProvider::on_status(StatusCallback callback) {
  status_ = std::move(callback);
}

void EventsProvider::forget(const SessionId& session) {
  sessions_.erase(session);
  listeners_.erase(session);
}

asio::awaitable<Result<void>> EventsProvider::answer(SessionId, Answer) {
  co_return fail(ErrorCode::ItemNotFound, spec_.name + " asks no questions.");
}

asio::awaitable<AgentInfo> EventsProvider::inspect() {
  AgentInfo info;
  info.cli_type = spec_.cli_type;
  info.name = spec_.name;
  info.protocol = "events";
  const std::string command = spec_.argv.empty() ? "" : spec_.argv.front();
  const ProgramInfo program =
      co_await inspect_program(command, child_environment(spec_.env, spec_.path), deps_.blocking);
  info.installed = program.path.has_value();
  info.version = program.version;
  for (const auto& [id, session] : sessions_) {
    if (session->alive()) info.status = AgentStatus::Connected;
  }
  if (!info.installed) {
    info.problem = fmt::format("{} was not found.", command);
    info.remedy = spec_.install_hint;
  }
  co_return info;
}

void EventsProvider::hold(const SessionId& id, bool held) {
  if (const auto session = known(id)) (*session)->hold(held);
}

asio::awaitable<void> EventsProvider::shutdown() {
  const auto sessions = std::exchange(sessions_, {});
  for (const auto& [id, session] : sessions) {
    co_await session->close(
        {ErrorCode::ServerRestarted, "The server was stopped during this turn."});
  }
}

}  // namespace lb::events
