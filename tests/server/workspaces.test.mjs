// Worktrees over HTTP and WebSocket, of the real program with git itself: setup commands, walls, hooks, errors, and what stays.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, Socket } from "../support/server.mjs";
import { answerTo, asUser, says as shellSays, shellHome, startIn } from "../support/shell_agent.mjs";

let place, server, project;

/** As the user who owns it all. */
function asOwner(command, { input, cwd = place.project } = {}) {
  const [name, ...args] = [...asUser, ...command];
  const env = { PATH: process.env.PATH, HOME: place.home, LANG: "C.UTF-8" };
  return execFileSync(name, args, { cwd, env, input, encoding: "utf8" }).trimEnd();
}
const git = (...args) => asOwner(["git", ...args]);
const gitIn = (cwd, ...args) => asOwner(["git", ...args], { cwd });
const put = (path, text) => asOwner(["tee", path], { input: text, cwd: place.home });
const write = (name, text) => put(join(place.project, name), text);
function commit(message) {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}
function hook(name, text) {
  const path = join(place.project, ".git/hooks", name);
  put(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
  return () => asOwner(["rm", path]);
}

const says = (sessionId, content) => shellSays(server, sessionId, content);
/** A session in a worktree of its own, and that worktree. */
async function create(branch, { workspace, ...more } = {}) {
  const wish = { ...(branch === undefined ? {} : { branch }), ...workspace };
  const made = await server.post("/api/session/create", { cliType: "shell", projectId: project.projectId, workspace: wish, ...more });
  return { ...made, path: (await find(made.workspaceId)).path };
}
const all = async () => (await server.get(`/api/workspaces?projectId=${project.projectId}`)).workspaces;
const find = async (id) => (await all()).find((one) => one.workspaceId === id);
const setupIs = (id, state) => eventually(async () => (await find(id)).setup === state, `a setup that is ${state}`);
const entries = async (sessionId) => server.get(`/api/session/${sessionId}/timeline?since=0`);
const ask = (id, what, body = {}) => server.ask("POST", `/api/workspace/${id}/${what}`, body);
const gitOf = (base) => server.get(`/api/project/${project.projectId}/git${base ? `?base=${base}` : ""}`);

before(async () => {
  place = shellHome();
  put(join(place.home, ".gitconfig"), "[user]\n  name = User\n  email = user@example.org\n[init]\n  defaultBranch = main\n");
  git("init", "--quiet");
  write("a.txt", "one\ntwo\nthree\n");
  write(".gitignore", ".env\nbuild/\n");
  write(".worktreeinclude", ".env\n");
  commit("Begin");
  write(".env", "SECRET=1\n");
  put(join(place.home, "bin/gh"), '#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/asked"\necho https://example.org/pull/7\n');
  chmodSync(join(place.home, "bin/gh"), 0o755);
  server = await startIn(place, { PATH: `${join(place.home, "bin")}:${process.env.PATH}` });
  project = (await server.post("/api/project/add", { path: place.project })).project;
});
after(async () => {
  await server?.stop();
  place?.remove();
});

test("a session works in its worktree, with the ignored files that the repository names and ports of its own", async () => {
  const { sessionId, workspaceId, path } = await create();
  assert.equal((await server.get(`/api/session/${sessionId}/status`)).workspaceId, workspaceId);
  assert.equal(await says(sessionId, "pwd; cat .env"), `${path} SECRET=1 `);
  assert.ok(!path.startsWith(place.project) && !path.startsWith(join(place.home, "data")));
  await says(sessionId, "echo new > only-here.txt; echo more >> a.txt");
  const one = await eventually(async () => {
    const found = await find(workspaceId);
    return found.dirty && found.bytes > 0 && found;
  }, "what is in it");
  assert.equal(one.state, "ready");
  assert.equal(one.setup, "none");
  assert.match(one.branch, /^liminal\//);
  assert.equal(one.baseRef, "main");
  assert.equal(one.baseOid, git("rev-parse", "main"));
  assert.deepEqual([one.ahead, one.behind, one.sessionIds], [0, 0, [sessionId]]);
  assert.ok(Date.parse(one.createdAt) > 0);
  assert.equal((await says(sessionId, "echo $LIMINAL_PORT_FIRST $LIMINAL_PORT_LAST")).trim(), `${one.ports.first} ${one.ports.last}`);

  const named = async (query) => (await server.get(`/api/project/${project.projectId}/files?q=only${query}`)).files;
  assert.deepEqual(await named(`&workspaceId=${workspaceId}`), [{ path: "only-here.txt" }]);
  assert.deepEqual(await named(""), []);

  // Deleting the session, and taking the project off the list, touches none of it.
  await server.post(`/api/session/${sessionId}/delete`, {});
  await server.post(`/api/project/${project.projectId}/remove`, {});
  assert.equal(readFileSync(join(path, "only-here.txt"), "utf8"), "new\n");
  project = (await server.post("/api/project/add", { path: place.project })).project;
  const left = await find(workspaceId);
  assert.deepEqual([left.state, left.sessionIds], ["ready", []]);
});

test("uncommitted changes come along when that is asked for, and stay where they were", async () => {
  write("a.txt", "one\nTWO\nthree\n");
  write("untracked.txt", "untracked\n");
  const { path } = await create("carried", { workspace: { carry: "uncommitted" } });
  assert.equal(readFileSync(join(path, "a.txt"), "utf8"), "one\nTWO\nthree\n");
  assert.equal(readFileSync(join(path, "untracked.txt"), "utf8"), "untracked\n");
  assert.equal(git("status", "--porcelain"), " M a.txt\n?? untracked.txt");
  const { path: bare } = await create("not-carried");
  assert.equal(readFileSync(join(bare, "a.txt"), "utf8"), "one\ntwo\nthree\n");
  git("checkout", "--quiet", "a.txt");
  asOwner(["rm", "untracked.txt"]);
});

test("setup commands of the repository run once the user agreed to this very text; what is sent meanwhile waits", async () => {
  const gate = join(place.home, "gate");
  write(".worktreesetup", `echo setting up\necho "port $LIMINAL_PORT_FIRST" > port.txt\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\necho done setting up\n`);
  commit("Setup");
  const { setup } = await gitOf();
  assert.match(setup.text, /setting up/);
  assert.ok(!setup.confirmed);

  const first = await create("first");
  await setupIs(first.workspaceId, "unconfirmed");
  assert.equal((await says(first.sessionId, "ls port.txt || echo nothing ran")).includes("nothing ran"), true);
  const wrong = await ask(first.workspaceId, "setup", { setup: "0".repeat(40) });
  assert.deepEqual([wrong.status, wrong.body.code], [409, "CONFIRM_NEEDED"]);
  assert.ok(!existsSync(join(first.path, "port.txt")));
  assert.equal((await ask(first.workspaceId, "setup", { setup: setup.id })).status, 202);
  await setupIs(first.workspaceId, "running");
  const { turnId } = await server.post(`/api/session/${first.sessionId}/send`, { content: "cat port.txt; echo after the setup" });
  await eventually(() => existsSync(join(first.path, "port.txt")), "the setup");
  assert.ok(!(await entries(first.sessionId)).entries.some((item) => item.turnId === turnId && item.origin === "agent"));
  put(gate, "");
  const { ports } = await find(first.workspaceId);
  assert.equal(await answerTo(server, first.sessionId, turnId), `port ${ports.first} after the setup `);
  await setupIs(first.workspaceId, "done");
  const call = (await entries(first.sessionId)).entries.find(({ type }) => type === "tool_call");
  assert.deepEqual([call.toolName, call.status, call.exitCode], ["Setup", "complete", 0]);
  assert.equal(call.toolOutput, "setting up\ndone setting up\n");

  // Agreed to once, it runs in the next one by itself.
  assert.equal((await gitOf()).setup.confirmed, true);
  const second = await create("second");
  assert.match(await says(second.sessionId, "cat port.txt"), /^port \d+/);
  await setupIs(second.workspaceId, "done");
});

test("another text asks again; one that fails says so in the conversation, and holds what waits", async () => {
  const gate = join(place.home, "gate2");
  write(".worktreesetup", `while [ ! -e ${gate} ]; do sleep 0.05; done\necho no such package >&2\nexit 3\n`);
  commit("Broken setup");
  const { setup } = await gitOf();
  assert.ok(!setup.confirmed);
  const { sessionId, workspaceId } = await create("broken", { workspace: { setup: setup.id } });
  await setupIs(workspaceId, "running");
  const { turnId } = await server.post(`/api/session/${sessionId}/send`, { content: "echo too early" });
  put(gate, "");
  await setupIs(workspaceId, "failed");
  const held = await eventually(async () => {
    const { turns, entries: items } = await entries(sessionId);
    const failed = turns.find(({ type }) => type === "turn_error");
    const waits = turns.find((turn) => turn.turnId === turnId);
    return failed && waits.held && { failed, waits, items };
  }, "a queue that is held");
  assert.match(held.failed.errorMessage, /code 3/);
  assert.equal(held.waits.type, "turn_queued");
  const call = held.items.find(({ type }) => type === "tool_call");
  assert.deepEqual([call.status, call.exitCode, call.toolOutput], ["error", 3, "no such package\n"]);
  await server.post(`/api/session/${sessionId}/queue`, { resume: true });
  assert.equal((await answerTo(server, sessionId, turnId)).trim(), "too early");
  // Agreed to in a text that is another by now: nothing runs, and it waits to be read.
  write(".worktreesetup", "echo changed again > ran.txt\n");
  commit("Another setup");
  const stale = await create("stale", { workspace: { setup: setup.id } });
  await setupIs(stale.workspaceId, "unconfirmed");
  assert.ok(!existsSync(join(stale.path, "ran.txt")));
});

test("of a confined session the setup, the hooks of landing and gh run behind its walls", async () => {
  const data = join(place.home, "data");
  const look = `echo "sees $(ls ${data} | wc -l) files as $(cat /proc/1/comm)"`;
  write(".worktreesetup", `${look}\n`);
  commit("Curious setup");
  const { setup } = await gitOf();
  const remove = hook("pre-commit", `${look} >&2\n`);
  const walled = await create("walled", { confined: true, workspace: { setup: setup.id } });
  await setupIs(walled.workspaceId, "done");
  const output = async (id) => (await entries(id)).entries.find(({ type }) => type === "tool_call").toolOutput;
  assert.equal(await output(walled.sessionId), "sees 0 files as lb-guardian\n");
  const free = await create("free");
  await setupIs(free.workspaceId, "done");
  assert.doesNotMatch(await output(free.sessionId), /sees 0 files/);

  await says(walled.sessionId, "echo walled > walled.txt");
  const landed = await ask(walled.workspaceId, "land", { strategy: "merge", message: "Behind walls\n\nTwo lines." });
  assert.equal(landed.status, 200, landed.text);
  assert.match(landed.body.said, /sees 0 files as lb-guardian/);
  assert.equal(git("log", "-1", "--format=%an: %B", "main"), "User: Behind walls\n\nTwo lines.");
  assert.equal(readFileSync(join(place.project, "walled.txt"), "utf8"), "walled\n");

  git("clone", "--quiet", "--bare", ".", join(place.home, "walled.git"));
  git("remote", "add", "origin", join(place.home, "walled.git"));
  await says(walled.sessionId, "echo more > more.txt; git add more.txt; git commit -q -m More");
  const pushed = await ask(walled.workspaceId, "push", { pullRequest: true, title: "From behind walls" });
  assert.deepEqual([pushed.status, pushed.body?.url], [200, "https://example.org/pull/7"], pushed.text);
  git("remote", "remove", "origin");
  remove();
  asOwner(["git", "rm", "--quiet", ".worktreesetup"]);
  commit("No setup");
});

test("what a hook refuses does not land, and its words are in the error", async () => {
  const remove = hook("pre-commit", "echo the linter says no >&2\nexit 1\n");
  const { sessionId, workspaceId, path } = await create("refused");
  await says(sessionId, "echo work > work.txt");
  const before = git("rev-parse", "main");
  const status = gitIn(path, "status", "--porcelain");
  const refused = await ask(workspaceId, "land", { strategy: "squash" });
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /the linter says no/);
  assert.equal(git("rev-parse", "main"), before);
  assert.equal(gitIn(path, "rev-parse", "HEAD"), before);
  assert.equal(gitIn(path, "status", "--porcelain"), status);
  remove();
  const landed = await ask(workspaceId, "land", { strategy: "squash", message: "Now it may" });
  assert.equal(landed.status, 200, landed.text);
  assert.equal(landed.body.oid, git("rev-parse", "main"));
  assert.equal(git("log", "-1", "--format=%s"), "Now it may");
});

test("a conflict, and edits in the way, are told with their paths, and nothing is changed", async () => {
  const { sessionId, workspaceId, path } = await create("conflict");
  await says(sessionId, "sed -i s/two/agent/ a.txt");
  write("a.txt", "one\nuser\nthree\n");
  const before = git("rev-parse", "main");
  const dirty = await ask(workspaceId, "land", { strategy: "merge" });
  assert.deepEqual([dirty.status, dirty.body.code, dirty.body.paths], [409, "TARGET_DIRTY", ["a.txt"]]);
  assert.equal(readFileSync(join(place.project, "a.txt"), "utf8"), "one\nuser\nthree\n");
  commit("By the user");
  const dry = await ask(workspaceId, "land", { strategy: "merge", dryRun: true });
  assert.deepEqual([dry.status, dry.body.into, dry.body.conflicts], [200, "main", ["a.txt"]]);
  const conflict = await ask(workspaceId, "land", { strategy: "merge" });
  assert.deepEqual([conflict.status, conflict.body.code, conflict.body.paths], [409, "LAND_CONFLICT", ["a.txt"]]);
  assert.equal(git("rev-parse", "main^"), before);
  assert.equal(git("status", "--porcelain"), "");
  assert.equal(readFileSync(join(path, "a.txt"), "utf8"), "one\nagent\nthree\n");
});

test("push, and a pull request through gh", async () => {
  const { sessionId, workspaceId } = await create("pushed");
  await says(sessionId, "echo pushed > pushed.txt; git add pushed.txt; git commit -q -m Pushed");
  const nowhere = await ask(workspaceId, "push");
  assert.equal(nowhere.status, 409);
  assert.match(nowhere.body.message, /git remote add/);
  const remote = join(place.home, "remote.git");
  git("clone", "--quiet", "--bare", ".", remote);
  git("remote", "add", "origin", remote);
  const pushed = await ask(workspaceId, "push", { pullRequest: true, title: "A title; $(x)", body: "B" });
  assert.equal(pushed.status, 200, pushed.text);
  assert.deepEqual([pushed.body.remote, pushed.body.branch, pushed.body.url], ["origin", "pushed", "https://example.org/pull/7"]);
  assert.equal(gitIn(remote, "log", "-1", "--format=%s", "pushed"), "Pushed");
  const words = readFileSync(join(place.home, "asked"), "utf8");
  assert.equal(words, "pr\ncreate\n--base\nmain\n--head\npushed\n--title\nA title; $(x)\n--body\nB\n");
});

test("removing shows what is in it and wants that confirmed, over HTTP and over WebSocket; restoring brings it back", async () => {
  const { sessionId, workspaceId, path } = await create("removed");
  await says(sessionId, "echo changed >> a.txt; echo new > new.txt; mkdir build; echo ignored > build/out");
  const asked = await ask(workspaceId, "remove");
  assert.deepEqual([asked.status, asked.body.code], [409, "CONFIRM_NEEDED"]);
  const { inventory, inventoryHash } = asked.body;
  assert.deepEqual([inventory.tracked, inventory.untracked, inventory.unlanded, inventory.working], [1, 1, 0, []]);
  assert.deepEqual(inventory.changed.toSorted(), ["a.txt", "new.txt"]);
  assert.ok(inventory.ignored >= 1 && inventory.ignoredBytes > 0 && inventory.samples.some((name) => name.startsWith("build")));

  const messages = [];
  const socket = new Socket(server.port, { onMessage: (message) => messages.push(message) });
  await socket.open;
  const answer = async (request) => {
    const requestId = `r${messages.length}`;
    socket.send({ ...request, requestId });
    return eventually(() => messages.find((message) => message.requestId === requestId), `an answer to ${request.type}`);
  };
  const told = (state) =>
    eventually(
      () => messages.some(({ type, workspace }) => type === "workspace:upsert" && workspace.workspaceId === workspaceId && workspace.state === state),
      `a worktree that is ${state}`,
    );
  const needed = await answer({ type: "workspace:remove", workspaceId, confirm: "old" });
  assert.deepEqual([needed.type, needed.code, needed.inventory, needed.inventoryHash], ["error", "CONFIRM_NEEDED", inventory, inventoryHash]);
  // What changed meanwhile is asked again.
  await says(sessionId, "echo newer > new.txt");
  const again = await answer({ type: "workspace:remove", workspaceId, confirm: inventoryHash });
  assert.equal(again.code, "CONFIRM_NEEDED");
  assert.notEqual(again.inventoryHash, inventoryHash);
  assert.ok(existsSync(path));
  assert.equal((await answer({ type: "workspace:remove", workspaceId, confirm: again.inventoryHash })).type, "ok");
  await told("removed");
  assert.ok(!existsSync(path));
  assert.equal((await find(workspaceId)).state, "removed");
  const closed = await server.ask("POST", `/api/session/${sessionId}/send`, { content: "echo anybody" });
  assert.ok(closed.status >= 400, closed.text);
  assert.match(closed.body.message, /Restore/);
  const twice = await ask(workspaceId, "remove", { confirm: again.inventoryHash });
  assert.deepEqual([twice.status, twice.body.code], [409, "NOT_SUPPORTED"]);
  const unknown = await ask("nobody", "restore");
  assert.deepEqual([unknown.status, unknown.body.code], [404, "WORKSPACE_NOT_FOUND"]);

  const back = await answer({ type: "workspace:restore", workspaceId });
  assert.deepEqual([back.type, back.workspace.state, back.workspace.path], ["workspace:upsert", "ready", path]);
  assert.equal(readFileSync(join(path, "new.txt"), "utf8"), "newer\n");
  assert.match(readFileSync(join(path, "a.txt"), "utf8"), /changed\n$/);
  assert.equal(gitIn(path, "status", "--porcelain"), " M a.txt\n?? new.txt");
  assert.ok(!existsSync(join(path, "build")));
  assert.equal((await says(sessionId, "cat new.txt")).trim(), "newer");
  socket.destroy();
});

test("a folder that somebody deleted is shown as such, and its commits come back", async () => {
  const { sessionId, workspaceId, path } = await create("deleted");
  await says(sessionId, "echo kept > kept.txt; git add kept.txt; git commit -q -m Kept");
  asOwner(["rm", "-rf", path]);
  await eventually(async () => (await find(workspaceId)).missing, "that it is gone");
  const back = await ask(workspaceId, "restore");
  assert.equal(back.status, 200, back.text);
  assert.equal(readFileSync(join(path, "kept.txt"), "utf8"), "kept\n");
  assert.notEqual((await find(workspaceId)).missing, true);
});
