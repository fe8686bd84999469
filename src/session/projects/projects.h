/// Projects: the directories the user added, one entry per real directory.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/session.h"
#include "store/records.h"

namespace lb {

/// `~` and `~/…` with the home directory in their place; anything else as it is.
std::string with_home(const std::string& path);

/// The real path of an absolute (or `~`), existing directory; `ProjectPathInvalid` says what is
/// wrong. Blocks: it looks at the disk.
Result<std::string> real_directory(const std::string& path);

/// The list in memory; whoever changes it stores the record it returns. A removed project is
/// remembered, so that its sessions come back with it.
class Projects {
 public:
  void load(std::vector<ProjectRecord> records);
  /// The present projects, in the order added.
  [[nodiscard]] std::vector<Project> list() const;
  [[nodiscard]] std::vector<ProjectRecord> present() const;
  /// Present ones only; `ProjectNotFound`.
  [[nodiscard]] Result<ProjectRecord> find(const ProjectId& id) const;
  [[nodiscard]] std::optional<ProjectRecord> at(const std::string& real_path) const;
  /// Also of removed ones; empty when never heard of.
  [[nodiscard]] std::string path_of(const ProjectId& id) const;

  ProjectRecord add(const std::string& real_path, Timestamp now);
  /// The record as it is now; the project must be present.
  ProjectRecord remove(const ProjectId& id);

  /// Whether its folder is there, as the disk said last. Not stored: a restart asks again. True
  /// when that is news.
  bool mark_missing(const ProjectId& id, bool missing);
  [[nodiscard]] Project to_project(const ProjectRecord& record) const;

 private:
  std::vector<ProjectRecord> records_;
  std::uint64_t next_order_ = 1;
  std::set<ProjectId> missing_;
};

}  // namespace lb
