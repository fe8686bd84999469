// The built program as its user sees it: what it prints, what it answers, how it ends.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { environment, eventually, makeHome, program, run, Server, Socket, token } from "../support/server.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const place = makeHome();
let server;
before(async () => {
  server = await Server.start({ home: place.home, args: ["--log-format", "json"] });
});
after(async () => {
  await server.stop();
  place.remove();
});

/** The audit trail has such a line, or will in a moment. */
const noted = (wanted) => eventually(async () => (await server.get("/api/audit?limit=500")).entries.some(wanted), "a line of the audit trail");

test("prints exactly one line when it is ready, and its code works once", async () => {
  assert.match(server.readyLine, /^Liminal Builder is ready: http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+$/);
  const exchange = () => server.ask("POST", "/api/auth/exchange", { code: server.code }, { authorization: "" });
  const first = await exchange();
  assert.equal(first.status, 200);
  assert.equal((await server.ask("GET", "/api/info", undefined, { authorization: `Bearer ${first.body.token}` })).status, 200);
  assert.equal((await exchange()).body.code, "INVALID_CODE");
  assert.equal(server.output().split("\n").length, 2);
});

test("a second start on the same data directory ends at once and names the first", async () => {
  const second = await run(["serve", "--no-open", "--port", "0", "--data-dir", join(place.home, "data")], { home: place.home });
  assert.equal(second.code, 1);
  assert.match(second.err, new RegExp(`http://127\\.0\\.0\\.1:${server.port}`));
  assert.equal(second.err.trim().split("\n").filter((line) => line.startsWith("liminal-builder: ")).length, 1);
  assert.equal(second.out, "");
});

test("open prints a fresh address of the running server", async () => {
  const opened = await run(["open", "--no-open", "--data-dir", join(place.home, "data")], { home: place.home });
  assert.equal(opened.code, 0);
  const code = /#code=([\w-]+)\n$/.exec(opened.out)[1];
  assert.notEqual(code, server.code);
  for (const who of ["server", "terminal"]) await noted(({ kind, by }) => kind === "code_asked" && by.kind === who);
  assert.equal((await server.ask("POST", "/api/auth/exchange", { code }, { authorization: "" })).status, 200);
  const nobody = await run(["open", "--data-dir", join(place.home, "nothing")], { home: place.home });
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /no server runs/);
});

test("the control socket is for this user, and not for the agents", async () => {
  assert.equal(statSync(join(place.home, "data", "control.sock")).mode & 0o777, 0o600);
  assert.equal(statSync(join(place.home, "data")).mode & 0o777, 0o700);
  for (const name of readdirSync(join(place.home, "data"))) {
    assert.equal(statSync(join(place.home, "data", name)).mode & 0o077, 0, `${name} is for others too`);
  }
});

test("a value that cannot be is refused with what can be", async () => {
  for (const value of ["99999", "-1", "http"]) {
    const refused = await run([`--port=${value}`], place);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /--port: .*0.*65535/);
  }
  const named = await run([], { home: place.home, env: { LIMINAL_BUILDER_PORT: "99999" } });
  assert.equal(named.code, 2);
  assert.match(named.err, /0.*65535/);
  assert.match((await run(["--log-level", "loud"], place)).err, /debug,info,warn,error,off/);
});

