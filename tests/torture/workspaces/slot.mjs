// One repository with a server over it. Each round does one operation through the API, kills the server (SIGKILL) at some moment
// of it, starts it again at once, and looks at everything.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { leftAfter, marked } from "../../support/proc.mjs";
import { eventually, makeHome, Server, sleep } from "../../support/server.mjs";
import { differing, filesOf, Project, same } from "./project.mjs";

const agent = fileURLToPath(new URL("agent.sh", import.meta.url));
const alive = (pid) => existsSync(`/proc/${pid}`);
/** What one workspace goes through, and then one that takes the user's uncommitted changes along. */
const lives = [
  ["create", "rewind", "land", "remove", "restore", "land", "undo in the project"],
  ["create with changes", "undo", "remove", "restore", "rewind in the project"],
];

export class Slot {
  /** `moments.of(operation)` says when to kill, `moments.took` hears how long one takes; `fault(kind, words)` is told what is wrong. */
  constructor(index, moments, fault) {
    this.moments = moments;
    this.tell = fault;
    this.place = makeHome();
    this.project = new Project(this.place.home, this.place.project);
    this.life = index;
    this.plan = [];
    this.number = 0;
    this.lands = index;
    this.everything = false; // Kill git with the server.
    writeFileSync(join(this.place.home, "config.toml"), `checkpoint_wait_ms = 20000\n[agents.work]\nprotocol = "events"\ncommand = ${JSON.stringify(agent)}\n`);
  }

  async start() {
    await this.project.make();
    await this.serve();
    this.own = (await this.server.create(this.project.root, "work")).sessionId; // Works in the user's own checkout.
  }

  async serve() {
    const { home } = this.place;
    this.server = await Server.start({ home, args: ["--log-level", "info", "--config", join(home, "config.toml")] });
  }

  async stop() {
    const { code } = await this.server.stop();
    const orphans = await leftAfter(`HOME=${this.place.home}`);
    if (code !== 0 || orphans !== 0) this.fault("end", `exit code ${code}, ${orphans} processes left`);
    if (process.env.LB_KEEP) console.error(`kept: ${this.place.home}`);
    else this.place.remove();
  }

  fault(kind, words) {
    this.tell(kind, `${this.operation}, round ${this.round} of ${this.place.home}: ${words}\n${this.server.log.split("\n").slice(-6).join("\n")}`);
  }
  /** A list that must be empty. */
  none(kind, list) {
    if (list.length > 0) this.fault(kind, `${list.length}: ${list.slice(0, 8).join(", ")}`);
  }

