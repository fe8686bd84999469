// Terminals of the real program: shells in the folders of sessions, what windows on them see, and that nothing of them stays.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { marked, rssKb } from "../support/proc.mjs";
import { eventually, Socket, token } from "../support/server.mjs";
import { asUser, says, shellHome, startIn } from "../support/shell_agent.mjs";
import { Window } from "../support/terminal.mjs";

const mark = `TERMINAL_TEST=${process.pid}`;
const kShell = { SHELL: "/bin/sh", PS1: "$ ", [mark.split("=")[0]]: String(process.pid) };
let place, server, sessionId;

async function begin() {
  server = await startIn(place, kShell);
  ({ sessionId } = await session());
}
const session = (more) => server.post("/api/session/create", { cliType: "shell", projectDir: place.project, ...more });
const open = async (more = {}) => (await server.post("/api/terminal/create", { sessionId, ...more })).terminal;
const list = async () => (await server.get(`/api/terminals?sessionId=${sessionId}`)).terminals;
const closeTerminal = (id) => server.post(`/api/terminal/${id}/close`, {});
async function closeAll() {
  for (const { terminalId } of (await server.get("/api/terminals")).terminals) await closeTerminal(terminalId);
}
/** A terminal with one window that has its prompt. */
async function shell(more, options) {
  const terminal = await open(more);
  const window = new Window(server, terminal.terminalId, options);
  await window.open;
  await eventually(() => window.bytes > 0, "its prompt");
  return { terminal, window };
}
const metric = async (name) => Number(new RegExp(`^${name} (\\d+)`, "m").exec((await server.ask("GET", "/metrics")).text)?.[1] ?? 0);

before(async () => {
  place = shellHome();
  await begin();
});
after(async () => {
  await server?.stop();
  place?.remove();
});

test("a shell in the session's folder: echo, size, name, exit code", async () => {
  const { terminal, window } = await shell({ cols: 100, rows: 30 });
  assert.equal(terminal.name, "Terminal 1");
  assert.equal(terminal.folder, place.project);
  assert.equal(terminal.state, "running");
  assert.deepEqual(window.words[0], { type: "start", offset: 0, cols: 100, rows: 30, reset: true });
  window.type("pwd; stty size; echo $TERM $LIMINAL_BUILDER_TERMINAL; true </dev/tty && tty\r");
  await window.sees(`\r\n${place.project}\r\n30 100\r\nxterm-256color 1\r\n/dev/pts/`);
  window.say({ type: "resize", cols: 120, rows: 40 });
  await eventually(() => window.word("size"), "the new size");
  assert.deepEqual(window.word("size"), { type: "size", cols: 120, rows: 40 });
  window.type("stty size\r");
  await window.sees("40 120\r\n");
  const renamed = await server.post(`/api/terminal/${terminal.terminalId}/rename`, { name: "tests ✓" });
  assert.equal(renamed.terminal.name, "tests ✓");
  for (const name of ["", "x".repeat(61), "a\u001bb", "\u0085"])
    assert.equal((await server.ask("POST", `/api/terminal/${terminal.terminalId}/rename`, { name })).status, 400);
  window.type("exit 3\r");
  await eventually(() => window.word("ended"), "its end");
  assert.equal(window.word("ended").how, "exited with code 3");
  const [ended] = await list();
  assert.deepEqual([ended.state, ended.ended, ended.cols], ["ended", "exited with code 3", 120]);
  const later = new Window(server, terminal.terminalId);
  await later.sees("xterm-256color 1");
  await eventually(() => later.word("ended"), "its end for who comes later");
  await closeTerminal(terminal.terminalId);
  assert.deepEqual(await list(), []);
  assert.equal((await later.closed).code, 1000);
});

test("two windows see the same, and each the other's size", async () => {
  const { terminal, window } = await shell();
  const other = new Window(server, terminal.terminalId);
  await other.sees("$ ");
  other.type("echo to''gether\r");
  await Promise.all([window.sees("together"), other.sees("together")]);
  other.say({ type: "resize", cols: 60, rows: 20 });
  await eventually(() => window.word("size")?.cols === 60, "the size that the other chose");
  assert.equal(window.offset, other.offset);
  assert.equal(window.text, other.text);
  await closeAll();
});

