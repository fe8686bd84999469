/// Review: what differs between two trees of a folder, for people to look at.
///
/// Trees are snapshots, or those of HEAD and of the user's index. Nothing that a repository names
/// as a program (textconv, external diff, filters) runs, and nothing in it can say that a text is
/// no text. Calls block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "git/work_tree.h"
#include "model/review.h"

namespace lb::git {

/// The files by path; totals are of all, also of those beyond limits::kChangedFilesMax.
struct Differences {
  std::vector<ChangedFile> files;
  std::uint64_t count = 0;
  std::uint64_t added = 0;
  std::uint64_t deleted = 0;
};
Result<Differences> differences(const Git& git, WorkTree& files, const std::string& from,
                                const std::string& to);

/// One file of two trees.
struct FileBetween {
  std::string from;
  std::string to;
  std::string path;
};
/// Where a file of `to` was in `from`: at the same path, or at the one that it was renamed from.
/// Empty: it does not differ. `path` itself where it is new.
Result<std::string> path_before(const Git& git, WorkTree& files, const FileBetween& file);

/// One file's difference. TooLarge above limits::kShownBytesMax; empty: there is none.
struct DiffWish {
  std::string from;
  std::string to;
  std::string path;
  std::uint64_t context = 3;
};
Result<std::string> unified_diff(const Git& git, WorkTree& files, const DiffWish& wish);

/// Whether these are trees that are there.
Result<void> check_trees(const Git& git, WorkTree& files, const std::vector<std::string>& ids);

/// What a path may be: of a file below the top, and nothing of git's own.
Result<void> check_path(const std::string& path);

/// The tree of nothing.
std::string empty_tree(const WorkTree& files);

/// The tree of HEAD, or of the user's index (refused while it has conflicts), to be compared with
/// the snapshot `now`: files that git calls unchanged are as they are on disk, whatever line ends
/// and filters make of them, and those that a sparse checkout leaves out are not there. What the
/// index tells git not to look at is looked at all the same.
enum class Committed { Head, Index };
Result<std::string> tree_to_compare(const Git& git, WorkTree& files, Committed which,
                                    const std::string& now);

}  // namespace lb::git
