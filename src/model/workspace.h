/// Workspaces, checkpoints and rewinding, as the outside sees them.
///
/// Paths are relative to the top of the repository (or folder). One that is not UTF-8 is written
/// with its odd bytes as `\xNN` (and a backslash before them as `\\`), and taken back in that form.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"

namespace lb {

/// creating: git works on it; failed: it could not be made, `problem` says why; removed: the folder
/// is gone and can be restored.
enum class WorkspaceState { Creating, Ready, Failed, Removed };
template <>
struct EnumNames<WorkspaceState> {
  static constexpr std::array<std::string_view, 4> names = {"creating", "ready", "failed",
                                                            "removed"};
};

/// What became of the setup commands of a repository in a workspace.
enum class SetupState { None, Unconfirmed, Running, Done, Failed };
template <>
struct EnumNames<SetupState> {
  static constexpr std::array<std::string_view, 5> names = {"none", "unconfirmed", "running",
                                                            "done", "failed"};
};

struct PortRange {
  static constexpr std::string_view kName = "PortRange";
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const PortRange&, const PortRange&) = default;
};
template <class Fields>
void describe(Fields& field, PortRange& ports) {
  field("first", ports.first);
  field("last", ports.last);
}

/// A worktree of a project's repository. Those that we made have sessions; a foreign one is only
/// shown.
struct Workspace {
  static constexpr std::string_view kName = "Workspace";
  WorkspaceId workspace_id;
  ProjectId project_id;
  std::string path;
  std::optional<std::string> branch;    // None: its HEAD is on no branch.
  std::optional<std::string> base_ref;  // What it was made from, and lands in when it is a branch.
  std::optional<std::string> base_oid;
  WorkspaceState state = WorkspaceState::Creating;
  std::optional<std::string> progress;  // What is being done, while it is made.
  std::optional<std::string> problem;   // What went wrong, or is missing: for people.
  SetupState setup = SetupState::None;
  bool foreign = false;                 // Made by somebody else: shown, and left alone.
  bool missing = false;                 // Its folder was deleted by hand.
  std::optional<bool> dirty;            // Uncommitted changes. None: not looked at yet.
  std::optional<std::uint64_t> ahead;   // Commits of its own.
  std::optional<std::uint64_t> behind;  // Commits of the base that it lacks.
  std::optional<std::uint64_t> bytes;   // On disk, with what git ignores.
  std::optional<PortRange> ports;       // Told to its agents as LIMINAL_PORT_FIRST and _LAST.
  Timestamp created_at;
  std::optional<Timestamp> removed_at;
  bool old = false;  // Nobody used it for weeks: it may be offered for removal.
  std::vector<SessionId> session_ids;
  friend bool operator==(const Workspace&, const Workspace&) = default;
};
template <class Fields>
void describe(Fields& field, Workspace& workspace) {
  field("workspaceId", workspace.workspace_id);
  field("projectId", workspace.project_id);
  field("path", workspace.path);
  field.optional("branch", workspace.branch);
  field.optional("baseRef", workspace.base_ref);
  field.optional("baseOid", workspace.base_oid);
  field("state", workspace.state);
  field.optional("progress", workspace.progress);
  field.optional("problem", workspace.problem);
  field("setup", workspace.setup);
  field.flag("foreign", workspace.foreign);
  field.flag("missing", workspace.missing);
  field.optional("dirty", workspace.dirty);
  field.optional("ahead", workspace.ahead);
  field.optional("behind", workspace.behind);
  field.optional("bytes", workspace.bytes);
  field.optional("ports", workspace.ports);
  field("createdAt", workspace.created_at);
  field.optional("removedAt", workspace.removed_at);
  field.flag("old", workspace.old);
  field("sessionIds", workspace.session_ids);
}

/// Which uncommitted changes of the project's folder a new workspace begins with.
enum class Carry { None, Uncommitted };
template <>
struct EnumNames<Carry> {
  static constexpr std::array<std::string_view, 2> names = {"none", "uncommitted"};
};

