/// Scratch: a git directory of ours over somebody's work tree, for one piece of work.
///
/// It takes over what a repository's own configuration says about line ends, modes, links, ignored
/// and sparse files, and nothing that is a program: filters, hooks, merge drivers and fsmonitor of
/// the repository's configuration do not exist in it. Those of the *user's* configuration do (LFS).
/// HEAD is detached at the work tree's commit; index and objects are the work tree's own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "git/repository.h"

namespace lb::git {

class Scratch {
 public:
  enum class Bytes {
    Converted,  // As git writes and reads them: line ends, filters of the user.
    Exact,      // As they are in the objects.
  };
  /// `place`: a folder of ours that no agent can write to.
  static Result<Scratch> over(const Git& git, const Repository& tree, const std::string& place,
                              Bytes bytes = Bytes::Converted);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  /// With an index of its own from now on: a copy of the work tree's, or none yet.
  Result<void> with_own_index(bool copied);

  [[nodiscard]] Call call(std::vector<std::string> args) const;
  /// A filter that the user's configuration requires and that fails is left out, and the call done
  /// again: `left_out` then has its name.
  [[nodiscard]] Result<Said> run(Call call);
  [[nodiscard]] Result<Said> run(std::vector<std::string> args) {
    return run(call(std::move(args)));
  }
  [[nodiscard]] Result<std::string> out(std::vector<std::string> args);
  [[nodiscard]] Result<std::string> line(std::vector<std::string> args);

  [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }
  [[nodiscard]] bool sparse() const { return sparse_; }
  /// No setting lets git take a file for another one's bytes, mode or kind. Attributes may still.
  [[nodiscard]] bool settings_are_plain() const { return settings_are_plain_; }
  [[nodiscard]] const std::string& root() const { return tree_.root; }  // Of the work tree.

 private:
  Scratch(const Git& git, const Repository& tree, std::string dir)
      : git_(git), tree_(tree), dir_(std::move(dir)), index_(tree.git_dir + "/index") {}
  Result<void> fill(Bytes bytes);
  /// Filters that made a call fail, and are not left out yet.
  [[nodiscard]] std::vector<std::string> failed_filters(const Said& said) const;

  Git git_;
  Repository tree_;
  std::string dir_;
  std::string index_;
  std::vector<std::string> left_out_;
  bool sparse_ = false;
  bool settings_are_plain_ = true;
};

/// What differs from HEAD, as paths.
struct Status {
  std::vector<std::string> changed;    // Known to git.
  std::vector<std::string> untracked;  // Files.
  std::vector<std::string> nested;   // Repositories that git does not know: folders, without slash.
  std::vector<std::string> ignored;  // Files, and folders with a slash.
  std::vector<std::string> gitlinks;  // Of `changed`: submodules.
  bool unmerged = false;
  [[nodiscard]] bool clean() const { return changed.empty() && untracked.empty(); }
};
Result<Status> status_of(Scratch& scratch, bool with_ignored);

}  // namespace lb::git
