/// Workspaces: the worktrees that sessions have to themselves.
///
/// A workspace is stored before git begins with it, so that whatever a crash leaves is known and is
/// finished or taken back at the next start. Its life and those of its sessions are separate:
/// nothing here is removed because a session or a project is. What takes long to find out of one
/// (is it dirty, how large is it) is looked up on a worker and told to everyone when it changed.
/// Owned by the SessionService; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "git/land.h"
#include "git/worktrees.h"
#include "model/workspace_requests.h"
#include "process/agent_process.h"
#include "session/event.h"
#include "session/workspaces/folders.h"
#include "session/workspaces/work_record.h"
#include "store/store.h"

namespace lb {

namespace asio = boost::asio;

struct WorkspaceDeps {
  asio::any_io_executor io;
  Store& store;
  const Clock& clock;
  Folders& folders;
  asio::thread_pool& pool;
  Launcher* launcher = nullptr;  // For setup commands, and hooks behind walls.
  std::string directory;         // Where worktrees are made.
};

/// What Workspaces asks and tells its owner.
struct WorkspaceEvents {
  std::function<void(const Workspace&)> changed;
  std::function<std::vector<SessionId>(const WorkspaceId&)> sessions_of;
  std::function<bool(const WorkspaceId&)> confined;  // One of its sessions is.
};

class Workspaces {
 public:
  Workspaces(WorkspaceDeps deps, WorkspaceEvents events)
      : deps_(std::move(deps)), events_(std::move(events)) {}

  void load(const std::vector<WorkspaceRow>& rows, const std::vector<SetupRow>& setups);
  /// Finishes or takes back what a crash left half done.
  asio::awaitable<void> mend();

  [[nodiscard]] const WorkspaceRecord* find(const WorkspaceId& id) const;
  /// All that are ready in a project.
  [[nodiscard]] std::vector<WorkspaceRecord> ready_in(const ProjectId& project) const;
  /// The ports of a workspace, for its agents.
  [[nodiscard]] static Environment environment_of(const WorkspaceRecord& record);

  asio::awaitable<Result<ProjectGit>> project_git(ProjectRecord project,
                                                  std::optional<std::string> base);
  asio::awaitable<Result<WorkspaceRecord>> create(ProjectRecord project, WorkspaceWish wish);
  /// Its session could not be made: it goes again, where nobody has changed anything.
  asio::awaitable<void> unmake(WorkspaceId id);
  /// Waits until what belongs to the beginning of a workspace is done: its first snapshot and its
  /// setup commands.
  asio::awaitable<Result<void>> wait_ready(WorkspaceId id);
  asio::awaitable<Result<std::vector<Workspace>>> list(std::vector<ProjectRecord> projects);

  asio::awaitable<Result<LandBody>> land(WorkspaceLandRequest request, std::string title);
  asio::awaitable<Result<PushBody>> push(WorkspacePushRequest request, std::string title);
  asio::awaitable<Result<git::Inventoried>> inventory(WorkspaceId id);
  asio::awaitable<Result<void>> remove(WorkspaceId id, std::string confirm);
  asio::awaitable<Result<Workspace>> restore(WorkspaceId id);

  // --- Setup commands -------------------------------------------------------------------------
  /// The text that will run, if the user has agreed to it (now, by `confirmed`, or before).
  asio::awaitable<Result<std::optional<git::Setup>>> setup_to_run(WorkspaceId id,
                                                                  std::string confirmed);
  void setup_began(const WorkspaceId& id);
  void setup_ended(const WorkspaceId& id, bool well);

  /// Somebody worked in it: what is known of it is looked up again.
  void touched(const WorkspaceId& id);
  [[nodiscard]] Workspace shown(const WorkspaceRecord& record) const;
  /// Runs git as the user would, behind walls where an agent that is confined works there.
  [[nodiscard]] git::RunByHand by_hand(bool confined) const;

 private:
  struct State {
    WorkspaceRecord record;
    std::string progress;
    std::optional<git::Standing> standing;
    bool missing = false;
    bool looking = false;
    bool measure = false;               // Its size is asked for, and not being found out yet.
    bool beginning = false;             // Its first snapshot is not there yet.
    std::shared_ptr<AsyncMutex> alone;  // One change at a time.
    std::shared_ptr<Event> news;
  };

  State& add(WorkspaceRecord record);
  State* state_of(const WorkspaceId& id);
  void tell(const WorkspaceId& id);
  asio::awaitable<Result<void>> save(WorkspaceId id);
  /// Nothing of it is there: it is told for the last time.
  asio::awaitable<void> drop(WorkspaceId id);
  asio::awaitable<Result<git::Repository>> repository_of(std::string folder);
  [[nodiscard]] std::uint64_t free_ports() const;
  [[nodiscard]] git::NewWorktree wanted(const WorkspaceRecord& record) const;
  asio::awaitable<Result<WorkspaceRecord>> plan(ProjectRecord project, WorkspaceWish wish);
  asio::awaitable<void> first_snapshot(WorkspaceId id);
  asio::awaitable<void> look(WorkspaceId id, bool with_bytes);
  asio::awaitable<void> mend_one(WorkspaceId id);
  asio::awaitable<Result<void>> removed(WorkspaceId id, std::string confirm);
  asio::awaitable<Result<void>> restored(WorkspaceId id);
  void landed(State& state);

  WorkspaceDeps deps_;
  WorkspaceEvents events_;
  std::map<WorkspaceId, State> all_;
  std::set<std::pair<ProjectId, std::string>> confirmed_;
  std::shared_ptr<bool> living_ = std::make_shared<bool>(true);
};

}  // namespace lb
