/// What is stored of workspaces and rewinds, as JSON in their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.h"
#include "model/workspace.h"

namespace lb {

/// What was begun with a workspace and must be finished or taken back after a crash.
enum class WorkspaceStep { None, Making, Removing, Restoring };
template <>
struct EnumNames<WorkspaceStep> {
  static constexpr std::array<std::string_view, 4> names = {"none", "making", "removing",
                                                            "restoring"};
};

struct WorkspaceRecord {
  static constexpr std::string_view kName = "WorkspaceRecord";
  WorkspaceId id;
  ProjectId project_id;
  std::string main_root;  // The work tree of the project.
  std::string path;       // The worktree.
  std::string prefix;     // From its top to where the project is.
  std::string branch;
  std::string base_ref;  // As it was asked for: a branch, or what has no name.
  std::string base_oid;
  std::string base_tree;  // The files right after the checkout, before anybody changed them.
  bool carry = false;
  WorkspaceState state = WorkspaceState::Creating;
  WorkspaceStep step = WorkspaceStep::None;
  std::string problem;
  SetupState setup = SetupState::None;
  std::string setup_id;
  std::uint64_t port_first = 0;
  Timestamp created_at;
  Timestamp used_at;
  std::optional<Timestamp> removed_at;
  friend bool operator==(const WorkspaceRecord&, const WorkspaceRecord&) = default;

  /// Where its sessions work.
  [[nodiscard]] std::string folder() const { return prefix.empty() ? path : path + "/" + prefix; }
};
template <class Fields>
void describe(Fields& field, WorkspaceRecord& record) {
  field("id", record.id);
  field("projectId", record.project_id);
  field("mainRoot", record.main_root);
  field("path", record.path);
  field("prefix", record.prefix);
  field("branch", record.branch);
  field("baseRef", record.base_ref);
  field("baseOid", record.base_oid);
  field("baseTree", record.base_tree);
  field.flag("carry", record.carry);
  field("state", record.state);
  field("step", record.step);
  field("problem", record.problem);
  field("setup", record.setup);
  field("setupId", record.setup_id);
  field("portFirst", record.port_first);
  field("createdAt", record.created_at);
  field("usedAt", record.used_at);
  field.optional("removedAt", record.removed_at);
}

struct RewindRecord {
  static constexpr std::string_view kName = "RewindRecord";
  SessionId session_id;
  std::string folder;
  std::string from;  // Trees: the files before,
  std::string to;    // and after it.
  friend bool operator==(const RewindRecord&, const RewindRecord&) = default;
};
template <class Fields>
void describe(Fields& field, RewindRecord& record) {
  field("sessionId", record.session_id);
  field("folder", record.folder);
  field("from", record.from);
  field("to", record.to);
}

}  // namespace lb
