#include "session/workspaces/folders.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/files.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/metrics.h"

namespace lb {
namespace {

Counter& known_changes() {
  static Counter& all =
      counter("lb_changes_known_total", "Comparisons of two trees that git was not asked for.");
  return all;
}

}  // namespace

std::string Folders::keep_dir(const std::string& folder) const {
  return keep_dir_ + "/" + uuid_from(folder);
}

Result<std::shared_ptr<git::WorkTree>> Folders::at(const std::string& folder) {
  const std::scoped_lock lock(mutex_);
  auto& known = open_[folder];
  // A folder may have become a repository since, or have been made anew at the same place.
  const bool holds = known && (known->repository() ? changed_at(known->repository()->git_dir) != 0
                                                   : changed_at(folder + "/.git") == 0);
  if (holds) return known;
  auto opened = git::WorkTree::open(git_, folder, keep_dir(folder));
  if (!opened) {
    open_.erase(folder);
    return std::unexpected(std::move(opened.error()));
  }
  known = std::move(*opened);
  return known;
}

Result<std::shared_ptr<const git::Differences>> Folders::differences(git::WorkTree& files,
                                                                     const std::string& from,
                                                                     const std::string& to) {
  const std::string key = from + ' ' + to;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = std::ranges::find(known_, key, [](const auto& one) { return one.first; });
    if (at != known_.end()) {
      known_changes().add();
      std::rotate(known_.begin(), at, at + 1);
      return known_.front().second;
    }
  }
  auto found = git::differences(git_, files, from, to);
  if (!found) return std::unexpected(std::move(found.error()));
  auto kept = std::make_shared<const git::Differences>(std::move(*found));
  const std::scoped_lock lock(mutex_);
  known_.emplace_front(key, kept);
  std::size_t entries = 0;
  const auto too_many = std::ranges::find_if(known_, [&](const auto& one) {
    entries += one.second->files.size() + 1;
    return entries > limits::kChangedFilesKept && one.second != kept;
  });
  known_.erase(too_many, known_.end());
  return kept;
}

void Folders::forget(const std::string& folder) {
  const std::scoped_lock lock(mutex_);
  open_.erase(folder);
}

}  // namespace lb
