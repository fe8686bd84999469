#include "session/workspaces/folders.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/id.h"

namespace lb {

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

void Folders::forget(const std::string& folder) {
  const std::scoped_lock lock(mutex_);
  open_.erase(folder);
}

}  // namespace lb
