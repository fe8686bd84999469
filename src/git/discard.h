/// Discarding: taking back what was done to one file, or to some lines of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "git/work_tree.h"
#include "model/review_requests.h"

namespace lb::git {

/// The bytes `now` with the lines of one hunk as they are in `old`. Byte-exact: line ends, and a
/// last line without one, stay what they are. An error where the hunk does not fit.
Result<std::string> without_hunk(std::string_view old, std::string_view now, const HunkRange& hunk);

/// `from` and `seen` are the trees that the user saw. RewindConflict when the file is not as in
/// `seen` any more. A renamed file gets its old name back.
struct Discarding {
  std::string path;
  std::string from;
  std::string seen;
  std::optional<HunkRange> hunk = {};
};
Result<RewindPlan> plan_discard(const Git& git, WorkTree& files, const Discarding& wish);

}  // namespace lb::git
