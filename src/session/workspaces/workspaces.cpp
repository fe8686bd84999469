#include "session/workspaces/workspaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/run_on.h"
#include "base/utf8.h"

namespace lb {
namespace {

namespace fs = std::filesystem;

struct WorkspaceMeters {
  Counter& made = counter("lb_workspaces_made_total", "Worktrees made for sessions.");
  Counter& failed = counter("lb_workspaces_failed_total", "Worktrees that could not be made.");
  Gauge& count = gauge("lb_workspaces", "Worktrees of sessions that are not removed.");
};
WorkspaceMeters& workspace_meters() {
  static WorkspaceMeters all;
  return all;
}

/// A name for a folder: what is not a letter or digit becomes a dash.
std::string folder_name(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string name;
  for (const char c : ascii_lower(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kMost) break;
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  while (!name.empty() && name.front() == '.') name.erase(0, 1);
  return name.empty() ? "work" : name;
}

bool is_free(std::uint64_t port) {
  const Fd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  return probe.valid() && ::bind(probe.get(), where, sizeof address) == 0;
}

std::unexpected<Error> no_repository() {
  return fail(ErrorCode::NotSupported,
              "This project is not in a git repository. Run `git init` and make a first commit to "
              "give sessions worktrees of their own.");
}

}  // namespace

// --- What is known ----------------------------------------------------------------------------

Workspaces::State& Workspaces::add(WorkspaceRecord record) {
  const WorkspaceId id = record.id;
  State& state = all_[id];
  state.record = std::move(record);
  state.alone = std::make_shared<AsyncMutex>(deps_.io);
  state.news = std::make_shared<Event>(deps_.io);
  return state;
}

void Workspaces::load(const std::vector<WorkspaceRow>& rows, const std::vector<SetupRow>& setups) {
  for (const WorkspaceRow& row : rows) {
    auto record = decode_text<WorkspaceRecord>(row.workspace);
    if (record) {
      add(std::move(*record));
    } else {
      log_error("workspace_unreadable", {{"workspace", row.id.str()}});
    }
  }
  for (const SetupRow& row : setups) confirmed_.emplace(row.project, row.setup);
}

Workspaces::State* Workspaces::state_of(const WorkspaceId& id) {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

const WorkspaceRecord* Workspaces::find(const WorkspaceId& id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second.record;
}

std::vector<WorkspaceRecord> Workspaces::ready_in(const ProjectId& project) const {
  std::vector<WorkspaceRecord> found;
  for (const auto& [id, state] : all_) {
    if (state.record.project_id != project || state.missing) continue;
    if (state.record.state == WorkspaceState::Ready) found.push_back(state.record);
  }
  return found;
}

Environment Workspaces::environment_of(const WorkspaceRecord& record) {
  if (record.port_first == 0) return {};
  return {{"LIMINAL_PORT_FIRST", std::to_string(record.port_first)},
          {"LIMINAL_PORT_LAST", std::to_string(record.port_first + limits::kPortsEach - 1)}};
}

Workspace Workspaces::shown(const WorkspaceRecord& record) const {
  Workspace out;
  out.workspace_id = record.id;
  out.project_id = record.project_id;
  out.path = record.path;
  if (!record.branch.empty()) out.branch = record.branch;
  if (!record.base_ref.empty()) out.base_ref = record.base_ref;
  if (!record.base_oid.empty()) out.base_oid = record.base_oid;
  out.state = record.state;
  if (!record.problem.empty()) out.problem = record.problem;
  out.setup = record.setup;
  if (record.port_first != 0) {
    out.ports = {record.port_first, record.port_first + limits::kPortsEach - 1};
  }
  out.created_at = record.created_at;
  out.removed_at = record.removed_at;
  out.session_ids = events_.sessions_of(record.id);
  const auto found = all_.find(record.id);
  if (found == all_.end()) return out;
  const State& state = found->second;
  if (!state.progress.empty()) out.progress = state.progress;
  out.missing = state.missing;
  if (record.state != WorkspaceState::Ready) return out;
  const auto age = deps_.clock.wall().ms - record.used_at.ms;
  out.old = age > std::chrono::milliseconds(limits::kWorkspaceOld).count();
  if (const auto& standing = state.standing) {
    out.dirty = standing->dirty;
    out.ahead = standing->ahead;
    out.behind = standing->behind;
    if (standing->bytes != 0) out.bytes = standing->bytes;
    if (standing->branch.empty()) {
      out.branch.reset();
    } else {
      out.branch = standing->branch;
    }
  }
  return out;
}

void Workspaces::tell(const WorkspaceId& id) {
  const auto count = std::ranges::count_if(
      all_, [](const auto& one) { return one.second.record.state == WorkspaceState::Ready; });
  workspace_meters().count.set(count);
  if (const State* state = state_of(id)) {
    state->news->notify();
    events_.changed(shown(state->record));
  }
}

asio::awaitable<Result<void>> Workspaces::save(WorkspaceId id) {
  WriteBatch batch;
  batch.workspaces.push_back({id, encode(state_of(id)->record)});
  co_return co_await deps_.store.commit(std::move(batch));
}

asio::awaitable<void> Workspaces::drop(WorkspaceId id) {
  tell(id);
  all_.erase(id);
  // Kept, it would stand beside the next one that is made at its path.
  WriteBatch batch;
  batch.workspaces.push_back({id, ""});
  (void)co_await deps_.store.commit(std::move(batch));
}

asio::awaitable<Result<git::Repository>> Workspaces::repository_of(std::string folder) {
  auto found = co_await run_on(deps_.pool, [&git = deps_.folders.git(), folder] {
    return git::find_repository(git, folder);
  });
  if (!found) co_return std::unexpected(std::move(found.error()));
  if (!found->has_value()) co_return no_repository();
  co_return std::move(**found);
}

// --- Making one -------------------------------------------------------------------------------

asio::awaitable<Result<ProjectGit>> Workspaces::project_git(ProjectRecord project,
                                                            std::optional<std::string> base) {
  ProjectGit out;
  auto& folders = deps_.folders;
  auto repository = co_await repository_of(project.path);
  if (!repository || repository->head.empty() || !folders.on()) {
    out.problem = !repository     ? repository.error().message
                  : !folders.on() ? "Worktrees are switched off."
                                  : "This repository has no commit yet. Make a first commit to "
                                    "give sessions worktrees of their own.";
    co_return out;
  }
  struct Found {
    git::Bases bases;
    std::optional<git::Setup> setup;
    std::uint64_t dirty = 0;
  };
  auto found = co_await run_on(
      deps_.pool,
      [&folders, repository = *repository, path = project.path, base]() -> Result<Found> {
        Found all;
        auto bases = git::bases_of(folders.git(), repository);
        if (!bases) return std::unexpected(std::move(bases.error()));
        all.bases = std::move(*bases);
        auto commit = git::commit_of(folders.git(), repository, base.value_or(repository.head));
        if (!commit) return std::unexpected(std::move(commit.error()));
        auto setup = git::setup_of(folders.git(), repository, *commit);
        if (setup) all.setup = std::move(*setup);
        if (auto files = folders.at(path)) {
          auto changed = git::uncommitted_files(folders.git(), **files);
          if (changed) all.dirty = *changed;
        }
        return all;
      });
  if (!found) co_return std::unexpected(std::move(found.error()));
  out.available = true;
  if (!repository->branch.empty()) out.branch = repository->branch;
  out.head = repository->head;
  out.branches = std::move(found->bases.branches);
  out.tags = std::move(found->bases.tags);
  out.dirty = found->dirty;
  out.submodules = changed_at(repository->root + "/.gitmodules") != 0;
  if (found->setup) {
    const bool known = confirmed_.contains({project.id, found->setup->id});
    out.setup = SetupScript{found->setup->id, found->setup->text, known};
  }
  co_return out;
}

std::uint64_t Workspaces::free_ports() const {
  for (std::uint64_t i = 0; i < limits::kWorkspacesMax; ++i) {
    const std::uint64_t first = limits::kPortFirst + i * limits::kPortsEach;
    const bool taken = std::ranges::any_of(all_, [&](const auto& one) {
      const WorkspaceRecord& record = one.second.record;
      return record.port_first == first && record.state != WorkspaceState::Removed &&
             record.state != WorkspaceState::Failed;
    });
    if (taken) continue;
    bool free = true;
    for (std::uint64_t port = first; port < first + limits::kPortsEach; ++port) {
      free = free && is_free(port);
    }
    if (free) return first;
  }
  return 0;
}

git::NewWorktree Workspaces::wanted(const WorkspaceRecord& record) const {
  git::NewWorktree wanted;
  wanted.path = record.path;
  wanted.branch = record.branch;
  wanted.base_oid = record.base_oid;
  wanted.carry = record.carry;
  wanted.keep_dir = deps_.folders.keep_dir(record.path);
  wanted.main_keep_dir = deps_.folders.keep_dir(record.main_root);
  return wanted;
}

/// What will be made, with everything decided and nothing done.
asio::awaitable<Result<WorkspaceRecord>> Workspaces::plan(ProjectRecord project,
                                                          WorkspaceWish wish) {
  if (!deps_.folders.on()) co_return fail(ErrorCode::NotSupported, "Worktrees are switched off.");
  const auto used = std::ranges::count_if(
      all_, [](const auto& one) { return one.second.record.state != WorkspaceState::Removed; });
  if (std::cmp_greater_equal(used, limits::kWorkspacesMax)) {
    co_return fail(ErrorCode::Busy,
                   fmt::format("There are {} workspaces already. Remove some first.", used));
  }
  auto repository = co_await repository_of(project.path);
  if (!repository) co_return std::unexpected(std::move(repository.error()));
  if (repository->head.empty()) {
    co_return fail(ErrorCode::NotSupported,
                   "This repository has no commit yet. Make a first commit to give sessions "
                   "worktrees of their own.");
  }
  WorkspaceRecord record;
  record.id = WorkspaceId(make_uuid());
  record.project_id = project.id;
  record.main_root = repository->root;
  record.prefix = repository->prefix;
  record.carry = wish.carry == Carry::Uncommitted;
  record.setup_id = wish.setup.value_or("");
  record.created_at = record.used_at = deps_.clock.wall();
  record.base_ref =
      wish.base.value_or(repository->branch.empty() ? repository->head : repository->branch);
  const bool named = wish.branch.has_value();
  record.branch = wish.branch.value_or("liminal/" + record.id.str().substr(0, 8));
  const std::string name = folder_name(record.branch);
  const std::string place = deps_.directory + "/" + folder_name(project.name) + "/" + name;
  auto& folders = deps_.folders;
  auto decided = co_await run_on(
      deps_.pool,
      [&folders, repository = *repository, record, place,
       named]() mutable -> Result<WorkspaceRecord> {
        auto commit = git::commit_of(folders.git(), repository, record.base_ref);
        if (!commit) return std::unexpected(std::move(commit.error()));
        record.base_oid = std::move(*commit);
        if (!git::is_branch_name(folders.git(), repository, record.branch)) {
          return fail(ErrorCode::InvalidRequest,
                      fmt::format("branch: \"{}\" cannot be the name of a branch", record.branch));
        }
        if (git::commit_of(folders.git(), repository, "refs/heads/" + record.branch)) {
          return fail(ErrorCode::InvalidRequest,
                      fmt::format("branch: there is a branch \"{}\" already{}", record.branch,
                                  named ? ". Choose another name." : ""));
        }
        record.path = place;
        std::error_code why;
        for (int i = 2; fs::exists(fs::symlink_status(record.path, why)); ++i) {
          record.path = fmt::format("{}-{}", place, i);
        }
        return record;
      });
  if (decided) decided->port_first = free_ports();
  co_return decided;
}

asio::awaitable<Result<WorkspaceRecord>> Workspaces::create(ProjectRecord project,
                                                            WorkspaceWish wish) {
  auto planned = co_await plan(std::move(project), std::move(wish));
  if (!planned) co_return std::unexpected(std::move(planned.error()));
  const WorkspaceId id = planned->id;
  planned->step = WorkspaceStep::Making;
  add(std::move(*planned)).progress = "Making the worktree";
  if (auto saved = co_await save(id); !saved) {
    all_.erase(id);
    co_return std::unexpected(std::move(saved.error()));
  }
  tell(id);
  const auto progress = [this, id, io = deps_.io,
                         living = std::weak_ptr(living_)](const std::string& doing) {
    asio::post(io, [this, id, doing, living] {
      if (living.expired()) return;
      if (State* state = state_of(id); state && state->record.state == WorkspaceState::Creating) {
        state->progress = doing;
        tell(id);
      }
    });
  };
  auto& folders = deps_.folders;
  const WorkspaceRecord record = state_of(id)->record;
  auto made = co_await run_on(
      deps_.pool,
      [&folders, record, wanted = wanted(record), progress]() -> Result<git::MadeWorktree> {
        auto main = git::find_repository(folders.git(), record.main_root);
        if (!main) return std::unexpected(std::move(main.error()));
        if (!main->has_value()) return no_repository();
        return git::make_worktree(folders.git(), **main, wanted, progress);
      });
  State& state = *state_of(id);
  state.progress.clear();
  state.record.step = WorkspaceStep::None;
  state.record.state = made ? WorkspaceState::Ready : WorkspaceState::Failed;
  if (made) {
    workspace_meters().made.add();
    state.record.problem = fmt::format("{}", fmt::join(made->notes, "\n"));
  } else {
    workspace_meters().failed.add();
    state.record.problem = made.error().message;
  }
  if (!made && changed_at(record.path) == 0) {
    co_await drop(id);
    co_return std::unexpected(std::move(made.error()));
  }
  auto saved = co_await save(id);
  if (!made) {
    tell(id);
    co_return std::unexpected(std::move(made.error()));
  }
  if (!saved) co_return std::unexpected(std::move(saved.error()));
  State& ready = *state_of(id);
  ready.beginning = true;
  asio::co_spawn(deps_.io, first_snapshot(id), asio::detached);
  tell(id);
  co_return ready.record;
}

/// What everything that changes in it is compared with. The agent starts meanwhile; its first
/// prompt waits.
asio::awaitable<void> Workspaces::first_snapshot(WorkspaceId id) {
  const std::weak_ptr<bool> living = living_;
  auto& folders = deps_.folders;
  const WorkspaceRecord record = state_of(id)->record;
  auto tree = co_await run_on(deps_.pool, [&folders, record]() -> Result<std::string> {
    auto files = folders.at(record.folder());
    if (!files) return std::unexpected(std::move(files.error()));
    auto now = (*files)->snapshot();
    if (!now) return now;
    // What was carried along is a change already; the commit has no other files than the checkout,
    // but for line ends and what filters make of them.
    std::string base = *now;
    if (record.carry) {
      auto tree = (*files)->tree_of(record.base_oid);
      if (!tree) return tree;
      base = std::move(*tree);
    }
    if (auto kept = (*files)->keep({{"ws/" + record.id.str() + "/base", base}}); !kept) {
      return std::unexpected(std::move(kept.error()));
    }
    return base;
  });
  if (living.expired()) co_return;
  State* state = state_of(id);
  if (state == nullptr) co_return;
  state->beginning = false;
  state->news->notify();
  if (tree) {
    state->record.base_tree = std::move(*tree);
    (void)co_await save(id);
  } else {
    log_info("no_first_snapshot", {{"workspace", id.str()}, {"why", tree.error().message}});
  }
  if (!living.expired()) touched(id);
}

asio::awaitable<Result<void>> Workspaces::wait_ready(WorkspaceId id) {
  const std::weak_ptr<bool> living = living_;
  while (!living.expired()) {
    const State* state = state_of(id);
    if (state == nullptr) co_return fail(ErrorCode::WorkspaceNotFound, "Its workspace is gone.");
    if (!state->beginning && state->record.setup != SetupState::Running) break;
    const auto news = state->news;
    co_await news->wait(limits::kSetupMax);
  }
  co_return Result<void>{};
}

}  // namespace lb
