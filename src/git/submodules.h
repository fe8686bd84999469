/// Submodules of a new worktree: filled from the repositories that the main checkout has of them.
///
/// Without the network, and without anything that the configuration says about updating
/// (`submodule.*.update` may be a program). As `git submodule update` would, each gets a git
/// directory of its own in the worktree's record; its objects are shared with the main checkout's
/// as hard links.
#pragma once

#include <string>
#include <vector>

#include "git/repository.h"

namespace lb::git {

struct Submodules {
  const Git& git;
  const Repository& main;    // Where they are filled from.
  const std::string& place;  // For scratch folders.
  const std::string& path;   // Where the worktree will be; `tree` may still be built elsewhere.

  /// Notes for people: which are left empty.
  Result<std::vector<std::string>> fill(const Repository& tree, const std::string& commit) const;
};

/// Folders of submodules that are checked out in a work tree and not as their commit says: changed,
/// or at another one. Their files are in no snapshot.
Result<std::vector<std::string>> changed_submodules(const Git& git, const Repository& tree,
                                                    const std::string& place);

}  // namespace lb::git
