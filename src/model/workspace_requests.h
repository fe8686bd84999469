/// What may be asked about workspaces and rewinding (see requests.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/workspace.h"

namespace lb {

struct ProjectGitRequest {
  static constexpr std::string_view kName = "ProjectGitRequest";
  ProjectId project_id;
  std::optional<std::string> base;  // Whose setup commands; absent: of what is checked out.
};
template <class Fields>
void describe(Fields& field, ProjectGitRequest& request) {
  field("projectId", request.project_id);
  field.optional("base", request.base);
}

struct WorkspaceListRequest {
  static constexpr std::string_view kName = "WorkspaceListRequest";
  std::optional<ProjectId> project_id;
};
template <class Fields>
void describe(Fields& field, WorkspaceListRequest& request) {
  field.optional("projectId", request.project_id);
}

struct WorkspaceLandRequest {
  static constexpr std::string_view kName = "WorkspaceLandRequest";
  WorkspaceId workspace_id;
  LandStrategy strategy = LandStrategy::Merge;
  std::optional<std::string> message;  // Of what is committed; absent: the session's title.
  bool dry_run = false;
};
template <class Fields>
void describe(Fields& field, WorkspaceLandRequest& request) {
  field("workspaceId", request.workspace_id);
  field("strategy", request.strategy);
  field.optional("message", request.message);
  field.flag("dryRun", request.dry_run);
}

struct WorkspacePushRequest {
  static constexpr std::string_view kName = "WorkspacePushRequest";
  WorkspaceId workspace_id;
  bool pull_request = false;
  std::optional<std::string> title;  // Of the pull request; absent: the session's.
  std::optional<std::string> body;
};
template <class Fields>
void describe(Fields& field, WorkspacePushRequest& request) {
  field("workspaceId", request.workspace_id);
  field.flag("pullRequest", request.pull_request);
  field.optional("title", request.title);
  field.optional("body", request.body);
}

struct WorkspaceSetupRequest {
  static constexpr std::string_view kName = "WorkspaceSetupRequest";
  WorkspaceId workspace_id;
  std::string setup;  // The id of the commands that the user confirms.
};
template <class Fields>
void describe(Fields& field, WorkspaceSetupRequest& request) {
  field("workspaceId", request.workspace_id);
  field("setup", request.setup);
}

struct WorkspaceRemoveRequest {
  static constexpr std::string_view kName = "WorkspaceRemoveRequest";
  WorkspaceId workspace_id;
  std::optional<std::string> confirm;  // The `inventoryHash` that the user saw.
};
template <class Fields>
void describe(Fields& field, WorkspaceRemoveRequest& request) {
  field("workspaceId", request.workspace_id);
  field.optional("confirm", request.confirm);
}

struct WorkspaceRestoreRequest {
  static constexpr std::string_view kName = "WorkspaceRestoreRequest";
  WorkspaceId workspace_id;
};
template <class Fields>
void describe(Fields& field, WorkspaceRestoreRequest& request) {
  field("workspaceId", request.workspace_id);
}

struct SessionRewindRequest {
  static constexpr std::string_view kName = "SessionRewindRequest";
  SessionId session_id;
  TurnId turn_id;
  bool files = false;
  bool conversation = false;
  bool dry_run = false;
};
template <class Fields>
void describe(Fields& field, SessionRewindRequest& request) {
  field("sessionId", request.session_id);
  field("turnId", request.turn_id);
  field.flag("files", request.files);
  field.flag("conversation", request.conversation);
  field.flag("dryRun", request.dry_run);
  require(field, request.files || request.conversation, "files",
          "missing (or give conversation: true)");
}

struct SessionRewindUndoRequest {
  static constexpr std::string_view kName = "SessionRewindUndoRequest";
  SessionId session_id;
  std::string undo_id;
  bool dry_run = false;
};
template <class Fields>
void describe(Fields& field, SessionRewindUndoRequest& request) {
  field("sessionId", request.session_id);
  field("undoId", request.undo_id);
  field.flag("dryRun", request.dry_run);
}

struct SessionOverlapsRequest {
  static constexpr std::string_view kName = "SessionOverlapsRequest";
  SessionId session_id;
};
template <class Fields>
void describe(Fields& field, SessionOverlapsRequest& request) {
  field("sessionId", request.session_id);
}

}  // namespace lb
