// SessionService: workspaces, and what turns do to files.

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "session/service/session_service.h"
#include "session/texts.h"

namespace lb {

WorkspaceEvents SessionService::workspace_events() {
  WorkspaceEvents events;
  events.changed = [this](const Workspace& workspace) {
    for (auto& [id, slot] : sessions_) {
      if (slot.kept->record.workspace_id != workspace.workspace_id) continue;
      SessionWork work = slot.kept->work;
      work.branch = workspace.branch.value_or("");
      work_is(id, std::move(work));
    }
    events_->workspace(workspace);
  };
  events.sessions_of = [this](const WorkspaceId& workspace) {
    std::vector<SessionId> sessions;
    for (const auto& [id, slot] : sessions_) {
      const SessionRecord& record = slot.kept->record;
      if (record.workspace_id == workspace && !record.deleted) sessions.push_back(id);
    }
    return sessions;
  };
  events.confined = [this](const WorkspaceId& workspace) {
    return std::ranges::any_of(sessions_, [&](const auto& one) {
      const SessionRecord& record = one.second.kept->record;
      return record.workspace_id == workspace && record.confined;
    });
  };
  return events;
}

void SessionService::work_is(const SessionId& session, SessionWork work) {
  Slot& slot = sessions_.at(session);
  if (slot.kept->work == work) return;
  slot.kept->work = std::move(work);
  if (!slot.kept->record.deleted) events_->session_info(info_at(slot));
}

// --- Where a session works --------------------------------------------------------------------

Result<Workplace> SessionService::workplace(const SessionRecord& record) {
  if (record.workspace_id.empty()) return Workplace{projects_.path_of(record.project_id)};
  const WorkspaceRecord* workspace = workspaces_.find(record.workspace_id);
  if (workspace == nullptr || workspace->state != WorkspaceState::Ready) {
    return fail(ErrorCode::ProjectPathInvalid,
                "The worktree of this session was removed. Restore it on the page of workspaces "
                "to go on here.");
  }
  return Workplace{workspace->folder(), Workspaces::environment_of(*workspace), true};
}

asio::awaitable<Result<std::optional<Checkpointed>>> SessionService::before_turn(SessionId session,
                                                                                 TurnId turn) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) co_return std::nullopt;
  const SessionRecord record = found->second.kept->record;
  if (!record.workspace_id.empty()) {
    if (auto ready = co_await workspaces_.wait_ready(record.workspace_id); !ready) {
      co_return std::unexpected(std::move(ready.error()));
    }
  }
  auto place = workplace(record);
  if (!place) co_return std::unexpected(std::move(place.error()));
  if (!deps_.checkpoints) co_return std::nullopt;
  watch_files();
  co_return co_await checkpoints_.before(std::move(session), std::move(turn),
                                         std::move(place->folder));
}

void SessionService::after_turn(const SessionId& session, const TurnId& turn) {
  checkpoints_.after(session, turn);
}

// --- Who changes what -------------------------------------------------------------------------

Radar::Place SessionService::radar_place(const SessionRecord& record) {
  if (record.workspace_id.empty()) return {projects_.path_of(record.project_id), ""};
  const WorkspaceRecord* workspace = workspaces_.find(record.workspace_id);
  if (workspace == nullptr || workspace->state != WorkspaceState::Ready) return {};
  return {workspace->folder(), workspace->base_tree};
}

void SessionService::files_changed(const Checkpoints::Ended& ended) {
  const Slot* slot = slot_of(ended.session);
  if (slot == nullptr) return;
  const SessionRecord& record = slot->kept->record;
  if (!record.workspace_id.empty()) workspaces_.touched(record.workspace_id);
  Radar::Place place = radar_place(record);
  if (place.folder.empty()) return;
  asio::co_spawn(deps_.io,
                 radar_.turn_ended(ended.session, std::move(place), ended.before, ended.after),
                 asio::detached);
}

void SessionService::watch_files() {
  if (stopping_ || !folders_.on() || std::exchange(radar_timed_, true)) return;
  radar_timer_.expires_after(limits::kRadarEvery);
  radar_timer_.async_wait([this, host = weak()](boost::system::error_code why) {
    if (why || host.expired()) return;
    asio::co_spawn(deps_.io, look_at_files(), asio::detached);
  });
}

