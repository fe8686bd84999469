#include "session/service/session_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/run_on.h"
#include "base/together.h"
#include "base/version.h"
#include "session/texts.h"

namespace lb {
namespace {

constexpr std::uint64_t kFilesDefault = 50;

}  // namespace

SessionService::SessionService(ServiceDeps deps)
    : deps_(std::move(deps)),
      audit_trail_(deps_.store, deps_.clock),
      events_(&nobody_),
      started_at_(deps_.clock.wall()),
      suspend_timer_(deps_.io),
      outside_timer_(deps_.io),
      warm_(deps_.io, deps_.warm_life),
      blocking_(2),
      git_pool_(2),
      snapshot_pool_(2),
      folders_(deps_.git, deps_.keep_dir),
      checkpoints_(
          {deps_.io, deps_.store, deps_.clock, folders_, snapshot_pool_, deps_.checkpoint_wait}),
      radar_(deps_.io, folders_, snapshot_pool_),
      workspaces_({deps_.io, deps_.store, deps_.clock, folders_, git_pool_, deps_.launcher,
                   deps_.worktrees},
                  workspace_events()),
      terminals_({deps_.io, deps_.clock, deps_.launcher, deps_.terminals}, terminal_events()),
      radar_timer_(deps_.io),
      review_(deps_.io, deps_.store, deps_.clock) {
  review_.on_comment([this](const Comment& comment) { events_->comment(comment); });
  checkpoints_.on_ended([this](const Checkpoints::Ended& ended) { files_changed(ended); });
  radar_.on_change([this](const SessionId& session, std::optional<ChangeCount> changes,
                          std::vector<SessionId> overlaps) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end()) return;
    SessionWork work = found->second.kept->work;
    work.changes = std::move(changes);
    work.overlaps = std::move(overlaps);
    work_is(session, std::move(work));
  });
}

SessionService::~SessionService() {
  blocking_.join();
  git_pool_.join();
  snapshot_pool_.join();
}

void SessionService::set_events(ServiceEvents* events) {
  events_ = events != nullptr ? events : &nobody_;
}

InfoBody SessionService::info() const {
  StoreInfo store = deps_.store.info();
  return {std::string(kVersion),
          kWireVersion,
          std::move(store.epoch),
          {std::move(store.kind), std::move(store.durability)},
          started_at_,
          static_cast<bool>(deps_.editor)};
}

asio::awaitable<Result<std::string>> SessionService::run(const SessionCommand& command,
                                                         const json::value& fields, Caller caller) {
  // binding::handle of commands/bind.h, made for the method that the row in commands/table.cpp
  // names.
  return command.handler(*this, fields, caller);
}

asio::awaitable<Result<void>> SessionService::start() {
  auto catalog = co_await deps_.store.load_catalog();
  if (!catalog) co_return std::unexpected(std::move(catalog.error()));
  auto unfinished = co_await deps_.store.load_unfinished();
  if (!unfinished) co_return std::unexpected(std::move(unfinished.error()));
  load_settings(catalog->settings);
  projects_.load(std::move(catalog->projects));
  workspaces_.load(catalog->workspaces, catalog->setups);
  for (SessionRecord& record : catalog->sessions) {
    if (record.deleted) {
      hide_from_discovery(record);
    } else {
      add(std::make_shared<DormantSession>(std::move(record)), nullptr);
    }
  }
  for (SeenRow& row : catalog->reviewed) {
    if (const auto found = sessions_.find(row.session); found != sessions_.end()) {
      found->second.kept->work.reviewed = std::move(row.oid);
    }
  }
  deps_.store.on_state([this](const StoreState& state) { store_state_changed(state); });
  for (const auto& provider : deps_.providers.all()) {
    const std::string cli_type(provider->cli_type());
    statuses_[cli_type] = {cli_type, AgentStatus::Idle, std::nullopt};
    provider->on_status([this, cli_type](AgentStatus status, std::optional<std::string> message) {
      statuses_[cli_type] = {cli_type, status, std::move(message)};
      events_->agent_status(statuses_[cli_type]);
    });
  }
  for (Unfinished& left : *unfinished) {
    const Slot* slot = slot_of(left.session);
    if (slot == nullptr || !owns(slot->kept->record)) continue;
    const auto session = find(left.session);
    if (auto done = co_await (*session)->recover(std::move(left)); !done) co_return done;
  }
  co_await finish_rewinds(std::move(catalog->open_rewinds));
  co_await workspaces_.mend();
  std::vector<SessionId> apart;
  for (const auto& [id, slot] : sessions_) {
    const SessionRecord& record = slot.kept->record;
    const bool shown = !record.workspace_id.empty() && !record.deleted && !record.archived;
    if (shown) apart.push_back(id);
  }
  look_again_soon(std::move(apart));
  for (const ProjectRecord& project : projects_.present()) discover_soon(project);
  watch_outside();
  co_return Result<void>{};
}

