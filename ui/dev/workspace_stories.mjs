// What the development server begins with when worktrees are looked at.
import { addWorkspace, putInto } from "./workspaces.mjs";

const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const kDay = 60 * 24;

/** Three sessions in three worktrees of one repository, two at odds; old ones, broken ones, removed ones, foreign ones. */
export function workspaceStory(world, shop, engine, main) {
  const work = (workspace, cliType, title, more = {}) => {
    const session = world.addSession(workspace.projectId, cliType, title, more);
    putInto(world, workspace, session);
    return session;
  };
  const rounding = addWorkspace(world, shop.projectId, "fix-rounding", {
    dirty: true,
    ahead: 3,
    behind: 1,
    bytes: 412_000_000,
    ports: { first: 42_100, last: 42_109 },
    createdAt: ago(95),
  });
  putInto(world, rounding, main);
  Object.assign(main.info, { title: "Fix rounding", changes: { files: 3, added: 42, deleted: 17 } });
  const faster = addWorkspace(world, shop.projectId, "faster-search", {
    ahead: 2,
    bytes: 398_000_000,
    ports: { first: 42_110, last: 42_119 },
    createdAt: ago(60 * 5),
  });
  const search = work(faster, "codex", "Faster search", {
    activity: "working",
    lastActiveAt: ago(0),
    changes: { files: 5, added: 128, deleted: 64 },
  });
  const release = addWorkspace(world, shop.projectId, "release-on-ci", {
    state: "creating",
    progress: "Checking out files, 61 %",
    dirty: undefined,
    ahead: undefined,
    behind: undefined,
    bytes: undefined,
    createdAt: ago(0),
  });
  work(release, "claude-code", "Release on CI", { activity: "working", lastActiveAt: ago(0) });
  addWorkspace(world, shop.projectId, "try-bun", {
    state: "removed",
    removedAt: ago(kDay * 2),
    bytes: undefined,
    dirty: undefined,
    createdAt: ago(kDay * 9),
  });
  addWorkspace(world, shop.projectId, "hotfix", {
    foreign: true,
    path: "/home/ada/web-shop-hotfix",
    baseRef: undefined,
    baseOid: undefined,
    ahead: undefined,
    behind: undefined,
    createdAt: ago(kDay * 40),
  });
  const loader = addWorkspace(world, engine.projectId, "port-the-mesh-loader-to-cpp23-with-a-long-name", {
    setup: "unconfirmed",
    ahead: 1,
    bytes: 1_300_000_000,
    createdAt: ago(kDay * 1),
  });
  const port = work(loader, "claude-code", "Port the loader", { lastActiveAt: ago(60 * 3), unread: true });
  port.timeline.turn("t1", {
    type: "turn_complete",
    status: "completed",
    startedAt: ago(60 * 3 + 1),
    endedAt: ago(60 * 3),
    checkpoint: "none",
    checkpointProblem: "There are more than 100,000 files here: too many to keep them before each turn.",
  });
  for (const [name, origin, content] of [
    ["user", "user", "Port src/mesh/loader.c to C++23."],
    ["a", "agent", "Done: the loader reads the same files with `std::span` and no raw pointers."],
  ])
    port.timeline.item(`t1:${name}`, { type: "message", turnId: "t1", origin, content, status: "complete" });
  addWorkspace(world, engine.projectId, "profile-frames", {
    old: true,
    bytes: 1_100_000_000,
    createdAt: ago(kDay * 33),
    ahead: 4,
    behind: 57,
  });
  addWorkspace(world, engine.projectId, "old-allocator", {
    old: true,
    bytes: 96_000_000,
    createdAt: ago(kDay * 48),
    behind: 80,
  });
  addWorkspace(world, engine.projectId, "vulkan", {
    state: "failed",
    problem: "git worktree add: No space left on device",
    dirty: undefined,
    bytes: undefined,
    createdAt: ago(30),
  });
  atOdds(world, main, search);
  world.landing.set(faster.workspaceId, { conflicts: ["src/pricing/total.ts", "src/cart/index.ts"] });
  world.landing.set(rounding.workspaceId, { files: 3, commits: 4 });
  world.inventories.set(rounding.workspaceId, {
    tracked: 2,
    untracked: 1,
    ignored: 18_412,
    ignoredBytes: 391_000_000,
    unpushed: 3,
    unlanded: 3,
    samples: ["node_modules/", "dist/", ".env.local", "coverage/"],
    changed: ["src/pricing/total.ts", "src/pricing/item.ts", "notes.md"],
    working: [],
  });
  world.git.set(shop.projectId, {
    available: true,
    branch: "main",
    head: "4f0c1d2e5a",
    branches: ["main", "release", "next", "fix-rounding", "faster-search"],
    tags: ["v1.4.0", "v1.3.2"],
    dirty: 2,
    setup: { id: "setup-1", text: "npm ci\ncp .env.example .env.local\nnpm run db:migrate\n" },
  });
  world.git.set(world.projects.at(-1).projectId, {
    available: false,
    problem: "this folder is not in a git repository",
    branches: [],
    tags: [],
    dirty: 0,
  });
}

/** Both change one file, and not in the same way. */
function atOdds(world, main, search) {
  const paths = ["src/pricing/total.ts", "src/cart/index.ts"];
  main.info.overlaps = [search.info.sessionId];
  search.info.overlaps = [main.info.sessionId];
  world.overlaps.set(main.info.sessionId, [{ sessionId: search.info.sessionId, paths, conflicts: true }]);
  world.overlaps.set(search.info.sessionId, [{ sessionId: main.info.sessionId, paths, conflicts: true }]);
  main.timeline.turn("t1", { checkpoint: "made" });
  world.rewinds.set("t1", {
    changes: [
      { path: "src/pricing/total.ts", kind: "modified" },
      { path: "src/pricing/legacy_total.ts", kind: "added" },
      { path: "src/pricing/cents.ts", kind: "deleted" },
    ],
    conflicts: ["src/pricing/total.ts"],
    shared: ["package-lock.json"],
  });
}
