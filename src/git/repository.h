/// Repository: where a folder's git repository is, and what is checked out there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "git/git.h"

namespace lb::git {

struct Repository {
  std::string root;           // The top of the work tree: a real path.
  std::string prefix;         // From there to the folder that was asked for: "", or "sub/folder".
  std::string git_dir;        // Of this work tree.
  std::string common_dir;     // Of all work trees together: equal means the same repository.
  std::string object_format;  // sha1 or sha256.
  std::string branch;         // Checked out; empty: HEAD is detached.
  std::string head;           // Its commit; empty: there is none yet.

  [[nodiscard]] std::string objects() const { return common_dir + "/objects"; }
};

/// The repository whose work tree `folder` is in. Nothing: there is none. An error: git refuses it
/// (it belongs to somebody else, it is damaged, it is bare), in words for people.
Result<std::optional<Repository>> find_repository(const Git& git, const std::string& folder);

/// The commit that a name stands for; an error when there is none.
Result<std::string> commit_of(const Git& git, const Repository& repository,
                              const std::string& name);

struct Bases {
  std::vector<std::string> branches;  // Newest first.
  std::vector<std::string> tags;      // The same.
};
Result<Bases> bases_of(const Git& git, const Repository& repository);

/// Whether a branch can be called that.
bool is_branch_name(const Git& git, const Repository& repository, const std::string& name);

/// A ref of our own, `refs/liminal/NAME`: what it points at survives the user's `git gc`. Empty
/// `oid`: it is removed. Several are changed together or not at all.
struct OwnRef {
  std::string name;
  std::string oid;
  friend bool operator==(const OwnRef&, const OwnRef&) = default;
};
Result<void> set_refs(const Git& git, const std::string& git_dir, const std::vector<OwnRef>& refs);
/// All of ours whose name begins so.
Result<std::vector<OwnRef>> refs_below(const Git& git, const std::string& git_dir,
                                       const std::string& prefix);

/// One git command at a time changes a repository: hold this around what reads and then writes.
/// Waits; released when it is let go. `common_dir` names the repository.
class RepositoryLock {
 public:
  explicit RepositoryLock(const std::string& common_dir);
  ~RepositoryLock();
  RepositoryLock(const RepositoryLock&) = delete;
  RepositoryLock& operator=(const RepositoryLock&) = delete;

 private:
  struct Entry;
  static std::map<std::string, std::unique_ptr<Entry>>& entries_of_all();
  std::string name_;
  Entry* entry_;
};

}  // namespace lb::git
