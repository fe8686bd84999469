/// What a landing would make of the base branch, computed without touching any checkout.
///
/// Merges are done in a git directory of ours: merge drivers of the repository's configuration do
/// not run, and a file that needs one is a conflict at worst.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "git/scratch.h"
#include "model/workspace.h"

namespace lb::git {

struct LandPlan {
  std::string tree;  // Of the base branch afterwards.
  std::vector<std::string> conflicts;
  bool forward = false;  // The base can go to the tip itself.
  bool nothing = false;  // The base has it all.
  /// Rebase: the commits in order, each with the tree of its new form.
  struct Step {
    std::string commit;
    std::string tree;
  };
  std::vector<Step> steps;
  std::uint64_t commits = 0;  // Between base and tip.
};

struct LandPoints {
  std::string base;  // Commits.
  std::string tip;   // The same.
};
Result<LandPlan> plan_landing(Scratch& scratch, LandStrategy strategy, const LandPoints& points);

/// A commit with an identity of ours, for computing only. `parent` may be empty.
Result<std::string> passing_commit(Scratch& scratch, const std::string& tree,
                                   const std::string& parent);

/// A path that a landing changes.
struct LandChange {
  std::string path;
  char kind = 'M';  // A, D, M or T.
};
Result<std::vector<LandChange>> changes_between(const Git& git, const Repository& repository,
                                                const std::string& from, const std::string& to);

/// Which files of a checkout would be in the way of these changes: edited, unknown to git, or
/// ignored by it. None of them may be written over.
Result<std::vector<std::string>> in_the_way_of(Scratch& checkout, const std::string& root,
                                               const std::vector<LandChange>& changes);

/// What git is in the middle of, in a git directory of a work tree: "a rebase"; empty: nothing.
std::string under_way_in(const std::string& git_dir);

}  // namespace lb::git
