// The npm packages as their users get them: from an empty home to the address in one line, and gone again.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import http from "node:http";
import { cpus, loadavg, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually, program, Server } from "../support/server.mjs";
import { tree } from "./root.mjs";

const source = fileURLToPath(new URL("../..", import.meta.url));
const out = (...command) => execFileSync(command[0], command.slice(1), { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "pipe"] });
const launcher = "liminal-builder";
const platform = "@liminal-builder/linux-x64";

let place;
let tarballs;
let registry;
/** Asked of the registry so far. */
const asked = [];
before(async () => {
  place = mkdtempSync(join(tmpdir(), "lb-npm-test-"));
  const made = out("node", join(source, "packaging/npm/pack.mjs"), program, place).trim().split("\n");
  assert.equal(made.length, 2, made.join(" "));
  tarballs = { [launcher]: made[0], [platform]: made[1] };
  registry = await serveRegistry(tarballs);
});
after(() => {
  registry.close();
  rmSync(place, { recursive: true, force: true });
});

const manifest = (tarball) => JSON.parse(out("tar", "--extract", "--to-stdout", "--file", tarball, "package/package.json"));

/** What a registry says and gives of our two packages; it knows no other. */
async function serveRegistry(files) {
  const server = http.createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://registry").pathname).slice(1);
    asked.push(path);
    const tarball = Object.values(files).find((file) => basename(file) === path);
    if (tarball) return response.end(readFileSync(tarball));
    if (!files[path]) return response.writeHead(404).end("{}");
    const json = manifest(files[path]);
    const bytes = readFileSync(files[path]);
    const dist = {
      tarball: `${server.url}${basename(files[path])}`,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
    };
    const versions = { [json.version]: { ...json, dist } };
    response.end(JSON.stringify({ name: path, "dist-tags": { latest: json.version }, versions }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.url = `http://127.0.0.1:${server.address().port}/`;
  return server;
}

/** A home with nothing in it, and npm as its user would run it: no settings, no cache, no other registry. */
function emptyHome(t) {
  const home = mkdtempSync(join(tmpdir(), "lb-npm-home-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const path = `${join(home, ".local/bin")}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = {
    HOME: home,
    PATH: path,
    LANG: "C.UTF-8",
    npm_config_registry: registry.url,
    npm_config_prefix: join(home, ".local"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
  const npm = (...args) => promisify(execFile)("npm", args, { env, cwd: home, encoding: "utf8", timeout: 120_000 });
  return { home, env, npm };
}

/** The program below npx and its shell. */
function programBelow(pid) {
  if (readlinkSync(`/proc/${pid}/exe`).endsWith(`${platform}/bin/liminal-builder`)) return pid;
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return programBelow(Number(child));
}
/** The program ends in good order, and whatever stands above it with it. */
async function end(server, pid = server.child.pid) {
  process.kill(pid, "SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, signal: null });
}

/** Ten seconds on a machine that has nothing else to do; more where others want its processors too. */
const patience = () => 10_000 * Math.max(1, loadavg()[0] / cpus().length);

const start = async (t, { home, env }, ...command) => {
  const server = await Server.start({ home, command, env });
  t.after(() => server.kill());
  return server;
};
async function talk(server, home) {
  mkdirSync(join(home, "project"), { recursive: true });
  const { sessionId } = await server.create(join(home, "project"));
  await server.post(`/api/session/${sessionId}/send`, { content: "hello" });
  const answered = async () =>
    (await server.get(`/api/session/${sessionId}/timeline`)).turns.some(({ type }) => type === "turn_complete");
  await eventually(answered, "an answer of the demo agent", 60_000);
}

test("both packages hold the licences, run nothing when they are installed, and name their system", () => {
  for (const [name, tarball] of Object.entries(tarballs)) {
    const json = manifest(tarball);
    assert.equal(json.name, name);
    assert.equal(json.scripts, undefined);
    assert.equal(json.dependencies, undefined);
    assert.deepEqual([json.os, json.cpu], [["linux"], ["x64"]]);
    const files = out("tar", "--list", "--file", tarball).trim().split("\n");
    for (const file of ["LICENSE", "copyright", "apache-2.0.txt", "README.md"]) assert.ok(files.includes(`package/${file}`), file);
    const copyright = out("tar", "--extract", "--to-stdout", "--file", tarball, "package/copyright");
    assert.equal(copyright, readFileSync(join(source, "packaging/copyright"), "utf8"));
  }
  const { version, optionalDependencies } = manifest(tarballs[launcher]);
  assert.deepEqual(optionalDependencies, { [platform]: version });
  assert.equal(manifest(tarballs[platform]).version, version);
  assert.equal(out(program, "--version"), `liminal-builder ${version}\n`);
});

test("one line in an empty home: npx downloads, starts and prints the address", { timeout: 300_000 }, async (t) => {
  const user = emptyHome(t);
  const begin = performance.now();
  const server = await start(t, user, "npx", "--yes", launcher);
  const took = performance.now() - begin;
  t.diagnostic(`${Math.round(took)} ms from the command to the address, at load ${loadavg()[0].toFixed(1)}`);
  assert.ok(took < patience(), `${took} ms`);
  assert.deepEqual([...new Set(asked)].sort(), [launcher, platform, ...Object.values(tarballs).map((file) => basename(file))].sort());
  const pid = programBelow(server.child.pid);
  t.after(() => spawnSync("kill", ["-KILL", String(pid)])); // A kill of npx alone would leave it.
  await talk(server, user.home);
  await end(server, pid);
});

test("installed for the user: the launcher becomes the program, signals reach it, and uninstalling leaves nothing", { timeout: 300_000 }, async (t) => {
  const user = emptyHome(t);
  const prefix = join(user.home, ".local");
  mkdirSync(join(prefix, "bin"), { recursive: true });
  mkdirSync(join(prefix, "lib/node_modules"), { recursive: true });
  const installed = () => tree(prefix, (name) => name === "state"); // There the demo agent remembers its sessions.
  const before = installed();
  await user.npm("install", "--global", launcher);
  const command = join(prefix, "bin", launcher);
  assert.notDeepEqual(installed(), before);

  const server = await start(t, user, command);
  const running = readlinkSync(`/proc/${server.child.pid}/exe`);
  assert.ok(running.endsWith(`${platform}/bin/liminal-builder`), running);
  await talk(server, user.home);
  await end(server);
  assert.equal(spawnSync(command, ["--no-such-flag"], { env: user.env }).status, 2);

  await user.npm("uninstall", "--global", launcher);
  assert.deepEqual(installed(), before);
  assert.ok(existsSync(join(user.home, "data/store.db")), "the user's data is gone");
});

test("from the two files alone, without any registry", { timeout: 300_000 }, async (t) => {
  const user = emptyHome(t);
  user.env.npm_config_registry = "http://127.0.0.1:9/"; // Nobody is there.
  mkdirSync(join(user.home, "app"));
  await user.npm("install", "--prefix", "app", "--offline", ...Object.values(tarballs));
  const command = join(user.home, "app/node_modules/.bin", launcher);
  const server = await start(t, user, command);
  assert.equal((await server.get("/api/info")).version, manifest(tarballs[launcher]).version);
  await end(server);
  // Without the program for this system the launcher says what to do.
  await user.npm("uninstall", "--prefix", "app", platform);
  rmSync(join(user.home, "app/node_modules", platform), { recursive: true, force: true });
  const alone = spawnSync(command, ["--version"], { env: user.env, encoding: "utf8" });
  assert.equal(alone.status, 1);
  assert.match(alone.stderr, /linux-x64 is missing\. Install liminal-builder again/);
});
