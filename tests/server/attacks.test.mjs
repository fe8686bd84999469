// What an agent, and another user of the machine, cannot do. Server and attackers run as ordinary users, which only root can arrange; each attack is
// a program of its own (attacker.cpp) that does what it can, and the server says why it was refused.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { environment, eventually, makeHome, program, Server, token } from "../support/server.mjs";

const attackerProgram = process.env.LIMINAL_ATTACKER ?? join(dirname(program), "tests/server/attacker");
const owner = 61184;
const stranger = 61185;
const asUser = (uid) => ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
const walls = { skip: process.getuid() !== 0 && "only root can be somebody else" };

/** The processes that run this program, with this attack when one is named, wherever they are. */
const running = (attacker, attack) =>
  readdirSync("/proc").filter((entry) => {
    try {
      const [name, what] = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
      return /^\d+$/.test(entry) && name === attacker && (attack === undefined || what === attack);
    } catch {
      return false;
    }
  });
const parentOf = (pid) => Number(/\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))[1]);

/** An ordinary user's home with the program, the attacker, an agent for each attack, and a screen whose xdg-open says what it was given. */
class House {
  constructor(attacks = {}) {
    const place = makeHome();
    this.home = place.home;
    this.project = place.project;
    this.data = join(this.home, "data");
    this.bin = join(this.home, "bin");
    mkdirSync(this.bin);
    this.program = join(this.bin, "liminal-builder");
    this.attacker = join(this.bin, "attacker");
    copyFileSync(program, this.program);
    copyFileSync(attackerProgram, this.attacker);
    execFileSync("mkfifo", ["-m", "666", join(this.home, "window")]);
    const screen = join(this.bin, "xdg-open");
    writeFileSync(screen, `#!/bin/sh\necho $$ "$@" > ${this.home}/opening\nmv ${this.home}/opening ${this.home}/opened\nread -r closed < ${this.home}/window\n`);
    for (const file of [this.program, this.attacker, screen]) chmodSync(file, 0o755);
    this.config = join(this.home, "config.toml");
    const agents = Object.entries(attacks).map(([name, args]) => `[agents.${name}]\ncommand = ${JSON.stringify(this.attacker)}\nargs = ${JSON.stringify(args(this))}\n`);
    writeFileSync(this.config, agents.join(""));
    for (const path of [this.home, this.project, this.bin, this.config]) chownSync(path, owner, owner);
    this.env = { PATH: `${this.bin}:/usr/bin:/bin`, DISPLAY: ":7" };
    this.children = [];
  }

  async start(before = []) {
    this.server = await Server.start({
      home: this.home,
      args: ["--config", this.config, "--log-format", "json"],
      env: this.env,
      command: [...asUser(owner), ...before, this.program],
    });
    writeFileSync(join(this.home, "port"), String(this.server.port));
    return this.server;
  }

  /** Starts the agent of this name; whether it ever speaks is its own affair. */
  attack(name, confined = false) {
    this.server.post("/api/session/create", { cliType: name, projectDir: this.project, confined }).catch(() => {});
  }

  file(name, ms) {
    return eventually(() => existsSync(join(this.home, name)) && readFileSync(join(this.home, name), "utf8"), `${name} is written`, ms);
  }

  /** Runs as a user until it ends, or until `children` are. */
  spawn(uid, ...command) {
    const [name, ...args] = [...asUser(uid), ...command];
    const child = spawn(name, args, { env: environment(this.home, this.env), stdio: ["pipe", "pipe", "inherit"] });
    child.out = "";
    child.stdout.on("data", (data) => (child.out += data));
    child.ended = new Promise((done) => child.once("close", done));
    this.children.push(child);
    return child;
  }

  run(uid, ...command) {
    const [name, ...args] = [...asUser(uid), ...command];
    return spawnSync(name, args, { encoding: "utf8", env: environment(this.home, this.env) });
  }

  open() {
    return this.run(owner, this.program, "open", "--no-open", "--data-dir", this.data);
  }

  launchFiles() {
    return readdirSync(this.data).filter((name) => name.endsWith(".html"));
  }

  refusals(event) {
    return this.server.logLines().map((line) => JSON.parse(line)).filter((line) => line.event === event);
  }

  async end() {
    for (const child of this.children) child.kill("SIGKILL");
    // The browser is the user's, and does not end with the server; nor did a daemon that got through.
    const files = ["opened", "daemon"].filter((one) => existsSync(join(this.home, one)));
    const left = files.map((name) => readFileSync(join(this.home, name), "utf8").split(" ")[0]);
    if (this.server) await this.server.stop();
    for (const pid of [...left, ...running(this.attacker)]) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    spawnSync("rm", ["-rf", this.home]);
  }
}

const control = (house) => join(house.data, "control.sock");