/// How a new session gets a workspace of its own.
struct WorkspaceWish {
  static constexpr std::string_view kName = "WorkspaceWish";
  std::optional<std::string> base;    // A branch, tag or commit; absent: what is checked out.
  std::optional<std::string> branch;  // Its new branch; absent: one is named.
  std::optional<Carry> carry;
  std::optional<std::string> setup;  // The id of the setup commands that the user confirms.
  friend bool operator==(const WorkspaceWish&, const WorkspaceWish&) = default;
};
template <class Fields>
void describe(Fields& field, WorkspaceWish& wish) {
  field.optional("base", wish.base);
  field.optional("branch", wish.branch);
  field.optional("carry", wish.carry);
  field.optional("setup", wish.setup);
}

/// What a repository wants run in a new workspace (`.worktreesetup`).
struct SetupScript {
  static constexpr std::string_view kName = "SetupScript";
  std::string id;    // Of its content: another content has another id.
  std::string text;  // The script itself, for the user to read.
  bool confirmed = false;
  friend bool operator==(const SetupScript&, const SetupScript&) = default;
};
template <class Fields>
void describe(Fields& field, SetupScript& setup) {
  field("id", setup.id);
  field("text", setup.text);
  field.flag("confirmed", setup.confirmed);
}

/// What there is to know before a workspace is made.
struct ProjectGit {
  static constexpr std::string_view kName = "ProjectGit";
  bool available = false;
  std::optional<std::string> problem;  // Why there are no workspaces here: for people.
  std::optional<std::string> branch;   // Checked out in the project's folder.
  std::optional<std::string> head;     // Its commit.
  std::vector<std::string> branches;   // Newest first.
  std::vector<std::string> tags;       // The same.
  std::uint64_t dirty = 0;             // Uncommitted files in the project's folder.
  std::optional<SetupScript> setup;
  bool submodules = false;
  friend bool operator==(const ProjectGit&, const ProjectGit&) = default;
};
template <class Fields>
void describe(Fields& field, ProjectGit& git) {
  field("available", git.available);
  field.optional("problem", git.problem);
  field.optional("branch", git.branch);
  field.optional("head", git.head);
  field("branches", git.branches);
  field("tags", git.tags);
  field("dirty", git.dirty);
  field.optional("setup", git.setup);
  field.flag("submodules", git.submodules);
}

enum class LandStrategy { Merge, Squash, Rebase };
template <>
struct EnumNames<LandStrategy> {
  static constexpr std::array<std::string_view, 3> names = {"merge", "squash", "rebase"};
};

struct LandBody {
  static constexpr std::string_view kName = "LandBody";
  std::optional<std::string> oid;  // Of the base branch afterwards; none when nothing was done.
  std::string into;                // The base branch.
  std::vector<std::string> conflicts;
  std::uint64_t files = 0;          // That change in the base branch.
  std::uint64_t commits = 0;        // That land, uncommitted work counted as one.
  bool commits_first = false;       // There is uncommitted work: it becomes a commit.
  std::optional<std::string> said;  // What the user's hooks printed.
  friend bool operator==(const LandBody&, const LandBody&) = default;
};
template <class Fields>
void describe(Fields& field, LandBody& body) {
  field.optional("oid", body.oid);
  field("into", body.into);
  field("conflicts", body.conflicts);
  field("files", body.files);
  field("commits", body.commits);
  field.flag("commitsFirst", body.commits_first);
  field.optional("said", body.said);
}

/// What is in a workspace and would not be in the repository without it.
struct Inventory {
  static constexpr std::string_view kName = "Inventory";
  std::uint64_t tracked = 0;    // Files changed and not committed,
  std::uint64_t untracked = 0;  // files that git does not know: both come back with a restore,
  std::uint64_t ignored = 0;    // and files that git ignores, which do not.
  std::uint64_t ignored_bytes = 0;
  std::uint64_t unpushed = 0;        // Commits that no remote has; they stay on the branch.
  std::uint64_t unlanded = 0;        // Commits that the base lacks; the same.
  std::vector<std::string> samples;  // Some of the ignored ones, folders with a slash.
  std::vector<std::string> changed;  // Some of those changed or unknown.
  std::vector<SessionId> working;    // Sessions with an agent at work in it.
  friend bool operator==(const Inventory&, const Inventory&) = default;
};
template <class Fields>
void describe(Fields& field, Inventory& inventory) {
  field("tracked", inventory.tracked);
  field("untracked", inventory.untracked);
  field("ignored", inventory.ignored);
  field("ignoredBytes", inventory.ignored_bytes);
  field("unpushed", inventory.unpushed);
  field("unlanded", inventory.unlanded);
  field("samples", inventory.samples);
  field("changed", inventory.changed);
  field("working", inventory.working);
}

