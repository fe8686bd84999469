// An attack: whoever can write the user's files writes a bearer of their own into the file of grants. It lets nobody in, is
// shown as what it is, and can be ended. As an ordinary user, whose files root could read and write anyway.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { environment, eventually, makeHome, program, Server } from "../support/server.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** A home of an ordinary user, and how to run something as that user. */
class User {
  constructor() {
    const isRoot = process.getuid() === 0;
    const place = makeHome();
    Object.assign(this, place, { data: join(place.home, "data") });
    this.as = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : [];
    this.binary = isRoot ? join(place.home, "liminal-builder") : program;
    if (isRoot) copyFileSync(program, this.binary);
    this.own = (...paths) => isRoot && paths.forEach((path) => chownSync(path, 65534, 65534));
    this.own(place.home, place.project, this.binary);
  }
  async start() {
    this.server = await Server.start({ home: this.home, command: [...this.as, this.binary] });
    return this.server;
  }
  /** Also after a check that failed: a server that goes on would keep the test from ending. */
  async end() {
    await this.server?.kill();
    this.remove();
  }
  run(script, env = {}) {
    const [name, ...args] = [...this.as, "/bin/sh", "-ec", script];
    const done = spawnSync(name, args, { encoding: "utf8", env: environment(this.home, env) });
    assert.equal(done.status, 0, done.stderr);
  }
  /** What an agent of this user can do at any time. */
  plant(bearer) {
    this.run('echo "$HASH" >> "$FILE"', { HASH: sha256(bearer), FILE: join(this.data, "grants") });
  }
}

const as = (bearer) => ({ authorization: `Bearer ${bearer}` });
const may = async (server, bearer) => (await server.ask("GET", "/api/info", undefined, as(bearer))).status === 200;
const logIn = async (server) => (await server.post("/api/auth/exchange", { code: server.code }, { authorization: "", "user-agent": "curl/8" })).token;
const unknown = async (server) => (await server.get("/api/logins")).logins.filter(({ origin }) => origin === "unknown");

test("S50: a bearer that somebody else wrote into the file of grants lets nobody in, is marked, and can be ended", async () => {
  const user = new User();
  const planted = "a".repeat(43);
  try {
    let server = await user.start();
    const mine = await logIn(server);
    user.plant(planted);
    assert.equal(await may(server, planted), false);
    await server.stop();

    server = await user.start();
    assert.equal(await may(server, mine), true, "an honest login survives a restart");
    assert.equal(await may(server, planted), false);
    for (const path of ["/api/auth/ticket", "/api/auth/logout"])
      assert.equal((await server.ask("POST", path, {}, as(planted))).status, 401);
    const proof = { keyId: sha256(sha256(planted)).slice(0, 32), nonce: "n".repeat(32) };
    assert.equal((await server.ask("POST", "/api/auth/prove", proof, { authorization: "" })).status, 401);
    const [marked, ...others] = await unknown(server);
    assert.deepEqual(others, []);
    await eventually(() => server.log.includes("auth.unknown_login"), "the log names it");
    const recorded = async () => (await server.get("/api/audit")).entries.find(({ kind }) => kind === "login_unknown");
    const found = await eventually(recorded, "the audit trail names it");
    assert.equal(found.loginId, marked.loginId);
    assert.equal(found.by.kind, "unknown");
    await server.stop();

    // It stays marked until the user has seen it.
    server = await user.start();
    assert.equal((await unknown(server))[0].loginId, marked.loginId);
    await server.post(`/api/login/${marked.loginId}/end`, {}, as(mine));
    assert.deepEqual(await unknown(server), []);
    assert.ok(!readFileSync(join(user.data, "grants"), "utf8").includes(sha256(planted)));
    const newest = async () => (await server.get("/api/audit?limit=1")).entries.find(({ kind }) => kind === "login_ended");
    const ended = await eventually(newest, "its end is in the audit trail");
    assert.equal(ended.by.name, "curl");
    await server.stop();

    server = await user.start();
    assert.deepEqual(await unknown(server), []);
    assert.equal(await may(server, mine), true);
    await server.stop();
  } finally {
    await user.end();
  }
});

test("logins of 0.1 stay good, and what is added afterwards does not become one", async () => {
  const user = new User();
  const old = "o".repeat(43);
  const planted = "p".repeat(43);
  try {
    mkdirSync(user.data, { mode: 0o700 });
    for (const name of ["store.db", "store.db-wal", "growing.log"]) cpSync(join(root, "tests/fixtures/data-0.1", name), join(user.data, name));
    writeFileSync(join(user.data, "grants"), `${sha256(old)}\n`);
    for (const name of readdirSync(user.data)) chmodSync(join(user.data, name), 0o600);
    user.own(user.data, ...readdirSync(user.data).map((name) => join(user.data, name)));

    let server = await user.start();
    assert.equal(await may(server, old), true);
    const [first] = (await server.get("/api/logins")).logins;
    assert.equal(first.origin, "before");
    await server.stop();

    user.plant(planted);
    server = await user.start();
    assert.equal(await may(server, old), true);
    assert.equal(await may(server, planted), false);
    assert.equal((await unknown(server)).length, 1);
    await server.stop();
  } finally {
    await user.end();
  }
});