for (const [kernel, before, why] of [
  ["the kernel gives a handle of the process", () => [], "ended"],
  ["the kernel has only its number", (house) => [house.attacker, "without-peerpidfd"], "not its socket"],
]) {
  test(`control socket: a stranger with the number of an agent's process is not taken for it, where ${kernel}`, walls, async () => {
    const house = new House({ reuse: (h) => ["reuse", control(h), h.home], below: (h) => ["ask-control", control(h), h.home] });
    try {
      await house.start(before(house));
      assert.match(house.open().stdout, /#code=[\w-]{43}\n$/);
      house.attack("reuse");
      const child = await house.file("child");
      const taker = spawn(house.attacker, ["at-number", child, String(owner)], { stdio: ["pipe", "pipe", "inherit"] });
      let took = "";
      taker.stdout.on("data", (data) => (took += data));
      await eventually(() => took.includes("\n"), "its number is somebody else's");
      assert.equal(took, "taken\n");
      writeFileSync(join(house.home, "taken"), "");
      await eventually(() => existsSync(join(house.home, "answer")), "the server answered");
      taker.kill("SIGKILL");
      assert.equal(readFileSync(join(house.home, "answer"), "utf8"), "");
      assert.equal((await eventually(() => house.refusals("control.refused").at(-1), "it says why")).why, why);
      // And plainly asking does not help it either, while the user is answered.
      spawnSync("rm", [join(house.home, "answer")]);
      house.attack("below");
      await eventually(() => existsSync(join(house.home, "answer")), "the server answered");
      assert.equal(readFileSync(join(house.home, "answer"), "utf8"), "");
      assert.equal((await eventually(() => house.refusals("control.refused")[1], "it says why")).why, "descends from us");
      assert.match(house.open().stdout, /#code=[\w-]{43}\n$/);
    } finally {
      await house.end();
    }
  });
}

test("nothing that an agent started asks to be spared: what a killed guardian leaves is ended", walls, async () => {
  const house = new House({ outlive: (h) => ["outlive", h.home] });
  try {
    await house.start();
    house.attack("outlive");
    const daemon = await house.file("daemon");
    await eventually(() => !existsSync(`/proc/${daemon}`), "the daemon is ended", 20_000);
  } finally {
    await house.end();
  }
});

test("a daemon of a confined session can neither stop nor end server and guardian, and does not see the next server", walls, async () => {
  const house = new House({ restart: (h) => ["restart", control(h), h.home] });
  try {
    const { child } = await house.start();
    writeFileSync(join(house.home, "server"), String(child.pid));
    house.attack("restart", true);
    // The signal to the guardian is taken and does nothing: it is the init of that namespace.
    const none = "No such process";
    assert.equal(await house.file("tried"), `stop the server: ${none}\nend the guardian: done\nend the server: ${none}\n`);
    assert.equal((await house.server.ask("GET", "/healthz")).status, 200);
    // Somebody else does what it could not: both at once.
    const above = new Set(running(house.attacker, "restart").map(parentOf));
    const guardians = [...above, ...[...above].map(parentOf)].filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "lb-guardian\n");
    assert.equal(guardians.length, 2, "one outside, one inside");
    process.kill(child.pid, "SIGSTOP");
    for (const pid of [...guardians, child.pid]) process.kill(pid, "SIGKILL");
    await house.server.ended;
    await eventually(() => running(house.attacker, "restart").length === 0, "nothing of it is left");
    await house.start();
    assert.match(house.open().stdout, /#code=[\w-]{43}\n$/);
    assert.ok(!existsSync(join(house.home, "answer")));
  } finally {
    await house.end();
  }
});

test("not confined, a daemon that ends server and guardian together is a program of the user afterwards, as docs/security.md says", walls, async () => {
  const house = new House({ restart: (h) => ["restart", control(h), h.home] });
  try {
    const { child } = await house.start();
    writeFileSync(join(house.home, "server"), String(child.pid));
    house.attack("restart");
    await house.server.ended;
    assert.equal(await house.file("tried"), "stop the server: done\nend the guardian: done\nend the server: done\n");
    await house.start();
    writeFileSync(join(house.home, "restarted"), "");
    assert.match(await house.file("answer"), /#code=[\w-]{43}/);
    // Which is seen: the audit trail has what was asked for.
    const asked = async () => JSON.stringify(await house.server.get("/api/audit")).includes("liminal-builder open");
    await eventually(asked, "the audit trail names what was asked for");
    const doc = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
    assert.match(doc, /a daemon that kills both at once outlives them[^|]*next server/);
  } finally {
    await house.end();
  }
});

test("the browser that the server opens is told a file, is nobody's child here, and stays when the server ends", walls, async () => {
  const house = new House();
  try {
    const child = house.spawn(owner, house.program, "serve", "--port", "0", "--data-dir", house.data, "--config", house.config);
    const [pid, path] = (await house.file("opened")).trim().split(" ");
    assert.match(path, new RegExp(`^${house.data}/open-[\\w-]+\\.html$`));
    for (let above = Number(pid); above > 1; above = parentOf(above)) assert.notEqual(above, child.pid);
    child.kill("SIGTERM");
    await child.ended;
    assert.ok(existsSync(`/proc/${pid}`));
    assert.deepEqual(house.launchFiles(), []);
  } finally {
    await house.end();
  }
});

for (const how of ["plain", "unreadable", "inflight"]) {
  test(`a launch code is in nobody's arguments, and an agent that finds it cannot use it (its connection: ${how})`, walls, async () => {
    const house = new House({ steal: (h) => ["steal", h.data, join(h.home, "port"), h.home, how] });
    try {
      const server = await house.start();
      house.attack("steal");
      const opening = house.spawn(owner, house.program, "open", "--data-dir", house.data);
      const answer = await house.file("answer");
      assert.match(answer, /^file\nHTTP\/1\.1 401 [^]*shown by a program that an agent started/);
      assert.equal(house.refusals("auth.agent_refused").length, 1);
      await opening.ended;
      assert.ok(!(await house.file("opened")).includes(server.code) && !(await house.file("opened")).includes("#code"));
      // It is spent, with its file; the next one is good for the user.
      assert.match(house.run(owner, house.attacker, "exchange", String(server.port), /#code=(.*)\n/.exec(opening.out)[1]).stdout, /^HTTP\/1\.1 401 /);
      assert.deepEqual(house.launchFiles(), []);
      const fresh = house.open().stdout;
      assert.match(house.run(owner, house.attacker, "exchange", String(server.port), /#code=(.*)\n/.exec(fresh)[1]).stdout, /^HTTP\/1\.1 200 /);
    } finally {
      await house.end();
    }
  });
}

test("the file of a launch address is the user's alone, leads there, and goes when it was used", walls, async () => {
  const house = new House();
  try {
    const server = await house.start();
    const opening = house.spawn(owner, house.program, "open", "--data-dir", house.data);
    await opening.ended;
    const code = /#code=([\w-]+)\n$/.exec(opening.out)[1];
    const path = (await house.file("opened")).trim().split(" ")[1];
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(path).uid, owner);
    assert.match(readFileSync(path, "utf8"), new RegExp(`content="0; url=http://127\\.0\\.0\\.1:${server.port}/#code=${code}"`));
    assert.match(house.run(owner, house.attacker, "exchange", String(server.port), code).stdout, /^HTTP\/1\.1 200 /);
    assert.ok(!existsSync(path));
  } finally {
    await house.end();
  }
});

test("ssh -L: a code is taken from a process that nobody may look into, as sshd is", walls, async () => {
  const house = new House({ below: () => ["listen"] });
  try {
    const server = await house.start();
    house.attack("below");
    const forward = house.spawn(owner, house.attacker, "forward", String(server.port));
    const port = Number(await eventually(() => forward.out.includes("\n") && forward.out, "the tunnel"));
    assert.notEqual(house.run(owner, "ls", `/proc/${forward.pid}/fd`).status, 0);
    const body = JSON.stringify({ code: server.code });
    const status = await new Promise((done, failed) => {
      const headers = { host: `127.0.0.1:${server.port}`, "content-type": "application/json", "content-length": body.length };
      http.request({ host: "127.0.0.1", port, method: "POST", path: "/api/auth/exchange", headers, agent: false }, (response) => done(response.statusCode)).on("error", failed).end(body);
    });
    assert.equal(status, 200);
  } finally {
    await house.end();
  }
});

for (const [who, uid, count] of [
  ["another user", stranger, 200],
  ["a program of the same user", owner, 1100],
]) {
  test(`half heads from ${who}, all the time, keep nobody else waiting`, walls, async () => {
    const house = new House();
    try {
      const server = await house.start();
      const flood = house.spawn(uid, house.attacker, "flood", String(server.port), String(count));
      await eventually(() => flood.out.includes("full"), "the flood is there");
      const asked = house.run(owner, house.attacker, "ask", String(server.port), token, "73").stdout;
      flood.stdin.end();
      await flood.ended;
      assert.equal(asked, "200 73\n");
      // Whoever had said something was told why it had to go.
      const ends = new Map(flood.out.trim().split("\n").slice(1).map((line) => line.split(" ")));
      if (uid === stranger) assert.ok(Number(ends.get("503")) > 0, flood.out);
      assert.equal(ends.get("reset"), undefined, flood.out);
    } finally {
      await house.end();
    }
  });
}
