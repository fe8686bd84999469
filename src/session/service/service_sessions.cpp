// SessionService: what is done with one session. The work is the Session's; here it is found, and
// what concerns the list of sessions happens.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "session/service/session_service.h"
#include "session/texts.h"
#include "store/growth.h"

namespace lb {

SessionRecord SessionService::new_record(const ProjectRecord& project, std::string cli_type) const {
  SessionRecord record;
  record.id = SessionId(make_uuid());
  record.project_id = project.id;
  record.cli_type = std::move(cli_type);
  record.title = kUntitled;
  record.created_at = record.last_active_at = deps_.clock.wall();
  return record;
}

asio::awaitable<Result<ProjectRecord>> SessionService::project_for(SessionCreateRequest request) {
  if (request.project_id) co_return projects_.find(*request.project_id);
  auto added = co_await add_project(request.project_dir.value_or(""));
  if (!added) co_return std::unexpected(std::move(added.error()));
  co_return projects_.find(added->project.project_id);
}

asio::awaitable<Result<SessionCreatedMessage>> SessionService::create(
    SessionCreateRequest request) {
  const auto provider = deps_.providers.resolve(request.cli_type);
  if (!provider) co_return std::unexpected(provider.error());
  if (stopping_) co_return fail(ErrorCode::Busy, "The server is stopping.");
  const bool confined = request.confined.value_or(deps_.providers.confines(request.cli_type));
  if (confined && confine_problem_) {
    co_return fail(
        ErrorCode::NotSupported,
        fmt::format("This system does not allow confined sessions ({}).", *confine_problem_));
  }
  if (confined && !(*provider)->can_confine()) co_return no_walls(request.cli_type);
  auto project = co_await project_for(request);
  if (!project) co_return std::unexpected(std::move(project.error()));
  if (auto there = co_await folder_there(*project); !there) {
    co_return std::unexpected(std::move(there.error()));
  }

  std::optional<WorkspaceRecord> workspace;
  if (request.workspace) {
    auto made = co_await workspaces_.create(*project, *request.workspace);
    if (!made) co_return std::unexpected(std::move(made.error()));
    workspace = std::move(*made);
  }
  SessionRecord record = new_record(*project, request.cli_type);
  if (workspace) record.workspace_id = workspace->id;
  record.model = request.model.value_or("");
  record.mode = request.mode.value_or("");
  record.confined = confined;
  const auto session = std::make_shared<Session>(
      host(), std::make_shared<DormantSession>(std::move(record)), *provider);
  CreateSessionOptions options;
  options.session_id = session->id();
  options.project_dir = workspace ? workspace->folder() : project->path;
  if (workspace) {
    options.env = Workspaces::environment_of(*workspace);
    options.own_process = true;
  }
  options.model = std::move(request.model);
  options.mode = std::move(request.mode);
  options.thinking = std::move(request.thinking);
  options.confined = confined;
  if (request.provider_options) options.provider_options = *request.provider_options;
  warm_.used(**provider, WarmPlace::of(options));
  if (auto made = co_await session->create(std::move(options)); !made) {
    Error why = std::move(made.error());
    const bool told = why.code == ErrorCode::AgentUnavailable || why.code == ErrorCode::StoreFull ||
                      why.code == ErrorCode::InvalidRequest || why.code == ErrorCode::Busy;
    if (!told) why.code = ErrorCode::SessionCreateFailed;
    co_await session->erase();  // It never was.
    if (workspace) co_await workspaces_.unmake(workspace->id);
    co_return std::unexpected(std::move(why));
  }
  add(session->kept(), session);
  SessionCreatedMessage created{session->id(), project->id, request.cli_type, confined};
  if (workspace) created.workspace_id = workspace->id;
  events_->session_created(created);
  events_->session_info(session->info());
  if (workspace) {
    workspaces_.touched(workspace->id);
    auto setup = co_await start_setup(workspace->id, session->id(), workspace->setup_id);
    if (!setup)
      log_warn("setup", {{"workspace", workspace->id.str()}, {"why", setup.error().message}});
  }
  co_return created;
}

asio::awaitable<Result<SessionCreatedMessage>> SessionService::fork(SessionForkRequest request) {
  const auto source = find(request.session_id);
  if (!source) co_return std::unexpected(source.error());
  const auto project = projects_.find((*source)->record().project_id);
  if (!project) co_return std::unexpected(project.error());
  if ((*source)->provider() == nullptr) {
    co_return fail(ErrorCode::AgentUnavailable, "The agent of this session is not configured.");
  }
  SessionRecord record = new_record(*project, (*source)->record().cli_type);
  record.title = (*source)->record().title + " (fork)";
  record.title_source = TitleSource::Prompt;
  record.model = (*source)->record().model;
  record.mode = (*source)->record().mode;
  record.confined = (*source)->record().confined;
  record.workspace_id = (*source)->record().workspace_id;
  const auto session = std::make_shared<Session>(
      host(), std::make_shared<DormantSession>(std::move(record)), (*source)->provider());
  if (auto forked = co_await session->fork_from(*source, request.before); !forked) {
    co_await session->erase();
    co_return std::unexpected(std::move(forked.error()));
  }
  add(session->kept(), session);
  SessionCreatedMessage created{session->id(), project->id, session->record().cli_type,
                                session->record().confined};
  if (!session->record().workspace_id.empty())
    created.workspace_id = session->record().workspace_id;
  events_->session_created(created);
  events_->session_info(session->info());
  co_return created;
}

asio::awaitable<Result<SessionInfo>> SessionService::load(SessionId id) {
  const auto session = find(id);
  if (!session) co_return std::unexpected(session.error());
  if (auto loaded = co_await (*session)->load(); !loaded) {
    co_return std::unexpected(std::move(loaded.error()));
  }
  co_return (*session)->info();
}

Result<std::vector<SessionInfo>> SessionService::list(const SessionListRequest& request) {
  const auto project = projects_.find(request.project_id);
  if (!project) return std::unexpected(project.error());
  discover_soon(*project);
  std::vector<SessionInfo> sessions;
  for (const auto& [id, slot] : sessions_) {
    const SessionRecord& record = slot.kept->record;
    if (record.project_id != request.project_id || record.deleted) continue;
    const SessionInfo info = info_at(slot);
    const bool active = info.status != SessionState::Dead && !info.archived;
    const bool all = request.scope == ListScope::All && !info.archived;
    if (request.archived ? info.archived : active || all) sessions.push_back(info);
  }
  std::ranges::sort(sessions, [](const SessionInfo& a, const SessionInfo& b) {
    if (a.last_active_at != b.last_active_at) return a.last_active_at > b.last_active_at;
    return a.session_id < b.session_id;
  });
  return sessions;
}

Result<SessionStatus> SessionService::status(const SessionId& id) const {
  const Slot* slot = slot_of(id);
  if (slot == nullptr) return fail(ErrorCode::SessionNotFound, "There is no such session.");
  if (slot->session) return slot->session->status();
  SessionInfo info = info_at(*slot);
  const SessionState state = info.status;
  return SessionStatus{std::move(info), state == SessionState::Open, state, slot->kept->facts};
}

std::vector<SessionInfo> SessionService::glance() const {
  std::vector<SessionInfo> sessions;
  for (const auto& [id, slot] : sessions_) {
    if (slot.kept->record.deleted) continue;
    SessionInfo info = info_at(slot);
    if (info.activity != Activity::Idle || info.unread) sessions.push_back(std::move(info));
  }
  return sessions;
}

asio::awaitable<Result<void>> SessionService::remove(SessionId id) {
  const auto session = find(id);
  if (!session) co_return std::unexpected(session.error());
  const SessionPtr held = *session;
  co_await close_terminals_of(id, "Its session was deleted.");
  auto erased = co_await held->erase();
  if (held->record().deleted) {
    const ProjectId project = held->record().project_id;
    checkpoints_.forget(id, workplace(held->record()).value_or(Workplace{}).folder);
    radar_.forget(id);
    drop(id);
    if (auto left = list({project, ListScope::All, false})) {
      events_->session_list({project, std::move(*left)});
    }
  }
  co_return erased;
}

}  // namespace lb
