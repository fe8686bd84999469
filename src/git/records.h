/// Records: what git keeps of each linked worktree in `worktrees/NAME` of a repository, and the
/// places beside a worktree's folder where it is built and taken apart.
///
/// A worktree is built in `PARENT/.making-…/NAME`, with a record that is locked in our name, and
/// then takes its place in one step. So what is at its path is whole, and whatever a `kill -9` left
/// is in a folder of ours that nobody was ever told of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "git/repository.h"

namespace lb::git {

struct Record {
  std::string dir;     // COMMON/worktrees/NAME.
  std::string folder;  // The worktree.
  bool locked = false;
  bool ours = false;  // Locked by us, because it is being made.
};
std::vector<Record> records_of(const std::string& common_dir);
std::optional<Record> record_of(const std::string& common_dir, const std::string& folder);
Result<void> remove_record(const std::string& common_dir, const Record& record);
/// What a removal that was cut off left.
Result<void> sweep_records(const std::string& common_dir);

/// `path` with the links above it resolved.
std::string real_place(const std::string& path);

/// Where HEAD of a new worktree is.
struct NewHead {
  std::string branch;  // That is there, at this commit; empty: detached.
  std::string commit;
};

/// A worktree that is being built. Nothing is at its path before `finish`.
class Building {
 public:
  /// Clears what an earlier attempt left, and has git make the record. Hold the RepositoryLock.
  static Result<Building> begin(const Git& git, const Repository& main, const std::string& path,
                                const NewHead& head);
  /// What an earlier attempt at this path left, its branch apart.
  static Result<void> clear(const Repository& main, const std::string& path);
  /// Puts it to its place. Hold the RepositoryLock.
  Result<void> finish();

  /// The worktree, at the place where it is built.
  [[nodiscard]] const Repository& tree() const { return tree_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  Repository tree_;
};

/// Takes a worktree's folder away from its path in one step, to a folder of ours beside it.
Result<void> take_away(const std::string& path);
/// Removes what was taken away.
Result<void> finish_taking_away(const std::string& path);

}  // namespace lb::git
