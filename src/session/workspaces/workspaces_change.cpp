// Workspaces: what is done with those that are there.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

#include "base/files.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/run_on.h"
#include "session/workspaces/workspaces.h"

namespace lb {
namespace {

std::unexpected<Error> no_workspace() {
  return fail(ErrorCode::WorkspaceNotFound, "There is no such workspace.");
}

std::unexpected<Error> not_ready(const WorkspaceRecord& record) {
  switch (record.state) {
    case WorkspaceState::Removed:
      return fail(ErrorCode::NotSupported, "This workspace was removed. Restore it first.");
    case WorkspaceState::Creating:
      return fail(ErrorCode::Busy, "This workspace is still being made.");
    default:
      return fail(ErrorCode::NotSupported, "This workspace could not be made: " + record.problem);
  }
}

/// Runs a command behind the walls of a confined session, asked from a worker thread.
asio::awaitable<Result<git::Said>> run_confined(Launcher* launcher, LaunchOptions options,
                                                git::Call call) {
  options.confined = true;
  auto process = launcher->launch(std::move(options));
  if (!process) co_return std::unexpected(std::move(process.error()));
  asio::steady_timer limit(co_await asio::this_coro::executor, limits::kGitLong);
  limit.async_wait([process = *process](boost::system::error_code why) {
    if (!why) process->kill();
  });
  if (!call.input.empty()) {
    if (call.input.ends_with('\n')) call.input.pop_back();  // It is written as a line.
    if ((*process)->write_line(std::move(call.input))) (void)co_await (*process)->flushed();
  }
  (*process)->close_stdin();
  git::Said said;
  while (auto line = co_await (*process)->next_line()) {
    said.out += line->text;
    said.out += '\n';
    if (said.out.size() > call.output_max) (*process)->kill();
  }
  const ExitStatus status = co_await (*process)->exited();
  said.err = (*process)->stderr_tail();
  said.code = status.code.value_or(128);
  co_return said;
}

/// Both things at once: the worktree's repository, and its files.
struct Opened {
  git::Repository main;
  std::shared_ptr<git::WorkTree> files;
};
Result<Opened> open_both(Folders& folders, const WorkspaceRecord& record) {
  auto main = git::find_repository(folders.git(), record.main_root);
  if (!main) return std::unexpected(std::move(main.error()));
  if (!main->has_value()) {
    return fail(ErrorCode::NotSupported,
                fmt::format("{} is no git repository any more.", record.main_root));
  }
  if (changed_at(record.path) == 0) {
    return fail(ErrorCode::NotSupported,
                fmt::format("The folder {} was deleted by hand. Its branch {} is still there.",
                            record.path, record.branch));
  }
  auto files = folders.at(record.folder());
  if (!files) return std::unexpected(std::move(files.error()));
  return Opened{std::move(**main), std::move(*files)};
}

struct Landed {
  LandBody body;
  std::string stands;  // The commit that base and worktree are both at now; empty: they are not.
};
Result<Landed> land_now(Folders& folders, const WorkspaceRecord& record,
                        const git::Landing& landing, const git::RunByHand& run) {
  auto both = open_both(folders, record);
  if (!both) return std::unexpected(std::move(both.error()));
  auto body = git::land(folders.git(), both->main, *both->files, landing, run);
  if (!body) return std::unexpected(std::move(body.error()));
  std::string stands = body->oid.value_or("");
  if (!landing.dry_run && !body->oid) {
    // It had landed, and we were killed before we knew; or only the base went on.
    auto base = git::commit_of(folders.git(), both->main, "refs/heads/" + record.base_ref);
    auto own = git::find_repository(folders.git(), record.path);
    if (base && own && *own && (*own)->head == *base) stands = std::move(*base);
  }
  return Landed{std::move(*body), std::move(stands)};
}

}  // namespace

git::RunByHand Workspaces::by_hand(bool confined) const {
  const git::Git& git = deps_.folders.git();
  const auto plain = [&git](const git::Call& call) {
    git::Call own = call;
    own.by_the_user = true;
    own.limit = limits::kGitLong;
    return git.run(own);
  };
  if (deps_.launcher == nullptr || !confined) return plain;
  return [&git, launcher = deps_.launcher, io = deps_.io](const git::Call& call) {
    return asio::co_spawn(io, run_confined(launcher, git.as_launch(call), call), asio::use_future)
        .get();
  };
}

// --- Looking ----------------------------------------------------------------------------------

void Workspaces::touched(const WorkspaceId& id) {
  State* state = state_of(id);
  if (state == nullptr || state->record.state != WorkspaceState::Ready) return;
  state->record.used_at = deps_.clock.wall();
  if (!std::exchange(state->looking, true)) {
    asio::co_spawn(deps_.io, look(id, false), asio::detached);
  }
}

asio::awaitable<void> Workspaces::look(WorkspaceId id, bool with_bytes) {
  const std::weak_ptr<bool> living = living_;
  auto& folders = deps_.folders;
  const WorkspaceRecord record = state_of(id)->record;
  auto standing =
      co_await run_on(deps_.pool, [&folders, record, with_bytes]() -> Result<git::Standing> {
        auto both = open_both(folders, record);
        if (!both) return std::unexpected(std::move(both.error()));
        return git::standing_of(folders.git(), *both->files, record.base_ref, with_bytes);
      });
  const bool missing = changed_at(record.path) == 0;
  if (living.expired()) co_return;
  State* state = state_of(id);
  if (state == nullptr) co_return;
  state->looking = false;
  const Workspace before = shown(state->record);
  state->missing = missing && record.state == WorkspaceState::Ready;
  if (standing) {
    if (!with_bytes && state->standing) standing->bytes = state->standing->bytes;
    state->standing = std::move(*standing);
  } else {
    log_info("workspace_look", {{"workspace", id.str()}, {"why", standing.error().message}});
  }
  if (shown(state->record) != before) tell(id);
  if (std::exchange(state->measure, false) && !with_bytes && !missing) {
    state->looking = true;
    asio::co_spawn(deps_.io, look(id, true), asio::detached);
  }
}

asio::awaitable<Result<std::vector<Workspace>>> Workspaces::list(
    std::vector<ProjectRecord> projects) {
  const std::weak_ptr<bool> living = living_;
  std::vector<Workspace> found;
  std::set<std::string> ours;
  for (auto& [id, state] : all_) {
    ours.insert(state.record.path);
    const bool wanted =
        std::ranges::find(projects, state.record.project_id, &ProjectRecord::id) != projects.end();
    if (!wanted) continue;
    found.push_back(shown(state.record));
    if (state.record.state != WorkspaceState::Ready) continue;
    if (std::exchange(state.looking, true)) {
      state.measure = true;
    } else {
      asio::co_spawn(deps_.io, look(id, true), asio::detached);
    }
  }
  std::set<std::string> seen;  // Several projects may be in one repository.
  for (const ProjectRecord& project : projects) {
    auto listed =
        co_await run_on(deps_.pool,
                        [&git = deps_.folders.git(),
                         path = project.path]() -> Result<std::vector<git::ListedWorktree>> {
                          auto repository = git::find_repository(git, path);
                          if (!repository || !repository->has_value())
                            return std::vector<git::ListedWorktree>();
                          return git::list_worktrees(git, **repository);
                        });
    if (living.expired()) co_return found;
    if (!listed) continue;
    for (const git::ListedWorktree& one : *listed) {
      if (one.main || ours.contains(one.path) || one.path == project.path) continue;
      if (!seen.insert(one.path).second) continue;
      Workspace foreign;
      foreign.workspace_id = WorkspaceId(uuid_from("worktree:" + one.path));
      foreign.project_id = project.id;
      foreign.path = one.path;
      if (!one.branch.empty()) foreign.branch = one.branch;
      foreign.state = WorkspaceState::Ready;
      foreign.foreign = true;
      foreign.missing = one.missing;
      found.push_back(std::move(foreign));
    }
  }
  co_return found;
}

// --- Landing ----------------------------------------------------------------------------------

void Workspaces::landed(State& state) {
  state.beginning = true;  // From now on everything is compared with what landed.
  state.record.base_tree.clear();
  asio::co_spawn(deps_.io, first_snapshot(state.record.id), asio::detached);
}

asio::awaitable<Result<LandBody>> Workspaces::land(WorkspaceLandRequest request,
                                                   std::string title) {
  State* state = state_of(request.workspace_id);
  if (state == nullptr) co_return no_workspace();
  if (state->record.state != WorkspaceState::Ready) co_return not_ready(state->record);
  const auto mutex = state->alone;
  const auto alone = co_await mutex->lock();
  const WorkspaceRecord record = state->record;
  git::Landing landing;
  landing.id = record.id.str();
  landing.base = record.base_ref;
  landing.strategy = request.strategy;
  landing.message = request.message.value_or(std::move(title));
  landing.dry_run = request.dry_run;
  auto& folders = deps_.folders;
  auto done = co_await run_on(
      deps_.pool, [&folders, record, landing, run = by_hand(events_.confined(record.id))] {
        return land_now(folders, record, landing, run);
      });
  if (done && !done->stands.empty() && done->stands != record.base_oid) {
    state->record.base_oid = done->stands;
    landed(*state);
    if (auto saved = co_await save(record.id); !saved) {
      co_return std::unexpected(std::move(saved.error()));
    }
    tell(record.id);
  }
  touched(record.id);
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return std::move(done->body);
}

asio::awaitable<Result<PushBody>> Workspaces::push(WorkspacePushRequest request,
                                                   std::string title) {
  State* state = state_of(request.workspace_id);
  if (state == nullptr) co_return no_workspace();
  if (state->record.state != WorkspaceState::Ready) co_return not_ready(state->record);
  const auto mutex = state->alone;
  const auto alone = co_await mutex->lock();
  const WorkspaceRecord record = state->record;
  git::Pushing pushing;
  pushing.base = record.base_ref;
  pushing.pull_request = request.pull_request;
  pushing.title = request.title.value_or(std::move(title));
  pushing.body = request.body.value_or("");
  const Environment env = child_environment({}, {});
  const std::string gh = find_program("gh", variable(env, "PATH")).value_or("");
  auto& folders = deps_.folders;
  auto done = co_await run_on(deps_.pool,
                              [&folders, record, pushing, gh,
                               run = by_hand(events_.confined(record.id))]() -> Result<PushBody> {
                                auto both = open_both(folders, record);
                                if (!both) return std::unexpected(std::move(both.error()));
                                return git::push(folders.git(), *both->files, pushing, run, gh);
                              });
  touched(record.id);
  co_return done;
}

// --- Removing and restoring -------------------------------------------------------------------

asio::awaitable<Result<git::Inventoried>> Workspaces::inventory(WorkspaceId id) {
  State* state = state_of(id);
  if (state == nullptr) co_return no_workspace();
  if (state->record.state != WorkspaceState::Ready) co_return not_ready(state->record);
  auto& folders = deps_.folders;
  co_return co_await run_on(
      deps_.pool, [&folders, record = state->record]() -> Result<git::Inventoried> {
        // Somebody deleted the folder: there is nothing left to look at.
        if (changed_at(record.path) == 0) return git::Inventoried{{}, "missing"};
        auto both = open_both(folders, record);
        if (!both) return std::unexpected(std::move(both.error()));
        return git::inventory_of(folders.git(), *both->files, record.base_ref);
      });
}

asio::awaitable<Result<void>> Workspaces::removed(WorkspaceId id, std::string confirm) {
  auto& folders = deps_.folders;
  const WorkspaceRecord record = state_of(id)->record;
  auto gone = co_await run_on(deps_.pool, [&folders, record, confirm]() -> Result<bool> {
    auto main = git::find_repository(folders.git(), record.main_root);
    if (!main) return std::unexpected(std::move(main.error()));
    if (!main->has_value()) return fail(ErrorCode::NotSupported, record.main_root + " is gone.");
    const std::string id = record.id.str();
    Result<void> done;
    if (changed_at(record.path) == 0) {
      done = git::remove_missing(folders.git(), **main, record.path, id);
    } else {
      auto files = folders.at(record.folder());
      if (!files) return std::unexpected(std::move(files.error()));
      done = git::remove_worktree(folders.git(), **main, **files, id, record.base_ref, confirm);
    }
    if (!done) return std::unexpected(std::move(done.error()));
    folders.forget(record.folder());
    return true;
  });
  State& state = *state_of(id);
  state.record.step = WorkspaceStep::None;
  if (gone) {
    state.record.state = WorkspaceState::Removed;
    state.record.removed_at = deps_.clock.wall();
    state.standing.reset();
  }
  auto saved = co_await save(id);
  tell(id);
  if (!gone) co_return std::unexpected(std::move(gone.error()));
  co_return saved;
}

asio::awaitable<Result<void>> Workspaces::remove(WorkspaceId id, std::string confirm) {
  State* state = state_of(id);
  if (state == nullptr) co_return no_workspace();
  const auto mutex = state->alone;
  const auto alone = co_await mutex->lock();
  if (state->record.state != WorkspaceState::Ready) co_return not_ready(state->record);
  state->record.step = WorkspaceStep::Removing;
  if (auto saved = co_await save(id); !saved) co_return saved;
  co_return co_await removed(id, std::move(confirm));
}

asio::awaitable<Result<void>> Workspaces::restored(WorkspaceId id) {
  auto& folders = deps_.folders;
  const WorkspaceRecord record = state_of(id)->record;
  auto back = co_await run_on(deps_.pool, [&folders, record]() -> Result<git::MadeWorktree> {
    auto main = git::find_repository(folders.git(), record.main_root);
    if (!main) return std::unexpected(std::move(main.error()));
    if (!main->has_value()) return fail(ErrorCode::NotSupported, record.main_root + " is gone.");
    return git::restore_worktree(folders.git(), **main, record.path, record.branch, record.id.str(),
                                 folders.keep_dir(record.folder()));
  });
  State& state = *state_of(id);
  state.record.step = WorkspaceStep::None;
  if (back) {
    state.record.state = WorkspaceState::Ready;
    state.record.removed_at.reset();
    state.record.problem = fmt::format("{}", fmt::join(back->notes, "\n"));
    state.missing = false;
    if (state.record.port_first != 0) state.record.port_first = free_ports();
  }
  auto saved = co_await save(id);
  tell(id);
  touched(id);
  if (!back) co_return std::unexpected(std::move(back.error()));
  co_return saved;
}

asio::awaitable<Result<Workspace>> Workspaces::restore(WorkspaceId id) {
  State* state = state_of(id);
  if (state == nullptr) co_return no_workspace();
  const auto mutex = state->alone;
  const auto alone = co_await mutex->lock();
  if (state->record.state == WorkspaceState::Ready && changed_at(state->record.path) == 0) {
    state->record.step = WorkspaceStep::Removing;  // Somebody else did that.
    if (auto saved = co_await save(id); !saved) co_return std::unexpected(std::move(saved.error()));
    if (auto gone = co_await removed(id, ""); !gone) co_return std::unexpected(gone.error());
    state = state_of(id);
  }
  if (state->record.state != WorkspaceState::Removed) {
    co_return fail(ErrorCode::NotSupported, "This workspace was not removed.");
  }
  state->record.step = WorkspaceStep::Restoring;
  if (auto saved = co_await save(id); !saved) co_return std::unexpected(std::move(saved.error()));
  if (auto done = co_await restored(id); !done) co_return std::unexpected(std::move(done.error()));
  co_return shown(state_of(id)->record);
}

// --- Setup ------------------------------------------------------------------------------------

asio::awaitable<Result<std::optional<git::Setup>>> Workspaces::setup_to_run(WorkspaceId id,
                                                                            std::string confirmed) {
  State* state = state_of(id);
  if (state == nullptr) co_return no_workspace();
  const WorkspaceRecord record = state->record;
  if (record.state != WorkspaceState::Ready) co_return not_ready(record);
  auto& folders = deps_.folders;
  auto setup =
      co_await run_on(deps_.pool, [&folders, record]() -> Result<std::optional<git::Setup>> {
        auto both = open_both(folders, record);
        if (!both) return std::unexpected(std::move(both.error()));
        return git::setup_of(folders.git(), both->main, record.base_oid);
      });
  if (!setup) co_return std::unexpected(std::move(setup.error()));
  state = state_of(id);
  if (!setup->has_value()) {
    if (confirmed.empty()) co_return std::nullopt;
    co_return fail(ErrorCode::NotSupported, "This repository has no .worktreesetup.");
  }
  const std::pair<ProjectId, std::string> key{record.project_id, (*setup)->id};
  if (confirmed == (*setup)->id && confirmed_.insert(key).second) {
    WriteBatch batch;
    batch.setups.push_back({key.first, key.second});
    if (auto stored = co_await deps_.store.commit(std::move(batch)); !stored) {
      co_return std::unexpected(std::move(stored.error()));
    }
  }
  if (!confirmed_.contains(key)) {
    state->record.setup = SetupState::Unconfirmed;
    (void)co_await save(id);
    tell(id);
    if (confirmed.empty()) co_return std::nullopt;
    co_return fail(ErrorCode::ConfirmNeeded,
                   "The setup commands are others than those that you confirmed. Read them again.");
  }
  co_return std::move(*setup);
}

void Workspaces::setup_began(const WorkspaceId& id) {
  state_of(id)->record.setup = SetupState::Running;
  tell(id);
}

void Workspaces::setup_ended(const WorkspaceId& id, bool well) {
  State* state = state_of(id);
  if (state == nullptr) return;
  state->record.setup = well ? SetupState::Done : SetupState::Failed;
  WriteBatch batch;
  batch.workspaces.push_back({id, encode(state->record)});
  deps_.store.write(std::move(batch), nullptr);
  tell(id);
  touched(id);
}

}  // namespace lb