asio::awaitable<void> SessionService::stop() {
  stopping_ = true;
  std::vector<asio::awaitable<void>> all;
  all.push_back(terminals_.stop());
  for (const auto& provider : deps_.providers.all()) all.push_back(provider->shutdown());
  co_await together(std::move(all));
  // A copy: whatever the agents said last may still add to the map.
  const auto sessions = sessions_;
  for (const auto& [id, slot] : sessions) {
    if (slot.session && !slot.session->live()->idle()) co_await slot.session->live()->durable();
  }
  co_await save_exact_numbers();
}

/// The last words of a stopping server: the exact numbers instead of the reserved ones.
asio::awaitable<void> SessionService::save_exact_numbers() {
  WriteBatch batch;
  for (auto& [id, slot] : sessions_) {
    TimelineNumbers& numbers = slot.kept->numbers;
    if (slot.session) numbers = slot.session->live()->numbers();
    if (!std::exchange(numbers.active, false)) continue;
    if (slot.session) slot.session->live()->deactivate();
    SessionRecord& record = slot.kept->record;
    record.reserved = numbers.head;
    record.next_pos = numbers.next_pos;
    SessionWrite& write = batch.sessions.emplace_back();
    write.session = id;
    write.record = record;
  }
  if (!batch.sessions.empty()) (void)co_await deps_.store.commit(std::move(batch));
}

void SessionService::store_state_changed(const StoreState& state) {
  const bool held = state.kind != StoreState::Kind::Ready;
  for (const auto& [id, slot] : sessions_) {
    Provider* provider = provider_of(slot.kept->record.cli_type);
    if (provider != nullptr && provider->is_alive(id)) provider->hold(id, held);
    if (!held && slot.session) slot.session->store_ready();
  }
  events_->store_state(state);
}

// --- SessionHost ------------------------------------------------------------------------------

void SessionService::info_changed(const SessionInfo& info) {
  if (sessions_.contains(info.session_id)) events_->session_info(info);
}

void SessionService::facts_changed(const SessionId& session, const SessionFacts& facts) {
  events_->session_facts(session, facts);
}

void SessionService::inbox_changed(const SessionRecord& record, const std::vector<Item>& items) {
  events_->session_inbox(record.id, record.title, items);
}

void SessionService::cli_id_changed(Session& session) {
  const SessionRecord& record = session.record();
  const std::string now = record.cli_type + ":" + record.cli_session_id;
  std::vector<std::string> left;  // The CLI goes on under another id: /clear does that.
  for (const auto& [cli_id, owner] : by_cli_id_) {
    if (owner == record.id && cli_id != now) left.push_back(cli_id);
  }
  for (const std::string& cli_id : left) {
    by_cli_id_.erase(cli_id);
    hide_left_cli_id(record, cli_id);
  }
  remember_cli_id(record);
}

void SessionService::remember_cli_id(const SessionRecord& record) {
  if (record.cli_session_id.empty()) return;
  by_cli_id_[record.cli_type + ":" + record.cli_session_id] = record.id;
}

/// What the CLI has under that id is the beginning of a session of ours. It is kept as a deleted
/// session, so that discovery does not list it a second time after a restart.
void SessionService::hide_left_cli_id(SessionRecord record, const std::string& cli_id) {
  const SessionId id(uuid_from(cli_id));
  if (hidden_.contains(id)) return;
  record.id = id;
  record.cli_session_id = cli_id.substr(record.cli_type.size() + 1);
  record.external = true;
  record.deleted = true;
  record.reserved = 0;
  record.next_pos = 1;
  WriteBatch batch;
  SessionWrite& write = batch.sessions.emplace_back();
  write.session = id;
  write.record = record;
  deps_.store.write(std::move(batch), nullptr);
  hide_from_discovery(record);
}

/// What another server runs is not ours to mend: it is not interrupted because we were.
bool SessionService::owns(const SessionRecord& record) const {
  return record.owner.empty() || record.owner == deps_.store.info().epoch;
}

// --- Finding ----------------------------------------------------------------------------------

Provider* SessionService::provider_of(const std::string& cli_type) const {
  return deps_.providers.resolve(cli_type).value_or(nullptr);
}

void SessionService::add(DormantPtr kept, SessionPtr session) {
  remember_cli_id(kept->record);
  if (session) {
    awake_is(awake_ + 1);
    suspend_soon();
  }
  if (const auto* workspace = workspaces_.find(kept->record.workspace_id)) {
    kept->work.branch = workspace->branch;
  }
  Slot& slot = sessions_[kept->record.id];
  slot = {std::move(kept), std::move(session)};
}

Result<SessionService::SessionPtr> SessionService::find(const SessionId& session) {
  if (SessionPtr found = resumed(session); found && !found->record().deleted) return found;
  return fail(ErrorCode::SessionNotFound, "There is no such session.");
}

/// For who only looks: nothing is resumed.
const SessionService::Slot* SessionService::slot_of(const SessionId& session) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.kept->record.deleted) return nullptr;
  return &found->second;
}

