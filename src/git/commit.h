/// Committing chosen files as they are on disk, as the user's own git would.
#pragma once

#include <string>
#include <vector>

#include "git/land.h"
#include "model/review.h"

namespace lb::git {

/// What is staged of other files stays staged, and what is not committed stays as it is. New files
/// become known, missing ones go. The user's hooks run, and the user's configuration says who
/// commits and who signs; inside the walls for a confined session (`by_hand`). ProcessCrash with
/// git's words where it refuses: the index is then as it was. Paths are from the top.
struct CommitWish {
  std::vector<std::string> paths;
  std::string message;
};
Result<CommitBody> commit_paths(const Git& git, WorkTree& files, const CommitWish& wish,
                                const RunByHand& by_hand);

/// What hooks printed, for people.
std::string said_by(const Said& said);

}  // namespace lb::git