test("a terminal shows one line when it is ready; a log file has one of its own", async (t) => {
  await eventually(() => server.log.includes("ready"), "a log line");
  assert.match(server.log, /"event":"ready"/);
  if (spawnSync("script", ["--version"]).status !== 0) return t.skip("there is no script(1)");
  const other = makeHome();
  const command = `exec '${program}' --no-open --port 0 --data-dir '${join(other.home, "data")}'`;
  const shown = spawn("script", ["-qec", command, "/dev/null"], { env: environment(other.home), stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  shown.stdout.on("data", (data) => (out += data));
  const gone = new Promise((done) => shown.once("exit", done));
  try {
    await eventually(() => /is ready: http\S+\s/.test(out), "ready on a terminal");
  } finally {
    shown.stdin.write("\x03");
    assert.equal(await gone, 0);
    other.remove();
  }
  assert.equal(out.match(/ready/g).length, 1, out);
});

test("usage errors end with 2, help and version with 0", async () => {
  assert.equal((await run(["--no-such-flag"], place)).code, 2);
  assert.equal((await run(["--port", "banana"], place)).code, 2);
  const version = await run(["--version"], place);
  assert.equal(version.code, 0);
  assert.match(version.out, /^liminal-builder \d+\.\d+\.\d+\n$/);
  assert.equal((await run(["--help"], place)).code, 0);
  const serve = await run(["serve", "--help"], place);
  assert.equal(serve.code, 0);
  assert.match(serve.out, /--port[\s\S]*--data-dir[\s\S]*--no-open/);
  for (const command of ["open", "doctor", "export"])
    assert.match((await run([command, "--help"], place)).out, /--data-dir and --config/, command);
  assert.match((await run(["--licenses"], place)).out, /Boost Software License/);
});

test("an export from where nothing is kept says so, and makes nothing", async () => {
  const nowhere = join(place.home, "nowhere");
  const { code, err } = await run(["export", "some-session", "--data-dir", nowhere], place);
  assert.equal(code, 1);
  assert.match(err, /Nothing is kept in .*nowhere.*--data-dir/);
  assert.ok(!existsSync(nowhere));
});

test("S17: no address of the network without a declared proxy, no data directory that others can read", async () => {
  const bare = await run(["serve", "--no-open", "--host", "0.0.0.0", "--data-dir", join(place.home, "d2")], place);
  assert.equal(bare.code, 1);
  assert.match(bare.err, /^liminal-builder: refusing to listen on 0\.0\.0\.0.*--external-origin.*\n$/);
  mkdirSync(join(place.home, "open"));
  chmodSync(join(place.home, "open"), 0o755);
  const open = await run(["serve", "--no-open", "--port", "0", "--data-dir", join(place.home, "open")], place);
  assert.equal(open.code, 1);
  assert.equal(open.err.split("\n").filter((line) => line.startsWith("liminal-builder: ")).length, 1);
  const weak = await run(["serve", "--no-open"], { home: place.home, env: { LIMINAL_BUILDER_TOKEN: "short" } });
  assert.equal(weak.code, 1);
});

test("flags win over the environment, the environment over the file, the file over the defaults", async () => {
  const other = makeHome();
  mkdirSync(join(other.home, ".config", "liminal-builder"), { recursive: true });
  const file = join(other.home, ".config", "liminal-builder", "config.toml");
  writeFileSync(
    file,
    'port = 1\nlog_format = "json"\n[agents.mine]\nprotocol = "acp"\ncommand = "no-such-program"\n' +
      '[agent_servers.zed]\ncommand = "also-not-there"\nargs = ["--acp"]\nenv = { KEY = "value" }\n',
  );
  const started = await Server.start({ home: other.home, port: 0, env: { LIMINAL_BUILDER_PORT: "2" } });
  assert.notEqual(started.port, 1);
  assert.notEqual(started.port, 2);
  await eventually(() => started.logLines().length > 0, "a line of log");
  for (const line of started.logLines()) JSON.parse(line);
  const { agents } = await started.get("/api/agents");
  for (const name of ["mine", "zed"]) {
    const agent = agents.find((one) => one.cliType === name);
    assert.equal(agent.protocol, "acp");
    assert.equal(agent.installed, false);
  }
  const missing = await started.ask("POST", "/api/session/create", { cliType: "mine", projectDir: other.project });
  assert.equal(missing.status, 503);
  assert.equal(missing.body.code, "AGENT_UNAVAILABLE");
  await started.stop();
  for (const [text, why] of [
    ["port = 'x'", /port/],
    ["nonsense = 1", /unknown key/],
    ["[agents.x]\ncommnd = 'y'", /commnd/],
    ["port = ", /config\.toml:1/],
  ]) {
    writeFileSync(file, text);
    const wrong = await run(["serve", "--no-open"], other);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, why);
    assert.equal(wrong.err.trim().split("\n").length, 1);
  }
  other.remove();
});

test("SIGTERM: clients are told, agents are gone, exit code 0, and the conversation is there afterwards", async () => {
  const other = makeHome();
  const first = await Server.start({ home: other.home });
  const { sessionId } = await first.create(other.project);
  await first.post(`/api/session/${sessionId}/send`, { content: "/slow seconds=600" });
  const socket = new Socket(first.port, { onMessage: () => {} });
  await socket.open;
  const children = execFileSync("ps", ["--ppid", String(first.child.pid), "-o", "pid="], { encoding: "utf8" }).trim().split(/\s+/);
  assert.ok(children.length >= 1);
  const begun = Date.now();
  const { code, signal } = await first.stop();
  assert.equal(code, 0, `signal ${signal}`);
  assert.ok(Date.now() - begun < 10_000);
  await socket.closed;
  assert.equal(socket.closeCode, 1001);
  for (const pid of children) await eventually(() => !existsSync(`/proc/${pid}`), `the end of ${pid}`);
  const offline = await run(["export", sessionId, "--format", "json", "--data-dir", join(other.home, "data")], other);
  assert.equal(offline.code, 0, offline.err);
  assert.match(offline.out, /\/slow seconds=600/);
  const second = await Server.start({ home: other.home });
  const { turns } = await second.get(`/api/session/${sessionId}/timeline`);
  assert.equal(turns.length, 1);
  assert.match(turns[0].type, /^turn_(complete|error)$/);
  const online = await run(["export", sessionId, "--data-dir", join(other.home, "data")], other);
  assert.equal(online.code, 0, online.err);
  assert.match(online.out, /\/slow seconds=600/);
  const named = await second.ask("GET", `/api/session/${sessionId}/export`);
  assert.equal(named.headers["content-disposition"], 'attachment; filename="slow-seconds-600.md"');
  assert.match(online.out, /## You\n[\s\S]*> \*\*This turn failed\*\* \(SERVER_RESTARTED\)/);
  await second.stop();
  other.remove();
});

test("the order that the user gave the queue is there after a restart", async () => {
  const other = makeHome();
  const first = await Server.start({ home: other.home });
  const { sessionId } = await first.create(other.project);
  const send = async (content) => (await first.post(`/api/session/${sessionId}/send`, { content })).turnId;
  await send("/slow seconds=600");
  const turnIds = [await send("one"), await send("two"), await send("three")].reverse();
  await first.post(`/api/session/${sessionId}/reorder`, { turnIds });
  await first.stop();
  const second = await Server.start({ home: other.home });
  const { turns } = await second.get(`/api/session/${sessionId}/timeline`);
  const queued = turns.filter((turn) => turn.type === "turn_queued").sort((a, b) => a.place - b.place);
  assert.deepEqual(queued.map((turn) => turn.content), ["three", "two", "one"]);
  await second.post(`/api/session/${sessionId}/queue`, { resume: true });
  const said = async () =>
    (await second.get(`/api/session/${sessionId}/timeline`)).entries
      .filter((item) => item.type === "message" && item.origin === "user")
      .map((item) => item.content);
  await eventually(async () => (await said()).length > 1, "the next message");
  assert.equal((await said())[1], "three");
  await second.stop();
  other.remove();
});

test("S24: an agent has the user's umask, whatever ours is", async () => {
  const other = makeHome();
  const script = join(other.home, "agent.sh");
  writeFileSync(script, `#!/bin/sh\numask >'${other.home}/mask.new'\nmv '${other.home}/mask.new' '${other.home}/mask'\nexec cat >/dev/null\n`);
  chmodSync(script, 0o755);
  mkdirSync(join(other.home, ".config", "liminal-builder"), { recursive: true });
  writeFileSync(join(other.home, ".config", "liminal-builder", "config.toml"), `[agents.mask]\nprotocol = "events"\ncommand = "${script}"\n`);
  const started = await Server.start({ home: other.home });
  await started.create(other.project, "mask");
  await eventually(() => existsSync(join(other.home, "mask")), "the agent's umask");
  assert.equal(parseInt(readFileSync(join(other.home, "mask"), "utf8"), 8), process.umask());
  await started.stop();
  other.remove();
});

test("a bearer survives a restart", async () => {
  const other = makeHome();
  const first = await Server.start({ home: other.home });
  const bearer = (await first.ask("POST", "/api/auth/exchange", { code: first.code }, { authorization: "" })).body.token;
  await first.kill();
  const second = await Server.start({ home: other.home });
  assert.equal((await second.ask("GET", "/api/info", undefined, { authorization: `Bearer ${bearer}` })).status, 200);
  await second.stop();
  for (const name of readdirSync(join(other.home, "data"))) {
    const path = join(other.home, "data", name);
    if (statSync(path).isFile()) assert.ok(!readFileSync(path).includes(bearer), `${name} holds the bearer`);
  }
  other.remove();
});

test("doctor names every agent and what to do, without a server and with one", async () => {
  const doctor = await run(["doctor", "--data-dir", join(place.home, "data")], place);
  assert.equal(doctor.code, 0);
  assert.match(doctor.out, new RegExp(`at http://127\\.0\\.0\\.1:${server.port}`));
  assert.match(doctor.out, /next start +127\.0\.0\.1 port 4750\n/); // The configuration's; this one was told otherwise.
  assert.doesNotMatch(doctor.out, /bind/);
  const same = await run(["doctor", "--port", String(server.port), "--data-dir", join(place.home, "data")], place);
  assert.match(same.out, new RegExp(`bind +127\\.0\\.0\\.1 port ${server.port}\\n`));
  assert.match(doctor.out, /demo/);
  assert.match(doctor.out, /synchronous=FULL/);
  assert.match(doctor.out, /looked in/);
  assert.match(doctor.out, /claude was not found\.\n +Install it with: npm|ok {2}claude-code|!! {2}claude-code +Claude Code is not logged in\./);
  const elsewhere = ["--port", String(server.port), "--data-dir", join(place.home, "elsewhere")];
  assert.match((await run(["doctor", ...elsewhere], place)).out, /!! {2}bind +127\.0\.0\.1 port \d+ is taken by another program/);
  const refused = await run(["--no-open", ...elsewhere], place);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Address already in use; --port 0 picks a free one\n/);
});

test("the page is in the program: compressed, cached by its hash, with the policy", async (t) => {
  const page = await server.ask("GET", "/", undefined, { authorization: "" });
  if (page.status === 404) return t.skip("this build has no page");
  assert.equal(page.status, 200);
  assert.equal(page.headers["cache-control"], "no-store");
  const asset = /\/assets\/[^"]+\.js/.exec(page.text)[0];
  const packed = await server.ask("GET", asset, undefined, { authorization: "", "accept-encoding": "gzip, br" });
  assert.equal(packed.headers["content-encoding"], "br");
  assert.match(packed.headers["cache-control"], /immutable/);
  const again = await server.ask("GET", asset, undefined, { authorization: "", "if-none-match": packed.headers.etag });
  assert.equal(again.status, 304);
});

test("the script of the README creates a session, sends, and follows it to the end", async (t) => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const script = /```bash\n(#!\/usr\/bin\/env bash\n# api-example[\s\S]*?)```/.exec(readme)?.[1];
  assert.ok(script, "README.md has no api-example");
  const file = join(place.home, "example.sh");
  writeFileSync(file, script);
  const child = spawn("bash", [file, `http://127.0.0.1:${server.port}`, place.project, "hello"], {
    env: { PATH: process.env.PATH, LIMINAL_BUILDER_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (data) => (out += data));
  const code = await new Promise((done) => child.once("close", done));
  assert.equal(code, 0);
  assert.match(out, /turn_complete/);
  assert.match(out, /demo agent/);
});

test("S21: a project shows its own files, whatever lies in it and whatever is asked", async () => {
  const other = makeHome();
  const dir = join(other.home, "tricky");
  mkdirSync(join(dir, "src"), { recursive: true });
  writeFileSync(join(dir, "src", "inside.txt"), "x");
  symlinkSync("/etc", join(dir, "outside"));
  symlinkSync("/etc/passwd", join(dir, "passwd-link"));
  symlinkSync(dir, join(dir, "src", "loop"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  const { project } = await server.post("/api/project/add", { path: dir });
  for (const q of ["", "passwd", "../", "../../etc/passwd", "/etc/passwd", "%00", "outside/"]) {
    const { files } = await server.get(`/api/project/${project.projectId}/files?q=${encodeURIComponent(q)}&limit=100`);
    for (const { path } of files) {
      assert.ok(!path.startsWith("/") && !path.split("/").includes(".."), path);
      assert.ok(!path.startsWith("outside/") && !path.startsWith("src/loop/"), path);
    }
  }
  const { files } = await server.get(`/api/project/${project.projectId}/files?q=inside`);
  assert.deepEqual(files.map(({ path }) => path), ["src/inside.txt"]);
  for (const path of ["/proc/self/environ", "/dev/zero", "relative", "", "/no/such"]) {
    assert.equal((await server.ask("POST", "/api/project/add", { path })).body.code, "PROJECT_PATH_INVALID");
  }
  const link = join(other.home, "link");
  symlinkSync(dir, link);
  assert.equal((await server.ask("POST", "/api/project/add", { path: link })).body.code, "PROJECT_EXISTS");
  other.remove();
});

test("S22, S27: nothing that looks like a flag or a command gets past the grammar", async () => {
  for (const id of ["--dangerously-skip-permissions", "-p", ";id", "$(id)", "a\nb", "a\0b", "\u2013p", "x".repeat(200)]) {
    const status = await server.ask("GET", `/api/session/${encodeURIComponent(id)}/status`);
    assert.equal(status.status, 400, id);
  }
  const withCommand = await server.ask("POST", "/api/session/create", {
    cliType: "demo",
    projectDir: place.project,
    providerOptions: { command: "/bin/sh" },
  });
  assert.notEqual(withCommand.status, 201);
});

test("S14, S33: no secret was ever logged, and every line of the log is one event", async () => {
  await server.ask("GET", `/api/info?token=${token}`, undefined, { authorization: "" });
  assert.ok(!server.log.includes(token));
  assert.ok(!server.log.includes(server.code));
  for (const line of server.logLines()) assert.ok(JSON.parse(line).event);
});

test("/metrics tells how long deliveries take, from reading the agent to the reader's socket", async () => {
  const { sessionId } = await server.create(place.project);
  const ended = new Promise((done, failed) => {
    const socket = new Socket(server.port, {
      onMessage: (message) => {
        if (message.type === "session:history") socket.send({ type: "session:send", sessionId, content: "/load chunks=200 bytes=60 every_us=200" });
        if (message.type === "session:turn" && message.payload.type === "turn_complete") socket.destroy();
        if (message.type === "error") failed(new Error(message.message));
      },
      onClose: done,
    });
    socket.open.then(() => socket.send({ type: "session:open", sessionId, appends: true }), failed);
  });
  await ended;
  const { text } = await server.ask("GET", "/metrics");
  assert.match(text, /^# TYPE lb_delivery_seconds histogram$/m);
  const buckets = [...text.matchAll(/^lb_delivery_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)].map(([, le, count]) => [le, Number(count)]);
  assert.equal(buckets.length, 22);
  for (let i = 1; i < buckets.length; ++i) assert.ok(buckets[i][1] >= buckets[i - 1][1]);
  assert.equal(buckets.at(-1)[0], "+Inf");
  assert.equal(Number(/^lb_delivery_seconds_count (\d+)$/m.exec(text)[1]), buckets.at(-1)[1]);
  assert.ok(buckets.at(-1)[1] >= 3); // The turn's beginning, growing text, its end.
  assert.ok(Number(/^lb_delivery_seconds_sum ([\d.]+)$/m.exec(text)[1]) > 0);
});

test("the control socket serves a few at once, and who says nothing does not keep the others out for ever", async () => {
  const path = join(place.home, "data", "control.sock");
  const silent = [];
  for (let i = 0; i < 16; ++i) {
    const socket = net.connect(path);
    socket.on("error", () => {});
    await new Promise((done) => socket.once("connect", done));
    silent.push(socket);
  }
  const open = () => run(["open", "--no-open", "--data-dir", join(place.home, "data")], { home: place.home });
  await eventually(async () => (await open()).code !== 0, "the seventeenth is refused");
  await noted(({ kind, by }) => kind === "command_refused" && by.kind === "unknown");
  await eventually(async () => (await open()).code === 0, "the silent ones are sent away", 60_000);
  for (const socket of silent) socket.destroy();
});

test("S25: another process of the user reads nothing of us and finds nothing that lets it in", async () => {
  // Root may read everything: then the server and its neighbour both run as nobody.
  const root = process.getuid() === 0;
  const home = makeHome();
  const binary = root ? join(home.home, "liminal-builder") : program;
  const as = root ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : [];
  if (root) {
    copyFileSync(program, binary);
    for (const path of [home.home, home.project, binary]) chownSync(path, 65534, 65534);
  }
  const start = (...command) => {
    const [name, ...args] = [...as, ...command];
    return [name, args];
  };
  const data = join(home.home, "data");
  const child = spawn(...start(binary, "serve", "--no-open", "--port", "0", "--data-dir", data), {
    env: environment(home.home),
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    let out = "";
    child.stdout.on("data", (text) => (out += text));
    const found = await eventually(() => /http:\/\/127\.0\.0\.1:(\d+)\/#code=([\w-]+)/.exec(out), "the server is ready");
    const [, port, code] = found;
    const post = (path, body, bearer) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) },
        body: JSON.stringify(body),
      });
    const granted = await (await post("/api/auth/exchange", { code })).json();
    assert.ok(granted.token);
    const look = (...command) => spawnSync(...start(...command), { encoding: "latin1", env: environment(home.home, { LIMINAL_BUILDER_TOKEN: "" }) });
    for (const file of ["environ", "mem", "maps", "fd"]) {
      const read = look(file === "fd" ? "ls" : "cat", `/proc/${child.pid}/${file}`);
      assert.notEqual(read.status, 0, file);
      assert.ok(!read.stdout.includes(token), file);
    }
    const files = look("find", data, "-type", "f", "-exec", "cat", "{}", "+");
    assert.equal(files.status, 0);
    for (const secret of [token, granted.token, code]) assert.ok(!files.stdout.includes(secret));
    const guesses = new Set(files.stdout.match(/[A-Za-z0-9_-]{32,}/g));
    assert.ok(guesses.size > 0); // At least the hash of the bearer.
    for (const guess of guesses) assert.equal((await post("/api/auth/ticket", {}, guess)).status, 401);
  } finally {
    child.kill("SIGTERM");
    await new Promise((done) => child.once("close", done));
    home.remove();
  }
});

test("a launch code works for the user whose server it is, and for nobody else on this machine", { skip: process.getuid() !== 0 && "only root can be somebody else" }, async () => {
  const url = (await run(["open", "--no-open", "--data-dir", join(place.home, "data")], { home: place.home })).out.trim();
  const code = url.slice(url.indexOf("#code=") + 6);
  // A shell as nobody: its connection is the stranger's, whatever it says in the request.
  const body = JSON.stringify({ code });
  const request = `POST /api/auth/exchange HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const ask = (uid) => {
    const script = `exec 3<>/dev/tcp/127.0.0.1/${server.port}; printf %s "$REQUEST" >&3; cat <&3`;
    const who = uid === undefined ? {} : { uid, gid: uid };
    return spawnSync("/bin/bash", ["-c", script], { encoding: "utf8", cwd: "/", env: { PATH: "/usr/bin:/bin", REQUEST: request }, ...who }).stdout;
  };
  for (let i = 0; i < 12; ++i) assert.match(ask(65534), /^HTTP\/1\.1 401 [^]*another user/);
  assert.match(ask(undefined), /^HTTP\/1\.1 200 /); // Neither spent nor counted.
  await noted(({ kind, why, address }) => kind === "code_refused" && /uid 65534/.test(why) && address === "127.0.0.1");
});
