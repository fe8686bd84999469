// The packages as their users get them: installed, started, used, stopped and removed in a root that holds nothing else.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, Server } from "../support/server.mjs";
import { dpkg, inside, makeRoot, namesIn, noSandbox, terminate, tree, user } from "./root.mjs";

const source = fileURLToPath(new URL("../..", import.meta.url));
const version = /project\(liminal-builder VERSION ([\d.]+)/.exec(readFileSync(join(source, "CMakeLists.txt"), "utf8"))[1];
/** The glibc that docs and README promise to be enough. */
const glibcMax = [2, 34];
const sandboxProblem = noSandbox();
const out = (...command) => execFileSync(command[0], command.slice(1), { encoding: "utf8", maxBuffer: 1 << 26 });

let place;
let deb;
let tarball;
before(() => {
  place = mkdtempSync(join(tmpdir(), "lb-package-"));
  const made = out(join(source, "script/package"), place).trim().split("\n");
  deb = made.find((name) => name.endsWith(".deb"));
  tarball = made.find((name) => name.endsWith(".tar.xz"));
  assert.deepEqual(made.map((name) => name.replace(/^.*\./, "")).sort(), ["deb", "tgz", "tgz", "xz"], made.join(" "));
});
after(() => rmSync(place, { recursive: true, force: true }));

/** Starts the program of that root, talks with the demo agent, stops it, starts it again and finds the conversation. */
async function use(t, root, program) {
  const command = inside(root, program);
  const start = async () => {
    const server = await Server.start({ home: user, command, env: { PATH: "/usr/bin" } });
    t.after(() => server.kill());
    return server;
  };
  const stop = async (server) => {
    terminate(server.child.pid);
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  };
  mkdirSync(join(root, user, "project"), { recursive: true });
  const ask = (...args) => {
    const options = { encoding: "utf8", env: { HOME: user, PATH: "/usr/bin" }, timeout: 60_000 };
    return execFileSync(command[0], [...command.slice(1), ...args, "--data-dir", `${user}/data`], options);
  };

  const first = await start();
  assert.equal((await first.ask("GET", "/healthz", undefined, { authorization: "" })).status, 200);
  const page = await first.ask("GET", "/", undefined, { authorization: "" });
  assert.equal(page.status, 200);
  assert.match(page.text, /<script type="module"/);
  assert.equal((await first.get("/api/info")).version, version);
  const demo = (await first.get("/api/agents")).agents.find(({ cliType }) => cliType === "demo");
  assert.equal(demo.problem ?? null, null);
  const { sessionId } = await first.create(`${user}/project`);
  await first.post(`/api/session/${sessionId}/send`, { content: "hello" });
  const answered = async (server) =>
    (await server.get(`/api/session/${sessionId}/timeline`)).turns.some(({ type }) => type === "turn_complete");
  await eventually(() => answered(first), "an answer of the demo agent", 60_000);
  assert.match(ask("open", "--no-open"), /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+\n$/);
  assert.match(ask("doctor"), /ok {2}demo/);
  await stop(first);

  const second = await start();
  assert.ok(await answered(second));
  await stop(second);
  assert.match(ask("export", sessionId), /hello/);
}

test("the .deb holds what it should, owned by root, and depends on what its program needs", () => {
  const field = (name) => out("dpkg-deb", "--field", deb, name).trim();
  assert.equal(field("Package"), "liminal-builder");
  assert.equal(field("Version"), `${version}-1`);
  assert.deepEqual(namesIn(field("Depends")).sort(), ["libc6", "libgcc-s1", "libsqlite3-0", "libstdc++6"]);
  for (const name of ["Section", "Priority", "Maintainer", "Description", "Architecture"]) assert.notEqual(field(name), "", name);
  const rows = out("dpkg-deb", "--contents", deb).trim().split("\n");
  const files = new Map(rows.map((row) => [row.split(/\s+/)[5].slice(1), row]));
  for (const row of rows) assert.match(row, /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /);
  for (const name of [
    "/usr/bin/liminal-builder",
    "/usr/lib/systemd/user/liminal-builder.service",
    "/usr/share/man/man1/liminal-builder.1.gz",
    "/usr/share/bash-completion/completions/liminal-builder",
    "/usr/share/zsh/vendor-completions/_liminal-builder",
    "/usr/share/doc/liminal-builder/copyright",
    "/usr/share/doc/liminal-builder/README.md",
    "/usr/share/doc/liminal-builder/changelog.gz",
    "/usr/share/doc/liminal-builder/docs/configuration.md",
    "/usr/share/doc/liminal-builder/docs/security.md",
  ]) {
    assert.ok(files.has(name), `${name} is missing`);
  }
  assert.deepEqual([...files].filter(([, row]) => row.startsWith("-rwx")).map(([name]) => name), ["/usr/bin/liminal-builder"]);
});

test("the .deb installs, starts, serves, stops, and leaves nothing but the user's data", { skip: sandboxProblem, timeout: 300_000 }, async (t) => {
  // The root holds the declared dependencies only: one that is missing in Depends is missing here.
  const root = makeRoot(namesIn(out("dpkg-deb", "--field", deb, "Depends")));
  t.after(() => root.remove());
  const system = () => tree(root.path, (name) => name.startsWith("var/lib/dpkg") || name === user.slice(1));
  const empty = system();
  dpkg(root.path, "--install", deb);
  assert.equal(dpkg(root.path, "--verify", "liminal-builder"), "");
  assert.notDeepEqual(system(), empty);
  await use(t, root.path, "/usr/bin/liminal-builder");
  dpkg(root.path, "--purge", "liminal-builder");
  assert.deepEqual(system().filter((one) => !empty.includes(one)), [], "left behind");
  assert.deepEqual(empty.filter((one) => !system().includes(one)), [], "taken from others");
  assert.ok(existsSync(join(root.path, user, "data", "store.db")), "the user's data is gone");
});

test("the tarball's program needs nothing but glibc 2.34, and runs where nothing else is", { skip: sandboxProblem, timeout: 300_000 }, async (t) => {
  const root = makeRoot(["libc6"]);
  t.after(() => root.remove());
  mkdirSync(join(root.path, user, ".local"));
  out("tar", "--extract", "--file", tarball, "--directory", join(root.path, user, ".local"), "--strip-components=1");
  const program = join(root.path, user, ".local/bin/liminal-builder");
  const dynamic = out("objdump", "--private-headers", program);
  const needed = [...dynamic.matchAll(/^\s+NEEDED\s+(\S+)/gm)].map(([, name]) => name);
  for (const name of needed) assert.match(name, /^(libc|libm|ld-linux-[\w-]+)\.so\.\d+$/);
  for (const [, major, minor] of dynamic.matchAll(/ GLIBC_(\d+)\.(\d+)/g)) {
    const newer = Number(major) > glibcMax[0] || (Number(major) === glibcMax[0] && Number(minor) > glibcMax[1]);
    assert.ok(!newer, `it needs glibc ${major}.${minor}`);
  }
  // A usage error is an exception that is caught: the unwinder works without its shared library.
  assert.equal(spawnSync(program, ["--no-such-flag"]).status, 2);
  await use(t, root.path, `${user}/.local/bin/liminal-builder`);
});

test("both units start a program that is there, with options it knows, and say so to systemd", (t) => {
  const folder = join(place, "units");
  mkdirSync(folder);
  out("dpkg-deb", "--extract", deb, join(folder, "deb"));
  mkdirSync(join(folder, "tarball"));
  out("tar", "--extract", "--file", tarball, "--directory", join(folder, "tarball"), "--strip-components=1");
  const program = join(folder, "deb/usr/bin/liminal-builder");
  for (const [unit, expected] of [
    ["deb/usr/lib/systemd/user/liminal-builder.service", "/usr/bin/liminal-builder"],
    ["tarball/share/systemd/user/liminal-builder.service", "%h/.local/bin/liminal-builder"],
  ]) {
    const text = readFileSync(join(folder, unit), "utf8");
    const [command, ...args] = /^ExecStart=(.*)$/m.exec(text)[1].split(" ");
    assert.equal(command, expected);
    assert.equal(spawnSync(program, [...args, "--help"]).status, 0);
    if (spawnSync("systemd-analyze", ["--version"]).status !== 0) continue;
    const copy = join(folder, "liminal-builder.service");
    writeFileSync(copy, text.replace(expected, program).replace(/^Documentation=man:.*\n/m, ""));
    const runtime = join(folder, "runtime");
    mkdirSync(runtime, { recursive: true, mode: 0o700 });
    const verified = spawnSync("systemd-analyze", ["--user", "verify", copy], { encoding: "utf8", env: { ...process.env, XDG_RUNTIME_DIR: runtime } });
    const said = verified.stderr.split("\n").filter((line) => line.includes("liminal-builder.service"));
    assert.deepEqual(said, []);
    t.diagnostic(`systemd-analyze verify of ${unit}: status ${verified.status}`);
  }
});
