/// How a worktree is looked at before something is done to it.
#pragma once

#include <string>

#include "git/worktrees.h"

namespace lb::git {

/// What is at a WorkTree's root now; its `repository()` is as it was when it was opened.
Result<Repository> repository_now(const Git& git, const WorkTree& files);

/// The commit of a branch or of any other name; empty: there is none any more.
std::string commit_of_base(const Git& git, const Repository& repository, const std::string& base);

/// An inventory and what a removal keeps.
struct Looked {
  Inventoried inventoried;
  Repository repository;
  std::string tree;   // The snapshot.
  std::string index;  // The tree of its index; empty: it has unmerged files.
};
Result<Looked> look_through(const Git& git, WorkTree& files, const std::string& base);

}  // namespace lb::git
