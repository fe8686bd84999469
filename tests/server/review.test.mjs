// What changed in a session's files, over HTTP, of the real program with git itself: seen, shown, taken back, brought back, committed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually } from "../support/server.mjs";
import { asUser, says as shellSays, shellHome, startIn } from "../support/shell_agent.mjs";

let place, server, project;

/** As the user who owns it all. */
function asOwner(command, { input, cwd = place.project } = {}) {
  const [name, ...args] = [...asUser, ...command];
  const env = { PATH: process.env.PATH, HOME: place.home, LANG: "C.UTF-8" };
  return execFileSync(name, args, { cwd, env, input, encoding: "utf8" }).trimEnd();
}
const gitIn = (cwd, ...args) => asOwner(["git", ...args], { cwd });
const put = (path, text) => asOwner(["tee", path], { input: text, cwd: place.home });
const write = (name, text) => put(join(place.project, name), text);
const says = (sessionId, content) => shellSays(server, sessionId, content);
const query = (fields) => new URLSearchParams(fields).toString();
const changes = (id, fields = {}) => server.get(`/api/session/${id}/changes?${query(fields)}`);
const diff = (id, fields) => server.ask("GET", `/api/session/${id}/diff?${query(fields)}`);
const file = (id, fields) => server.ask("GET", `/api/session/${id}/file?${query(fields)}`);
const ask = (id, what, body) => server.ask("POST", `/api/session/${id}/${what}`, body);
const brief = ({ files }) => files.map(({ path, status, added, deleted }) => [path, status, added, deleted]);

async function create(more = {}) {
  const made = await server.post("/api/session/create", { cliType: "shell", projectId: project.projectId, ...more });
  const { workspaces } = await server.get(`/api/workspaces?projectId=${project.projectId}`);
  return { ...made, path: workspaces.find(({ workspaceId }) => workspaceId === made.workspaceId)?.path ?? place.project };
}

const lines = (...changed) => Array.from({ length: 30 }, (_, at) => `${changed.includes(at + 1) ? "LINE" : "line"} ${at + 1}\n`).join("");

before(async () => {
  place = shellHome();
  put(join(place.home, ".gitconfig"), "[user]\n  name = User\n  email = user@example.org\n[init]\n  defaultBranch = main\n");
  // An editor that says what it was told.
  put(join(place.home, "bin/edit"), `#!/bin/sh\nprintf '%s\\n' "$@" > ${place.home}/edited\n[ "$1" != --fail ] || exit 3\n`);
  chmodSync(join(place.home, "bin/edit"), 0o755);
  const config = join(place.home, "config.toml");
  put(config, `editor = ["${place.home}/bin/edit", "{path}:{line}", "{folder}"]\n${readFileSync(config, "utf8")}`);
  gitIn(place.project, "init", "--quiet");
  write("a.txt", lines());
  write("gone.txt", "gone\n");
  write("moved.txt", lines().toUpperCase());
  gitIn(place.project, "add", "--all");
  gitIn(place.project, "commit", "--quiet", "--message", "Begin");
  server = await startIn(place);
  project = (await server.post("/api/project/add", { path: place.project })).project;
});
after(async () => {
  await server?.stop();
  place?.remove();
});

test("what a session did is listed, shown, discarded by the hunk, brought back, and committed", async () => {
  const { sessionId, path } = await create({ workspace: { branch: "walk" } });
  await says(sessionId, "sed -i 's/line 3$/LINE 3/;s/line 25$/LINE 25/' a.txt; rm gone.txt; git mv moved.txt to.txt; echo new > fresh.txt");
  const seen = await changes(sessionId);
  assert.deepEqual([seen.against, seen.target, seen.count, seen.added, seen.deleted], ["base", "main", 4, 3, 3]);
  assert.deepEqual(brief(seen), [
    ["a.txt", "modified", 2, 2],
    ["fresh.txt", "added", 1, 0],
    ["gone.txt", "deleted", 0, 1],
    ["to.txt", "renamed", 0, 0],
  ]);
  assert.equal(seen.files[3].oldPath, "moved.txt");
  assert.deepEqual(seen.offers.slice(0, 3), ["base", "head", "index"]);
  assert.match(seen.offers[3], /^turn:/);
  assert.deepEqual(brief(await changes(sessionId, { against: seen.offers[3] })), brief(seen));

  const trees = { from: seen.from, oid: seen.oid };
  const shown = await diff(sessionId, { path: "a.txt", ...trees });
  assert.equal(shown.status, 200);
  assert.match(shown.headers["content-type"], /^text\/plain/);
  assert.match(shown.text, /^diff --git a\/a\.txt b\/a\.txt\n/);
  const hunks = [...shown.text.matchAll(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm)].map((found) => found.slice(1).map(Number));
  assert.equal(hunks.length, 2);
  assert.match((await diff(sessionId, { path: "to.txt", ...trees })).text, /rename from moved\.txt\nrename to to\.txt\n/);

  assert.equal((await file(sessionId, { path: "a.txt" })).text, lines(3, 25));
  assert.equal((await file(sessionId, { path: "a.txt", oid: seen.from })).text, lines());
  assert.equal((await file(sessionId, { path: join(path, "a.txt") })).text, lines(3, 25));
  for (const outside of ["../a.txt", "/etc/passwd", ".git/config", "x/../a.txt"]) {
    assert.ok([400, 404].includes((await file(sessionId, { path: outside })).status), outside);
  }

  const [oldStart, oldLines, newStart, newLines] = hunks[1];
  const hunk = { oldStart, oldLines, newStart, newLines };
  const less = await ask(sessionId, "discard", { path: "a.txt", ...trees, hunk });
  assert.equal(less.status, 200, less.text);
  assert.deepEqual(less.body.changes, [{ path: "a.txt", kind: "modified" }]);
  assert.equal(readFileSync(join(path, "a.txt"), "utf8"), lines(3));
  const late = await ask(sessionId, "discard", { path: "a.txt", ...trees, hunk });
  assert.deepEqual([late.status, late.body.code], [409, "REWIND_CONFLICT"]);
  const back = await ask(sessionId, "rewind/undo", { undoId: less.body.undoId });
  assert.equal(back.status, 200, back.text);
  assert.equal(readFileSync(join(path, "a.txt"), "utf8"), lines(3, 25));

  const whole = await ask(sessionId, "discard", { path: "gone.txt", ...trees });
  assert.deepEqual(whole.body.changes, [{ path: "gone.txt", kind: "added" }]);
  assert.equal(readFileSync(join(path, "gone.txt"), "utf8"), "gone\n");

  const done = await ask(sessionId, "commit", { paths: ["a.txt", "fresh.txt"], message: "Two files\n\n# stays" });
  assert.equal(done.status, 200, done.text);
  assert.deepEqual([done.body.branch, done.body.files], ["walk", 2]);
  assert.equal(done.body.oid, gitIn(path, "rev-parse", "HEAD"));
  assert.equal(gitIn(path, "log", "-1", "--format=%B"), "Two files\n\n# stays");
  assert.equal(gitIn(path, "status", "--porcelain"), "R  moved.txt -> to.txt");
  assert.deepEqual(brief(await changes(sessionId, { against: "head" })), [["to.txt", "renamed", 0, 0]]);
  await eventually(async () => (await server.get(`/api/session/${sessionId}/status`)).changes?.files === 3, "counted again");
});

