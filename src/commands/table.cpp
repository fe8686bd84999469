// The table of everything that a client can ask for. A new command is a struct in model/requests.h,
// a row here, a method of Session or SessionService, and its view in ui/.
//
// A row that names a method is done by the sessions. The server does the others: `own` rows over
// HTTP, found by their name (credentials, and what answers with bytes instead of JSON), and what
// belongs to one connection.
#include "commands/bind.h"
#include "commands/command.h"
#include "commands/workbench_rows.h"
#include "model/requests.h"

namespace lb {
namespace {

// --- Where a method says it in other words ------------------------------------------------------

asio::awaitable<Result<ProjectAddedMessage>> add_project(SessionService& service,
                                                         ProjectAddRequest request) {
  auto added = co_await service.add_project(std::move(request.path));
  if (!added) co_return std::unexpected(std::move(added.error()));
  if (!added->existed) co_return ProjectAddedMessage{std::move(added->project)};
  Error exists{ErrorCode::ProjectExists, "this directory is a project already"};
  exists.project_id = added->project.project_id.str();
  co_return std::unexpected(std::move(exists));
}

Result<WarmBody> warm(SessionService& service, AgentWarmRequest request) {
  const auto warm = service.warm(request);
  if (!warm) return std::unexpected(warm.error());
  return WarmBody{*warm};
}

Result<SessionListMessage> list_sessions(SessionService& service, SessionListRequest request) {
  auto sessions = service.list(request);
  if (!sessions) return std::unexpected(std::move(sessions.error()));
  return SessionListMessage{std::move(request.project_id), std::move(*sessions)};
}

asio::awaitable<Result<LoadedBody>> load(SessionService& service, SessionLoadRequest request) {
  auto loaded = co_await service.load(std::move(request.session_id));
  if (!loaded) co_return std::unexpected(std::move(loaded.error()));
  co_return LoadedBody{std::move(loaded->session_id), std::move(loaded->cli_type)};
}

// --- The rows -----------------------------------------------------------------------------------

std::vector<ClientCommand> about_the_server() {
  return {
      of_server<Empty, HealthBody>({.name = "health",
                                    .http = "GET /healthz",
                                    .summary = "Whether the server runs",
                                    .access = Access::Open}),
      of_server<Empty, HealthBody>({.name = "ready",
                                    .http = "GET /readyz",
                                    .summary = "Whether the server is ready",
                                    .access = Access::Open}),
      command<Empty, &SessionService::info>(
          {.name = "info", .http = "GET /api/info", .summary = "Versions and the store"}),
      command<SettingsRequest, &SessionService::settings>(
          {.name = "settings",
           .http = "GET /api/settings",
           .summary = "What the user chose for every browser"}),
      command<SettingsChangeRequest, &SessionService::change_settings>(
          {.name = "settings:change",
           .http = "POST /api/settings",
           .summary = "Choose anew; what is left out stays",
           .notes = "`defaults` takes the place of those of the same `projectId`, or of those of "
                    "all projects; nothing chosen in it removes them. They are for whoever asks "
                    "the user: `session:create` does what it is told"}),
      command<AuditRequest, &SessionService::audit>(
          {.name = "audit",
           .http = "GET /api/audit",
           .summary = "Who decided what and from where, newest first",
           .notes = "100 lines, or `limit` (500 at most); `before` of the answer asks for older "
                    "ones. See below"}),
      of_server<Empty>({.name = "metrics",
                        .http = "GET /metrics",
                        .summary = "Prometheus metrics",
                        .answers = "text/plain"}),
      of_server<Empty>({.name = "openapi",
                        .http = "GET /api/openapi.json",
                        .summary = "All of this as OpenAPI 3.1",
                        .answers = "application/json"}),
      of_server<Empty>({.name = "socket",
                        .http = "GET /ws",
                        .status = 101,
                        .summary = "Upgrade to a WebSocket",
                        .access = Access::Socket,
                        .answers = "text/plain"}),
  };
}

std::vector<ClientCommand> credentials() {
  return {
      of_server<ExchangeRequest, TokenBody>(
          {.name = "auth:exchange",
           .http = "POST /api/auth/exchange",
           .summary = "Swap a launch code for a bearer",
           .notes = "the code from the launch URL's fragment. Used, old or wrong: 401 "
                    "`INVALID_CODE`; more than 10 failures a minute: 429",
           .access = Access::Open}),
      of_server<ProveRequest, ProofBody>(
          {.name = "auth:prove",
           .http = "POST /api/auth/prove",
           .summary = "Whether this server knows a bearer, without sending it",
           .notes = "nonce: 32 to 128 characters; a bearer that is not ours: 401",
           .access = Access::Open}),
      of_server<Empty, TicketBody>({.name = "auth:ticket",
                                    .http = "POST /api/auth/ticket",
                                    .summary = "A ticket for one WebSocket upgrade",
                                    .notes = "good for 30 s"}),
      of_server<Empty, Empty>({.name = "auth:logout",
                               .http = "POST /api/auth/logout",
                               .summary = "End this bearer and all that was opened with it",
                               .notes = "its sockets end within 1 s"}),
      of_server<Empty, LoginsBody>({.name = "logins",
                                    .http = "GET /api/logins",
                                    .summary = "Everyone who is logged in",
                                    .notes = "`origin: unknown` is one that this server did not "
                                             "issue, and that lets nobody in"}),
      of_server<LoginEndRequest, Empty>(
          {.name = "login:end",
           .http = "POST /api/login/:id/end",
           .summary = "End another login, as its own logout would",
           .notes = "404 `ITEM_NOT_FOUND`; 409 `NOT_SUPPORTED` for `LIMINAL_BUILDER_TOKEN`"}),
  };
}

std::vector<ClientCommand> projects_and_agents() {
  return {
      command<ProjectListRequest, &SessionService::projects>(
          {.name = "project:list",
           .http = "GET /api/project/list",
           .summary = "All projects, in the order added",
           .notes = "`missing: true` when its folder was not there the last time it was looked "
                    "for"}),
      command<ProjectAddRequest, &add_project>(
          {.name = "project:add",
           .http = "POST /api/project/add",
           .status = 201,
           .summary = "Add a directory as a project",
           .notes = "an absolute path, or `~` and `~/…`. 400 `PROJECT_PATH_INVALID`; 409 "
                    "`PROJECT_EXISTS` with `projectId`"}),
      command<ProjectRemoveRequest, &SessionService::remove_project>(
          {.name = "project:remove",
           .http = "POST /api/project/:id/remove",
           .summary = "Take a project off the list",
           .notes = "its sessions come back when it is added again"}),
      command<ProjectFilesRequest, &SessionService::files>(
          {.name = "project:files",
           .http = "GET /api/project/:id/files",
           .summary = "Files of a project that match",
           .notes = "fuzzy, relative, respects .gitignore"}),
      command<DirectoriesRequest, &SessionService::directories>(
          {.name = "directory:list",
           .http = "GET /api/directories",
           .summary = "Directories that begin so"}),
      command<Empty, &SessionService::agents>(
          {.name = "agent:list",
           .http = "GET /api/agents",
           .summary = "The agents and how they are",
           .notes = "with `problem` and `remedy` where something is missing, `login: needed` "
                    "where that is a login (a message still tries), `limits` of its account where "
                    "it tells them"}),
      command<SessionReconnectRequest, &SessionService::reconnect>(
          {.name = "session:reconnect",
           .http = "POST /api/agents/:cliType/reconnect",
           .status = 202,
           .summary = "Try again to reach an agent"}),
      command<AgentWarmRequest, &warm>(
          {.name = "agent:warm",
           .http = "POST /api/agents/:cliType/warm",
           .status = 202,
           .summary = "Start an agent before a session needs it",
           .notes = "at most 2 at a time, each for 5 minutes or until a session takes it; "
                    "`AgentInfo.warm` counts them. `warm: false`: it is switched off (`warm_start "
                    "= false`), runs already, or cannot start ahead"}),
  };
}

std::vector<ClientCommand> workspaces() {
  return {
      command<ProjectGitRequest, &SessionService::project_git>(
          {.name = "project:git",
           .http = "GET /api/project/:id/git",
           .summary = "What a workspace of this project can begin with",
           .notes = "`available: false` with `problem` where there is no git or no repository. "
                    "`setup` is what `.worktreesetup` of `base` wants run, `confirmed` when the "
                    "user agreed to this very content"}),
      command<WorkspaceListRequest, &SessionService::workspaces>(
          {.name = "workspace:list",
           .http = "GET /api/workspaces",
           .summary = "All workspaces, of one project or of all",
           .notes = "with `foreign` worktrees of the same repositories. What takes long to find "
                    "out (`dirty`, `ahead`, `behind`, `bytes`) is as of the last look and follows "
                    "as `workspace:upsert`"}),
      command<WorkspaceLandRequest, &SessionService::land>(
          {.name = "workspace:land",
           .http = "POST /api/workspace/:id/land",
           .summary = "Bring the work of a workspace into its base branch",
           .notes = "uncommitted work is committed first; the user's hooks run. `dryRun` changes "
                    "nothing and answers with `conflicts`. 409 `LAND_CONFLICT` and `TARGET_DIRTY` "
                    "with `paths`, `TARGET_ELSEWHERE`: nothing was changed; 409 `NOT_SUPPORTED` "
                    "where the base is no branch"}),
      command<WorkspacePushRequest, &SessionService::push>(
          {.name = "workspace:push",
           .http = "POST /api/workspace/:id/push",
           .summary = "Push the branch of a workspace",
           .notes = "with `pullRequest: true` also opens one, through `gh`"}),
      command<WorkspaceSetupRequest, &SessionService::run_setup>(
          {.name = "workspace:setup",
           .http = "POST /api/workspace/:id/setup",
           .status = 202,
           .summary = "Confirm the setup commands of the repository and run them",
           .notes = "their output comes as a tool call in the workspace's session. 409 "
                    "`CONFIRM_NEEDED` when the commands are others than those confirmed"}),
      command<WorkspaceRemoveRequest, &SessionService::remove_workspace>(
          {.name = "workspace:remove",
           .http = "POST /api/workspace/:id/remove",
           .summary = "Remove the folder of a workspace, after a snapshot",
           .notes = "without `confirm`, or with an old one: 409 `CONFIRM_NEEDED` with "
                    "`{inventory, inventoryHash}`. 503 `BUSY` while an agent works in it"}),
      command<WorkspaceRestoreRequest, &SessionService::restore_workspace>(
          {.name = "workspace:restore",
           .http = "POST /api/workspace/:id/restore",
           .summary = "Bring a removed workspace back, at the same path",
           .notes = "every tracked and untracked byte as it was; what git ignores is not kept"}),
  };
}

std::vector<ClientCommand> beginning() {
  return {
      command<SessionCreateRequest, &SessionService::create>(
          {.name = "session:create",
           .http = "POST /api/session/create",
           .status = 201,
           .summary = "Start a session with an agent",
           .notes =
               "`projectDir` or `projectId` is needed. `workspace`: a worktree of its own, on a "
               "new branch; `{}` takes all defaults. `confined`: its agent runs behind walls "
               "(docs/security.md), now and whenever the session is opened again; left out: "
               "as the agent's `confine` says. 409 `NOT_SUPPORTED` where the kernel does not "
               "allow it (`AgentInfo.confineProblem`). 400 `UNSUPPORTED_CLI_TYPE`, "
               "`PROJECT_PATH_INVALID`; 503 `AGENT_UNAVAILABLE`; 502 "
               "`SESSION_CREATE_FAILED`"}),
      command<SessionLoadRequest, &load>({.name = "session:load",
                                          .http = "POST /api/session/:id/load",
                                          .summary = "Make a session ready for prompts",
                                          .notes = "404 `SESSION_NOT_FOUND` (everywhere below)"}),
      command<SessionListRequest, &list_sessions>(
          {.name = "session:list",
           .http = "GET /api/session/list",
           .summary = "Sessions of a project",
           .notes = "the active ones. `scope=all`: also those that no agent holds (killed, "
                    "discovered, not used since a restart); `archived=1`: only archived. Without "
                    "projectId: 400 `PROJECT_ID_REQUIRED`"}),
      command<SessionStatusRequest, &SessionService::status>(
          {.name = "session:status",
           .http = "GET /api/session/:id/status",
           .summary = "Everything known of a session"}),
  };
}

std::vector<ClientCommand> talking() {
  return {
      command<SessionSendRequest, &Session::send>(
          {.name = "session:send",
           .http = "POST /api/session/:id/send",
           .status = 202,
           .summary = "Send a prompt",
           .notes = "`queued: true` while a turn runs. With `steer: true` it goes into that turn "
                    "instead, where `steers` of `session:facts` is set (409 `NOT_SUPPORTED` else): "
                    "the agent takes it up at its next step, or as the next turn. The "
                    "`Idempotency-Key` header is "
                    "`clientMessageId`. 400 with neither text nor attachment, or with a key above "
                    "256 bytes; 502 "
                    "`PROCESS_CRASH`, also once when the agent no longer has the conversation: "
                    "the next send starts the agent afresh in the same session, behind a message "
                    "of the `system` that says so"}),
      command<SessionQueueRequest, &Session::edit_queue>(
          {.name = "session:queue",
           .http = "POST /api/session/:id/queue",
           .summary = "Edit, remove or release queued prompts",
           .notes = "`{turnId, content}` edits one; `content: null` removes it (left out it is "
                    "refused); `{resume: true}` releases a held queue. 409 `TURN_STARTED`"}),
      command<SessionReorderRequest, &Session::reorder>(
          {.name = "session:reorder",
           .http = "POST /api/session/:id/reorder",
           .summary = "Put the queued prompts in another order",
           .notes = "`turnIds` names every queued turn once, the next one first. 409 "
                    "`TURN_STARTED` when one of them waits no longer"}),
      command<SessionCancelRequest, &Session::cancel>({.name = "session:cancel",
                                                       .http = "POST /api/session/:id/cancel",
                                                       .summary = "Interrupt the running turn"}),
      command<SessionKillRequest, &Session::kill>({.name = "session:kill",
                                                   .http = "POST /api/session/:id/kill",
                                                   .summary = "End the agent's process"}),
      command<SessionAnswerRequest, &SessionService::answer>(
          {.name = "session:answer",
           .http = "POST /api/session/:id/answer",
           .summary = "Decide an approval",
           .notes = "when the agent has the answer. 404 `ITEM_NOT_FOUND`; 409 "
                    "`ALREADY_ANSWERED`, also while another answer is on its way; with `rev`, and "
                    "changed since: 409 `APPROVAL_CHANGED`; 503 `BUSY` when the agent does not "
                    "read it (see below)"}),
  };
}

std::vector<ClientCommand> changing_sessions() {
  return {
      command<SessionRenameRequest, &Session::set_title>({.name = "session:rename",
                                                          .http = "POST /api/session/:id/rename",
                                                          .summary = "Give a session a title"}),
      command<SessionArchiveRequest, &Session::set_archived>(
          {.name = "session:archive",
           .http = "POST /api/session/:id/archive",
           .summary = "Archive a session, or bring it back"}),
      command<SessionDeleteRequest, &SessionService::remove>(
          {.name = "session:delete",
           .http = "POST /api/session/:id/delete",
           .summary = "Delete a session and its conversation"}),
      command<SessionModeRequest, &Session::set_mode>({.name = "session:mode",
                                                       .http = "POST /api/session/:id/mode",
                                                       .summary = "Choose the agent's mode",
                                                       .notes = "409 `NOT_SUPPORTED`"}),
      command<SessionModelRequest, &Session::set_model>({.name = "session:model",
                                                         .http = "POST /api/session/:id/model",
                                                         .summary = "Choose the agent's model",
                                                         .notes = "409 `NOT_SUPPORTED`"}),
      command<SessionThinkingRequest, &Session::set_thinking>(
          {.name = "session:thinking",
           .http = "POST /api/session/:id/thinking",
           .summary = "Choose how much the agent thinks",
           .notes = "409 `NOT_SUPPORTED`"}),
      command<SessionReadRequest, &Session::mark_read>(
          {.name = "session:read",
           .http = "POST /api/session/:id/read",
           .summary = "Nothing of it is unread any more"}),
      command<SessionForkRequest, &SessionService::fork>(
          {.name = "session:fork",
           .http = "POST /api/session/:id/fork",
           .status = 201,
           .summary = "A copy that goes its own way",
           .notes = "with `before` it ends before that turn, so that its prompt can be said in "
                    "other words. 409 `NOT_SUPPORTED`"}),
      command<SessionRewindRequest, &SessionService::rewind>(
          {.name = "session:rewind",
           .http = "POST /api/session/:id/rewind",
           .summary = "Take back what a turn did to the files, the conversation, or both",
           .notes = "`dryRun` says what would change and changes nothing. Only what the turn "
                    "changed is taken back; what was changed since stays. 409 `REWIND_CONFLICT` "
                    "with `paths` where both is at the same place, `NOT_SUPPORTED` where the turn "
                    "has no checkpoint. The conversation goes back as a fork (`forkSessionId`)"}),
      command<SessionRewindUndoRequest, &SessionService::undo_rewind>(
          {.name = "session:rewind:undo",
           .http = "POST /api/session/:id/rewind/undo",
           .summary = "Take a rewind of the files back",
           .notes = "as a rewind of its own: it can be undone too"}),
      command<SessionOverlapsRequest, &SessionService::overlaps>(
          {.name = "session:overlaps",
           .http = "GET /api/session/:id/overlaps",
           .summary = "Which sessions change the same files, and which files"}),
  };
}

std::vector<ClientCommand> reading() {
  return {
      of_connection<SessionOpenRequest, SessionHistoryMessage>(
          ConnectionCommand::Open, {.name = "session:open",
                                    .summary = "Read a session on this connection",
                                    .notes = "see below"}),
      of_connection<SessionCloseRequest, OkMessage>(
          ConnectionCommand::Close, {.name = "session:close", .summary = "Read it no longer"}),
      of_connection<SessionPageRequest, SessionPageMessage>(
          ConnectionCommand::Page,
          {.name = "session:page", .summary = "Older entries, by position"}),
      command<SessionTimelineRequest, &SessionService::window>(
          {.name = "session:timeline",
           .http = "GET /api/session/:id/timeline",
           .summary = "What changed after a revision, or a window by position",
           .notes = "`?since=REV`, `?tail=N`, or `?before=POS&count=N`"}),
      of_server<SessionEventsRequest>(
          {.name = "session:events",
           .http = "GET /api/session/:id/events",
           .summary = "The changes as they happen",
           .notes = "SSE: `id: REV`, `event:` the message type, `data:` the message; "
                    "`Last-Event-ID` works; `?appends=1`",
           .answers = "text/event-stream"}),
      of_server<SessionOutputRequest>({.name = "session:output",
                                       .http = "GET /api/session/:id/item/:itemId/output",
                                       .summary = "The whole output of a tool call",
                                       .answers = "text/plain"}),
      of_server<SessionExportRequest>({.name = "session:export",
                                       .http = "GET /api/session/:id/export",
                                       .summary = "The conversation as a document",
                                       .notes = "`?format=md` or `json`",
                                       .answers = "text/markdown"}),
      of_server<SessionAttachRequest, AttachmentBody>(
          {.name = "session:attach",
           .http = "POST /api/session/:id/attachment",
           .status = 201,
           .summary = "Add an image or a text for a prompt",
           .notes = "the raw image, 20 MiB at most, or "
                    "text/plain in UTF-8, 5 MiB at most",
           .takes = "image/*"}),
      of_server<SessionAttachmentRequest>({.name = "session:attachment",
                                           .http = "GET /api/session/:id/attachment/:attachmentId",
                                           .summary = "An image or a text of a prompt",
                                           .answers = "image/*"}),
      command<SearchRequest, &SessionService::search>({.name = "search",
                                                       .http = "GET /api/search",
                                                       .summary = "Search all conversations",
                                                       .notes = "best first"}),
      command<Empty, &SessionService::inbox>({.name = "inbox",
                                              .http = "GET /api/inbox",
                                              .summary = "Everything that waits for the user"}),
  };
}

}  // namespace

const std::vector<ClientCommand>& commands() {
  static const std::vector<ClientCommand> all = [] {
    std::vector<ClientCommand> rows;
    const auto add = [&](Section section, std::vector<ClientCommand> some) {
      for (ClientCommand& command : some) {
        command.section = section;
        rows.push_back(std::move(command));
      }
    };
    add(Section::Server, about_the_server());
    add(Section::Credentials, credentials());
    add(Section::Projects, projects_and_agents());
    add(Section::Workspaces, workspaces());
    add(Section::Sessions, beginning());
    add(Section::Sessions, talking());
    add(Section::Sessions, changing_sessions());
    add(Section::Sessions, reading());
    add(Section::Review, looking_at_changes());
    add(Section::Review, commenting());
    add(Section::Terminals, terminals_and_ports());
    return rows;
  }();
  return all;
}

}  // namespace lb
