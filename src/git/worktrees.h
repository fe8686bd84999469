/// Worktrees of a repository: made, listed, looked through, removed and restored.
///
/// Nothing that the repository's own configuration names runs (hooks, filters, fsmonitor,
/// `submodule.*.update`): the checkout goes through a git directory of ours that takes over only
/// settings that are no programs (line ends, symlinks, modes). Every step can be cut off by a
/// `kill -9`: doing it again, or `forget_half_made`, leaves the repository as if it had not begun.
/// Calls block. Hold no RepositoryLock when you call: each function takes it itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "git/repository.h"
#include "git/work_tree.h"

namespace lb::git {

struct ListedWorktree {
  std::string path;
  std::string branch;  // Empty: detached.
  std::string head;
  bool main = false;     // The first one, where the repository is.
  bool missing = false;  // Its folder is not there.
  bool locked = false;
};
Result<std::vector<ListedWorktree>> list_worktrees(const Git& git, const Repository& repository);

struct NewWorktree {
  std::string path;    // Must not be there, or be an empty folder; parents are made.
  std::string branch;  // Made at `base_oid`. Must not be there.
  std::string base_oid;
  bool carry = false;         // With the uncommitted changes of the project's folder.
  std::string keep_dir;       // For the WorkTree of the new folder,
  std::string main_keep_dir;  // and of the project's.
};
/// Told as it goes on: "Checking out 50,000 files", "Copying 3 files of .worktreeinclude" ...
using Progress = std::function<void(const std::string&)>;

struct MadeWorktree {
  /// What the user should know: submodules left empty, files not copied.
  std::vector<std::string> notes;
};
Result<MadeWorktree> make_worktree(const Git& git, const Repository& main,
                                   const NewWorktree& wanted, const Progress& progress);
/// What a cut-off make_worktree left: the folder (only files that the checkout wrote and nobody
/// changed; else it is left and an error says so), git's record of it, and the branch when it has
/// no commit beyond `base_oid`.
Result<void> forget_half_made(const Git& git, const Repository& main, const NewWorktree& wanted);

/// The setup script of a commit (`.worktreesetup`): its blob id and text; nothing: there is none.
struct Setup {
  std::string id;
  std::string text;
};
Result<std::optional<Setup>> setup_of(const Git& git, const Repository& repository,
                                      const std::string& commit);

/// How a worktree stands. Nothing of the repository's configuration runs.
struct Standing {
  std::string branch;  // Empty: detached.
  std::string head;
  bool dirty = false;
  std::uint64_t ahead = 0;   // Commits that the base lacks,
  std::uint64_t behind = 0;  // and that the base has more.
  std::uint64_t bytes = 0;   // On disk.
};
/// `base`: a branch, or a commit. `with_bytes`: going through the whole folder takes time.
Result<Standing> standing_of(const Git& git, WorkTree& files, const std::string& base,
                             bool with_bytes);

/// How many files are changed or unknown to git, and not ignored.
Result<std::uint64_t> uncommitted_files(const Git& git, WorkTree& files);

/// Everything but `working`. `hash` changes whenever something in it, or any file of the worktree
/// that would come back with a restore, is another.
struct Inventoried {
  Inventory inventory;
  std::string hash;
};
Result<Inventoried> inventory_of(const Git& git, WorkTree& files, const std::string& base);

/// Keeps the worktree's files, index and HEAD under `refs/liminal/ws/ID/…` and then removes its
/// folder and git's record; the branch stays. `expected`: the hash that was confirmed; another one
/// is an error (ConfirmNeeded) and nothing was done.
Result<void> remove_worktree(const Git& git, const Repository& main, WorkTree& files,
                             const std::string& id, const std::string& base,
                             const std::string& expected);
/// The same for a worktree whose folder is not there: a removal was cut off after that, or somebody
/// deleted it (then only its commit is kept).
Result<void> remove_missing(const Git& git, const Repository& main, const std::string& path,
                            const std::string& id);
/// Brings it back at the same path: branch, HEAD, index and every byte of the snapshot. No error
/// when it is there already. What could not be as it was is in the notes.
Result<MadeWorktree> restore_worktree(const Git& git, const Repository& main,
                                      const std::string& path, const std::string& branch,
                                      const std::string& id, const std::string& keep_dir);

}  // namespace lb::git
