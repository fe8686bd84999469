/// KeepDir: a git directory of ours over a folder of the user's.
///
/// What is configured in the repository, by its user or by an agent, has no say here: no program
/// can be named, no byte is converted. Only what git ignores is as in the repository.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "git/repository.h"

namespace lb::git {

class KeepDir {
 public:
  /// Makes what is not there, and heals what a `kill -9` left.
  static Result<KeepDir> open(const Git& git, std::string root, std::string dir,
                              const std::optional<Repository>& repository);

  /// A call in the folder with this git directory.
  [[nodiscard]] Call call(std::vector<std::string> args) const;

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const std::string& dir() const { return dir_; }
  [[nodiscard]] std::string index() const { return dir_ + "/index"; }
  /// Where refs are.
  [[nodiscard]] const std::string& refs() const { return refs_; }
  /// Where objects are.
  [[nodiscard]] const std::string& objects() const { return objects_; }
  /// The ref of this folder and this git directory.
  [[nodiscard]] std::string own_ref() const { return "files/" + name_; }

  /// What the user's configuration says and is no program, as it is now. True when something that
  /// says what is ignored became another since the last time.
  Result<bool> take_over_settings(const Git& git);
  [[nodiscard]] bool trusts_modes() const { return trusts_modes_; }

  /// The files of the index are forgotten: the next snapshot reads everything again.
  void drop_index() const;
  /// Only we write this index: who held its lock is gone, or is waited for no longer.
  void drop_locks() const;

 private:
  Result<void> move_to_repository(const Git& git) const;

  std::string root_;
  std::string dir_;
  std::string refs_;
  std::string objects_;
  std::string name_;
  std::optional<Repository> repository_;
  bool trusts_modes_ = true;
  std::string excludes_;        // The user's core.excludesFile.
  std::string settings_stamp_;  // Of the files that it can be set in.
  std::string ignore_stamp_;    // Of the files that have the patterns, beside .gitignore.
};

/// When and where a file was last written; empty: it is not there.
std::string stamp_of(const std::string& path);

/// Refuses `/`, the user's home and what is above it.
Result<void> check_folder(const std::string& folder);

}  // namespace lb::git
