// Worktrees, rewinding and the radar of the development server: nothing happens to any file.
import { fail } from "./fail.mjs";
import { Timeline } from "./timeline.mjs";

const nothing = {
  tracked: 0,
  untracked: 0,
  ignored: 0,
  ignoredBytes: 0,
  unpushed: 0,
  unlanded: 0,
  samples: [],
  changed: [],
  working: [],
};

/** What the parts below know of a world. */
export function seedWorkspaces(world) {
  world.workspaces = new Map();
  /** What there is to know of the repositories, by project. */
  world.git = new Map();
  /** What landing a workspace comes to, or `refuse`; by workspace. */
  world.landing = new Map();
  world.inventories = new Map();
  /** What rewinding a turn comes to, by turn. */
  world.rewinds = new Map();
  /** By session. */
  world.overlaps = new Map();
  /** What was asked for, newest last. */
  world.landed = [];
  world.pushed = [];
  world.rewound = [];
}

export function addWorkspace(world, projectId, branch, more = {}) {
  const workspaceId = more.workspaceId ?? `w-${world.workspaces.size + 1}`;
  const workspace = {
    workspaceId,
    projectId,
    path: `/home/ada/.liminal-builder/worktrees/${projectId.split("-").at(-1)}/${branch}`,
    branch,
    baseRef: "main",
    baseOid: "4f0c1d2e5a",
    state: "ready",
    setup: "none",
    dirty: false,
    ahead: 0,
    behind: 0,
    bytes: 48_000_000,
    createdAt: new Date().toISOString(),
    sessionIds: [],
    ...more,
  };
  world.workspaces.set(workspaceId, workspace);
  return workspace;
}

export function changeWorkspace(world, workspace, more) {
  Object.assign(workspace, more);
  for (const key of Object.keys(workspace)) if (workspace[key] === undefined) delete workspace[key];
  world.broadcast({ type: "workspace:upsert", workspace });
}

/** A session works in it. */
export function putInto(world, workspace, session) {
  const { sessionId } = session.info;
  workspace.sessionIds = [...workspace.sessionIds, sessionId];
  Object.assign(session.info, { workspaceId: workspace.workspaceId, branch: workspace.branch });
}

export async function createWorkspace(world, projectId, { base, branch, carry, setup }) {
  const git = gitOf(world, projectId);
  if (!git.available) throw fail(409, "NOT_SUPPORTED", git.problem);
  if (branch && git.branches.includes(branch))
    throw fail(409, "NOT_SUPPORTED", `There is a branch ${branch} already. Choose another name.`);
  const workspace = addWorkspace(world, projectId, branch ?? `session-${world.workspaces.size + 1}`, {
    baseRef: base ?? git.branch ?? "main",
    state: "creating",
    progress: "Checking out files",
    ...(git.setup && { setup: setup || git.setup.confirmed ? "done" : "unconfirmed" }),
    ...(carry === "uncommitted" && { dirty: true }),
  });
  changeWorkspace(world, workspace, {});
  await world.checkout;
  changeWorkspace(world, workspace, { state: "ready", progress: undefined });
  return workspace;
}

const gitOf = (world, projectId) =>
  world.git.get(projectId) ?? {
    available: true,
    branch: "main",
    head: "4f0c1d2e5a",
    branches: ["main", "release", "next"],
    tags: ["v1.0", "v0.9"],
    dirty: 0,
  };

const found = (world, workspaceId) => {
  const workspace = world.workspaces.get(workspaceId);
  if (!workspace) throw fail(404, "NOT_FOUND", "There is no such workspace.");
  return workspace;
};

function land(world, workspace, { strategy, message, dryRun }) {
  const { refuse, ...known } = world.landing.get(workspace.workspaceId) ?? {};
  const into = workspace.baseRef;
  const body = { into, conflicts: [], files: 3, commits: workspace.ahead || 1, ...known };
  if (workspace.dirty) body.commitsFirst = true;
  if (refuse) throw fail(409, refuse.code, refuse.message, refuse.paths ? { paths: refuse.paths } : {});
  if (dryRun) return { ...body, said: undefined };
  if (body.conflicts.length > 0)
    throw fail(409, "LAND_CONFLICT", `This does not merge into ${into}.`, { paths: body.conflicts });
  world.landed.push({ workspaceId: workspace.workspaceId, strategy, message });
  changeWorkspace(world, workspace, { ahead: 0, behind: 0, dirty: false });
  return { ...body, oid: "9d3b7c1e0f" };
}

function push(world, { workspaceId, branch }, { pullRequest, title, body }) {
  if (world.pushRefused) throw fail(502, "GIT_FAILED", world.pushRefused);
  world.pushed.push({ workspaceId, ...(pullRequest ? { pullRequest, title, body } : {}) });
  return {
    remote: "origin",
    branch,
    ...(pullRequest ? { url: `https://example.test/pull/${world.pushed.length}` } : {}),
    ...(world.pushSays ? { said: world.pushSays } : {}),
  };
}

function remove(world, workspace, confirm) {
  const inventory = world.inventories.get(workspace.workspaceId) ?? nothing;
  const inventoryHash = `hash-of-${JSON.stringify(inventory).length}`;
  if (confirm !== inventoryHash)
    throw fail(409, "CONFIRM_NEEDED", "Look at what is in it, then confirm.", { inventory, inventoryHash });
  if (inventory.working.length > 0) throw fail(503, "BUSY", "An agent works in it.");
  const removedAt = new Date().toISOString();
  changeWorkspace(world, workspace, { state: "removed", removedAt, bytes: undefined, dirty: undefined });
}

