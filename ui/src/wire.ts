// Made from the C++ descriptions in src/model; do not edit. A test compares.
// To renew: LIMINAL_UPDATE_GOLDEN=1 build/dev/src/test_model

/** What the server must say in its hello: another one speaks another language. */
export const WIRE_VERSION = 2;

export interface Attachment {
  attachmentId: string;
  name?: string;
  mimeType: string;
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
  held?: boolean;
  modelId?: string;
  providerId?: string;
  queuedAt?: string;
  startedAt?: string;
  endedAt?: string;
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

export interface AgentInfo {
  cliType: string;
  name: string;
  protocol: string;
  status: "idle" | "starting" | "connected" | "disconnected" | "reconnecting";
  installed: boolean;
  version?: string;
  problem?: string;
  remedy?: string;
  warm?: number;
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

export interface SessionListRequest extends ClientMessageBase {
  type: "session:list";
  projectId: string;
  scope?: "active" | "all";
  archived?: boolean;
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
}

export interface SessionQueueRequest extends ClientMessageBase {
  type: "session:queue";
  sessionId: string;
  turnId?: string;
  content?: string | null;
  resume?: boolean;
}

export interface SessionCancelRequest extends ClientMessageBase {
  type: "session:cancel";
  sessionId: string;
  turnId?: string;
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

export interface SessionArchiveRequest extends ClientMessageBase {
  type: "session:archive";
  sessionId: string;
  archived?: boolean;
}

export interface SessionRenameRequest extends ClientMessageBase {
  type: "session:rename";
  sessionId: string;
  title: string;
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

export interface SessionKillRequest extends ClientMessageBase {
  type: "session:kill";
  sessionId: string;
}

export interface SessionReadRequest extends ClientMessageBase {
  type: "session:read";
  sessionId: string;
}

export interface SessionReconnectRequest extends ClientMessageBase {
  type: "session:reconnect";
  cliType: string;
}

export interface ClientMessageBase {
  requestId?: string;
}

export type ClientMessage =
  | ProjectListRequest
  | ProjectAddRequest
  | ProjectRemoveRequest
  | SessionListRequest
  | SessionCreateRequest
  | SessionOpenRequest
  | SessionCloseRequest
  | SessionPageRequest
  | SessionSendRequest
  | SessionQueueRequest
  | SessionCancelRequest
  | SessionAnswerRequest
  | SessionArchiveRequest
  | SessionRenameRequest
  | SessionModeRequest
  | SessionModelRequest
  | SessionThinkingRequest
  | SessionKillRequest
  | SessionReadRequest
  | SessionReconnectRequest;

export interface HelloMessage extends ServerMessageBase {
  type: "hello";
  version: string;
  wireVersion: number;
  epoch: string;
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

export interface OkMessage extends ServerMessageBase {
  type: "ok";
  rev?: number;
}

export interface ErrorMessage extends ServerMessageBase {
  type: "error";
  code: string;
  message: string;
  sessionId?: string;
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

