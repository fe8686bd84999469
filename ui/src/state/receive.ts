// What each message of the server means for the parts of the page.
import type { ServerMessage } from "../wire";
import type { App } from "./app";

type Message<T extends ServerMessage["type"]> = Extract<ServerMessage, { type: T }>;
type Handlers = { readonly [T in ServerMessage["type"]]: (app: App, message: Message<T>) => void };

const ignored = () => {}; // An answer: whoever asked has it.

const handlers: Handlers = {
  hello: (app, message) => {
    if (!app.version.hello(message)) return;
    app.timelines.connected(message.epoch);
    app.agents.refresh();
    void app.workspaces.refresh();
    app.inbox.connected();
    app.outbox.flushAll();
  },
  "project:list": (app, { projects }) => {
    for (const { projectId } of app.projects.set(projects)) dropProject(app, projectId);
    for (const { projectId } of projects) void app.list(projectId);
  },
  "project:added": (app, { project }) => {
    const known = app.projects.of(project.projectId);
    app.projects.put(project);
    if (!known) void app.list(project.projectId);
  },
  "project:removed": (app, { projectId }) => {
    app.projects.remove(projectId);
    dropProject(app, projectId);
  },
  "session:list": (app, { projectId, sessions }) => {
    app.inbox.caughtUp();
    const gone = app.sessions.missingIn(projectId, sessions);
    app.inbox.forget(gone);
    app.forgetSessions(gone);
    app.sessions.setList(projectId, sessions);
  },
  "session:created": (app, { projectId }) => void app.list(projectId),
  "session:history": (app, message) => {
    app.timelines.history(message);
    for (const turn of message.turns) app.outbox.shown(turn.clientMessageId);
  },
  "session:page": (app, message) => app.timelines.page(message),
  "session:upsert": (app, message) => {
    const item = message.payload;
    app.timelines.upsert(message);
    if (item.type === "message") app.outbox.shown(item.clientMessageId);
    if (item.type === "approval" && item.state !== "pending") app.drafts.answered(item);
  },
  "session:turn": (app, message) => {
    app.timelines.turn(message);
    app.outbox.shown(message.payload.clientMessageId);
  },
  "session:append": (app, message) => app.timelines.append(message),
  "session:info": activity,
  "session:facts": (app, { type: _type, requestId: _requestId, ...facts }) => {
    const timeline = app.timelines.known(facts.sessionId);
    if (!timeline) return;
    timeline.learn(facts);
    const cliType = app.sessions.of(facts.sessionId)?.peek().cliType ?? timeline.facts.peek().cliType;
    if (cliType) app.prefs.remember(cliType, timeline.facts.peek());
  },
  "workspace:upsert": (app, { workspace }) => app.workspaces.put(workspace),
  "session:inbox": (app, message) => app.inbox.set(message),
  settings: (app, { settings }) => app.settings.set(settings),
  "agent:status": (app, message) => app.agents.changed(message),
  error: (app, { code, message, sessionId }) => {
    if (code === "SESSION_NOT_FOUND") app.sessionGone(sessionId ?? "");
    else app.toasts.report(new Error(message));
  },
  // These are for what comes later: it listens by itself.
  "comment:upsert": ignored,
  "comment:removed": ignored,
  "terminal:upsert": ignored,
  "terminal:removed": ignored,
  "session:sent": ignored,
  audit: ignored,
  ok: ignored,
};

export function receive(app: App, message: ServerMessage): void {
  // A newer server may say what this page does not know: it reloads, and until then that is nothing to stumble over.
  const handle = handlers[message.type] as ((app: App, message: ServerMessage) => void) | undefined;
  handle?.(app, message);
  for (const hear of app.hearers) hear(message);
}

/** Its sessions leave the list and their tabs close; the server keeps them for when it is added again. */
function dropProject(app: App, projectId: string): void {
  app.forgetSessions(app.sessions.idsOf(projectId));
}

function activity(app: App, { type: _type, requestId: _requestId, ...info }: Message<"session:info">): void {
  const old = app.sessions.of(info.sessionId)?.peek();
  // After a connect there is one of these for each session that is unread: its project's list is on its way and has it too.
  if (!old && !app.sessions.listedProjects.peek().has(info.projectId)) return;
  if (info.archived && !old?.archived) app.forgetSessions([info.sessionId]);
  else app.sessions.put(info);
  if (old && old.activity !== info.activity) app.attention.changed(old, info);
  app.markRead(info);
}
