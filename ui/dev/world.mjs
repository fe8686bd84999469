// Projects, agents and sessions of the development server, and the answers to every message of docs/wire.md that the page sends.
import { existsSync, readdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { basename } from "node:path";
import { play } from "./agent.mjs";
import { auditHttp, seedAudit } from "./audit.mjs";
import { manyCommands } from "./commands.mjs";
import { bodyOf, fail } from "./fail.mjs";
import { answered, reviewHttp, seedReview } from "./review.mjs";
import { seed } from "./stories.mjs";
import { terminalHttp } from "./terminals.mjs";
import { Timeline } from "./timeline.mjs";
import {
  createWorkspace,
  fork,
  putInto,
  seedWorkspaces,
  workspaceHttp,
  workspaceMessage,
} from "./workspaces.mjs";

function subdirectories(prefix) {
  const parent = prefix.endsWith("/") ? prefix : prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const start = prefix.slice(parent.length);
  try {
    return readdirSync(parent || "/", { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.startsWith(start) && !entry.name.startsWith("."))
      .map((entry) => `${parent}${entry.name}`);
  } catch {
    return [];
  }
}

/** What was uploaded, from a browser or from a simulated one. */
async function contentOf(body) {
  const bytes = Buffer.from(body instanceof Uint8Array ? body : await body.arrayBuffer());
  const image = body.type ? body.type.startsWith("image/") : bytes.includes(0);
  return image ? { type: "image/png", content: bytes } : { type: "text/plain", content: bytes.toString() };
}

/** All that waits for the user in one session. */
const inboxOf = ({ info, timeline }) => ({
  type: "session:inbox",
  sessionId: info.sessionId,
  title: info.title,
  items: [...timeline.items.values()].filter((item) => item.type === "approval" && item.state === "pending"),
});

export class World {
  constructor(story) {
    this.epoch = randomUUID();
    this.startedAt = new Date().toISOString();
    this.version = "0.1.0";
    this.wireVersion = 2;
    this.limits = { messageBytes: 1 << 20, promptBytes: 1 << 20, imageBytes: 20 << 20, textBytes: 5 << 20 };
    this.projects = [];
    this.agents = [];
    this.refusing = new Set();
    this.sessions = new Map();
    this.sent = new Map();
    this.attachments = new Map();
    this.refusesUploads = false;
    this.files = [
      "src/total.ts",
      "src/pricing/total.ts",
      "src/pricing/item.ts",
      "src/pricing/total.test.ts",
      "src/main.ts",
      "README.md",
      "package.json",
      "docs/pricing.md",
    ];
    this.connections = new Set();
    this.settings = { sendKey: "enter", defaults: [] };
    this.audit = seedAudit();
    this.pace = 12;
    seedWorkspaces(this);
    seedReview(this);
    seed(this, story);
  }

  addProject(path) {
    const project = {
      projectId: `p${path.replace(/\W+/g, "-")}`,
      path,
      name: basename(path),
      addedAt: new Date().toISOString(),
    };
    this.projects.push(project);
    return project;
  }

  addSession(projectId, cliType, title, more = {}) {
    const sessionId = more.sessionId ?? `s-${this.sessions.size + 1}`;
    const at = new Date().toISOString();
    const session = {
      info: {
        sessionId,
        cliType,
        projectId,
        status: "open",
        activity: "idle",
        unread: false,
        title,
        createdAt: at,
        lastActiveAt: at,
        archived: false,
        discovered: false,
        confined: false,
        ...more,
      },
      timeline: new Timeline(sessionId),
      queue: [],
      waiting: new Map(),
      facts: {
        modes: [
          { id: "default", name: "Ask before acting" },
          { id: "acceptEdits", name: "Accept edits" },
          { id: "plan", name: "Plan only" },
          { id: "bypassPermissions", name: "Bypass permissions" },
        ],
        mode: "default",
        models: [
          { id: "large", name: "Large" },
          { id: "small", name: "Small" },
        ],
        model: "large",
        thinkingLevels: [
          { id: "default", name: "Default thinking" },
          { id: "high", name: "High effort" },
        ],
        thinking: "default",
        context: { used: 48000, size: 200000 },
        ...(cliType === "claude-code" ? { steers: true, costUsd: 0.42 } : {}),
        commands: [
          { name: "compact", description: "Summarise the conversation so far" },
          { name: "review", description: "Review the current changes" },
          { name: "init", description: "Write a project guide" },
        ],
      },
    };
    session.wait = (itemId) => {
      this.change(session, { activity: "needs-approval" });
      return new Promise((resolve) => {
        session.waiting.set(itemId, resolve);
        session.answered = resolve;
      }).then((given) => {
        this.change(session, { activity: "working" });
        return given;
      });
    };
    session.timeline.asked = () => this.broadcast(inboxOf(session));
    this.sessions.set(sessionId, session);
    return session;
  }

  session(id) {
    const session = this.sessions.get(id);
    if (!session) throw fail(404, "SESSION_NOT_FOUND", "There is no such session.");
    return session;
  }
  broadcast(message) {
    const text = JSON.stringify(message);
    for (const { ws } of this.connections) ws.send(text);
  }
  change(session, more) {
    Object.assign(session.info, more, { lastActiveAt: new Date().toISOString() });
    this.broadcast({ type: "session:info", ...session.info });
  }

  connect(ws) {
    const connection = { ws, open: new Map() };
    this.connections.add(connection);
    const send = (message) => ws.send(JSON.stringify(message));
    send({
      type: "hello",
      version: this.version,
      wireVersion: this.wireVersion,
      epoch: this.epoch,
      limits: this.limits,
    });
    send({ type: "settings", settings: this.settings });
    send({ type: "project:list", projects: this.projects });
    for (const agent of this.agents)
      send({ type: "agent:status", cliType: agent.cliType, status: agent.status });
    for (const { info } of this.sessions.values())
      if (info.activity !== "idle" || info.unread) send({ type: "session:info", ...info });
    for (const session of this.sessions.values()) {
      const inbox = inboxOf(session);
      if (inbox.items.length > 0) send(inbox);
    }
    ws.on("message", async (data) => {
      const message = JSON.parse(data.toString());
      try {
        const answer = (body) => send({ requestId: message.requestId, ...body });
        // No change of a timeline may overtake its history.
        if (message.type === "session:open")
          this.open(connection, this.session(message.sessionId), message, answer);
        else answer(await this.handle(connection, message));
      } catch (error) {
        send({ type: "error", ...bodyOf(error), requestId: message.requestId });
      }
    });
    ws.on("close", () => {
      this.connections.delete(connection);
      for (const [id, send] of connection.open) this.sessions.get(id)?.timeline.readers.delete(send);
    });
  }

  async handle(connection, message) {
    const { type } = message;
    if (type === "project:add")
      return { type: "project:added", project: this.tryAdd(message.path, connection) };
    if (type === "project:remove") {
      this.projects = this.projects.filter((project) => project.projectId !== message.projectId);
      this.broadcast({ type: "project:removed", projectId: message.projectId });
      return { type: "ok" };
    }
    if (type === "project:list") return { type, projects: this.projects };
    if (type === "session:list")
      return {
        type,
        projectId: message.projectId,
        sessions: [...this.sessions.values()]
          .map(({ info }) => info)
          .filter((info) => info.projectId === message.projectId && !info.archived),
      };
    if (type === "session:create") return this.create(message);
    if (type.startsWith("workspace:")) return workspaceMessage(this, message);
    if (type === "session:reconnect") {
      this.setAgent(message.cliType, "connected");
      return { type: "ok" };
    }
    const session = this.session(message.sessionId);
    const { timeline, info } = session;
    switch (type) {
      case "session:close":
        timeline.readers.delete(connection.open.get(info.sessionId));
        connection.open.delete(info.sessionId);
        return { type: "ok" };
      case "session:page": {
        const page = timeline.window(message.count, message.before);
        return {
          type,
          sessionId: info.sessionId,
          entries: page.entries,
          turns: page.turns,
          before: page.before,
        };
      }
      case "session:send":
        await this.hold;
        return { type: "session:sent", sessionId: info.sessionId, ...this.send(session, message) };
      case "session:queue":
        this.queue(session, message);
        return { type: "ok" };
      case "session:reorder":
        this.reorder(session, message);
        return { type: "ok" };
      case "session:cancel":
        session.cancel?.();
        return { type: "ok" };
      case "session:answer":
        await this.answer(session, message);
        return { type: "ok" };
      case "session:archive":
        this.change(session, { archived: message.archived });
        return { type: "ok" };
      case "session:rename":
        this.change(session, { title: message.title });
        return { type: "ok" };
      case "session:mode":
        session.facts.mode = message.mode;
        this.broadcast({ type: "session:facts", sessionId: info.sessionId, ...session.facts });
        return { type: "ok" };
      case "session:model":
        session.facts.model = message.model;
        this.broadcast({ type: "session:facts", sessionId: info.sessionId, ...session.facts });
        return { type: "ok" };
      case "session:thinking":
        session.facts.thinking = message.thinking;
        this.broadcast({ type: "session:facts", sessionId: info.sessionId, ...session.facts });
        return { type: "ok" };
      case "session:fork":
        return { type: "session:created", ...fork(this, session, message.before) };
      case "session:delete":
        this.sessions.delete(info.sessionId);
        return { type: "ok" };
      case "session:kill":
        this.change(session, { status: "dead", activity: "idle" });
        return { type: "ok" };
      case "session:read":
        if (info.unread) {
          info.unread = false;
          this.broadcast({ type: "session:info", ...info });
        }
        return { type: "ok" };
      default:
        throw fail(400, "INVALID_REQUEST", `Unknown message ${type}.`);
    }
  }

  tryAdd(given, asker) {
    const path = given === "~" ? homedir() : given;
    if (!path.startsWith("/") || !existsSync(path))
      throw fail(
        400,
        "PROJECT_PATH_INVALID",
        `${path} is not an existing folder. Give the absolute path of a folder on this machine.`,
      );
    const same = this.projects.find((project) => project.path === path.replace(/\/+$/, ""));
    if (same) throw fail(409, "PROJECT_EXISTS", "This folder is already a project.");
    const project = this.addProject(path.replace(/\/+$/, ""));
    const text = JSON.stringify({ type: "project:added", project });
    for (const connection of this.connections) if (connection !== asker) connection.ws.send(text);
    return project;
  }

  async create({ cliType, projectId, confined, workspace: wish }) {
    const agent = this.agents.find((candidate) => candidate.cliType === cliType);
    if (!agent) throw fail(400, "UNSUPPORTED_CLI_TYPE", `There is no agent ${cliType}.`);
    this.setAgent(cliType, "starting");
    await new Promise((resolve) => setTimeout(resolve, this.startMs ?? 150));
    this.setAgent(cliType, agent.installed && !this.refusing.has(cliType) ? "connected" : "idle");
    if (!agent.installed) throw fail(503, "AGENT_UNAVAILABLE", agent.remedy ?? "It was not found on PATH.");
    if (this.refusing.has(cliType))
      throw fail(502, "SESSION_CREATE_FAILED", "It did not answer the handshake.");
    const workspace = wish && (await createWorkspace(this, projectId, wish));
    const session = this.addSession(projectId, cliType, "", { confined: confined ?? agent.confine ?? false });
    if (workspace) putInto(this, workspace, session);
    this.change(session, {});
    const { sessionId, workspaceId } = session.info;
    return {
      type: "session:created",
      sessionId,
      projectId,
      cliType,
      confined: session.info.confined,
      ...(workspaceId ? { workspaceId } : {}),
    };
  }

  setAgent(cliType, status, message) {
    const agent = this.agents.find((candidate) => candidate.cliType === cliType);
    agent.status = status;
    this.broadcast({ type: "agent:status", cliType, status, ...(message ? { message } : {}) });
  }

  open(connection, { timeline, info }, { since, epoch, tail = 1e9 }, answer) {
    const send = (text) => connection.ws.send(text);
    if (!connection.open.has(info.sessionId)) {
      connection.open.set(info.sessionId, send);
      timeline.readers.add(send);
    }
    if (since === undefined || epoch !== this.epoch || since > timeline.rev)
      return answer({ type: "session:history", sessionId: info.sessionId, ...timeline.window(tail) });
    for (const change of timeline.since(since)) send(JSON.stringify(change));
    answer({ type: "ok", rev: timeline.rev });
  }

  send(session, { content, clientMessageId, attachments, steer }) {
    if (content.trim() === "" && !attachments?.length)
      throw fail(400, "INVALID_REQUEST", "content: must not be empty");
    if (this.sent.has(clientMessageId)) return { turnId: this.sent.get(clientMessageId) };
    const turnId = randomUUID();
    this.sent.set(clientMessageId, turnId);
    const turn = { turnId, content, attachments, clientMessageId };
    if (session.running && steer) {
      session.timeline.item(`${turnId}:user`, {
        type: "message",
        turnId: session.running,
        origin: "user",
        content,
        clientMessageId,
        status: "complete",
      });
      return { turnId };
    }
    if (session.running) {
      session.queue.push(turn);
      session.timeline.turn(turnId, {
        type: "turn_queued",
        content,
        clientMessageId,
        ...(attachments ? { attachments: attachments.map((one) => this.attached(one)) } : {}),
        queuedAt: new Date().toISOString(),
      });
      return { turnId, queued: true };
    }
    void this.run(session, turn);
    return { turnId };
  }

  async run(session, { turnId, content, attachments, clientMessageId }) {
    session.running = turnId;
    const { timeline, info } = session;
    timeline.turn(turnId, {
      type: "turn_started",
      clientMessageId,
      content: undefined,
      attachments: undefined,
      held: undefined,
      startedAt: new Date().toISOString(),
      modelId: session.facts.model,
    });
    timeline.item(`${turnId}:user`, {
      type: "message",
      turnId,
      origin: "user",
      content,
      clientMessageId,
      status: "complete",
      ...(attachments ? { attachments: attachments.map((one) => this.attached(one)) } : {}),
    });
    this.change(session, { activity: "working", title: info.title || content.split("\n")[0].slice(0, 60) });
    const end = { endedAt: undefined, usage: { inputTokens: 12840, outputTokens: 1312 }, costUsd: 0.0421 };
    if (/\bmany commands\b/.test(content)) {
      session.facts.commands = manyCommands;
      this.broadcast({ type: "session:facts", sessionId: info.sessionId, ...session.facts });
    }
    try {
      const cancelled = await play(session, turnId, content, { pace: this.pace });
      timeline.turn(turnId, {
        ...end,
        type: "turn_complete",
        status: cancelled ? "cancelled" : "completed",
        endedAt: new Date().toISOString(),
      });
      if (cancelled) for (const queued of session.queue) timeline.turn(queued.turnId, { held: true });
      session.running = undefined;
      this.change(session, { activity: "idle", unread: true });
      if (!cancelled && session.queue.length > 0) void this.run(session, session.queue.shift());
    } catch (error) {
      timeline.turn(turnId, {
        type: "turn_error",
        errorCode: "AGENT_ERROR",
        errorMessage: error.message,
        endedAt: new Date().toISOString(),
      });
      session.running = undefined;
      this.change(session, { activity: "failed", unread: true });
    }
  }

  attached(one) {
    const { type = "image/png", content } = this.attachments.get(one.attachmentId) ?? {};
    if (type !== "text/plain") return { ...one, mimeType: type };
    return {
      ...one,
      mimeType: type,
      bytes: Buffer.byteLength(content),
      lines: content.split("\n").length - (content.endsWith("\n") ? 1 : 0),
    };
  }

  queue(session, { turnId, content, resume }) {
    if (resume) {
      if (!session.running && session.queue.length > 0) void this.run(session, session.queue.shift());
      return;
    }
    const turn = session.queue.find((candidate) => candidate.turnId === turnId);
    if (!turn) throw fail(409, "TURN_STARTED", "This message is already with the agent.");
    if (content === null) {
      session.queue = session.queue.filter((other) => other !== turn);
      session.timeline.turn(turnId, { type: "turn_complete", status: "cancelled", content: undefined });
    } else {
      if (content.trim() === "" && !turn.attachments?.length)
        throw fail(400, "INVALID_REQUEST", "content: must not be empty (null removes it)");
      turn.content = content;
      session.timeline.turn(turnId, { content });
    }
  }

  info() {
    return {
      version: this.version,
      wireVersion: this.wireVersion,
      epoch: this.epoch,
      store: { kind: "memory", durability: "none" },
      startedAt: this.startedAt,
    };
  }

  changeSettings({ sendKey = this.settings.sendKey, defaults }) {
    const others = this.settings.defaults.filter((one) => !defaults || one.projectId !== defaults.projectId);
    const { projectId: _, ...chosen } = defaults ?? {};
    this.settings = { sendKey, defaults: Object.keys(chosen).length > 0 ? [...others, defaults] : others };
    this.broadcast({ type: "settings", settings: this.settings });
  }

  reorder(session, { turnIds }) {
    const queued = new Map(session.queue.map((turn) => [turn.turnId, turn]));
    if (!turnIds.every((id) => queued.has(id)))
      throw fail(409, "TURN_STARTED", "One of these messages waits no longer: look again.");
    session.queue = turnIds.map((id) => queued.get(id));
    turnIds.forEach((id, place) => session.timeline.turn(id, { place }));
  }

  async answer(session, { itemId, optionId, message, answers }) {
    const item = session.timeline.items.get(itemId);
    if (!item) throw fail(404, "ITEM_NOT_FOUND", "There is no such question.");
    if (item.state !== "pending") throw fail(409, "ALREADY_ANSWERED", "Someone has answered this already.");
    // Only Claude Code takes words, and only with a refusal. For others they are the next prompt.
    const { protocol } = this.agents.find(({ cliType }) => cliType === session.info.cliType);
    const refused = item.options.find((option) => option.optionId === optionId)?.kind.startsWith("reject");
    const within = protocol === "claude" && refused;
    const given = {
      ...(optionId ? { optionId } : {}),
      ...(message ? { message } : {}),
      ...(answers ? { answers } : {}),
    };
    session.timeline.item(itemId, { answer: given, errorMessage: undefined });
    try {
      await this.delivery;
    } catch (error) {
      session.timeline.item(itemId, { answer: undefined, errorMessage: error.message });
      throw fail(502, "AGENT_UNAVAILABLE", error.message);
    }
    session.timeline.item(itemId, {
      state: "answered",
      status: "complete",
      answeredAt: new Date().toISOString(),
      answeredBy: "browser",
    });
    answered(this, session.info.sessionId, itemId);
    session.waiting.get(itemId)?.(given);
    if (!session.waiting.has(itemId)) this.change(session, { activity: "idle" });
    if (message && !within) this.send(session, { content: message, clientMessageId: `answer:${itemId}` });
  }

  async http(method, url, body, send, response) {
    const path = url.pathname;
    if (auditHttp(this, method, url, send) || reviewHttp(this, method, url, body, send, response)) return;
    if (workspaceHttp(this, method, url, body, send) || terminalHttp(this, method, url, body, send)) return;
    if (path === "/api/agents") return send(200, { agents: this.agents });
    const warm = /^\/api\/agents\/([^/]+)\/warm$/.exec(path);
    if (method === "POST" && warm) {
      const agent = this.agents.find(({ cliType }) => cliType === warm[1]);
      agent.warm = 1;
      this.broadcast({ type: "agent:status", cliType: agent.cliType, status: agent.status });
      return send(202, { warm: true });
    }
    if (path === "/api/info") return send(200, this.info());
    if (path === "/api/settings") {
      if (method === "POST") this.changeSettings(body);
      return send(200, { settings: this.settings });
    }
    if (path === "/api/directories")
      return send(200, { directories: subdirectories(url.searchParams.get("prefix") || "/") });
    if (path === "/api/search") return send(200, { results: this.search(url.searchParams.get("q")) });
    if (path === "/api/session/list")
      return send(200, {
        projectId: url.searchParams.get("projectId"),
        sessions: [...this.sessions.values()]
          .map(({ info }) => info)
          .filter(
            (info) =>
              info.projectId === url.searchParams.get("projectId") &&
              info.archived === ((url.searchParams.get("archived") ?? "0") !== "0"),
          ),
      });
    if (/^\/api\/project\/[^/]+\/files$/.test(path)) {
      return send(200, {
        files: this.files
          .filter((file) => file.includes(url.searchParams.get("q") ?? ""))
          .map((file) => ({ path: file })),
      });
    }
    const of = /^\/api\/session\/([^/]+)\/(.+)$/.exec(path);
    if (!of) throw fail(404, "NOT_FOUND", "There is no such address.");
    const session = this.session(of[1]);
    if (of[2] === "status")
      return send(200, { ...session.info, isAlive: true, state: session.info.status, ...session.facts });
    if (of[2] === "timeline")
      return send(200, {
        sessionId: session.info.sessionId,
        ...session.timeline.window(Number(url.searchParams.get("tail") ?? 1e9)),
        epoch: this.epoch,
      });
    if (of[2] === "attachment") {
      if (this.refusesUploads) throw fail(507, "STORE_FULL", "The disk is full.");
      const attachmentId = randomUUID();
      this.attachments.set(attachmentId, await contentOf(body));
      return send(201, { attachmentId });
    }
    if (of[2].startsWith("attachment/")) {
      const { type, content } = this.attachments.get(of[2].split("/")[1]) ?? {};
      if (!type) throw fail(404, "ITEM_NOT_FOUND", "There is no such attachment in this session.");
      response.writeHead(200, { "Content-Type": type });
      return response.end(content);
    }
    if (of[2].endsWith("/output")) {
      response.writeHead(200, { "Content-Type": "text/plain" });
      return response.end(session.timeline.outputs.get(of[2].split("/")[1]) ?? "");
    }
    if (of[2] === "export") {
      response.writeHead(200, {
        "Content-Type": "text/markdown",
        "Content-Disposition": "attachment; filename=\"Gr-e.md\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.md",
      });
      return response.end("# Export\n");
    }
    throw fail(404, "NOT_FOUND", "There is no such address.");
  }

  search(query) {
    return [...this.sessions.values()].flatMap(({ info, timeline }) =>
      [...timeline.items.values()]
        .filter((item) => (item.content ?? "").toLowerCase().includes(query.toLowerCase()))
        .slice(0, 5)
        .map((item) => {
          const at = item.content.toLowerCase().indexOf(query.toLowerCase());
          return {
            sessionId: info.sessionId,
            itemId: item.itemId,
            turnId: item.turnId,
            type: item.type,
            title: info.title,
            cliType: info.cliType,
            projectId: info.projectId,
            snippet: item.content.slice(Math.max(0, at - 40), at + 80),
            at: item.startedAt,
          };
        }),
    );
  }
}