test("every connection is told of terminals", async () => {
  const told = [];
  const socket = new Socket(server.port, { onMessage: (message) => told.push(message) });
  await socket.open;
  const terminal = await open({ name: "build" });
  const of = (type) => told.filter((message) => message.type === type);
  await eventually(() => of("terminal:upsert").some((one) => one.terminal.terminalId === terminal.terminalId && one.terminal.name === "build"), "its beginning");
  await closeTerminal(terminal.terminalId);
  await eventually(() => of("terminal:removed").some((one) => one.terminalId === terminal.terminalId && one.sessionId === sessionId), "its end");
  const trail = async () => (await server.get("/api/audit")).entries.filter(({ title, kind }) => title === "build" && kind.startsWith("terminal_"));
  const lines = await eventually(async () => (await trail()).length === 2 && trail(), "two lines of the audit trail");
  assert.deepEqual(lines.map(({ kind, by, sessionId: of }) => [kind, by.kind, of]), [["terminal_closed", "token", sessionId], ["terminal_opened", "token", sessionId]]);
  socket.socket.destroy();
});

test("much output arrives whole and in order for a reader that acks", async () => {
  const { window } = await shell();
  window.type("stty -opost; seq 100000; echo DO''NE\r");
  await window.sees("DONE");
  const numbers = /\n1\n[^D]*/.exec(window.text)[0].trim().split("\n");
  assert.equal(numbers.length, 100_000);
  assert.ok(numbers.every((number, at) => Number(number) === at + 1));
  assert.equal(window.words.filter(({ type }) => type === "start").length, 1);
  await closeAll();
});

test("a flood that nobody draws costs no memory and nobody's time", async () => {
  const { window } = await shell({}, { ack: false, keep: false });
  await server.ask("GET", "/healthz");
  const before = rssKb(server.child.pid);
  window.type("yes\r");
  await eventually(() => window.bytes > 400_000, "the first of it");
  const dropped = await metric("lb_terminal_readers_dropped_total");
  // Not drawn: after two seconds the shell does not wait any longer.
  await eventually(async () => (await metric("lb_terminal_readers_dropped_total")) > dropped, "that nobody waits for this window");
  const said = await metric("lb_terminal_bytes_total");
  await eventually(async () => (await metric("lb_terminal_bytes_total")) > said + 20_000_000, "that it is drained");
  const times = [];
  for (let i = 0; i < 20; ++i) {
    const began = performance.now();
    await server.ask("GET", "/healthz");
    times.push(performance.now() - began);
  }
  assert.ok(times.sort((a, b) => a - b)[10] < 100, `${times}`);
  assert.ok(window.bytes < 700_000, `${window.bytes} bytes were sent`);
  assert.ok(rssKb(server.child.pid) - before < 8 << 10, `${rssKb(server.child.pid) - before} KiB`);
  const starts = window.words.length;
  window.ack();
  await eventually(() => window.words.slice(starts).some(({ type, reset }) => type === "start" && reset), "a new beginning");
  await closeAll();
});

test("a window that is not looked at is sent nothing, and the shell goes on", async () => {
  const { window } = await shell();
  window.say({ type: "look", looking: false });
  window.type("echo un''seen; head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; touch done-unseen; echo EN''D\r");
  await eventually(() => existsSync(join(place.project, "done-unseen")), "the end of the command");
  assert.ok(!window.text.includes("unseen"), window.text.slice(-100));
  window.say({ type: "look", looking: true });
  await window.sees("END");
  assert.ok(window.word("start").reset && window.word("start").offset > 1_000_000);
  await closeAll();
});

test("a window that comes back goes on where it was; after the ring has passed it begins anew, with its modes", async () => {
  const { terminal, window } = await shell();
  window.type("echo fi''rst\r");
  await window.sees("first\r\n$ ");
  const since = window.offset;
  await window.close();
  const second = new Window(server, terminal.terminalId, { since });
  await second.open;
  second.type("echo se''cond\r");
  await second.sees("second");
  assert.deepEqual([second.word("start").reset, second.word("start").offset], [false, since]);
  assert.ok(!second.text.includes("first"));
  second.type("printf '\\033[?2004h\\033[?1049h'; seq 300000; echo RI''NG\r");
  await second.sees("RING");
  await second.close();
  const third = new Window(server, terminal.terminalId, { since });
  await third.sees("RING");
  assert.equal(third.word("start").reset, true);
  assert.ok(third.text.startsWith("\u001b[?1049h\u001b[?2004h"), JSON.stringify(third.text.slice(0, 40)));
  assert.match(third.text.slice("\u001b[?1049h\u001b[?2004h".length, 100), /^\d+\r\n\d+\r\n/, "at a line's start");
  assert.equal(third.offset, second.offset, "offsets count the same bytes");
  const ahead = new Window(server, terminal.terminalId, { since: third.offset + 1 });
  await ahead.sees("RING");
  assert.equal(ahead.word("start").reset, true);
  await closeAll();
});

