/// Checkpoints: the files before and after every turn.
///
/// Each is a snapshot (git/work_tree.h) on a worker. A prompt waits for the one before it, for a
/// moment; a turn that could not wait has none and says so. Turns that run in one folder at the
/// same time are `shared`: nobody knows whose change is whose. Owned by the SessionService; lives
/// on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/limits.h"
#include "session/event.h"
#include "session/session.h"
#include "session/workspaces/folders.h"
#include "store/store.h"

namespace lb {

/// A ref below `refs/liminal/` for something of a turn.
std::string checkpoint_ref(const SessionId& session, const TurnId& turn, std::string_view which);

struct CheckpointDeps {
  asio::any_io_executor io;
  Store& store;
  const Clock& clock;
  Folders& folders;
  asio::thread_pool& pool;
  std::chrono::milliseconds wait = limits::kCheckpointWait;
};

class Checkpoints {
 public:
  explicit Checkpoints(CheckpointDeps deps) : deps_(std::move(deps)) {}

  /// A turn ended and its files are known as they are now.
  struct Ended {
    SessionId session;
    std::string folder;
    std::string before;  // May be empty.
    std::string after;
  };
  void on_ended(std::function<void(const Ended&)> told) { told_ = std::move(told); }

  /// Answers within `wait`.
  asio::awaitable<std::optional<Checkpointed>> before(SessionId session, TurnId turn,
                                                      std::string folder);
  /// Returns at once; the next `before` in the same folder waits for it.
  void after(const SessionId& session, const TurnId& turn);
  /// The sessions with a turn that runs.
  [[nodiscard]] std::vector<SessionId> working() const;
  /// The session is gone: its refs too.
  void forget(const SessionId& session, const std::string& folder);

 private:
  struct Running {
    Running(const asio::any_io_executor& io, SessionId s, TurnId t, std::string f)
        : session(std::move(s)), turn(std::move(t)), folder(std::move(f)), done(io) {}
    SessionId session;
    TurnId turn;
    std::string folder;
    bool shared = false;
    bool finished = false;  // The snapshot before it was made, or failed;
    bool late = false;      // but the prompt had gone.
    std::string tree;
    std::string problem;
    Event done;
  };
  using RunningPtr = std::shared_ptr<Running>;
  struct Taken {
    std::string root;
    std::string tree;
  };

  asio::awaitable<Result<Taken>> take(RunningPtr running, std::string_view which);
  asio::awaitable<void> take_before(RunningPtr running);
  asio::awaitable<void> take_after(RunningPtr running);
  asio::awaitable<void> expire(SessionId session, std::string folder);
  void write(const Running& running, const std::string& after);

  CheckpointDeps deps_;
  std::shared_ptr<bool> living_ =
      std::make_shared<bool>(true);  // Answers may come when we are gone.
  std::function<void(const Ended&)> told_;
  std::map<SessionId, RunningPtr> running_;
  std::map<SessionId, std::size_t> ended_;  // Since the last look for old ones.
};

}  // namespace lb
