// Rows of the table about what stands beside a conversation: changes, comments, terminals, ports.
#include "commands/workbench_rows.h"

#include "commands/bind.h"
#include "model/requests.h"

namespace lb {

std::vector<ClientCommand> looking_at_changes() {
  return {
      command<SessionChangesRequest, &SessionService::changes>(
          {.name = "session:changes",
           .http = "GET /api/session/:id/changes",
           .summary = "What differs in a session's files",
           .notes = "`against`: `base` (of its workspace; else HEAD; without git the files before "
                    "its first turn), `head`, `index`, or `turn:ID` (since that turn began). "
                    "`offers` says which there are. 409 `NOT_SUPPORTED` for others"}),
      of_server<SessionDiffRequest>(
          {.name = "session:diff",
           .http = "GET /api/session/:id/diff",
           .summary = "One file's difference, unified",
           .notes = "with `from` and `oid` of `session:changes` exactly what that answered; else "
                    "`against` and the files as they are. 413 `TOO_LARGE` above 8 MiB",
           .answers = "text/plain"}),
      of_server<SessionFileRequest>(
          {.name = "session:file",
           .http = "GET /api/session/:id/file",
           .summary = "One file below the folder that a session works in",
           .notes = "as it is, or as it was in the tree `oid`. An image with its type, any other "
                    "as text/plain, or as application/octet-stream where it is no text. 404 "
                    "`NOT_FOUND`; 413 `TOO_LARGE` above 8 MiB",
           .answers = "text/plain"}),
      command<SessionViewedRequest, &SessionService::mark_viewed>(
          {.name = "session:viewed",
           .http = "POST /api/session/:id/viewed",
           .summary = "The user has seen this content of a file",
           .notes = "`viewed: false` takes it back"}),
      command<SessionReviewedRequest, &SessionService::mark_reviewed>(
          {.name = "session:reviewed",
           .http = "POST /api/session/:id/reviewed",
           .summary = "The user is done with these changes",
           .notes = "`needsReview` of its SessionInfo is gone until they are others"}),
      command<SessionCommitRequest, &SessionService::commit>(
          {.name = "session:commit",
           .http = "POST /api/session/:id/commit",
           .summary = "Commit these files as they are",
           .notes = "what is staged of others stays staged; the user's hooks run. 409 "
                    "`NOT_SUPPORTED` without a repository; 502 `PROCESS_CRASH` with git's words "
                    "where a hook or git refuses"}),
      command<SessionDiscardRequest, &SessionService::discard>(
          {.name = "session:discard",
           .http = "POST /api/session/:id/discard",
           .summary = "Take back what was done to a file, or one hunk of it",
           .notes = "`from` and `oid` of `session:changes`: 409 `REWIND_CONFLICT` when the file is "
                    "another by now. `undoId` brings it back (`rewind/undo`)"}),
      command<SessionEditorRequest, &SessionService::open_in_editor>(
          {.name = "session:editor",
           .http = "POST /api/session/:id/editor",
           .summary = "Open a file in the user's editor",
           .notes = "with the configured `editor`; 409 `NOT_SUPPORTED` without one"}),
  };
}

std::vector<ClientCommand> commenting() {
  return {
      command<SessionCommentsRequest, &SessionService::comments>(
          {.name = "session:comments",
           .http = "GET /api/session/:id/comments",
           .summary = "What the user said about lines"}),
      command<SessionCommentRequest, &SessionService::add_comment>(
          {.name = "session:comment",
           .http = "POST /api/session/:id/comments",
           .status = 201,
           .summary = "Say something about a line of a file or of a plan",
           .notes = "a draft until it is sent. `path` with `side`, `oid` (the file's, of "
                    "`session:changes`), or `itemId` of a plan; at most 1,000 in a session"}),
      command<CommentEditRequest, &SessionService::edit_comment>(
          {.name = "comment:edit",
           .http = "POST /api/session/:id/comments/:commentId/edit",
           .summary = "Say it in other words",
           .notes = "409 `NOT_SUPPORTED` once it was sent"}),
      command<CommentResolveRequest, &SessionService::resolve_comment>(
          {.name = "comment:resolve",
           .http = "POST /api/session/:id/comments/:commentId/resolve",
           .summary = "It is dealt with, or not after all"}),
      command<CommentDeleteRequest, &SessionService::delete_comment>(
          {.name = "comment:delete",
           .http = "POST /api/session/:id/comments/:commentId/delete",
           .summary = "Take a comment away"}),
      command<ReviewSendRequest, &SessionService::send_review>(
          {.name = "session:review:send",
           .http = "POST /api/session/:id/review/send",
           .status = 202,
           .summary = "Send all drafts about files to the agent, as one prompt",
           .notes = "once for each `idempotencyKey`; outdated ones go along and say so. 409 "
                    "`NOT_SUPPORTED` without drafts"}),
  };
}

std::vector<ClientCommand> terminals_and_ports() {
  return {
      command<TerminalListRequest, &SessionService::list_terminals>(
          {.name = "terminal:list",
           .http = "GET /api/terminals",
           .summary = "The terminals of a session, or of all"}),
      command<TerminalCreateRequest, &SessionService::create_terminal>(
          {.name = "terminal:create",
           .http = "POST /api/terminal/create",
           .status = 201,
           .summary = "Start a shell where a session works",
           .notes =
               "behind the walls of a confined one. 409 `NOT_SUPPORTED` with `terminal = "
               "false`; 403 `FORBIDDEN_TERMINAL` with `terminal_token = false` and that token; "
               "503 `BUSY` above 8 of a session, 32 in all",
           .access = Access::Terminal}),
      command<TerminalRenameRequest, &SessionService::rename_terminal>(
          {.name = "terminal:rename",
           .http = "POST /api/terminal/:id/rename",
           .summary = "Give a terminal a name",
           .access = Access::Terminal}),
      command<TerminalCloseRequest, &SessionService::close_terminal>(
          {.name = "terminal:close",
           .http = "POST /api/terminal/:id/close",
           .summary = "End its shell and all that runs in it",
           .access = Access::Terminal}),
      of_server<TerminalSocketRequest>({.name = "terminal:socket",
                                        .http = "GET /api/terminal/:id/socket",
                                        .status = 101,
                                        .summary = "What a terminal says and is told; see below",
                                        .access = Access::TerminalSocket,
                                        .answers = "text/plain"}),
      command<PortsRequest, &SessionService::ports>(
          {.name = "ports",
           .http = "GET /api/ports",
           .summary = "What programs of sessions and terminals listen on"}),
  };
}

}  // namespace lb
