// SessionService: sessions that were made outside, in an agent's own records.

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/limits.h"
#include "base/run_on.h"
#include "session/service/session_service.h"

namespace lb {

void SessionService::discover_soon(const ProjectRecord& project) {
  const MonoMs now = deps_.clock.mono();
  const auto last = discovered_at_.find(project.id);
  if (last != discovered_at_.end() && now - last->second < limits::kDiscoveryEveryMs) return;
  discover_now(project);
}

void SessionService::discover_now(const ProjectRecord& project) {
  discovered_at_[project.id] = deps_.clock.mono();
  asio::co_spawn(deps_.io, discover(project), asio::detached);
}

/// A session that is begun in a terminal is in the lists a moment later, and not when somebody asks
/// for them.
void SessionService::watch_outside() {
  if (stopping_) return;
  outside_timer_.expires_after(deps_.outside_every);
  outside_timer_.async_wait([this, host = weak()](boost::system::error_code why) {
    if (!why && !host.expired()) asio::co_spawn(deps_.io, look_outside(), asio::detached);
  });
}

asio::awaitable<void> SessionService::look_outside() {
  const std::weak_ptr<SessionHost> alive = weak();
  for (const ProjectRecord& project : projects_.present()) {
    std::int64_t mark = 0;
    for (const auto& provider : deps_.providers.all()) {
      for (const DiscoveryPlace& place : places_of(project)) {
        mark += co_await provider->outside_mark(place.folder);
        if (alive.expired()) co_return;
      }
    }
    Outside& seen = outside_[project.id];
    // At the start everything was looked at.
    if (seen.mark && seen.mark != mark) seen.looks = limits::kOutsideLooks;
    seen.mark = mark;
    if (seen.looks == 0) continue;
    --seen.looks;
    discover_now(project);
  }
  watch_outside();
}

/// Everyone learns when the folder of a project disappears, or is there again.
void SessionService::note_missing(const ProjectRecord& project, bool missing) {
  if (!projects_.mark_missing(project.id, missing)) return;
  if (const auto known = projects_.find(project.id)) {
    events_->project_added(projects_.to_project(*known));
  }
}

/// Whoever begins a session is told that its folder is gone, and so is everybody who sees the list.
asio::awaitable<Result<void>> SessionService::folder_there(const ProjectRecord& project) {
  const bool missing = co_await run_on(
      blocking_, [path = project.path] { return !real_directory(path).has_value(); });
  note_missing(project, missing);
  if (!missing) co_return Result<void>();
  co_return fail(
      ErrorCode::ProjectPathInvalid,
      fmt::format("The folder {} is gone. Put it back, or choose another project.", project.path));
}

asio::awaitable<void> SessionService::discover(ProjectRecord project) {
  const std::weak_ptr<SessionHost> alive = weak();  // The answers may come when we are gone.
  const bool missing = co_await run_on(
      blocking_, [path = project.path] { return !real_directory(path).has_value(); });
  if (alive.expired()) co_return;
  note_missing(project, missing);
  for (const auto& provider : deps_.providers.all()) {
    for (const DiscoveryPlace& place : places_of(project)) {
      auto found = co_await provider->discover(place.folder);
      if (alive.expired()) co_return;
      take_discovered(place, *provider, std::move(found));
    }
  }
}

/// The folders in which sessions of a project are begun: its own, and those of its workspaces.
std::vector<SessionService::DiscoveryPlace> SessionService::places_of(
    const ProjectRecord& project) const {
  std::vector<DiscoveryPlace> places = {{project, {}, project.path}};
  for (const WorkspaceRecord& workspace : workspaces_.ready_in(project.id)) {
    places.push_back({project, workspace.id, workspace.folder()});
  }
  return places;
}

namespace {

/// Whether what discovery found says more than we know. It does so every few seconds, of every
/// session: it must resume none without a reason.
bool news(const SessionRecord& record, const DiscoveredSession& found) {
  return !record.deleted && record.external && with_discovered(record, found) != record;
}

}  // namespace

/// The other agents over the same records: they find the same sessions, and who found one first, or
/// made it, has it.
std::vector<std::string> SessionService::others_at(const Provider& provider) const {
  std::vector<std::string> others;
  const std::string records = provider.records();
  if (records.empty()) return others;
  for (const auto& other : deps_.providers.all()) {
    if (other.get() == &provider || other->records() != records) continue;
    others.emplace_back(other->cli_type());
  }
  return others;
}

/// Each session made outside is listed once: sessions of ours are known by the CLI's id, and an
/// outside one has the same id of ours for ever.
void SessionService::take_discovered(const DiscoveryPlace& place, Provider& provider,
                                     std::vector<DiscoveredSession> found) {
  WriteBatch batch;
  std::vector<DormantPtr> fresh;
  const std::vector<std::string> others = others_at(provider);
  for (const DiscoveredSession& one : found) {
    const auto has = [&](const std::string& other) {
      const std::string its = other + ":" + one.cli_session_id;
      return by_cli_id_.contains(its) || hidden_.contains(SessionId(uuid_from(its)));
    };
    const std::string cli_id = std::string(provider.cli_type()) + ":" + one.cli_session_id;
    const SessionId id(uuid_from(cli_id));
    const auto ours = by_cli_id_.find(cli_id);
    const auto known = sessions_.find(ours != by_cli_id_.end() ? ours->second : id);
    if (known != sessions_.end()) {
      if (news(known->second.kept->record, one)) resume(known->second)->rediscovered(one);
      continue;
    }
    if (hidden_.contains(id) || std::ranges::any_of(others, has)) continue;
    SessionRecord record = new_record(place.project, std::string(provider.cli_type()));
    record.workspace_id = place.workspace;
    record.id = id;
    record.cli_session_id = one.cli_session_id;
    if (!one.title.empty()) {
      record.title = one.title;
      record.title_source = TitleSource::Agent;
    }
    record.created_at = one.created_at;
    record.last_active_at = one.last_active_at;
    record.external = true;
    record.imported = false;
    SessionWrite& write = batch.sessions.emplace_back();
    write.session = id;
    write.record = record;
    fresh.push_back(std::make_shared<DormantSession>(std::move(record)));
    add(fresh.back(), nullptr);
  }
  if (!fresh.empty()) deps_.store.write(std::move(batch), nullptr);
  for (const DormantPtr& kept : fresh) events_->session_info(info_of(*kept, &provider));
}

}  // namespace lb
