/// Landing: bringing the work of a worktree into the branch that it was made from.
///
/// Uncommitted work is committed on the worktree's branch first. What lands is computed without
/// touching any checkout; conflicts are known before anything is written. The base branch then goes
/// forward in one step: where it is checked out, by git's own fast-forward in that checkout, which
/// refuses to overwrite anybody's edits and leaves all other files byte-identical; else by moving
/// the branch. The user's hooks run, as the user's own commit or merge would run them, inside the
/// walls when the session is confined (`by_hand` runs commands there). Afterwards the worktree's
/// branch stands where the base stands, and its former tip is kept under
/// `refs/liminal/landed/ID/N`. Calls block; the RepositoryLock is taken inside.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "git/work_tree.h"

namespace lb::git {

/// Runs git with hooks and all, for people to see. Where a confined session is concerned it runs
/// behind its walls.
using RunByHand = std::function<Result<Said>(const Call&)>;

struct Landing {
  std::string id;    // Of the workspace: names the refs.
  std::string base;  // The branch to land in.
  LandStrategy strategy = LandStrategy::Merge;
  std::string message;
  bool dry_run = false;
};

/// The error's code is LandConflict, TargetDirty or TargetElsewhere, and then nothing was changed
/// in the base; `members` has the paths.
Result<LandBody> land(const Git& git, const Repository& main, WorkTree& files,
                      const Landing& landing, const RunByHand& by_hand);

/// Pushes the worktree's branch to its remote (its own, else origin, else the only one) without
/// force, and with `gh` opens a pull request against `base`.
struct Pushing {
  std::string base;
  bool pull_request = false;
  std::string title;
  std::string body;
};
Result<PushBody> push(const Git& git, WorkTree& files, const Pushing& pushing,
                      const RunByHand& by_hand, const std::string& gh_program);

}  // namespace lb::git
