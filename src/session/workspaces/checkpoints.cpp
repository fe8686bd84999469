#include "session/workspaces/checkpoints.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/run_on.h"

namespace lb {
namespace {

struct CheckpointMeters {
  Counter& made = counter("lb_checkpoints_total", "Snapshots of files before and after turns.");
  Counter& failed = counter("lb_checkpoints_failed_total", "Snapshots that could not be made.");
  Counter& late = counter("lb_checkpoints_late_total", "Prompts that did not wait for theirs.");
  Counter& expired = counter("lb_checkpoints_expired_total", "Old snapshots that were let go.");
};
CheckpointMeters& checkpoint_meters() {
  static CheckpointMeters all;
  return all;
}

/// How many turns of a session end before its old ones are looked for.
constexpr std::size_t kExpireEvery = 25;

/// Ids of ours are UUIDs; others may have what a ref may not.
std::string ref_part(const std::string& id) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-';
  };
  return std::ranges::all_of(id, plain) && !id.empty() ? id : uuid_from(id);
}

std::string session_refs(const SessionId& session) {
  return "cp/" + ref_part(session.str()) + "/";
}

}  // namespace

std::string checkpoint_ref(const SessionId& session, const TurnId& turn, std::string_view which) {
  return session_refs(session) + ref_part(turn.str()) + "/" + std::string(which);
}

asio::awaitable<std::optional<Checkpointed>> Checkpoints::before(SessionId session, TurnId turn,
                                                                 std::string folder) {
  if (!deps_.folders.on()) co_return std::nullopt;
  const auto running = std::make_shared<Running>(deps_.io, session, turn, std::move(folder));
  for (const auto& [other, beside] : running_) {
    if (other == session || beside->folder != running->folder) continue;
    running->shared = beside->shared = true;
  }
  running_[session] = running;
  asio::co_spawn(deps_.io, take_before(running), asio::detached);
  if (!running->finished) co_await running->done.wait(deps_.wait);
  if (!running->finished) {
    running->late = true;
    checkpoint_meters().late.add();
    co_return Checkpointed{CheckpointState::None,
                           "Looking through the files took too long, and your message did not "
                           "wait for it. The configuration can make it wait longer: "
                           "checkpoint_wait_ms."};
  }
  if (running->tree.empty()) co_return Checkpointed{CheckpointState::None, running->problem};
  co_return Checkpointed{CheckpointState::Made};
}

asio::awaitable<Result<Checkpoints::Taken>> Checkpoints::take(RunningPtr running,
                                                              std::string_view which) {
  auto& folders = deps_.folders;
  auto taken = co_await run_on(
      deps_.pool,
      [&folders, folder = running->folder,
       ref = checkpoint_ref(running->session, running->turn, which)]() -> Result<Taken> {
        auto files = folders.at(folder);
        if (!files) return std::unexpected(std::move(files.error()));
        auto tree = (*files)->snapshot();
        if (!tree) return std::unexpected(std::move(tree.error()));
        if (auto kept = (*files)->keep({{ref, *tree}}); !kept) {
          return std::unexpected(std::move(kept.error()));
        }
        return Taken{(*files)->root(), std::move(*tree)};
      });
  (taken ? checkpoint_meters().made : checkpoint_meters().failed).add();
  co_return taken;
}

asio::awaitable<void> Checkpoints::take_before(RunningPtr running) {
  const std::weak_ptr<bool> living = living_;
  auto taken = co_await take(running, "b");
  if (living.expired()) co_return;
  running->finished = true;
  if (!taken) {
    running->problem = std::move(taken.error().message);
    log_info("no_checkpoint", {{"folder", running->folder}, {"why", running->problem}});
  } else if (!running->late) {  // Else the agent's own work may be in it.
    running->tree = std::move(taken->tree);
    write(*running, "");
  }
  running->done.notify();
}

void Checkpoints::write(const Running& running, const std::string& after) {
  WriteBatch batch;
  batch.checkpoints.push_back({running.session, running.turn, running.folder, running.tree, after,
                               running.shared, deps_.clock.wall()});
  deps_.store.write(std::move(batch), nullptr);
}

void Checkpoints::after(const SessionId& session, const TurnId& turn) {
  const auto found = running_.find(session);
  if (found == running_.end() || found->second->turn != turn) return;
  asio::co_spawn(deps_.io, take_after(found->second), asio::detached);
  running_.erase(found);
}

asio::awaitable<void> Checkpoints::take_after(RunningPtr running) {
  const std::weak_ptr<bool> living = living_;
  auto taken = co_await take(running, "a");
  if (living.expired()) co_return;
  if (!taken) {
    log_info("no_checkpoint", {{"folder", running->folder}, {"why", taken.error().message}});
    co_return;
  }
  if (!running->tree.empty()) write(*running, taken->tree);
  if (told_) told_({running->session, running->folder, running->tree, taken->tree});
  if (++ended_[running->session] % kExpireEvery == 0) {
    co_await expire(running->session, running->folder);
  }
}

asio::awaitable<void> Checkpoints::expire(SessionId session, std::string folder) {
  const std::weak_ptr<bool> living = living_;
  auto rows = co_await deps_.store.read_checkpoints(session);
  if (!rows || living.expired()) co_return;
  const std::size_t above =
      rows->size() - std::min(rows->size(), limits::kCheckpointsKept);  // They are oldest first.
  const auto life = std::chrono::milliseconds(limits::kCheckpointLife).count();
  WriteBatch batch;
  std::vector<git::OwnRef> refs;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    CheckpointRow& row = (*rows)[i];
    if (i >= above && deps_.clock.wall().ms - row.made_at.ms < life) continue;
    for (const char* which : {"b", "a"}) {
      refs.push_back({checkpoint_ref(session, row.turn, which), ""});
    }
    batch.dropped_checkpoints.push_back(std::move(row));
  }
  if (refs.empty()) co_return;
  checkpoint_meters().expired.add(batch.dropped_checkpoints.size());
  deps_.store.write(std::move(batch), nullptr);
  auto& folders = deps_.folders;
  co_await run_on(deps_.pool, [&folders, folder, refs] {
    auto files = folders.at(folder);
    if (!files || !(*files)->keep(refs)) return false;
    return (*files)->tidy().has_value();
  });
}

std::vector<SessionId> Checkpoints::working() const {
  std::vector<SessionId> sessions;
  for (const auto& [session, running] : running_) sessions.push_back(session);
  return sessions;
}

void Checkpoints::forget(const SessionId& session, const std::string& folder) {
  running_.erase(session);
  ended_.erase(session);
  if (!deps_.folders.on() || folder.empty()) return;
  asio::post(deps_.pool, [&folders = deps_.folders, folder, below = session_refs(session)] {
    auto files = folders.at(folder);
    if (!files) return;
    auto refs = (*files)->kept(below);
    if (!refs || refs->empty()) return;
    for (git::OwnRef& ref : *refs) ref.oid.clear();
    if (auto gone = (*files)->keep(*refs); !gone) {
      log_warn("checkpoints_left", {{"folder", folder}, {"why", gone.error().message}});
    }
  });
}

}  // namespace lb