SessionInfo SessionService::info_at(const Slot& slot) const {
  if (slot.session) return slot.session->info();
  return info_of(*slot.kept, provider_of(slot.kept->record.cli_type));
}

// --- Projects ---------------------------------------------------------------------------------

std::vector<Project> SessionService::projects() const {
  return projects_.list();
}

asio::awaitable<Result<AddedProject>> SessionService::add_project(std::string path) {
  auto real = co_await run_on(blocking_, [path] { return real_directory(path); });
  if (!real) co_return std::unexpected(std::move(real.error()));
  if (const auto known = projects_.at(*real)) {
    note_missing(*known, false);
    co_return AddedProject{projects_.to_project(*known), true};
  }
  if (auto room = deps_.store.writable(); !room) co_return std::unexpected(std::move(room.error()));
  const ProjectRecord record = projects_.add(*real, deps_.clock.wall());
  WriteBatch batch;
  batch.projects.push_back(record);
  if (auto stored = co_await deps_.store.commit(std::move(batch)); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  projects_.mark_missing(record.id, false);
  events_->project_added(projects_.to_project(record));
  for (const auto& [id, slot] : sessions_) {
    const SessionRecord& known = slot.kept->record;
    if (known.project_id == record.id && !known.deleted) events_->session_info(info_at(slot));
  }
  discover_soon(record);
  co_return AddedProject{projects_.to_project(record), false};
}

asio::awaitable<Result<ProjectRemovedMessage>> SessionService::remove_project(
    ProjectRemoveRequest request) {
  const ProjectId project = std::move(request.project_id);
  if (auto known = projects_.find(project); !known) {
    co_return std::unexpected(std::move(known.error()));
  }
  WriteBatch batch;
  batch.projects.push_back(projects_.remove(project));
  if (auto stored = co_await deps_.store.commit(std::move(batch)); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  events_->project_removed(project);
  co_return ProjectRemovedMessage{project};
}

asio::awaitable<Result<FilesBody>> SessionService::files(ProjectFilesRequest request) {
  const auto known = projects_.find(request.project_id);
  if (!known) co_return std::unexpected(known.error());
  const std::size_t limit = std::min(request.limit.value_or(kFilesDefault), limits::kFilesMax);
  std::string folder = known->path;
  if (request.workspace_id) {
    const WorkspaceRecord* workspace = workspaces_.find(*request.workspace_id);
    if (workspace == nullptr || workspace->project_id != known->id) {
      co_return fail(ErrorCode::WorkspaceNotFound, "There is no such workspace.");
    }
    folder = workspace->folder();
  }
  auto found = co_await run_on(blocking_, [this, path = folder, query = request.q.value_or(""),
                                           limit] { return files_.find(path, query, limit); });
  FilesBody body;
  for (std::string& path : found) body.files.push_back({std::move(path)});
  co_return body;
}

asio::awaitable<DirectoriesBody> SessionService::directories(DirectoriesRequest request) {
  co_return DirectoriesBody{co_await run_on(blocking_, [prefix = request.prefix.value_or("")] {
    return complete_directory(prefix, limits::kDirectoriesMax);
  })};
}

// --- Agents -----------------------------------------------------------------------------------

asio::awaitable<std::vector<AgentInfo>> SessionService::agents() {
  std::vector<AgentInfo> all;
  for (const auto& provider : deps_.providers.all()) {
    all.push_back(co_await provider->inspect());
    all.back().takes_text = provider->takes_text();
    all.back().confine = deps_.providers.confines(all.back().cli_type);
    all.back().confine_problem = confine_problem_;
    if (!provider->can_confine()) {
      all.back().confine_problem = no_walls(all.back().cli_type).error().message;
    }
  }
  co_return all;
}

std::vector<AgentStatusMessage> SessionService::agent_statuses() const {
  std::vector<AgentStatusMessage> all;
  for (const auto& [cli_type, status] : statuses_) all.push_back(status);
  return all;
}

asio::awaitable<Result<void>> SessionService::reconnect(SessionReconnectRequest request) {
  const auto provider = deps_.providers.resolve(request.cli_type);
  if (!provider) co_return std::unexpected(provider.error());
  asio::co_spawn(deps_.io, reconnect_now(*provider), asio::detached);
  co_return Result<void>{};
}

Result<bool> SessionService::warm(const AgentWarmRequest& request) {
  const auto provider = deps_.providers.resolve(request.cli_type);
  if (!provider) return std::unexpected(provider.error());
  const auto known = projects_.find(request.project_id);
  if (!known) return std::unexpected(known.error());
  const bool confined = request.confined.value_or(deps_.providers.confines(request.cli_type));
  if (confined && confine_problem_) return false;
  if (!deps_.warm_start || stopping_) return false;
  return warm_.start(**provider, {known->path, confined});
}

asio::awaitable<void> SessionService::reconnect_now(Provider* provider) {
  auto done = co_await provider->reconnect();
  if (done) co_return;
  events_->failed({std::string(name_of(done.error().code)), done.error().message, std::nullopt});
}

}  // namespace lb