  async post(path, body = {}) {
    const answer = await this.server.ask("POST", path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  // --- One round ------------------------------------------------------------------------------

  async next(round) {
    if (this.plan.length === 0) {
      await this.leave();
      this.plan = [...lives[this.life++ % 2]];
    }
    this.operation = this.plan.shift();
    this.round = round;
    try {
      const name = this.operation.split(" ")[0];
      await this[name](this.operation.endsWith("in the project"));
    } catch (error) {
      this.fault("stuck", error.message);
      this.plan = []; // The next life begins with another workspace.
      this.workspace = undefined;
    }
  }

  /** Asks, kills, starts again; how the request ended, if it did. `kind` names the operation in the figures. */
  async cut(kind, path, body) {
    const whole = this.moments.of(kind);
    const began = performance.now();
    const asked = this.server.ask("POST", path, body).then(
      (answer) => {
        this.moments.took(kind, performance.now() - began);
        return answer;
      },
      () => undefined,
    );
    await sleep(whole);
    if (this.everything) this.killAll();
    await this.server.kill();
    const answer = await asked;
    if (answer && answer.status >= 300) this.fault("refused", `${answer.status} ${answer.text}`);
    // What git had begun ends by itself, beside the next server as it would in life.
    const left = marked(`HOME=${this.place.home}`);
    await this.serve();
    await eventually(() => !left.some(alive), "the end of what the server left", 20_000);
    this.moments.cut(kind, answer !== undefined);
    return answer;
  }

  /** What it has started dies with it in the same moment, as when a machine or a container ends. */
  killAll() {
    this.server.child.kill("SIGSTOP");
    for (const pid of marked(`HOME=${this.place.home}`)) {
      try {
        if (pid !== this.server.child.pid) process.kill(pid, "SIGKILL");
      } catch {
        // It has just ended.
      }
    }
  }

  async again(kind, path, body) {
    const began = performance.now();
    const answer = await this.post(path, body);
    this.moments.took(kind, performance.now() - began);
    return answer;
  }

  // --- What must hold whatever was cut off ----------------------------------------------------

  async listed() {
    return (await this.server.get("/api/workspaces")).workspaces;
  }

  /** The list, git, the folder and the branches agree, and the user's git is not in anybody's way. */
  async whole(before, but) {
    if (before) this.none("the user's", this.project.changedSince(before, but));
    const { project } = this;
    const workspaces = await this.listed();
    const ready = workspaces.filter((one) => one.state === "ready").map((one) => one.path);
    const told = await project.git(["worktree", "list", "--porcelain", "-z"]);
    const known = [...told.matchAll(/worktree ([^\0]+)\0/g)].map((found) => found[1]).slice(1);
    const folder = join(this.place.home, ".liminal-builder/worktrees/project");
    const folders = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    const branches = (await project.git(["for-each-ref", "--format=%(refname:short)", "refs/heads"])).trim().split("\n");
    const expected = ["main", "other", ...workspaces.map((one) => one.branch)];
    for (const [what, list, wanted] of [["worktrees", known, ready], ["folders", folders, ready], ["branches", branches, expected]]) {
      if (!isDeepStrictEqual([...list].sort(), [...wanted].sort())) this.fault("not listed", `${what}: ${list} instead of ${wanted}`);
    }
    this.none("half made", workspaces.filter((one) => !["ready", "removed"].includes(one.state) || one.foreign || one.missing).map((one) => `${one.path} ${one.state} ${one.problem}`));
    const ids = new Set(workspaces.map((one) => one.workspaceId));
    const refs = (await project.git(["for-each-ref", "--format=%(refname)", "refs/liminal/ws", "refs/liminal/landed"])).trim().split("\n");
    this.none("refs of nobody", refs.filter((ref) => ref !== "" && !ids.has(ref.split("/")[3])));
    this.none("left in .git", ["liminal-removing", "LIMINAL_MSG"].filter((name) => existsSync(join(project.root, ".git", name))));
    await eventually(() => project.locks().length === 0, "no locks", 3000).catch(() => this.none("locks", project.locks()));
    await this.usable();
  }

  /** The user's git works, and finds nothing damaged. */
  async usable() {
    const { project } = this;
    try {
      await project.git(["status"]);
      await project.git(["add", "--dry-run", "user"]);
      await project.git(["commit", "--dry-run", "-m", "x"]);
      const said = await project.git(["fsck", "--strict", "--no-dangling", "--no-progress"]);
      if (said !== "") this.fault("damaged", said);
    } catch (error) {
      this.fault("the user's git", error.message);
    }
  }

  async find(workspaceId) {
    const found = (await this.listed()).find((one) => one.workspaceId === workspaceId);
    if (!found) throw new Error(`workspace ${workspaceId} is not listed any more`);
    return found;
  }

  // --- Work -----------------------------------------------------------------------------------

  /** A turn in the session that changes files below `folder`. */
  async turn(sessionId, folder) {
    const turnId = await this.server.deliver(sessionId, `work ${folder} ${++this.number}`);
    await eventually(() => this.server.isIdle(sessionId), "the end of the turn", 20_000);
    return turnId;
  }

  /** The same, with the files before and after it known, and how they were. */
  async keptTurn(sessionId, folder, at) {
    const first = filesOf(at);
    const turnId = await this.turn(sessionId, folder);
    let answer;
    const settled = async () => {
      answer = await this.server.ask("POST", `/api/session/${sessionId}/rewind`, { turnId, files: true, dryRun: true });
      return answer.status === 200 || !answer.text.includes("has not ended");
    };
    await eventually(settled, "the files after the turn", 20_000);
    if (answer.status !== 200 || answer.body.changes.length === 0) throw new Error(`a turn without a checkpoint: ${answer.text}`);
    return { first, turnId };
  }

  /** Work that is committed, staged, not staged, and unknown to git, in the workspace. */
  async worked() {
    await this.turn(this.session, "work");
    const { path } = this.workspace;
    this.project.write(`work/staged${this.number}`, "staged\n", path);
    await this.project.git(["add", `work/staged${this.number}`, "work/file1"], path);
    this.project.write("work/file1", `and edited again ${this.number}\n`, path);
    this.project.write("work/ignored.log", "ignored\n", path);
    return this.stands();
  }

  async stands() {
    const { path } = this.workspace;
    const head = await this.project.git(["rev-parse", "--symbolic-full-name", "HEAD", "HEAD^{commit}"], path);
    return { files: filesOf(path), standing: await this.project.standing(path), head };
  }
  async compare(stood, what) {
    const now = await this.stands();
    this.none("the workspace's", differing(stood.files, now.files).map((path) => `${what}: ${path}`));
    if (now.standing !== stood.standing) this.fault("the workspace's", `${what}: the index: ${now.standing.slice(0, 300)}`);
    if (now.head !== stood.head) this.fault("the workspace's", `${what}: HEAD: ${now.head}, was ${stood.head}`);
  }

  // --- The operations -------------------------------------------------------------------------

  async create() {
    const carry = this.operation.endsWith("changes") ? "uncommitted" : "none";
    const branch = `t/${++this.number}`;
    const body = { cliType: "work", projectDir: this.project.root, workspace: { branch, carry } };
    const before = this.project.taken();
    await this.cut(this.operation, "/api/session/create", body);
    await this.whole(before);
    let made = (await this.listed()).find((one) => one.branch === branch);
    if (made && made.sessionIds.length === 0) {
      // Made, and the session was not: it is listed, and can be removed like any other.
      await this.removed(made);
      body.workspace.branch = `t/${++this.number}`;
      made = undefined;
    }
    if (!made) {
      const then = this.project.taken();
      const { workspaceId } = await this.again(this.operation, "/api/session/create", body);
      made = await this.find(workspaceId);
      this.none("the user's", this.project.changedSince(then));
    }
    this.workspace = made;
    this.session = made.sessionIds[0];
    const files = filesOf(made.path);
    const wanted = filesOf(this.project.root);
    if (carry === "uncommitted") this.none("not carried", differing(files, wanted));
    else if ((await this.project.standing(made.path)).trim() !== "") this.fault("the workspace's", "a new one is dirty");
    if (!existsSync(join(made.path, "included.log"))) this.fault("the workspace's", ".worktreeinclude was not followed");
  }

  async rewind(inProject) {
    const { at, sessionId, turnId, before, took, undone } = await this.taken(inProject);
    await this.cut("rewind", `/api/session/${sessionId}/rewind`, { turnId, files: true });
    await this.eitherWay(at, before, took, undone);
    await this.again("rewind", `/api/session/${sessionId}/rewind`, { turnId, files: true });
    this.none("not rewound", differing(filesOf(at), undone));
  }

  async undo(inProject) {
    const { at, sessionId, turnId, before, took, undone } = await this.taken(inProject);
    const { undoId } = await this.post(`/api/session/${sessionId}/rewind`, { turnId, files: true });
    this.none("not rewound", differing(filesOf(at), undone));
    await this.cut("undo", `/api/session/${sessionId}/rewind/undo`, { undoId });
    await this.eitherWay(at, before, took, undone);
    await this.again("undo", `/api/session/${sessionId}/rewind/undo`, { undoId });
    this.none("not undone", differing(filesOf(at), took));
  }

  /** A turn, then an edit of the user's in a file of that turn: `took` is the folder now, `undone` what a rewind should make of it. */
  async taken(inProject) {
    const [at, sessionId, folder] = inProject ? [this.project.root, this.own, "own"] : [this.workspace.path, this.session, "work"];
    const shared = join(at, folder, "shared");
    await this.turn(sessionId, folder);
    const { first, turnId } = await this.keptTurn(sessionId, folder, at);
    const users = `the user's line ${this.number}\n`;
    const agents = readFileSync(shared, "utf8");
    // The turn before it wrote the same line.
    writeFileSync(shared, agents.replace(`agent ${this.number}\n`, `agent ${this.number - 1}\n`) + users);
    const undone = new Map(first).set(`${folder}/shared`, filesOf(at).get(`${folder}/shared`));
    writeFileSync(shared, agents + users);
    return { at, sessionId, turnId, before: this.project.taken(), took: filesOf(at), undone };
  }

  /** Every file is as before or as after, all of them alike. */
  async eitherWay(at, before, took, undone) {
    const now = filesOf(at);
    const changing = new Set(differing(took, undone));
    if (!same(now, took) && !same(now, undone)) {
      const odd = differing(now, took).filter((path) => now.get(path) !== undone.get(path));
      this.fault(odd.length > 0 ? "torn" : "mixed", `${odd.length > 0 ? odd : differing(now, undone)}`);
    }
    await this.whole(before, (path) => at === this.project.root && changing.has(path));
  }

  async removed(workspace) {
    const path = `/api/workspace/${workspace.workspaceId}/remove`;
    const asked = await this.server.ask("POST", path, {});
    if (asked.body?.code !== "CONFIRM_NEEDED") throw new Error(`no inventory: ${asked.status} ${asked.text}`);
    await this.again("remove", path, { confirm: asked.body.inventoryHash });
  }

  async remove() {
    this.stood = await this.worked();
    const { workspaceId } = this.workspace;
    const before = this.project.taken();
    const asked = await this.server.ask("POST", `/api/workspace/${workspaceId}/remove`, {});
    await this.cut("remove", `/api/workspace/${workspaceId}/remove`, { confirm: asked.body.inventoryHash });
    await this.whole(before);
    const now = await this.find(workspaceId);
    if (now.state === "ready") {
      await this.compare(this.stood, "after a removal that was cut off");
      await this.removed(now);
      await this.whole();
    }
    if (existsSync(this.workspace.path)) this.fault("the workspace's", "removed, and there");
  }

  async restore() {
    const { workspaceId } = this.workspace;
    const before = this.project.taken();
    await this.cut("restore", `/api/workspace/${workspaceId}/restore`, {});
    await this.whole(before);
    if ((await this.find(workspaceId)).state === "removed") await this.again("restore", `/api/workspace/${workspaceId}/restore`, {});
    await this.compare(this.stood, "after a restore");
  }

  async land() {
    const strategy = ["merge", "squash", "rebase"][this.lands++ % 3];
    const { project } = this;
    // Main goes on meanwhile, so that there is something to merge.
    project.write("user/log", `entry ${this.number}\n`);
    await project.git(["commit", "-q", "-m", "the user's", "--", "user/log"]);
    const stood = await this.worked();
    const before = project.taken();
    const standing = await project.standing();
    const from = (await project.git(["rev-parse", "main"])).trim();
    const message = `landing ${this.number}`;
    const path = `/api/workspace/${this.workspace.workspaceId}/land`;
    await this.cut(`land ${strategy}`, path, { strategy, message });
    const moved = (await project.git(["rev-parse", "main"])).trim() !== from;
    before.hooks = project.taken().hooks; // A landing runs them.
    if (moved) this.none("the user's", await project.changedByLanding(before, from));
    await this.whole(moved ? undefined : before);
    if ((await project.standing()) !== standing) this.fault("the user's", `its index: ${(await project.standing()).slice(0, 300)}`);
    // On the way the work may have been committed, and main's own changes have come in: none of its files is another.
    const work = (files) => new Map([...files].filter(([name]) => name.startsWith("work/")));
    const now = filesOf(this.workspace.path);
    this.none("the workspace's", differing(work(stood.files), work(now)));
    await this.again(`land ${strategy}`, path, { strategy, message });
    this.none("the user's", await project.changedByLanding(before, from));
    if ((await project.standing()) !== standing) this.fault("the user's", `its index after landing: ${(await project.standing()).slice(0, 300)}`);
    this.none("not landed", differing(work(stood.files), work(filesOf(project.root))));
    this.none("the workspace's", differing(work(stood.files), work(filesOf(this.workspace.path))));
    const count = (await project.git(["log", "--format=%s", `--grep=^${message}$`, "main"])).trim().split("\n").length;
    if (count !== 1) this.fault("landed twice", `${count} commits`);
    if ((await project.standing(this.workspace.path)).trim() !== "") this.fault("the workspace's", "dirty after it landed");
    const tips = (await project.git(["rev-parse", "main", this.workspace.branch])).trim().split("\n");
    const { baseOid } = await this.find(this.workspace.workspaceId);
    if (tips[0] !== tips[1] || tips[0] !== baseOid) this.fault("the workspace's", `not where its base is after it landed: ${tips} ${baseOid}`);
  }

  /** The end of a workspace: removed, with nothing left but its branch. */
  async leave() {
    if (!this.workspace) return;
    const now = await this.find(this.workspace.workspaceId);
    if (now.state === "ready") await this.removed(now);
    this.workspace = undefined;
  }
}
