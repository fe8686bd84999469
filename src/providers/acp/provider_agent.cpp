// The parts of AcpProvider about the agent as a whole: its life, its login, what is on record.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/run_on.h"
#include "providers/acp/codex_sessions.h"
#include "providers/acp/login.h"
#include "providers/acp/provider.h"
#include "providers/program_info.h"

namespace lb::acp {

/// After a restart of the process the agent has to open its sessions again.
asio::awaitable<Result<void>> AcpProvider::reopen(AnySession session) {
  auto opened = co_await open(own(session), History::Skip);
  if (opened) co_return opened;
  Error why = cannot_open(std::move(opened.error()));
  if (why.code == ErrorCode::SessionNotFound) why.code = ErrorCode::ProcessCrash;
  co_return std::unexpected(std::move(why));
}

/// An agent that does not close its sessions is ended with its last one.
asio::awaitable<void> AcpProvider::after_kill(AnySession session) {
  co_await ProviderBase::after_kill(std::move(session));
  if (!any_alive() && warm_.empty() && manager_->connection()) co_await manager_->stop();
}

// --- The agent as a whole -----------------------------------------------------------------------

asio::awaitable<Result<void>> AcpProvider::reconnect() {
  logged_in();  // The next call tells.
  return manager_->reconnect();
}

// --- Logged in or not ---------------------------------------------------------------------------

Error AcpProvider::on_logged_out(const RpcError& error) {
  const auto& connection = manager_->connection();
  Error why = login_needed(spec_, connection ? connection->abilities : manager_->abilities());
  why.code = ErrorCode::Unauthenticated;
  if (error.code != rpc_code::kAuthenticationRequired) {
    why.message += fmt::format(" (It said: {})", error_text(error.message, error.data));
  }
  logged_out(why);
  return why;
}

/// Nothing is locked: the next message tries again. A process that nobody uses ends, so that the
/// next one finds a login that was made meanwhile.
void AcpProvider::logged_out(const Error& why) {
  logged_out_ = why.message;
  tell_status(manager_->status(), logged_out_);
  if (any_alive()) return;
  not_warm();
  asio::co_spawn(
      deps().executor,
      [](std::shared_ptr<AgentManager> manager) -> asio::awaitable<void> {
        co_await manager->stop();
      }(manager_),
      asio::detached);
}

void AcpProvider::logged_in() {
  if (!std::exchange(logged_out_, std::nullopt)) return;
  tell_status(manager_->status());
}

/// One process serves all sessions, so holding one back holds them all: nothing may be lost.
void AcpProvider::apply_hold() {
  const auto& connection = manager_->connection();
  if (!connection) return;
  bool held = false;
  for (const SessionPtr& session : sessions()) held = held || session->held();
  connection->peer->hold(held);
}

void AcpProvider::hold(const SessionId& id, bool held) {
  ProviderBase::hold(id, held);
  apply_hold();
}

// --- Started ahead ------------------------------------------------------------------------------
// One process serves all projects, so that it is warm for all of them as soon as it runs.

void AcpProvider::prewarm(const WarmPlace& place) {
  const std::string& project_dir = place.project_dir;
  // A process that is in use is as warm as can be; one that failed waits for the user.
  const AgentStatus status = manager_->status();
  const bool can = status == AgentStatus::Idle || !warm_.empty();
  if (!can || !warm_.insert(project_dir).second) return;
  show_warm();
  if (warm_.size() == 1) {
    asio::co_spawn(deps().executor, start_ahead(project_dir), asio::detached);
  }
}

asio::awaitable<void> AcpProvider::start_ahead(std::string project_dir) {
  auto connected = co_await manager_->ensure();
  if (connected || !warm_.contains(project_dir)) co_return;
  log_info("warm_start_failed", {{"agent", spec_.cli_type}, {"why", connected.error().message}});
  not_warm();
}

void AcpProvider::end_prewarmed(const WarmPlace& place) {
  if (warm_.erase(place.project_dir) == 0) return;
  show_warm();
  if (!warm_.empty() || any_alive()) return;
  asio::co_spawn(
      deps().executor,
      [](std::shared_ptr<AgentManager> manager) -> asio::awaitable<void> {
        co_await manager->stop();
      }(manager_),
      asio::detached);
}

std::size_t AcpProvider::prewarmed() const {
  return warm_.empty() ? 0 : 1;
}

std::optional<bool> AcpProvider::takes_text() const {
  const AgentAbilities& can = manager_->abilities();
  return can.told ? std::optional(can.resources) : std::nullopt;
}

void AcpProvider::not_warm() {
  warm_.clear();
  show_warm();
}

void AcpProvider::show_warm() {
  static Gauge& count = gauge("lb_warm_agents", "Agents started ahead that no session uses yet.");
  const auto now = static_cast<std::int64_t>(prewarmed());
  count.add(now - std::exchange(warm_shown_, now));
}

// --- A process of a session's own ---------------------------------------------------------------
// It ends when its session has had nothing to do for as long as one of Claude Code's may have. The
// one that all others share stays.

void AcpProvider::watch_idle() {
  if (!spec_.own_process) return;
  opened_at_ = deps().clock.mono();
  if (!idle_) idle_ = deps().timers.after(limits::kAgentIdleEnd, [this] { end_if_idle(); });
}

void AcpProvider::end_if_idle() {
  idle_.reset();
  const auto connection = manager_->connection();
  // The next opening watches again. Who cannot open a conversation again has to keep it.
  if (!connection || !(connection->abilities.load || connection->abilities.resume)) return;
  MonoMs since = opened_at_;
  bool quiet = true;
  for (const SessionPtr& session : sessions()) {
    since = std::max(since, session->worked_at());
    quiet = quiet && session->quiet();
  }
  const std::chrono::milliseconds idle(deps().clock.mono() - since);
  if (!quiet || idle < limits::kAgentIdleEnd) {
    const auto left = quiet ? limits::kAgentIdleEnd - idle : limits::kAgentIdleEnd;
    idle_ = deps().timers.after(left, [this] { end_if_idle(); });
    return;
  }
  for (const SessionPtr& session : sessions()) session->let_go();
  asio::co_spawn(
      deps().executor,
      [](std::shared_ptr<AgentManager> manager) -> asio::awaitable<void> {
        co_await manager->stop();
      }(manager_),
      asio::detached);
}

asio::awaitable<void> AcpProvider::shutdown() {
  idle_.reset();
  not_warm();
  by_cli_.clear();
  co_await ProviderBase::shutdown();
  co_await manager_->stop();
}

asio::awaitable<AgentInfo> AcpProvider::inspect() {
  AgentInfo info = co_await inspect_agent(spec_, deps().blocking);
  info.protocol = "acp";
  info.status = manager_->status();
  if (prewarmed() > 0) info.warm = prewarmed();
  if (!manager_->abilities().version.empty()) info.version = manager_->abilities().version;
  if (!info.installed) co_return info;
  info.login = co_await run_on(deps().blocking, [kind = spec_.kind, env = spec_.environment()] {
    return login_on_disk(kind, env);
  });
  const auto before = std::exchange(login_, info.login);
  if (before == LoginState::Needed && info.login == LoginState::Ok) logged_in();
  if (logged_out_) {
    info.login = LoginState::Needed;
    info.problem = logged_out_;
  } else if (info.login == LoginState::Needed) {
    info.problem = spec_.name + " is not logged in.";
    info.remedy = spec_.login_hint;
  }
  co_return info;
}

// --- Discovery ----------------------------------------------------------------------------------

asio::awaitable<std::vector<DiscoveredSession>> AcpProvider::discover(std::string project_dir) {
  if (!spec_.discover) co_return co_await ask_for_sessions(std::move(project_dir));
  co_return co_await run_on(deps().blocking,
                            [find = spec_.discover, project_dir] { return find(project_dir); });
}

asio::awaitable<std::int64_t> AcpProvider::outside_mark(std::string) {
  if (spec_.kind != "codex") co_return 0;
  co_return co_await run_on(deps().blocking, [home = records()] { return codex_changed_at(home); });
}

/// Asks an agent that runs anyway; none is started only to look.
asio::awaitable<std::vector<DiscoveredSession>> AcpProvider::ask_for_sessions(
    std::string project_dir) {
  std::vector<DiscoveredSession> found;
  const auto connection = manager_->connection();
  if (!connection || !connection->abilities.list) co_return found;
  json::object params = {{"cwd", project_dir}};
  while (found.size() < limits::kDiscoverSessionsMax) {
    auto page = co_await call(connection, "session/list", params, {});
    const json::array* entries = page ? array_at(*page, "sessions") : nullptr;
    if (entries == nullptr || entries->empty()) co_return found;
    for (const json::value& value : *entries) {
      const json::object* entry = value.if_object();
      if (entry == nullptr || string_at(*entry, "cwd") != project_dir) continue;
      DiscoveredSession session;
      session.cli_session_id = string_at(*entry, "sessionId");
      session.title = string_at(*entry, "title");
      session.last_active_at = from_iso(string_at(*entry, "updatedAt")).value_or(Timestamp{});
      session.created_at = session.last_active_at;
      if (!session.cli_session_id.empty()) found.push_back(std::move(session));
    }
    const std::string_view next = string_at(*page, "nextCursor");
    if (next.empty()) co_return found;
    params["cursor"] = next;
  }
  co_return found;
}

}  // namespace lb::acp
