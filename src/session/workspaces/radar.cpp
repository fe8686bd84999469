#include "session/workspaces/radar.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/run_on.h"
#include "git/review.h"

namespace lb {
namespace {

std::set<std::string> paths_of(const std::vector<git::TreeChange>& changes) {
  std::set<std::string> paths;
  for (const git::TreeChange& change : changes) {
    if (paths.size() < limits::kRadarFilesMax) paths.insert(change.path);
  }
  return paths;
}

/// Counts as a review does, and takes both names of a renamed file. `only`: files that turns of the
/// session touched.
void count_changes(const git::Differences& found, const std::set<std::string>* only,
                   ChangeCount& count, std::set<std::string>& paths) {
  if (only == nullptr) {
    count.files = found.count;
    count.added = found.added;
    count.deleted = found.deleted;
  }
  for (const ChangedFile& file : found.files) {
    std::vector<std::string> names = {git::path_shown_as(file.path)};
    if (file.old_path) names.push_back(git::path_shown_as(*file.old_path));
    if (only != nullptr) {
      const auto touched = [only](const std::string& name) { return only->contains(name); };
      if (std::ranges::none_of(names, touched)) continue;
      ++count.files;
      count.added += file.added;
      count.deleted += file.deleted;
    }
    if (paths.size() < limits::kRadarFilesMax) paths.insert(names.begin(), names.end());
  }
}

}  // namespace

asio::awaitable<void> Radar::turn_ended(SessionId session, Place place, std::string before,
                                        std::string after) {
  const std::weak_ptr<bool> living = living_;
  if (place.base.empty() && !before.empty() && before != after) {
    auto changed = co_await run_on(
        pool_,
        [this, folder = place.folder, before, after]() -> Result<std::vector<git::TreeChange>> {
          auto files = folders_.at(folder);
          if (!files) return std::unexpected(std::move(files.error()));
          return (*files)->diff(before, after);
        });
    if (living.expired()) co_return;
    if (changed) touched_[session].merge(paths_of(*changed));
  }
  co_await take(std::move(session), std::move(place), std::move(after));
}

asio::awaitable<void> Radar::look(SessionId session, Place place) {
  co_await take(std::move(session), std::move(place), "");
}

/// `now`: the files as they are; empty: they are looked at.
asio::awaitable<void> Radar::take(SessionId session, Place place, std::string now) {
  const std::weak_ptr<bool> living = living_;
  auto seen = co_await run_on(
      pool_, [this, place, now, touched = touched_[session]]() mutable -> Result<Seen> {
        auto files = folders_.at(place.folder);
        if (!files) return std::unexpected(std::move(files.error()));
        Seen out;
        out.folder = (*files)->root();
        out.repository = (*files)->repository() ? (*files)->repository()->common_dir : out.folder;
        if (now.empty()) {
          auto tree = (*files)->snapshot();
          if (!tree) return std::unexpected(std::move(tree.error()));
          now = std::move(*tree);
        }
        out.now = now;
        out.own = !place.base.empty();
        out.base = place.base;
        if (out.base.empty() && (*files)->repository()) {
          if (auto head = (*files)->tree_of("HEAD")) out.base = std::move(*head);
        }
        out.count.oid = out.now;
        if (out.base.empty()) return out;
        auto found = folders_.differences(**files, out.base, out.now);
        if (!found) return std::unexpected(std::move(found.error()));
        count_changes(**found, place.base.empty() ? &touched : nullptr, out.count, out.paths);
        return out;
      });
  if (living.expired()) co_return;
  if (!seen) {
    log_debug("radar", {{"session", session.str()}, {"why", seen.error().message}});
    co_return;
  }
  Seen& known = seen_[session];
  if (known.now == seen->now && known.base == seen->base && known.paths == seen->paths) co_return;
  seen->overlaps = std::move(known.overlaps);
  known = std::move(*seen);
  co_await compare(session);
  if (!living.expired()) tell(session);
}

asio::awaitable<void> Radar::compare(SessionId session) {
  const std::weak_ptr<bool> living = living_;
  std::vector<SessionId> others;
  for (const auto& [other, seen] : seen_) {
    if (other != session && seen.repository == seen_[session].repository) others.push_back(other);
  }
  for (const SessionId& other : others) {
    const auto theirs = seen_.find(other);
    const auto ours = seen_.find(session);
    if (theirs == seen_.end() || ours == seen_.end()) continue;
    const bool apart = ours->second.folder != theirs->second.folder;
    std::vector<std::string> both;
    if (apart || !ours->second.own) {  // A fork in the same worktree shows the same changes.
      std::ranges::set_intersection(ours->second.paths, theirs->second.paths,
                                    std::back_inserter(both));
    }
    if (both.empty()) {
      ours->second.overlaps.erase(other);
      if (theirs->second.overlaps.erase(session) > 0) tell(other);
      continue;
    }
    for (std::string& path : both) path = git::shown_path(path);
    const bool conflicts = apart && !co_await merges(session, other);
    if (living.expired() || !seen_.contains(session) || !seen_.contains(other)) co_return;
    seen_[session].overlaps[other] = {other, both, conflicts};
    const Overlap back{session, std::move(both), conflicts};
    Overlap& known = seen_[other].overlaps[session];
    if (known == back) continue;
    known = back;
    tell(other);
  }
}

/// Whether what both did goes together, seen from where the first began.
asio::awaitable<bool> Radar::merges(SessionId a, SessionId b) {
  const Seen ours = seen_[a];
  const Seen theirs = seen_[b];
  co_return co_await run_on(pool_, [this, ours, theirs] {
    auto files = folders_.at(ours.folder);
    if (!files) return true;
    auto merged = (*files)->merge(ours.base, ours.now, theirs.now);
    return !merged || merged->conflicts.empty();
  });
}

void Radar::tell(const SessionId& session) {
  const auto found = seen_.find(session);
  if (found == seen_.end() || !told_) return;
  std::vector<SessionId> others;
  for (const auto& [other, overlap] : found->second.overlaps) others.push_back(other);
  told_(session, found->second.count, std::move(others));
}

void Radar::forget(const SessionId& session) {
  touched_.erase(session);
  if (seen_.erase(session) == 0) return;
  for (auto& [other, seen] : seen_) {
    if (seen.overlaps.erase(session) > 0) tell(other);
  }
}

std::vector<Overlap> Radar::overlaps(const SessionId& session) const {
  std::vector<Overlap> all;
  const auto found = seen_.find(session);
  if (found == seen_.end()) return all;
  for (const auto& [other, overlap] : found->second.overlaps) all.push_back(overlap);
  return all;
}

}  // namespace lb