/// While turns run their files are looked at, at most a twentieth of the time for each.
asio::awaitable<void> SessionService::look_at_files() {
  constexpr MonoMs kShare = 20;
  const std::weak_ptr<SessionHost> alive = weak();
  const std::vector<SessionId> working = checkpoints_.working();
  for (const SessionId& session : working) {
    const Slot* slot = slot_of(session);
    const MonoMs began = deps_.clock.mono();
    if (slot == nullptr || began < radar_due_[session]) continue;
    Radar::Place place = radar_place(slot->kept->record);
    if (place.folder.empty()) continue;
    co_await radar_.look(session, std::move(place));
    if (alive.expired()) co_return;
    const MonoMs now = deps_.clock.mono();
    radar_due_[session] = now + kShare * (now - began);
  }
  radar_timed_ = false;
  if (!working.empty()) watch_files();
}

/// What sessions have changed is another thing now, though no turn of theirs ended.
void SessionService::look_again_soon(std::vector<SessionId> sessions) {
  if (!folders_.on() || sessions.empty()) return;
  asio::co_spawn(deps_.io, look_again(std::move(sessions)), asio::detached);
}

asio::awaitable<void> SessionService::look_again(std::vector<SessionId> sessions) {
  const std::weak_ptr<SessionHost> alive = weak();
  for (const SessionId& session : sessions) {
    const Slot* slot = slot_of(session);
    if (slot == nullptr) continue;
    if (const WorkspaceId id = slot->kept->record.workspace_id; !id.empty()) {
      const auto ready = co_await workspaces_.wait_ready(id);
      if (alive.expired()) co_return;
      slot = slot_of(session);
      if (!ready || slot == nullptr) continue;
    }
    Radar::Place place = radar_place(slot->kept->record);
    if (place.folder.empty()) continue;
    co_await radar_.look(session, std::move(place));
    if (alive.expired()) co_return;
  }
}

asio::awaitable<Result<OverlapsBody>> SessionService::overlaps(SessionOverlapsRequest request) {
  if (slot_of(request.session_id) == nullptr) {
    co_return fail(ErrorCode::SessionNotFound, "There is no such session.");
  }
  co_return OverlapsBody{radar_.overlaps(request.session_id)};
}

// --- Commands ---------------------------------------------------------------------------------

asio::awaitable<Result<ProjectGit>> SessionService::project_git(ProjectGitRequest request) {
  auto project = projects_.find(request.project_id);
  if (!project) co_return std::unexpected(std::move(project.error()));
  co_return co_await workspaces_.project_git(std::move(*project), std::move(request.base));
}

asio::awaitable<Result<WorkspacesBody>> SessionService::workspaces(WorkspaceListRequest request) {
  std::vector<ProjectRecord> projects = projects_.present();
  if (request.project_id) {
    auto one = projects_.find(*request.project_id);
    if (!one) co_return std::unexpected(std::move(one.error()));
    projects = {std::move(*one)};
  }
  auto found = co_await workspaces_.list(std::move(projects));
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return WorkspacesBody{std::move(*found)};
}

/// What a commit of a workspace is called when the user says nothing: as the session is.
std::string SessionService::title_for(const WorkspaceId& workspace) const {
  for (const auto& [id, slot] : sessions_) {
    const SessionRecord& record = slot.kept->record;
    if (record.workspace_id == workspace && record.title != kUntitled) return record.title;
  }
  const WorkspaceRecord* record = workspaces_.find(workspace);
  return record == nullptr ? "" : "Work on " + record->branch;
}

asio::awaitable<Result<LandBody>> SessionService::land(WorkspaceLandRequest request) {
  const WorkspaceId id = request.workspace_id;
  const bool dry_run = request.dry_run;
  auto landed = co_await workspaces_.land(std::move(request), title_for(id));
  if (landed && !dry_run) look_again_soon(workspace_events().sessions_of(id));
  co_return landed;
}

asio::awaitable<Result<PushBody>> SessionService::push(WorkspacePushRequest request) {
  const WorkspaceId id = request.workspace_id;
  co_return co_await workspaces_.push(std::move(request), title_for(id));
}