function runSetup(world, workspace, setup) {
  const known = gitOf(world, workspace.projectId).setup;
  if (setup !== known?.id)
    throw fail(409, "CONFIRM_NEEDED", "The setup commands changed. Read them once more.");
  changeWorkspace(world, workspace, { setup: "running" });
}

function restore(world, workspace) {
  changeWorkspace(world, workspace, {
    state: "ready",
    removedAt: undefined,
    missing: undefined,
    problem: undefined,
    old: undefined,
    dirty: true,
    bytes: 48_000_000,
  });
}

/** The answers that come over the socket too. */
export function workspaceMessage(world, { type, workspaceId, setup, confirm }) {
  const workspace = found(world, workspaceId);
  if (type === "workspace:setup") runSetup(world, workspace, setup);
  else if (type === "workspace:remove") remove(world, workspace, confirm);
  else {
    restore(world, workspace);
    return { type: "workspace:upsert", workspace };
  }
  return { type: "ok" };
}

export function fork(world, { info, timeline }, before) {
  const { protocol, name } = world.agents.find(({ cliType }) => cliType === info.cliType);
  if (protocol !== "claude") throw fail(409, "NOT_SUPPORTED", `${name} cannot fork a session.`);
  const made = world.addSession(info.projectId, info.cliType, `${info.title} (fork)`, {
    ...(info.workspaceId ? { workspaceId: info.workspaceId, branch: info.branch } : {}),
  });
  const { sessionId } = made.info;
  made.timeline = Object.assign(new Timeline(sessionId), { asked: made.timeline.asked });
  const end = before === undefined ? Infinity : timeline.turns.get(before).pos;
  for (const { turnId, pos, ...turn } of timeline.turns.values())
    if (pos < end) made.timeline.turn(turnId, { ...turn, sessionId });
  for (const { itemId, pos, ...item } of timeline.items.values())
    if (pos < end) made.timeline.item(itemId, { ...item, sessionId });
  world.change(made, {});
  const { projectId, cliType, confined, workspaceId } = made.info;
  return { sessionId, projectId, cliType, confined, ...(workspaceId ? { workspaceId } : {}) };
}

function rewind(world, session, { turnId, files, conversation, dryRun }) {
  const turn = session.timeline.turns.get(turnId);
  if (turn?.checkpoint !== "made")
    throw fail(409, "NOT_SUPPORTED", turn?.checkpointProblem ?? "This turn has no checkpoint.");
  const { protocol } = world.agents.find(({ cliType }) => cliType === session.info.cliType);
  const body = {
    changes: [],
    conflicts: [],
    shared: [],
    conversation: protocol === "claude",
    ...world.rewinds.get(turnId),
  };
  if (dryRun) return body;
  if (files && body.conflicts.length > 0)
    throw fail(409, "REWIND_CONFLICT", "Changed since, at the same place.", { paths: body.conflicts });
  world.rewound.push({ turnId, files: files ?? false, conversation: conversation ?? false });
  return {
    ...body,
    ...(files ? { undoId: `undo-${world.rewound.length}` } : {}),
    ...(conversation ? { forkSessionId: fork(world, session, turnId).sessionId } : {}),
  };
}

function undo(world, { undoId }) {
  const conflicts = world.undoConflicts ?? [];
  if (conflicts.length > 0)
    throw fail(409, "REWIND_CONFLICT", "Changed since, at the same place.", { paths: conflicts });
  world.rewound.push({ undoId });
  const changes = [{ path: "src/pricing/total.ts", kind: "modified" }];
  return { changes, conflicts, shared: [], conversation: false, undoId: `undo-${world.rewound.length}` };
}

/** True when the address is one of these. */
export function workspaceHttp(world, method, url, body, send) {
  const path = url.pathname;
  const project = /^\/api\/project\/([^/]+)\/git$/.exec(path);
  if (project) {
    const git = gitOf(world, project[1]);
    const setup = world.setups?.[url.searchParams.get("base") ?? ""] ?? git.setup;
    send(200, { ...git, ...(setup ? { setup } : {}) });
    return true;
  }
  if (path === "/api/workspaces") {
    const projectId = url.searchParams.get("projectId");
    const all = [...world.workspaces.values()];
    send(200, { workspaces: all.filter((one) => !projectId || one.projectId === projectId) });
    return true;
  }
  const of = /^\/api\/workspace\/([^/]+)\/(\w+)$/.exec(path);
  if (of) {
    const workspace = found(world, of[1]);
    if (of[2] === "land") send(200, land(world, workspace, body));
    else if (of[2] === "push") send(200, push(world, workspace, body));
    else {
      const type = `workspace:${of[2]}`;
      const { type: _type, ...answer } = workspaceMessage(world, { ...body, type, workspaceId: of[1] });
      send(of[2] === "setup" ? 202 : 200, answer);
    }
    return true;
  }
  const session = /^\/api\/session\/([^/]+)\/(rewind|rewind\/undo|overlaps)$/.exec(path);
  if (!session) return false;
  const about = world.session(session[1]);
  if (session[2] === "overlaps") send(200, { overlaps: world.overlaps.get(session[1]) ?? [] });
  else send(200, session[2] === "rewind" ? rewind(world, about, body) : undo(world, body));
  return true;
}
