/// Snapshots: the files of a folder become a tree.
///
/// One look at the folder (what differs from our index, and what is not in it), one call that reads
/// just these files, one that makes the tree. What was looked at is checked against the budget
/// before anything is read. Any doubt means an error: a tree is never older than the call.
#pragma once

#include <sys/stat.h>

#include <set>
#include <string>
#include <vector>

#include "git/keep_dir.h"
#include "git/work_tree.h"

namespace lb::git {

class Snapshots {
 public:
  Snapshots(const Git& git, KeepDir& keep, const std::optional<Repository>& repository,
            const SnapshotBudget& budget)
      : git_(git), keep_(keep), repository_(repository), budget_(budget) {}

  Result<std::string> take();

 private:
  using Clock = std::chrono::steady_clock;

  /// What is to be done to the index.
  struct Work {
    std::vector<std::string> read;  // There, or vanished in this moment.
    std::vector<std::string> gone;  // Not to be in it, whatever is on disk.
    std::size_t files = 0;          // That count against the budget,
    std::uint64_t bytes = 0;        // and their sizes.
    bool ignoring = false;          // Something changed that says what is ignored.
    void count(const struct stat& found) {
      ++files;
      bytes += static_cast<std::uint64_t>(found.st_size);
    }
  };

  Result<std::string> try_once(Clock::time_point deadline);
  Result<void> look(Work& work, Clock::time_point deadline, bool fresh);
  /// `known`: what is in the user's index, and so no reason to refuse.
  Result<void> take_differing(Work& work, const std::string& raw,
                              const std::set<std::string>& known);
  Result<void> take_unknown(Work& work, const std::string& names,
                            const std::set<std::string>& known);
  Result<void> take_exceptions(Work& work, Clock::time_point deadline, bool fresh);
  Result<void> begin_with_head(Clock::time_point deadline);
  Result<std::set<std::string>> real_files(std::vector<std::string> flags,
                                           Clock::time_point deadline);
  Result<void> write(const Work& work, Clock::time_point deadline);
  Result<void> leave_ignored(Clock::time_point deadline);
  Result<void> update_index(const std::vector<std::string>& flags, std::string names,
                            Clock::time_point deadline);
  [[nodiscard]] Call timed(Call call, Clock::time_point deadline) const;

  const Git& git_;
  KeepDir& keep_;
  const std::optional<Repository>& repository_;
  SnapshotBudget budget_;

  bool damaged_ = false;              // git refused our index.
  std::string real_stamp_ = "never";  // Of the user's index when we last asked it:
  std::set<std::string> exceptions_;  // what it has though it is ignored,
  std::set<std::string> missing_;     // and which of these are not on disk.
  std::string last_;                  // The last tree, and
  std::string last_stamp_;            // our index when it was made.
};

}  // namespace lb::git