test("a program with the whole screen draws again for a new window", { skip: spawnSync("less", ["--version"]).status !== 0 }, async () => {
  writeFileSync(join(place.project, "long.txt"), Array.from({ length: 500 }, (_, at) => `line ${at}\n`).join(""));
  const { terminal, window } = await shell({ cols: 80, rows: 10 });
  window.type("less long.txt\r");
  await window.sees("line 8");
  const offset = window.offset;
  const other = new Window(server, terminal.terminalId);
  await other.sees("line 8");
  await eventually(() => window.offset > offset && /line 0[^]*line 8/.test(window.text.slice(-400)), "that it draws again");
  other.type("q");
  await window.sees("\u001b[?1049l");
  await closeAll();
});

test("limits: terminals of a session, windows, sizes, words, input", async () => {
  const ask = (more) => server.ask("POST", "/api/terminal/create", { sessionId, ...more });
  for (const size of [{ cols: 1 }, { rows: 1001 }, { name: "\n" }]) assert.equal((await ask(size)).status, 400);
  assert.equal((await ask({ sessionId: "nobody" })).body.code, "SESSION_NOT_FOUND");
  const made = [];
  for (let i = 0; i < 8; ++i) made.push(await open());
  assert.deepEqual([(await ask()).status, (await ask()).body.code], [503, "BUSY"]);
  assert.deepEqual(made.map(({ name }) => name), [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `Terminal ${number}`));
  const { terminalId } = made[0];
  const windows = Array.from({ length: 8 }, () => new Window(server, terminalId));
  await Promise.all(windows.map((one) => one.open));
  assert.equal((await upgrade(`/api/terminal/${terminalId}/socket`)).status, 503);
  windows[0].say({ type: "resize", cols: 1, rows: 5 });
  windows[1].say({ type: "nonsense" });
  windows[2].socket.send("no json");
  windows[3].socket.send(new Uint8Array(100_000));
  assert.deepEqual([(await windows[0].closed).code, (await windows[1].closed).code, (await windows[2].closed).code, (await windows[3].closed).code], [1008, 1008, 1008, 1009]);
  windows[4].type("stty raw -echo; echo asl''eep; sleep 1000\r");
  await windows[4].sees("asleep");
  for (let i = 0; i < 40; ++i) windows[4].socket.send(new Uint8Array(50_000).fill(120));
  const { code, reason } = await windows[4].closed;
  assert.equal(code, 1008);
  assert.match(reason, /does not read/);
  for (const { terminalId: one } of made.slice(1)) {
    const window = new Window(server, one);
    await window.open;
    window.type("exit\r");
    await eventually(() => window.word("ended"), "its end");
  }
  for (let i = 0; i < 3; ++i) {
    const { window } = await shell();
    window.type("exit\r");
    await eventually(() => window.word("ended"), "its end");
  }
  await eventually(async () => (await list()).filter(({ state }) => state === "ended").length === 8, "that the oldest ended ones go");
  await closeAll();
});

/** Asks for an upgrade and tells what became of it. */
function upgrade(path, headers = { authorization: `Bearer ${token}` }) {
  return new Promise((done, failed) => {
    const request = http.request({
      host: "127.0.0.1",
      port: server.port,
      path,
      headers: { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": randomBytes(16).toString("base64"), ...headers },
    });
    request.on("response", (response) => {
      let text = "";
      response.on("data", (data) => (text += data));
      response.on("end", () => done({ status: response.statusCode, body: JSON.parse(text) }));
    });
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      done({ status: response.statusCode });
    });
    request.on("error", failed);
    request.end();
  });
}

