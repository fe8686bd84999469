// Made from the C++ descriptions in src/model and the table in src/commands; do not edit.
// A test compares. To renew: LIMINAL_UPDATE_GOLDEN=1 build/dev/src/test_commands

/** What the server must say in its hello: another one speaks another language. */
export const WIRE_VERSION = 2;

export interface Attachment {
  attachmentId: string;
  name?: string;
  mimeType: string;
  bytes?: number;
  lines?: number;
}

export interface Message extends ItemBase {
  type: "message";
  content: string;
  origin: "user" | "agent" | "system";
  attachments?: Attachment[];
  clientMessageId?: string;
}

export interface Thinking extends ItemBase {
  type: "thinking";
  content: string;
  providerId: string;
}

export interface Location {
  path: string;
  line?: number;
}

export interface Diff {
  path: string;
  oldText?: string;
  newText: string;
}

export interface ToolCall extends ItemBase {
  type: "tool_call";
  toolName: string;
  toolArguments: Record<string, unknown>;
  callId: string;
  toolOutput?: string;
  toolOutputIsError?: boolean;
  title?: string;
  kind?: "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "other";
  locations?: Location[];
  diffs?: Diff[];
  exitCode?: number;
  outputBytes?: number;
}

export interface ApprovalOption {
  optionId: string;
  name: string;
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

export interface QuestionOption {
  label: string;
  description?: string;
}

export interface Question {
  question: string;
  header?: string;
  multiSelect: boolean;
  options: QuestionOption[];
}

export interface ApprovalAnswer {
  optionId?: string;
  message?: string;
  answers?: Record<string, string>;
}

export interface Approval extends ItemBase {
  type: "approval";
  title: string;
  kind: "tool" | "question" | "plan";
  callId?: string;
  toolName?: string;
  toolArguments?: Record<string, unknown>;
  detail?: string;
  options: ApprovalOption[];
  questions?: Question[];
  state: "pending" | "answered" | "expired";
  answer?: ApprovalAnswer;
  answeredAt?: string;
  answeredBy?: string;
}

export interface PlanEntry {
  content: string;
  status: "pending" | "in_progress" | "completed";
  priority?: string;
}

export interface Plan extends ItemBase {
  type: "plan";
  entries: PlanEntry[];
}

export interface ItemBase {
  turnId: string;
  sessionId: string;
  itemId: string;
  pos: number;
  rev: number;
  sourceTimestamp: string;
  emittedAt: string;
  status: "create" | "update" | "complete" | "error" | "cancelled";
  startedAt: string;
  endedAt?: string;
  errorCode?: string;
  errorMessage?: string;
  parentCallId?: string;
}

export type Item =
  | Message
  | Thinking
  | ToolCall
  | Approval
  | Plan;

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens?: number;
  cacheCreationInputTokens?: number;
}

export interface Turn {
  type: "turn_queued" | "turn_started" | "turn_complete" | "turn_error";
  status?: "completed" | "cancelled";
  turnId: string;
  sessionId: string;
  rev: number;
  pos: number;
  origin: "user" | "agent";
  clientMessageId?: string;
  content?: string;
  attachments?: Attachment[];
  held?: boolean;
  place?: number;
  modelId?: string;
  providerId?: string;
  queuedAt?: string;
  startedAt?: string;
  endedAt?: string;
  waitedMs?: number;
  checkpoint?: "made" | "none";
  checkpointProblem?: string;
  finishReason?: string;
  usage?: Usage;
  costUsd?: number;
  errorCode?: string;
  errorMessage?: string;
}

export interface Project {
  projectId: string;
  path: string;
  name: string;
  addedAt: string;
  missing?: boolean;
}

export interface AccountLimit {
  window: string;
  name: string;
  used: number;
  resetsAt?: string;
  reached?: boolean;
}

export interface AgentInfo {
  cliType: string;
  name: string;
  protocol: string;
  status: "idle" | "starting" | "connected" | "disconnected" | "reconnecting";
  installed: boolean;
  version?: string;
  login?: "ok" | "needed";
  problem?: string;
  remedy?: string;
  warm?: number;
  limits?: AccountLimit[];
  takesText?: boolean;
  confine?: boolean;
  confineProblem?: string;
}

export interface ChangeCount {
  files: number;
  added: number;
  deleted: number;
  oid?: string;
}

export interface SessionInfo {
  sessionId: string;
  cliType: string;
  projectId: string;
  status: "open" | "loading" | "dead";
  activity: "idle" | "working" | "needs-approval" | "failed";
  unread: boolean;
  title: string;
  createdAt: string;
  lastActiveAt: string;
  archived: boolean;
  discovered: boolean;
  confined: boolean;
  workspaceId?: string;
  branch?: string;
  changes?: ChangeCount;
  overlaps?: string[];
  needsReview?: boolean;
}

export interface Choice {
  id: string;
  name: string;
  description?: string;
}

export interface Command {
  name: string;
  description: string;
  hint?: string;
}

export interface ContextUse {
  used: number;
  size: number;
}