struct PushBody {
  static constexpr std::string_view kName = "PushBody";
  std::string remote;
  std::string branch;
  std::optional<std::string> url;  // Of the pull request.
  std::optional<std::string> said;
  friend bool operator==(const PushBody&, const PushBody&) = default;
};
template <class Fields>
void describe(Fields& field, PushBody& body) {
  field("remote", body.remote);
  field("branch", body.branch);
  field.optional("url", body.url);
  field.optional("said", body.said);
}

/// Whether the files are known as they were before a turn: only then can it be rewound.
enum class CheckpointState { Made, None };
template <>
struct EnumNames<CheckpointState> {
  static constexpr std::array<std::string_view, 2> names = {"made", "none"};
};

enum class ChangeKind { Added, Modified, Deleted };
template <>
struct EnumNames<ChangeKind> {
  static constexpr std::array<std::string_view, 3> names = {"added", "modified", "deleted"};
};

/// What a rewind does to one file.
struct FileChange {
  static constexpr std::string_view kName = "FileChange";
  std::string path;
  ChangeKind kind = ChangeKind::Modified;
  friend bool operator==(const FileChange&, const FileChange&) = default;
};
template <class Fields>
void describe(Fields& field, FileChange& change) {
  field("path", change.path);
  field("kind", change.kind);
}

struct RewindBody {
  static constexpr std::string_view kName = "RewindBody";
  std::vector<FileChange> changes;     // What is (or would be) done to the files.
  std::vector<std::string> conflicts;  // Changed since, at the same place: nothing is done then.
  std::vector<std::string> shared;     // Changed while others worked too: left as they are.
  /// Whether the agent can go back with the files. False: files only.
  bool conversation = false;
  std::optional<SessionId> fork_session_id;
  std::optional<std::string> undo_id;
  friend bool operator==(const RewindBody&, const RewindBody&) = default;
};
template <class Fields>
void describe(Fields& field, RewindBody& body) {
  field("changes", body.changes);
  field("conflicts", body.conflicts);
  field("shared", body.shared);
  field("conversation", body.conversation);
  field.optional("forkSessionId", body.fork_session_id);
  field.optional("undoId", body.undo_id);
}

/// How much a session has changed against its base.
struct ChangeCount {
  static constexpr std::string_view kName = "ChangeCount";
  std::uint64_t files = 0;
  std::uint64_t added = 0;              // Lines.
  std::uint64_t deleted = 0;            // Lines.
  std::optional<std::string> oid = {};  // The tree of the files: another one, something changed.
  friend bool operator==(const ChangeCount&, const ChangeCount&) = default;
};
template <class Fields>
void describe(Fields& field, ChangeCount& count) {
  field("files", count.files);
  field("added", count.added);
  field("deleted", count.deleted);
  field.optional("oid", count.oid);
}

/// Another session that changes the same files.
struct Overlap {
  static constexpr std::string_view kName = "Overlap";
  SessionId session_id;
  std::vector<std::string> paths;
  bool conflicts = false;  // What both did does not merge.
  friend bool operator==(const Overlap&, const Overlap&) = default;
};
template <class Fields>
void describe(Fields& field, Overlap& overlap) {
  field("sessionId", overlap.session_id);
  field("paths", overlap.paths);
  field.flag("conflicts", overlap.conflicts);
}

struct OverlapsBody {
  static constexpr std::string_view kName = "OverlapsBody";
  std::vector<Overlap> overlaps;
};
template <class Fields>
void describe(Fields& field, OverlapsBody& body) {
  field("overlaps", body.overlaps);
}

struct WorkspacesBody {
  static constexpr std::string_view kName = "WorkspacesBody";
  std::vector<Workspace> workspaces;
};
template <class Fields>
void describe(Fields& field, WorkspacesBody& body) {
  field("workspaces", body.workspaces);
}

struct WorkspaceMessage {
  static constexpr std::string_view kName = "WorkspaceMessage";
  static constexpr std::string_view kType = "workspace:upsert";
  Workspace workspace;
  friend bool operator==(const WorkspaceMessage&, const WorkspaceMessage&) = default;
};
template <class Fields>
void describe(Fields& field, WorkspaceMessage& message) {
  field("workspace", message.workspace);
}

}  // namespace lb
