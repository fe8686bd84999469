import type {
  AgentInfo,
  AuditEntry,
  Comment,
  Inventory,
  Item,
  LandBody,
  Limits,
  Login,
  Overlap,
  Project,
  ProjectGit,
  RewindBody,
  SessionInfo,
  Settings,
  SetupScript,
  Turn,
  Workspace,
} from "../src/wire";

export interface DevTimeline {
  rev: number;
  items: Map<string, Item>;
  turns: Map<string, Turn>;
  /** Whole outputs of calls whose items have only a part. */
  outputs: Map<string, string>;
  item(itemId: string, fields: Record<string, unknown>): Item;
  append(itemId: string, field: string, text: string): void;
  turn(turnId: string, fields: Record<string, unknown>): Turn;
}
export interface DevSession {
  info: SessionInfo;
  timeline: DevTimeline;
  facts: Record<string, unknown>;
  queue: unknown[];
  running?: string;
}
export class World {
  constructor(story: string);
  epoch: string;
  startedAt: string;
  version: string;
  wireVersion: number;
  limits?: Limits;
  pace: number;
  startMs?: number;
  projects: Project[];
  settings: Settings;
  /** Why there are no terminals. */
  terminalProblem?: string;
  shells?: Map<string, import("./terminals.mjs").Shell>;
  ports?: import("../src/wire").ListeningPort[];
  audit: { logins: Login[]; trail: AuditEntry[] };
  agents: AgentInfo[];
  /** Agents whose sessions cannot be made. */
  refusing: Set<string>;
  sessions: Map<string, DevSession>;
  /** Turns by the client's ids of the messages that began them. */
  sent: Map<string, string>;
  /** What was uploaded, by id. */
  attachments: Map<string, { type: string; content: unknown }>;
  refusesUploads: boolean;
  /** What `@` offers. */
  files: string[];
  /** What an agent waits for before it takes a prompt. */
  hold?: Promise<void>;
  /** What an agent waits for before it has taken an answer. */
  delivery?: Promise<void>;
  workspaces: Map<string, Workspace>;
  /** What there is to know of the repositories, by project. */
  git: Map<string, ProjectGit>;
  /** Setup commands by what a worktree is made from. */
  setups?: Record<string, SetupScript>;
  /** What landing comes to, by workspace. */
  landing: Map<string, Partial<LandBody> & { refuse?: { code: string; message: string; paths?: string[] } }>;
  inventories: Map<string, Inventory>;
  /** What rewinding comes to, by turn. */
  rewinds: Map<string, Partial<RewindBody>>;
  /** By session. */
  overlaps: Map<string, Overlap[]>;
  /** What was asked for, newest last. */
  landed: Record<string, unknown>[];
  pushed: Record<string, unknown>[];
  rewound: Record<string, unknown>[];
  /** Why nothing can be pushed. */
  pushRefused?: string;
  pushSays?: string;
  undoConflicts?: string[];
  comments: Map<string, Comment[]>;
  committed: { paths: string[]; message: string }[];
  discarded: Record<string, unknown>[];
  opened: Record<string, unknown>[];
  commitRefused?: string;
  editor: boolean;
  /** More files than this are not listed. */
  mostChanged?: number;
  /** What a new worktree waits for. */
  checkout?: Promise<void>;
  connections: Set<{ ws: { close?(): void } }>;
  addProject(path: string): Project;
  addSession(projectId: string, cliType: string, title: string, more?: Partial<SessionInfo>): DevSession;
  session(id: string): DevSession;
  changeSettings(change: { sendKey?: Settings["sendKey"]; defaults?: Settings["defaults"][0] }): void;
  change(session: DevSession, more: Partial<SessionInfo>): void;
  setAgent(cliType: string, status: AgentInfo["status"], message?: string): void;
  broadcast(message: Record<string, unknown>): void;
  connect(ws: { send(text: string): void; on(event: string, listener: (data: unknown) => void): void }): void;
  handle(connection: unknown, message: Record<string, unknown>): Promise<Record<string, unknown>>;
  http(
    method: string,
    url: URL,
    body: unknown,
    send: (status: number, body: unknown) => void,
    response: unknown,
  ): Promise<void>;
}