export interface SessionStatus {
  sessionId: string;
  cliType: string;
  projectId: string;
  status: "open" | "loading" | "dead";
  activity: "idle" | "working" | "needs-approval" | "failed";
  unread: boolean;
  title: string;
  createdAt: string;
  lastActiveAt: string;
  archived: boolean;
  discovered: boolean;
  confined: boolean;
  workspaceId?: string;
  branch?: string;
  changes?: ChangeCount;
  overlaps?: string[];
  needsReview?: boolean;
  isAlive: boolean;
  state: "open" | "loading" | "dead";
  modes?: Choice[];
  mode?: string;
  models?: Choice[];
  model?: string;
  thinkingLevels?: Choice[];
  thinking?: string;
  commands?: Command[];
  context?: ContextUse;
  usage?: Usage;
  costUsd?: number;
  limits?: AccountLimit[];
  steers?: boolean;
}

export interface Limits {
  messageBytes: number;
  promptBytes: number;
  imageBytes: number;
  textBytes: number;
}

export interface HelloMessage extends ServerMessageBase {
  type: "hello";
  version: string;
  wireVersion: number;
  epoch: string;
  limits?: Limits;
}

export interface ProjectListMessage extends ServerMessageBase {
  type: "project:list";
  projects: Project[];
}

export interface ProjectAddedMessage extends ServerMessageBase {
  type: "project:added";
  project: Project;
}

export interface ProjectRemovedMessage extends ServerMessageBase {
  type: "project:removed";
  projectId: string;
}

export interface SessionListMessage extends ServerMessageBase {
  type: "session:list";
  projectId: string;
  sessions: SessionInfo[];
}

export interface SessionCreatedMessage extends ServerMessageBase {
  type: "session:created";
  sessionId: string;
  projectId: string;
  cliType: string;
  confined: boolean;
  workspaceId?: string;
}

export interface SessionSentMessage extends ServerMessageBase {
  type: "session:sent";
  sessionId: string;
  turnId: string;
  queued?: boolean;
}

export interface SessionHistoryMessage extends ServerMessageBase {
  type: "session:history";
  sessionId: string;
  entries: Item[];
  turns: Turn[];
  rev: number;
  before?: number;
}

export interface SessionPageMessage extends ServerMessageBase {
  type: "session:page";
  sessionId: string;
  entries: Item[];
  turns: Turn[];
  before?: number;
}

export interface SessionUpsertMessage extends ServerMessageBase {
  type: "session:upsert";
  sessionId: string;
  rev: number;
  payload: Item;
}

export interface SessionTurnMessage extends ServerMessageBase {
  type: "session:turn";
  sessionId: string;
  rev: number;
  payload: Turn;
}

export interface SessionAppendMessage extends ServerMessageBase {
  type: "session:append";
  sessionId: string;
  rev: number;
  itemId: string;
  field: string;
  from: number;
  text: string;
}

export interface SessionInfoMessage extends ServerMessageBase {
  type: "session:info";
  sessionId: string;
  cliType: string;
  projectId: string;
  status: "open" | "loading" | "dead";
  activity: "idle" | "working" | "needs-approval" | "failed";
  unread: boolean;
  title: string;
  createdAt: string;
  lastActiveAt: string;
  archived: boolean;
  discovered: boolean;
  confined: boolean;
  workspaceId?: string;
  branch?: string;
  changes?: ChangeCount;
  overlaps?: string[];
  needsReview?: boolean;
}

export interface SessionFactsMessage extends ServerMessageBase {
  type: "session:facts";
  sessionId: string;
  modes?: Choice[];
  mode?: string;
  models?: Choice[];
  model?: string;
  thinkingLevels?: Choice[];
  thinking?: string;
  commands?: Command[];
  context?: ContextUse;
  usage?: Usage;
  costUsd?: number;
  limits?: AccountLimit[];
  steers?: boolean;
}

export interface SessionInboxMessage extends ServerMessageBase {
  type: "session:inbox";
  sessionId: string;
  title: string;
  items: Item[];
}

export interface AgentStatusMessage extends ServerMessageBase {
  type: "agent:status";
  cliType: string;
  status: "idle" | "starting" | "connected" | "disconnected" | "reconnecting";
  message?: string;
}

export interface SessionDefaults {
  projectId?: string;
  cliType?: string;
  mode?: string;
  model?: string;
  thinking?: string;
}

export interface Settings {
  sendKey: "enter" | "ctrl-enter";
  defaults: SessionDefaults[];
}

export interface SettingsMessage extends ServerMessageBase {
  type: "settings";
  settings: Settings;
}

export interface AuditBy {
  kind: "login" | "token" | "terminal" | "server" | "unknown";
  id?: string;
  name?: string;
}