test("without a credential, with a wrong Origin or a used ticket nobody has a window; a logout closes it", async () => {
  const { terminalId } = await open();
  const path = `/api/terminal/${terminalId}/socket`;
  const origin = `http://127.0.0.1:${server.port}`;
  assert.equal((await upgrade(path, {})).status, 401);
  assert.equal((await upgrade(path, { authorization: `Bearer ${"x".repeat(40)}` })).status, 401);
  assert.equal((await upgrade(path, { authorization: `Bearer ${token}`, origin: "https://evil.example" })).status, 403);
  assert.equal((await upgrade("/api/terminal/nobody/socket")).status, 404);
  const { token: bearer } = (await server.ask("POST", "/api/auth/exchange", { code: server.code }, { authorization: "" })).body;
  const { ticket } = await server.post("/api/auth/ticket", {}, { authorization: `Bearer ${bearer}` });
  const offered = { origin, "sec-websocket-protocol": `liminal.v1, liminal.ticket.${ticket}` };
  assert.equal((await upgrade(path, { ...offered, origin: "https://evil.example" })).status, 403);
  assert.equal((await upgrade(path, { ...offered, origin: `${origin}0` })).status, 403);
  assert.equal((await upgrade(path, offered)).status, 101);
  assert.equal((await upgrade(path, offered)).status, 401, "a ticket is good once");
  for (const [method, what, body] of [["POST", "create", { sessionId }], ["POST", `${terminalId}/close`, {}], ["POST", `${terminalId}/rename`, { name: "x" }]])
    assert.equal((await server.ask(method, `/api/terminal/${what}`, body, { authorization: "" })).status, 401);
  const window = new Window(server, terminalId, { headers: { authorization: `Bearer ${bearer}` } });
  await window.open;
  const began = performance.now();
  await server.post("/api/auth/logout", {}, { authorization: `Bearer ${bearer}` });
  assert.equal((await window.closed).code, 4401);
  assert.ok(performance.now() - began < 5000);
  await closeAll();
});