test("a hook that refuses is heard, and nothing is left staged", async () => {
  const { sessionId, path } = await create();
  const hook = join(place.project, ".git/hooks/pre-commit");
  put(hook, "#!/bin/sh\necho no tabs please >&2\nexit 1\n");
  chmodSync(hook, 0o755);
  write("untracked.txt", "new\n");
  const refused = await ask(sessionId, "commit", { paths: ["untracked.txt"], message: "No" });
  assert.deepEqual([refused.status, refused.body.code], [502, "PROCESS_CRASH"]);
  assert.match(refused.body.message, /no tabs please/);
  assert.equal(gitIn(path, "status", "--porcelain"), "?? untracked.txt");
  asOwner(["rm", hook]);
  for (const wrong of [{ paths: [], message: "x" }, { paths: ["untracked.txt"], message: " \n" }, { paths: ["../x"], message: "x" }]) {
    assert.equal((await ask(sessionId, "commit", wrong)).status, 400, JSON.stringify(wrong));
  }
  asOwner(["rm", join(place.project, "untracked.txt")]);
});

test("a confined session's files are committed behind its walls", async () => {
  const { sessionId, path } = await create({ cliType: "walled", workspace: { branch: "walled" } });
  await says(sessionId, "echo walled > walled.txt");
  put(join(place.project, ".git/hooks/pre-commit"), `#!/bin/sh\necho sees $(ls ${place.home}/data 2>/dev/null | wc -l)\n`);
  chmodSync(join(place.project, ".git/hooks/pre-commit"), 0o755);
  const done = await ask(sessionId, "commit", { paths: ["walled.txt"], message: "Walled" });
  assert.equal(done.status, 200, done.text);
  assert.equal(done.body.said, "sees 0");
  assert.equal(gitIn(path, "log", "-1", "--format=%s"), "Walled");
  asOwner(["rm", join(place.project, ".git/hooks/pre-commit")]);
});

test("only trees can be named, and only by their whole id", async () => {
  const { sessionId } = await create();
  appendFileSync(join(place.project, "a.txt"), "more\n");
  const seen = await changes(sessionId, { against: "head" });
  assert.deepEqual(brief(seen), [["a.txt", "modified", 1, 0]]);
  const head = gitIn(place.project, "rev-parse", "HEAD");
  for (const wrong of ["HEAD", "--output=/tmp/x", head, seen.files[0].oid, "0".repeat(40), head.slice(0, 8)]) {
    const answer = await diff(sessionId, { path: "a.txt", from: wrong, oid: seen.oid });
    assert.ok([400, 404].includes(answer.status), `${wrong}: ${answer.status}`);
    assert.ok([400, 404].includes((await file(sessionId, { path: "a.txt", oid: wrong })).status), wrong);
    assert.ok([400, 404].includes((await ask(sessionId, "discard", { path: "a.txt", from: wrong, oid: seen.oid })).status), wrong);
  }
  for (const against of ["main", "turn:none", "-x"]) {
    assert.ok([400, 409].includes((await server.ask("GET", `/api/session/${sessionId}/changes?${query({ against })}`)).status), against);
  }
  gitIn(place.project, "checkout", "--quiet", "a.txt");
});

test("the editor of the configuration opens a file of the session, and no other", async () => {
  assert.equal((await server.get("/api/info")).editor, true);
  const { sessionId } = await create();
  const opened = await ask(sessionId, "editor", { path: "a.txt", line: 7 });
  assert.equal(opened.status, 200, opened.text);
  const edited = join(place.home, "edited");
  await eventually(() => existsSync(edited), "the editor");
  assert.equal(readFileSync(edited, "utf8"), `${place.project}/a.txt:7\n${place.project}\n`);
  assert.equal((await ask(sessionId, "editor", { path: "../edited" })).status, 400);
  assert.equal((await ask(sessionId, "editor", { path: "none.txt" })).status, 404);
});
