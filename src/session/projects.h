/// Projects: the directories the user added, one entry per real directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/session.h"
#include "store/records.h"

namespace lb {

/// The real path of an absolute, existing directory; `ProjectPathInvalid` says what is wrong.
/// Blocks: it looks at the disk.
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

 private:
  std::vector<ProjectRecord> records_;
  std::uint64_t next_order_ = 1;
};

Project to_project(const ProjectRecord& record);

}  // namespace lb