export interface AuditEntry {
  id: number;
  at: string;
  kind: "code_asked" | "code_refused" | "command_refused" | "login" | "login_ended" | "login_unknown" | "answered" | "answer_lost" | "terminal_opened" | "terminal_closed";
  by: AuditBy;
  address?: string;
  via?: string;
  why?: string;
  times?: number;
  loginId?: string;
  loginName?: string;
  sessionId?: string;
  sessionTitle?: string;
  itemId?: string;
  title?: string;
  answer?: string;
  optionKind?: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

export interface AuditMessage extends ServerMessageBase {
  type: "audit";
  entries: AuditEntry[];
  before?: number;
}

export interface PortRange {
  first: number;
  last: number;
}

export interface Workspace {
  workspaceId: string;
  projectId: string;
  path: string;
  branch?: string;
  baseRef?: string;
  baseOid?: string;
  state: "creating" | "ready" | "failed" | "removed";
  progress?: string;
  problem?: string;
  setup: "none" | "unconfirmed" | "running" | "done" | "failed";
  foreign?: boolean;
  missing?: boolean;
  dirty?: boolean;
  ahead?: number;
  behind?: number;
  bytes?: number;
  ports?: PortRange;
  createdAt: string;
  removedAt?: string;
  old?: boolean;
  sessionIds: string[];
}

export interface WorkspaceMessage extends ServerMessageBase {
  type: "workspace:upsert";
  workspace: Workspace;
}

export interface Comment {
  commentId: string;
  sessionId: string;
  state: "draft" | "sent" | "resolved" | "outdated";
  path?: string;
  itemId?: string;
  side?: "old" | "new";
  oid?: string;
  line: number;
  quote: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  turnId?: string;
}

export interface CommentMessage extends ServerMessageBase {
  type: "comment:upsert";
  comment: Comment;
}

export interface CommentRemovedMessage extends ServerMessageBase {
  type: "comment:removed";
  sessionId: string;
  commentId: string;
}

export interface Terminal {
  terminalId: string;
  sessionId: string;
  name: string;
  folder: string;
  cols: number;
  rows: number;
  state: "running" | "ended";
  ended?: string;
  confined?: boolean;
  createdAt: string;
}

export interface TerminalMessage extends ServerMessageBase {
  type: "terminal:upsert";
  terminal: Terminal;
}

export interface TerminalRemovedMessage extends ServerMessageBase {
  type: "terminal:removed";
  terminalId: string;
  sessionId: string;
}

export interface OkMessage extends ServerMessageBase {
  type: "ok";
  rev?: number;
}

export interface Inventory {
  tracked: number;
  untracked: number;
  ignored: number;
  ignoredBytes: number;
  unpushed: number;
  unlanded: number;
  samples: string[];
  changed: string[];
  working: string[];
}

export interface ErrorMessage extends ServerMessageBase {
  type: "error";
  code: string;
  message: string;
  sessionId?: string;
  projectId?: string;
  inventory?: Inventory;
  inventoryHash?: string;
  paths?: string[];
}

export interface ServerMessageBase {
  requestId?: string;
}

export type ServerMessage =
  | HelloMessage
  | ProjectListMessage
  | ProjectAddedMessage
  | ProjectRemovedMessage
  | SessionListMessage
  | SessionCreatedMessage
  | SessionSentMessage
  | SessionHistoryMessage
  | SessionPageMessage
  | SessionUpsertMessage
  | SessionTurnMessage
  | SessionAppendMessage
  | SessionInfoMessage
  | SessionFactsMessage
  | SessionInboxMessage
  | AgentStatusMessage
  | SettingsMessage
  | AuditMessage
  | WorkspaceMessage
  | CommentMessage
  | CommentRemovedMessage
  | TerminalMessage
  | TerminalRemovedMessage
  | OkMessage
  | ErrorMessage;

export interface ResponseStart {
  type: "response_start";
  modelId: string;
  providerId: string;
}

export interface ItemStart {
  type: "item_start";
  itemId: string;
  itemType: "message" | "reasoning" | "function_call" | "function_call_output";
  initialContent?: string;
  name?: string;
  callId?: string;
}

export interface ItemDelta {
  type: "item_delta";
  itemId: string;
  deltaContent: string;
}

export interface FinalMessage {
  type: "message";
  content: string;
  origin: "user" | "agent" | "system";
}

export interface FinalReasoning {
  type: "reasoning";
  content: string;
  providerId: string;
}

export interface FinalCall {
  type: "function_call";
  name: string;
  callId: string;
  arguments: Record<string, unknown>;
}

export interface FinalOutput {
  type: "function_call_output";
  callId: string;
  output: string;
  isError: boolean;
}

export type FinalizedItem =
  | FinalMessage
  | FinalReasoning
  | FinalCall
  | FinalOutput;

export interface ItemDone {
  type: "item_done";
  itemId: string;
  finalItem: FinalizedItem;
}

export interface StreamError {
  code: string;
  message: string;
}

export interface ItemError {
  type: "item_error";
  itemId: string;
  error: StreamError;
}

export interface ItemCancelled {
  type: "item_cancelled";
  itemId: string;
  reason?: "user_cancel" | "timeout" | "process_death";
}

export interface ResponseDone {
  type: "response_done";
  status: "completed" | "cancelled" | "error";
  finishReason?: string;
  error?: StreamError;
  usage?: Usage;
}

export interface ResponseError {
  type: "response_error";
  error: StreamError;
}

export type StreamPayload =
  | ResponseStart
  | ItemStart
  | ItemDelta
  | ItemDone
  | ItemError
  | ItemCancelled
  | ResponseDone
  | ResponseError;

export interface StreamEvent {
  eventId: string;
  timestamp: string;
  turnId: string;
  sessionId: string;
  type: "response_start" | "item_start" | "item_delta" | "item_done" | "item_error" | "item_cancelled" | "response_done" | "response_error";
  payload: StreamPayload;
}

export interface Empty {
}

export interface HealthBody {
  status: string;
}

export interface StoreBody {
  kind: string;
  durability: string;
}

export interface InfoBody {
  version: string;
  wireVersion: number;
  epoch: string;
  store: StoreBody;
  startedAt: string;
  editor?: boolean;
}

export interface SettingsRequest extends ClientMessageBase {
  type: "settings";
}

export interface SettingsChangeRequest extends ClientMessageBase {
  type: "settings:change";
  sendKey?: "enter" | "ctrl-enter";
  defaults?: SessionDefaults;
}

export interface AuditRequest extends ClientMessageBase {
  type: "audit";
  before?: number;
  limit?: number;
}

export interface ExchangeRequest {
  code: string;
}

export interface TokenBody {
  token: string;
}

export interface ProveRequest {
  keyId: string;
  nonce: string;
}

export interface ProofBody {
  proof: string;
}

export interface TicketBody {
  ticket: string;
  expiresInMs: number;
}

export interface Login {
  loginId: string;
  name: string;
  origin: "issued" | "before" | "token" | "unknown";
  address?: string;
  issuedAt?: string;
  lastSeenAt?: string;
  current?: boolean;
}

export interface LoginsBody {
  logins: Login[];
}

export interface LoginEndRequest {
  loginId: string;
}

export interface ProjectListRequest extends ClientMessageBase {
  type: "project:list";
}

export interface ProjectAddRequest extends ClientMessageBase {
  type: "project:add";
  path: string;
}

export interface ProjectRemoveRequest extends ClientMessageBase {
  type: "project:remove";
  projectId: string;
}

export interface ProjectFilesRequest {
  projectId: string;
  q?: string;
  limit?: number;
  workspaceId?: string;
}

export interface FileBody {
  path: string;
}

export interface FilesBody {
  files: FileBody[];
}

export interface DirectoriesRequest {
  prefix?: string;
}

export interface DirectoriesBody {
  directories: string[];
}

export interface AgentsBody {
  agents: AgentInfo[];
}

export interface SessionReconnectRequest extends ClientMessageBase {
  type: "session:reconnect";
  cliType: string;
}

export interface AgentWarmRequest {
  cliType: string;
  projectId: string;
  confined?: boolean;
}

export interface WarmBody {
  warm: boolean;
}

export interface ProjectGitRequest {
  projectId: string;
  base?: string;
}

export interface SetupScript {
  id: string;
  text: string;
  confirmed?: boolean;
}

export interface ProjectGit {
  available: boolean;
  problem?: string;
  branch?: string;
  head?: string;
  branches: string[];
  tags: string[];
  dirty: number;
  setup?: SetupScript;
  submodules?: boolean;
}

export interface WorkspaceListRequest {
  projectId?: string;
}

export interface WorkspacesBody {
  workspaces: Workspace[];
}

export interface WorkspaceLandRequest {
  workspaceId: string;
  strategy: "merge" | "squash" | "rebase";
  message?: string;
  dryRun?: boolean;
}

export interface LandBody {
  oid?: string;
  into: string;
  conflicts: string[];
  files: number;
  commits: number;
  commitsFirst?: boolean;
  said?: string;
}

export interface WorkspacePushRequest {
  workspaceId: string;
  pullRequest?: boolean;
  title?: string;
  body?: string;
}

export interface PushBody {
  remote: string;
  branch: string;
  url?: string;
  said?: string;
}

export interface WorkspaceSetupRequest extends ClientMessageBase {
  type: "workspace:setup";
  workspaceId: string;
  setup: string;
}

export interface WorkspaceRemoveRequest extends ClientMessageBase {
  type: "workspace:remove";
  workspaceId: string;
  confirm?: string;
}

export interface WorkspaceRestoreRequest extends ClientMessageBase {
  type: "workspace:restore";
  workspaceId: string;
}

export interface WorkspaceWish {
  base?: string;
  branch?: string;
  carry?: "none" | "uncommitted";
  setup?: string;
}

export interface SessionCreateRequest extends ClientMessageBase {
  type: "session:create";
  cliType: string;
  projectDir?: string;
  projectId?: string;
  model?: string;
  mode?: string;
  thinking?: string;
  providerOptions?: Record<string, unknown>;
  confined?: boolean;
  workspace?: WorkspaceWish;
}

export interface SessionLoadRequest {
  sessionId: string;
}

export interface LoadedBody {
  sessionId: string;
  cliType: string;
}

export interface SessionListRequest extends ClientMessageBase {
  type: "session:list";
  projectId: string;
  scope?: "active" | "all";
  archived?: boolean;
}

export interface SessionStatusRequest {
  sessionId: string;
}

export interface AttachmentRef {
  attachmentId: string;
  name?: string;
}

export interface SessionSendRequest extends ClientMessageBase {
  type: "session:send";
  sessionId: string;
  content: string;
  attachments?: AttachmentRef[];
  clientMessageId?: string;
  steer?: boolean;
}

export interface SessionQueueRequest extends ClientMessageBase {
  type: "session:queue";
  sessionId: string;
  turnId?: string;
  content?: string | null;
  resume?: boolean;
}

export interface SessionReorderRequest extends ClientMessageBase {
  type: "session:reorder";
  sessionId: string;
  turnIds: string[];
}

export interface SessionCancelRequest extends ClientMessageBase {
  type: "session:cancel";
  sessionId: string;
  turnId?: string;
}

export interface SessionKillRequest extends ClientMessageBase {
  type: "session:kill";
  sessionId: string;
}

export interface SessionAnswerRequest extends ClientMessageBase {
  type: "session:answer";
  sessionId: string;
  itemId: string;
  optionId?: string;
  message?: string;
  answers?: Record<string, string>;
  input?: Record<string, unknown>;
  rev?: number;
}

export interface SessionRenameRequest extends ClientMessageBase {
  type: "session:rename";
  sessionId: string;
  title: string;
}

export interface SessionArchiveRequest extends ClientMessageBase {
  type: "session:archive";
  sessionId: string;
  archived?: boolean;
}

export interface SessionDeleteRequest extends ClientMessageBase {
  type: "session:delete";
  sessionId: string;
}

export interface SessionModeRequest extends ClientMessageBase {
  type: "session:mode";
  sessionId: string;
  mode: string;
}

export interface SessionModelRequest extends ClientMessageBase {
  type: "session:model";
  sessionId: string;
  model: string;
}

export interface SessionThinkingRequest extends ClientMessageBase {
  type: "session:thinking";
  sessionId: string;
  thinking: string;
}

export interface SessionReadRequest extends ClientMessageBase {
  type: "session:read";
  sessionId: string;
}

export interface SessionForkRequest extends ClientMessageBase {
  type: "session:fork";
  sessionId: string;
  before?: string;
}

export interface SessionRewindRequest {
  sessionId: string;
  turnId: string;
  files?: boolean;
  conversation?: boolean;
  dryRun?: boolean;
}

export interface FileChange {
  path: string;
  kind: "added" | "modified" | "deleted";
}

export interface RewindBody {
  changes: FileChange[];
  conflicts: string[];
  shared: string[];
  conversation: boolean;
  forkSessionId?: string;
  undoId?: string;
}

export interface SessionRewindUndoRequest {
  sessionId: string;
  undoId: string;
  dryRun?: boolean;
}

export interface SessionOverlapsRequest {
  sessionId: string;
}

export interface Overlap {
  sessionId: string;
  paths: string[];
  conflicts?: boolean;
}

export interface OverlapsBody {
  overlaps: Overlap[];
}

export interface SessionOpenRequest extends ClientMessageBase {
  type: "session:open";
  sessionId: string;
  since?: number;
  epoch?: string;
  tail?: number;
  appends?: boolean;
}

export interface SessionCloseRequest extends ClientMessageBase {
  type: "session:close";
  sessionId: string;
}

export interface SessionPageRequest extends ClientMessageBase {
  type: "session:page";
  sessionId: string;
  before: number;
  count: number;
}

export interface SessionTimelineRequest {
  sessionId: string;
  since?: number;
  tail?: number;
  before?: number;
  count?: number;
}

export interface TimelineBody {
  sessionId: string;
  rev: number;
  entries: Item[];
  turns: Turn[];
  before?: number;
  epoch: string;
}

export interface SessionEventsRequest {
  sessionId: string;
  since?: number;
  epoch?: string;
  appends?: boolean;
}

export interface SessionOutputRequest {
  sessionId: string;
  itemId: string;
}

export interface SessionExportRequest {
  sessionId: string;
  format?: "md" | "json";
}

export interface SessionAttachRequest {
  sessionId: string;
}

export interface AttachmentBody {
  attachmentId: string;
}

export interface SessionAttachmentRequest {
  sessionId: string;
  attachmentId: string;
}

export interface SearchRequest {
  q?: string;
  projectId?: string;
  cliType?: string;
  limit?: number;
}

export interface SearchResult {
  sessionId: string;
  itemId: string;
  turnId: string;
  type: string;
  title: string;
  cliType: string;
  projectId: string;
  snippet: string;
  at: string;
}

export interface SearchBody {
  results: SearchResult[];
}

export interface InboxItem {
  sessionId: string;
  title: string;
  item: Item;
}

export interface InboxBody {
  items: InboxItem[];
}

export interface SessionChangesRequest {
  sessionId: string;
  against?: string;
}

export interface ChangedFile {
  path: string;
  oldPath?: string;
  status: "added" | "modified" | "deleted" | "renamed";
  added: number;
  deleted: number;
  binary?: boolean;
  oid: string;
  viewed?: boolean;
  changedSinceViewed?: boolean;
}

export interface ChangesBody {
  against: string;
  from: string;
  oid: string;
  files: ChangedFile[];
  added: number;
  deleted: number;
  count: number;
  truncated?: boolean;
  reviewed?: boolean;
  target?: string;
  offers: string[];
}

export interface SessionDiffRequest {
  sessionId: string;
  path: string;
  against?: string;
  from?: string;
  oid?: string;
  context?: number;
}

export interface SessionFileRequest {
  sessionId: string;
  path: string;
  oid?: string;
}

export interface SessionViewedRequest extends ClientMessageBase {
  type: "session:viewed";
  sessionId: string;
  path: string;
  oid: string;
  viewed?: boolean;
}

export interface SessionReviewedRequest extends ClientMessageBase {
  type: "session:reviewed";
  sessionId: string;
  oid: string;
}

export interface SessionCommitRequest {
  sessionId: string;
  paths: string[];
  message: string;
}

export interface CommitBody {
  oid: string;
  branch?: string;
  files: number;
  said?: string;
}

export interface HunkRange {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
}

export interface SessionDiscardRequest {
  sessionId: string;
  path: string;
  from: string;
  oid: string;
  hunk?: HunkRange;
}

export interface DiscardBody {
  changes: FileChange[];
  undoId: string;
}

export interface SessionEditorRequest extends ClientMessageBase {
  type: "session:editor";
  sessionId: string;
  path: string;
  line?: number;
}

export interface SessionCommentsRequest {
  sessionId: string;
}

export interface CommentsBody {
  comments: Comment[];
}

export interface SessionCommentRequest extends ClientMessageBase {
  type: "session:comment";
  sessionId: string;
  path?: string;
  itemId?: string;
  side?: "old" | "new";
  oid?: string;
  line: number;
  quote: string;
  body: string;
}

export interface CommentEditRequest extends ClientMessageBase {
  type: "comment:edit";
  sessionId: string;
  commentId: string;
  body: string;
}

export interface CommentResolveRequest extends ClientMessageBase {
  type: "comment:resolve";
  sessionId: string;
  commentId: string;
  resolved?: boolean;
}

export interface CommentDeleteRequest extends ClientMessageBase {
  type: "comment:delete";
  sessionId: string;
  commentId: string;
}

export interface ReviewSendRequest {
  sessionId: string;
  idempotencyKey: string;
  message?: string;
}

export interface ReviewSentBody {
  sessionId: string;
  turnId: string;
  queued?: boolean;
  comments: string[];
}

export interface TerminalListRequest {
  sessionId?: string;
}

export interface TerminalsBody {
  available: boolean;
  problem?: string;
  terminals: Terminal[];
}

export interface TerminalCreateRequest extends ClientMessageBase {
  type: "terminal:create";
  sessionId: string;
  name?: string;
  cols?: number;
  rows?: number;
}

export interface TerminalRenameRequest extends ClientMessageBase {
  type: "terminal:rename";
  terminalId: string;
  name: string;
}

export interface TerminalCloseRequest extends ClientMessageBase {
  type: "terminal:close";
  terminalId: string;
}

export interface TerminalSocketRequest {
  terminalId: string;
  since?: number;
}

export interface PortsRequest {
  sessionId?: string;
}

export interface ListeningPort {
  port: number;
  address: string;
  pid: number;
  program: string;
  sessionId?: string;
  terminalId?: string;
  cliType?: string;
}

export interface PortsBody {
  ports: ListeningPort[];
}

export interface ClientMessageBase {
  requestId?: string;
}

export type ClientMessage =
  | SettingsRequest
  | SettingsChangeRequest
  | AuditRequest
  | ProjectListRequest
  | ProjectAddRequest
  | ProjectRemoveRequest
  | SessionReconnectRequest
  | WorkspaceSetupRequest
  | WorkspaceRemoveRequest
  | WorkspaceRestoreRequest
  | SessionCreateRequest
  | SessionListRequest
  | SessionSendRequest
  | SessionQueueRequest
  | SessionReorderRequest
  | SessionCancelRequest
  | SessionKillRequest
  | SessionAnswerRequest
  | SessionRenameRequest
  | SessionArchiveRequest
  | SessionDeleteRequest
  | SessionModeRequest
  | SessionModelRequest
  | SessionThinkingRequest
  | SessionReadRequest
  | SessionForkRequest
  | SessionOpenRequest
  | SessionCloseRequest
  | SessionPageRequest
  | SessionViewedRequest
  | SessionReviewedRequest
  | SessionEditorRequest
  | SessionCommentRequest
  | CommentEditRequest
  | CommentResolveRequest
  | CommentDeleteRequest
  | TerminalCreateRequest
  | TerminalRenameRequest
  | TerminalCloseRequest;

/** Over HTTP nothing says which message it is: one knows what one asked for. */
export type Bare<T> = Omit<T, "type" | "requestId">;

/** What can be asked over HTTP, by name. */
export interface Commands {
  "health": { request: Bare<Empty>; response: Bare<HealthBody> };
  "ready": { request: Bare<Empty>; response: Bare<HealthBody> };
  "info": { request: Bare<Empty>; response: Bare<InfoBody> };
  "settings": { request: Bare<SettingsRequest>; response: Bare<SettingsMessage> };
  "settings:change": { request: Bare<SettingsChangeRequest>; response: Bare<SettingsMessage> };
  "audit": { request: Bare<AuditRequest>; response: Bare<AuditMessage> };
  "auth:exchange": { request: Bare<ExchangeRequest>; response: Bare<TokenBody> };
  "auth:prove": { request: Bare<ProveRequest>; response: Bare<ProofBody> };
  "auth:ticket": { request: Bare<Empty>; response: Bare<TicketBody> };
  "auth:logout": { request: Bare<Empty>; response: Bare<Empty> };
  "logins": { request: Bare<Empty>; response: Bare<LoginsBody> };
  "login:end": { request: Bare<LoginEndRequest>; response: Bare<Empty> };
  "project:list": { request: Bare<ProjectListRequest>; response: Bare<ProjectListMessage> };
  "project:add": { request: Bare<ProjectAddRequest>; response: Bare<ProjectAddedMessage> };
  "project:remove": { request: Bare<ProjectRemoveRequest>; response: Bare<ProjectRemovedMessage> };
  "project:files": { request: Bare<ProjectFilesRequest>; response: Bare<FilesBody> };
  "directory:list": { request: Bare<DirectoriesRequest>; response: Bare<DirectoriesBody> };
  "agent:list": { request: Bare<Empty>; response: Bare<AgentsBody> };
  "session:reconnect": { request: Bare<SessionReconnectRequest>; response: Bare<OkMessage> };
  "agent:warm": { request: Bare<AgentWarmRequest>; response: Bare<WarmBody> };
  "project:git": { request: Bare<ProjectGitRequest>; response: Bare<ProjectGit> };
  "workspace:list": { request: Bare<WorkspaceListRequest>; response: Bare<WorkspacesBody> };
  "workspace:land": { request: Bare<WorkspaceLandRequest>; response: Bare<LandBody> };
  "workspace:push": { request: Bare<WorkspacePushRequest>; response: Bare<PushBody> };
  "workspace:setup": { request: Bare<WorkspaceSetupRequest>; response: Bare<OkMessage> };
  "workspace:remove": { request: Bare<WorkspaceRemoveRequest>; response: Bare<OkMessage> };
  "workspace:restore": { request: Bare<WorkspaceRestoreRequest>; response: Bare<WorkspaceMessage> };
  "session:create": { request: Bare<SessionCreateRequest>; response: Bare<SessionCreatedMessage> };
  "session:load": { request: Bare<SessionLoadRequest>; response: Bare<LoadedBody> };
  "session:list": { request: Bare<SessionListRequest>; response: Bare<SessionListMessage> };
  "session:status": { request: Bare<SessionStatusRequest>; response: Bare<SessionStatus> };
  "session:send": { request: Bare<SessionSendRequest>; response: Bare<SessionSentMessage> };
  "session:queue": { request: Bare<SessionQueueRequest>; response: Bare<OkMessage> };
  "session:reorder": { request: Bare<SessionReorderRequest>; response: Bare<OkMessage> };
  "session:cancel": { request: Bare<SessionCancelRequest>; response: Bare<OkMessage> };
  "session:kill": { request: Bare<SessionKillRequest>; response: Bare<OkMessage> };
  "session:answer": { request: Bare<SessionAnswerRequest>; response: Bare<OkMessage> };
  "session:rename": { request: Bare<SessionRenameRequest>; response: Bare<OkMessage> };
  "session:archive": { request: Bare<SessionArchiveRequest>; response: Bare<OkMessage> };
  "session:delete": { request: Bare<SessionDeleteRequest>; response: Bare<OkMessage> };
  "session:mode": { request: Bare<SessionModeRequest>; response: Bare<OkMessage> };
  "session:model": { request: Bare<SessionModelRequest>; response: Bare<OkMessage> };
  "session:thinking": { request: Bare<SessionThinkingRequest>; response: Bare<OkMessage> };
  "session:read": { request: Bare<SessionReadRequest>; response: Bare<OkMessage> };
  "session:fork": { request: Bare<SessionForkRequest>; response: Bare<SessionCreatedMessage> };
  "session:rewind": { request: Bare<SessionRewindRequest>; response: Bare<RewindBody> };
  "session:rewind:undo": { request: Bare<SessionRewindUndoRequest>; response: Bare<RewindBody> };
  "session:overlaps": { request: Bare<SessionOverlapsRequest>; response: Bare<OverlapsBody> };
  "session:timeline": { request: Bare<SessionTimelineRequest>; response: Bare<TimelineBody> };
  "search": { request: Bare<SearchRequest>; response: Bare<SearchBody> };
  "inbox": { request: Bare<Empty>; response: Bare<InboxBody> };
  "session:changes": { request: Bare<SessionChangesRequest>; response: Bare<ChangesBody> };
  "session:viewed": { request: Bare<SessionViewedRequest>; response: Bare<OkMessage> };
  "session:reviewed": { request: Bare<SessionReviewedRequest>; response: Bare<OkMessage> };
  "session:commit": { request: Bare<SessionCommitRequest>; response: Bare<CommitBody> };
  "session:discard": { request: Bare<SessionDiscardRequest>; response: Bare<DiscardBody> };
  "session:editor": { request: Bare<SessionEditorRequest>; response: Bare<OkMessage> };
  "session:comments": { request: Bare<SessionCommentsRequest>; response: Bare<CommentsBody> };
  "session:comment": { request: Bare<SessionCommentRequest>; response: Bare<CommentMessage> };
  "comment:edit": { request: Bare<CommentEditRequest>; response: Bare<CommentMessage> };
  "comment:resolve": { request: Bare<CommentResolveRequest>; response: Bare<CommentMessage> };
  "comment:delete": { request: Bare<CommentDeleteRequest>; response: Bare<CommentRemovedMessage> };
  "session:review:send": { request: Bare<ReviewSendRequest>; response: Bare<ReviewSentBody> };
  "terminal:list": { request: Bare<TerminalListRequest>; response: Bare<TerminalsBody> };
  "terminal:create": { request: Bare<TerminalCreateRequest>; response: Bare<TerminalMessage> };
  "terminal:rename": { request: Bare<TerminalRenameRequest>; response: Bare<TerminalMessage> };
  "terminal:close": { request: Bare<TerminalCloseRequest>; response: Bare<TerminalRemovedMessage> };
  "ports": { request: Bare<PortsRequest>; response: Bare<PortsBody> };
}

/** Where it is. What the path does not name is the query of a GET, the body of a POST. */
export const COMMANDS = {
  "health": { method: "GET", path: "/healthz" },
  "ready": { method: "GET", path: "/readyz" },
  "info": { method: "GET", path: "/api/info" },
  "settings": { method: "GET", path: "/api/settings" },
  "settings:change": { method: "POST", path: "/api/settings" },
  "audit": { method: "GET", path: "/api/audit" },
  "auth:exchange": { method: "POST", path: "/api/auth/exchange" },
  "auth:prove": { method: "POST", path: "/api/auth/prove" },
  "auth:ticket": { method: "POST", path: "/api/auth/ticket" },
  "auth:logout": { method: "POST", path: "/api/auth/logout" },
  "logins": { method: "GET", path: "/api/logins" },
  "login:end": { method: "POST", path: "/api/login/{loginId}/end" },
  "project:list": { method: "GET", path: "/api/project/list" },
  "project:add": { method: "POST", path: "/api/project/add" },
  "project:remove": { method: "POST", path: "/api/project/{projectId}/remove" },
  "project:files": { method: "GET", path: "/api/project/{projectId}/files" },
  "directory:list": { method: "GET", path: "/api/directories" },
  "agent:list": { method: "GET", path: "/api/agents" },
  "session:reconnect": { method: "POST", path: "/api/agents/{cliType}/reconnect" },
  "agent:warm": { method: "POST", path: "/api/agents/{cliType}/warm" },
  "project:git": { method: "GET", path: "/api/project/{projectId}/git" },
  "workspace:list": { method: "GET", path: "/api/workspaces" },
  "workspace:land": { method: "POST", path: "/api/workspace/{workspaceId}/land" },
  "workspace:push": { method: "POST", path: "/api/workspace/{workspaceId}/push" },
  "workspace:setup": { method: "POST", path: "/api/workspace/{workspaceId}/setup" },
  "workspace:remove": { method: "POST", path: "/api/workspace/{workspaceId}/remove" },
  "workspace:restore": { method: "POST", path: "/api/workspace/{workspaceId}/restore" },
  "session:create": { method: "POST", path: "/api/session/create" },
  "session:load": { method: "POST", path: "/api/session/{sessionId}/load" },
  "session:list": { method: "GET", path: "/api/session/list" },
  "session:status": { method: "GET", path: "/api/session/{sessionId}/status" },
  "session:send": { method: "POST", path: "/api/session/{sessionId}/send" },
  "session:queue": { method: "POST", path: "/api/session/{sessionId}/queue" },
  "session:reorder": { method: "POST", path: "/api/session/{sessionId}/reorder" },
  "session:cancel": { method: "POST", path: "/api/session/{sessionId}/cancel" },
  "session:kill": { method: "POST", path: "/api/session/{sessionId}/kill" },
  "session:answer": { method: "POST", path: "/api/session/{sessionId}/answer" },
  "session:rename": { method: "POST", path: "/api/session/{sessionId}/rename" },
  "session:archive": { method: "POST", path: "/api/session/{sessionId}/archive" },
  "session:delete": { method: "POST", path: "/api/session/{sessionId}/delete" },
  "session:mode": { method: "POST", path: "/api/session/{sessionId}/mode" },
  "session:model": { method: "POST", path: "/api/session/{sessionId}/model" },
  "session:thinking": { method: "POST", path: "/api/session/{sessionId}/thinking" },
  "session:read": { method: "POST", path: "/api/session/{sessionId}/read" },
  "session:fork": { method: "POST", path: "/api/session/{sessionId}/fork" },
  "session:rewind": { method: "POST", path: "/api/session/{sessionId}/rewind" },
  "session:rewind:undo": { method: "POST", path: "/api/session/{sessionId}/rewind/undo" },
  "session:overlaps": { method: "GET", path: "/api/session/{sessionId}/overlaps" },
  "session:timeline": { method: "GET", path: "/api/session/{sessionId}/timeline" },
  "search": { method: "GET", path: "/api/search" },
  "inbox": { method: "GET", path: "/api/inbox" },
  "session:changes": { method: "GET", path: "/api/session/{sessionId}/changes" },
  "session:viewed": { method: "POST", path: "/api/session/{sessionId}/viewed" },
  "session:reviewed": { method: "POST", path: "/api/session/{sessionId}/reviewed" },
  "session:commit": { method: "POST", path: "/api/session/{sessionId}/commit" },
  "session:discard": { method: "POST", path: "/api/session/{sessionId}/discard" },
  "session:editor": { method: "POST", path: "/api/session/{sessionId}/editor" },
  "session:comments": { method: "GET", path: "/api/session/{sessionId}/comments" },
  "session:comment": { method: "POST", path: "/api/session/{sessionId}/comments" },
  "comment:edit": { method: "POST", path: "/api/session/{sessionId}/comments/{commentId}/edit" },
  "comment:resolve": { method: "POST", path: "/api/session/{sessionId}/comments/{commentId}/resolve" },
  "comment:delete": { method: "POST", path: "/api/session/{sessionId}/comments/{commentId}/delete" },
  "session:review:send": { method: "POST", path: "/api/session/{sessionId}/review/send" },
  "terminal:list": { method: "GET", path: "/api/terminals" },
  "terminal:create": { method: "POST", path: "/api/terminal/create" },
  "terminal:rename": { method: "POST", path: "/api/terminal/{terminalId}/rename" },
  "terminal:close": { method: "POST", path: "/api/terminal/{terminalId}/close" },
  "ports": { method: "GET", path: "/api/ports" },
} as const satisfies Record<keyof Commands, { method: string; path: string }>;
