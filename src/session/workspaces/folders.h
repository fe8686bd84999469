/// Folders: the work trees that sessions work in, each opened once.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "git/git.h"
#include "git/review.h"
#include "git/work_tree.h"

namespace lb {

/// Safe from any thread; `at` blocks.
class Folders {
 public:
  /// `keep_dir`: where our git directories are; empty: there are no checkpoints.
  Folders(git::Git git, std::string keep_dir)
      : git_(std::move(git)), keep_dir_(std::move(keep_dir)) {}

  [[nodiscard]] bool on() const { return !keep_dir_.empty(); }
  [[nodiscard]] const git::Git& git() const { return git_; }
  Result<std::shared_ptr<git::WorkTree>> at(const std::string& folder);
  /// The git directory of ours that belongs to a folder.
  [[nodiscard]] std::string keep_dir(const std::string& folder) const;
  /// What differs between two trees of `files`. The newest answers are kept: whoever opens the
  /// changes after a turn asks for what was counted when it ended.
  Result<std::shared_ptr<const git::Differences>> differences(git::WorkTree& files,
                                                              const std::string& from,
                                                              const std::string& to);
  /// It was removed: whoever comes next opens it anew.
  void forget(const std::string& folder);

 private:
  git::Git git_;
  std::string keep_dir_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<git::WorkTree>> open_;
  /// By both trees, newest first. A tree's name is made of its content, so that none gets old.
  std::deque<std::pair<std::string, std::shared_ptr<const git::Differences>>> known_;
};

}  // namespace lb