asio::awaitable<Result<void>> SessionService::remove_workspace(WorkspaceRemoveRequest request) {
  const WorkspaceId id = request.workspace_id;
  auto found = co_await workspaces_.inventory(id);
  if (!found) co_return std::unexpected(std::move(found.error()));
  std::vector<SessionPtr> alive;
  for (const auto& [session, slot] : sessions_) {
    if (slot.kept->record.workspace_id != id || !slot.session) continue;
    if (slot.session->info().activity == Activity::Working) {
      found->inventory.working.push_back(session);
    } else if (slot.session->alive()) {
      alive.push_back(slot.session);
    }
  }
  if (request.confirm != found->hash) {
    Error needed{ErrorCode::ConfirmNeeded, "Look at what would go, and confirm it."};
    needed.members = fmt::format(R"("inventory":{},"inventoryHash":"{}")", encode(found->inventory),
                                 found->hash);
    co_return std::unexpected(std::move(needed));
  }
  if (!found->inventory.working.empty()) {
    co_return fail(ErrorCode::Busy, "An agent is working in it. Stop it first.");
  }
  for (const SessionPtr& session : alive) co_await session->kill();
  for (const SessionId& session : workspace_events().sessions_of(id)) {
    co_await close_terminals_of(session, "Its workspace was removed.");
  }
  auto gone = co_await workspaces_.remove(id, *request.confirm);
  if (gone) {
    for (const SessionId& session : workspace_events().sessions_of(id)) {
      radar_.forget(session);
      SessionWork work = sessions_.at(session).kept->work;
      work.changes.reset();
      work.overlaps.clear();
      work_is(session, std::move(work));
    }
  }
  co_return gone;
}

asio::awaitable<Result<WorkspaceMessage>> SessionService::restore_workspace(
    WorkspaceRestoreRequest request) {
  auto back = co_await workspaces_.restore(std::move(request.workspace_id));
  if (!back) co_return std::unexpected(std::move(back.error()));
  look_again_soon(back->session_ids);
  co_return WorkspaceMessage{std::move(*back)};
}

// --- Setup commands ---------------------------------------------------------------------------

asio::awaitable<Result<void>> SessionService::run_setup(WorkspaceSetupRequest request) {
  const std::vector<SessionId> sessions = workspace_events().sessions_of(request.workspace_id);
  if (sessions.empty()) {
    co_return fail(ErrorCode::NotSupported, "No session works in this workspace any more.");
  }
  co_return co_await start_setup(request.workspace_id, sessions.front(), request.setup);
}

/// Runs the repository's setup commands where the user agreed to them; else the workspace says that
/// they wait for that.
asio::awaitable<Result<void>> SessionService::start_setup(WorkspaceId workspace, SessionId session,
                                                          std::string confirmed) {
  auto setup = co_await workspaces_.setup_to_run(workspace, std::move(confirmed));
  if (!setup) co_return std::unexpected(std::move(setup.error()));
  if (!setup->has_value() || deps_.launcher == nullptr) co_return Result<void>{};
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  auto place = workplace((*found)->record());
  if (!place) co_return std::unexpected(std::move(place.error()));
  if ((*found)->info().activity == Activity::Working) {
    co_return fail(ErrorCode::Busy, "The agent is working. Run the setup when it is done.");
  }
  LaunchOptions options;
  // The text that was confirmed, and not the file: somebody may have changed it since.
  options.argv = {"sh", "-eu", "-c", "exec 2>&1\n" + (*setup)->text, ".worktreesetup"};
  options.cwd = place->folder;
  options.env = child_environment(place->env, {});
  options.confined = (*found)->record().confined;
  workspaces_.setup_began(workspace);
  asio::co_spawn(deps_.io,
                 set_up(this, *found, std::move(workspace),
                        {*deps_.launcher, std::move(options), (*setup)->text}),
                 asio::detached);
  co_return Result<void>{};
}

asio::awaitable<void> SessionService::set_up(SessionService* self, SessionPtr session,
                                             WorkspaceId workspace, SetupRun run) {
  const std::weak_ptr<SessionHost> alive = self->weak();
  const bool well = co_await session->run_setup(std::move(run));
  if (!alive.expired()) self->workspaces_.setup_ended(workspace, well);
}

}  // namespace lb