test("nothing of ours is in the environment of an agent or a terminal, and `open` is refused there", async () => {
  const secrets = /LIMINAL_BUILDER_TOKEN|tttttttttt/;
  assert.doesNotMatch(await says(server, sessionId, "env"), secrets);
  const { window } = await shell({ cols: 300 });
  window.type(`env; echo EN''V; ${join(place.home, "bin/liminal-builder")} open --data-dir ${join(place.home, "data")}; echo code $?\r`);
  await window.sees(/code [1-9]/);
  assert.doesNotMatch(window.text, secrets);
  assert.match(window.text, /this is a terminal of the page/);
  assert.doesNotMatch(window.text, /#code=/);
  window.type(`LIMINAL_BUILDER_TERMINAL= ; unset LIMINAL_BUILDER_TERMINAL; ${join(place.home, "bin/liminal-builder")} open --data-dir ${join(place.home, "data")}; echo again $?\r`);
  await window.sees(/again [1-9]/);
  assert.doesNotMatch(window.text, /#code=/);
  await closeAll();
});

test("a terminal of a confined session is behind its walls", async () => {
  const { sessionId: confined } = await session({ confined: true });
  const { terminal, window } = await shell({ sessionId: confined, cols: 200 });
  assert.equal(terminal.confined, true);
  window.type("echo $(ls ../data | wc -l) files, pid $$, $(cat /proc/1/comm), $(tty) $(stty size)\r");
  await window.sees(/0 files, pid \d{1,2}, lb-guardian, .* 24 200/);
  await closeAll();
});

test("it goes with its session, and with its workspace after the confirmation", async () => {
  const before = await server.post("/api/session/create", { cliType: "shell", projectDir: place.project });
  const { terminal, window } = await shell({ sessionId: before.sessionId });
  window.type("setsid sleep 1000 & echo st''arted\r");
  await window.sees("started");
  await server.post(`/api/session/${before.sessionId}/delete`, {});
  assert.equal((await window.closed).code, 1000);
  assert.equal((await upgrade(`/api/terminal/${terminal.terminalId}/socket`)).status, 404);

  const git = (...args) => assert.equal(spawnSync([...asUser, "git"][0], [...[...asUser, "git"].slice(1), ...args], { cwd: place.project, env: { PATH: process.env.PATH, HOME: place.home } }).status, 0);
  git("init", "--quiet");
  git("-c", "user.name=U", "-c", "user.email=u@example.org", "commit", "--quiet", "--allow-empty", "--message", "Begin");
  const made = await session({ workspace: {} });
  const inside = await shell({ sessionId: made.sessionId });
  assert.notEqual(inside.terminal.folder, place.project);
  inside.window.type("pwd; echo $LIMINAL_PORT_FIRST.\r");
  await inside.window.sees(new RegExp(`${inside.terminal.folder}\\r\\n\\d+\\.`));
  const path = `/api/workspace/${made.workspaceId}/remove`;
  const { inventoryHash } = (await server.ask("POST", path, {})).body;
  assert.equal((await list()).length + (await server.get("/api/terminals")).terminals.length > 0, true, "asking closes nothing");
  await server.post(path, { confirm: inventoryHash });
  assert.equal((await inside.window.closed).code, 1000);
  assert.ok(!existsSync(inside.terminal.folder));
});

const hasNode = spawnSync([...asUser, "node"][0], [...asUser, "node", "--version"].slice(1)).status === 0;
test("ports of what terminals and agents started", { skip: !hasNode }, async () => {
  const listen = `node -e 'require("net").createServer().listen(0, "127.0.0.1", function () { console.log("port " + this.address().port + ".") })'`;
  const { terminal, window } = await shell();
  window.type(`${listen}\r`);
  const port = Number((await window.sees(/port (\d+)\./))[1]);
  const script = join(place.project, "serve.js");
  writeFileSync(script, 'require("net").createServer().listen(0, "::1", function () { require("fs").writeFileSync("port.txt", String(this.address().port)) })');
  const { sessionId: confined } = await session({ confined: true });
  await says(server, confined, `(setsid node serve.js >/dev/null 2>&1 &)`);
  const agents = Number(await eventually(() => existsSync(join(place.project, "port.txt")) && readFileSync(join(place.project, "port.txt"), "utf8"), "its port"));
  const { ports } = await server.get("/api/ports");
  const found = ports.find((one) => one.port === port);
  assert.deepEqual([found.address, found.program, found.sessionId, found.terminalId], ["127.0.0.1", "node", sessionId, terminal.terminalId]);
  const theirs = ports.find((one) => one.port === agents);
  assert.deepEqual([theirs.address, theirs.sessionId, theirs.terminalId], ["::1", confined, undefined]);
  assert.deepEqual((await server.get(`/api/ports?sessionId=${confined}`)).ports.map((one) => one.port), [agents]);
  assert.ok(ports.every((one) => one.port !== server.port), "our own is not among them");
  window.type("\u0003");
  await eventually(async () => !(await server.get("/api/ports")).ports.some((one) => one.port === port), "that it is gone");
  await closeAll();
});

test("SIGKILL of the server leaves no process, and a stop says goodbye", async () => {
  const { window } = await shell();
  window.type("sleep 1000 & setsid sleep 1000 & (trap '' HUP TERM; setsid sleep 1001 &) ; echo st''arted\r");
  await window.sees("started");
  assert.ok(marked(mark).length >= 5);
  await server.kill();
  await eventually(() => marked(mark).length === 0, "the end of everything below it", 15_000);
  await begin();
  const again = await shell();
  await server.stop();
  assert.equal((await again.window.closed).code, 1001);
  assert.equal(again.window.word("ended"), undefined);
  await eventually(() => marked(mark).length === 0, "the end of everything below it", 15_000);
});

test("switched off, and not for the token", async () => {
  const config = join(place.home, "config.toml");
  const text = readFileSync(config, "utf8");
  writeFileSync(config, `terminal = false\n${text}`);
  await server.stop();
  await begin();
  const { available, problem, terminals } = await server.get("/api/terminals");
  assert.deepEqual([available, terminals], [false, []]);
  assert.match(problem, /terminal = false/);
  const refused = await server.ask("POST", "/api/terminal/create", { sessionId });
  assert.deepEqual([refused.status, refused.body.code], [409, "NOT_SUPPORTED"]);
  await server.stop();

  writeFileSync(config, `terminal_token = false\n${text}`);
  await begin();
  const forbidden = await server.ask("POST", "/api/terminal/create", { sessionId });
  assert.deepEqual([forbidden.status, forbidden.body.code], [403, "FORBIDDEN_TERMINAL"]);
  const answers = [];
  const socket = new Socket(server.port, { onMessage: (message) => answers.push(message) });
  await socket.open;
  socket.send({ type: "terminal:create", requestId: "r1", sessionId });
  await eventually(() => answers.some((one) => one.requestId === "r1" && one.code === "FORBIDDEN_TERMINAL"), "the same on a WebSocket");
  const { token: bearer } = (await server.ask("POST", "/api/auth/exchange", { code: server.code }, { authorization: "" })).body;
  const { terminal } = await server.post("/api/terminal/create", { sessionId }, { authorization: `Bearer ${bearer}` });
  assert.equal((await upgrade(`/api/terminal/${terminal.terminalId}/socket`)).status, 403);
  assert.equal((await upgrade(`/api/terminal/${terminal.terminalId}/socket`, { authorization: `Bearer ${bearer}` })).status, 101);
  socket.socket.destroy();
  await server.stop();
  writeFileSync(config, text);
});
