/// WorkTree: the files of a folder at moments that can be compared, merged and brought back.
///
/// A snapshot is a git tree of every file that git would track: those it knows, and those it does
/// not know and does not ignore, byte by byte. It is made with a git directory of ours (`keep_dir`)
/// over the folder: its own index, its own configuration and attributes that switch every
/// conversion, filter and merge driver of the repository off. So nothing that the repository's
/// configuration names ever runs, the user's index, HEAD and stash are not looked at twice and
/// never written, and what an agent writes into `.git/config` meanwhile changes nothing. The
/// objects go to the repository's own store (refs keep them from `git gc`); a folder without
/// git has a store of ours.
///
/// Not in a snapshot: what git ignores, what is inside of other repositories (submodules, nested
/// clones), empty folders, permissions but the x bit. So it is no tree to commit: submodules are
/// missing, and files stand as on disk, not as filters and line ends would store them. Calls block.
/// One object per folder; safe from any thread (calls of one object wait for each other).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "git/repository.h"
#include "model/workspace.h"

namespace lb::git {

struct TreeChange {
  std::string path;  // As its bytes are.
  ChangeKind kind = ChangeKind::Modified;
  std::uint64_t added = 0;    // Lines; 0 for binaries.
  std::uint64_t deleted = 0;  // Lines; 0 for binaries.
  friend bool operator==(const TreeChange&, const TreeChange&) = default;
};

struct Merged {
  std::string tree;                    // Of no use when there are conflicts.
  std::vector<std::string> conflicts;  // Paths.
};

/// What of a change of files was done. Nothing is half done: each file is as before or as wanted.
struct Applied {
  std::vector<TreeChange> done;
  /// Changed by somebody else in the very moment, or could not be written: left as they are.
  std::vector<std::string> left;
};

/// What a snapshot may take: see limits::kCheckpoint…Max.
struct SnapshotBudget {
  std::size_t files = limits::kCheckpointFilesMax;
  std::uint64_t bytes = limits::kCheckpointBytesMax;
  std::chrono::milliseconds time = limits::kCheckpointMax;
};

class WorkTree {
 public:
  /// `keep_dir` is ours alone (0700) and made when it is not there; it belongs to this folder.
  /// Refused: `/`, the user's home and what is above it.
  static Result<std::shared_ptr<WorkTree>> open(const Git& git, const std::string& folder,
                                                const std::string& keep_dir,
                                                const SnapshotBudget& budget = {});
  ~WorkTree();
  WorkTree(const WorkTree&) = delete;
  WorkTree& operator=(const WorkTree&) = delete;

  /// The top of the repository, or the folder.
  [[nodiscard]] const std::string& root() const;
  /// Ours alone: no agent behind walls can write there.
  [[nodiscard]] const std::string& keep_dir() const;
  /// Nothing: a folder without git.
  [[nodiscard]] const std::optional<Repository>& repository() const;

  /// The files as they are now: the tree's id. Refused when it would pass limits::kCheckpoint…Max,
  /// when a file cannot be read, or git fails: there is then no snapshot, and the error says why.
  Result<std::string> snapshot();

  /// Refs below `refs/liminal/` that keep trees (see OwnRef).
  Result<void> keep(const std::vector<OwnRef>& refs);
  Result<std::vector<OwnRef>> kept(const std::string& prefix);
  /// Before `keep_dir` is removed: the one ref `files/…` that snapshot() itself sets in the
  /// repository goes. It holds what our index names, which the user's `git gc` does not know.
  Result<void> forget();
  /// Packs a store of ours and removes what nothing keeps since a day. A repository's is the
  /// user's.
  Result<void> tidy();

  /// What differs, with counted lines. Renames are a deletion and an addition.
  Result<std::vector<TreeChange>> diff(const std::string& from, const std::string& to);
  /// Files that seem to have gone from one name to another, with changes perhaps.
  Result<std::vector<std::pair<std::string, std::string>>> moved(const std::string& from,
                                                                 const std::string& to);
  /// The tree of a commit of the repository.
  Result<std::string> tree_of(const std::string& commit);
  /// The change from `base` to `theirs` put on top of `ours`. All three are trees.
  Result<Merged> merge(const std::string& base, const std::string& ours, const std::string& theirs);
  /// `tree` with only these paths as they are in `other`. An error where a file of one stands
  /// against a folder of the other.
  Result<std::string> with_paths(const std::string& tree, const std::string& other,
                                 const std::vector<std::string>& paths);

  /// `tree` with these bytes in one of its files, or in a new one.
  Result<std::string> with_bytes(const std::string& tree, const std::string& path,
                                 std::uint32_t mode, std::string bytes);

  /// Makes the files that differ between two snapshots as they are in `to`. A file that is not as
  /// in `from` is left alone. Each file is replaced in one step; folders are made and, when they
  /// became empty, removed. Never follows a link out of the folder.
  Result<Applied> apply(const std::string& from, const std::string& to);
  /// The files that apply would leave alone now.
  Result<std::vector<std::string>> in_the_way(const std::string& from, const std::string& to);

  /// The bytes of one file of a tree; nothing: it has no such file.
  /// TooLarge: it has more than `most` bytes.
  Result<std::optional<std::string>> file(const std::string& tree, const std::string& path,
                                          std::size_t most = limits::kGitOutputMax);

  /// A call of git over the folder, in which nothing of the repository's configuration runs. For
  /// who only reads objects: it waits for nobody, and must leave our index alone.
  [[nodiscard]] Call call(std::vector<std::string> args);

 private:
  struct Inside;
  explicit WorkTree(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> in_;
  std::mutex mutex_;
};

/// What taking back a turn would do. `before` and `after` are its snapshots.
struct RewindPlan {
  std::string now;     // Snapshot of the files as they are.
  std::string target;  // As they shall be.
  std::vector<TreeChange> changes;
  std::vector<std::string> conflicts;
  std::vector<std::string> shared;  // Changed in the turn, and not by it alone: left out.
};
/// `only`: paths that the turn is known to have changed by itself; given when others worked in the
/// folder at the same time. Everything else that changed is `shared`, and so is what seems to have
/// been moved from or to one of these.
Result<RewindPlan> plan_rewind(WorkTree& files, const std::string& before, const std::string& after,
                               const std::optional<std::vector<std::string>>& only);

}  // namespace lb::git
