// Terminals of the development server: a scripted shell over the same socket as the real one (docs/wire.md, Terminals).
import { randomUUID } from "node:crypto";
import { fail } from "./fail.mjs";

/** What the server sends beyond what was drawn. */
const kAhead = 512 * 1024;
const kKept = 4 << 20;
const kFrame = 64 * 1024;

const colours = () => {
  const rows = ["\x1b[1mbold\x1b[0m \x1b[3mitalic\x1b[0m \x1b[4munderlined\x1b[0m \x1b[7minverse\x1b[0m"];
  for (const first of [30, 90])
    rows.push(
      Array.from({ length: 8 }, (_, at) => `\x1b[${first + at}m${first + at} \x1b[0m`).join("") +
        Array.from({ length: 8 }, (_, at) => `\x1b[${first + 10 + at}m  \x1b[0m`).join(""),
    );
  rows.push(
    Array.from({ length: 48 }, (_, at) => `\x1b[48;2;${at * 5};80;${255 - at * 5}m \x1b[0m`).join(""),
  );
  return rows.join("\r\n") + "\r\n";
};
const tests = () =>
  [
    "\x1b[1m RUN \x1b[0m \x1b[36mv4.1.12\x1b[0m \x1b[2m~/code/web-shop\x1b[0m",
    "",
    " \x1b[32m✓\x1b[0m src/cart/index.test.ts \x1b[2m(14 tests) 31 ms\x1b[0m",
    " \x1b[31m❯\x1b[0m src/pricing/total.test.ts \x1b[2m(9 tests | \x1b[31m1 failed\x1b[39m) 12 ms\x1b[0m",
    "   \x1b[31m×\x1b[0m refunds are negative \x1b[2m4 ms\x1b[0m",
    "",
    "\x1b[41m\x1b[30m FAIL \x1b[0m src/pricing/total.test.ts > refunds are negative",
    "\x1b[31m\x1b[1mAssertionError\x1b[22m: expected -0 to be +0\x1b[0m",
    "\x1b[36m ❯ src/pricing/total.test.ts:\x1b[2m41:27\x1b[0m",
    "    \x1b[2m39|\x1b[0m   \x1b[35mconst\x1b[0m cents = \x1b[34mtotal\x1b[0m([{ cents: \x1b[33m-250\x1b[0m, count: \x1b[33m0\x1b[0m }]);",
    "    \x1b[2m41|\x1b[0m   \x1b[34mexpect\x1b[0m(cents).\x1b[34mtoBe\x1b[0m(\x1b[33m0\x1b[0m);",
    "      \x1b[2m |\x1b[0m                 \x1b[31m^\x1b[0m",
    "",
    "\x1b[2m Test Files \x1b[0m \x1b[1m\x1b[31m1 failed\x1b[0m | \x1b[32m11 passed\x1b[0m (12)",
    "\x1b[2m      Tests \x1b[0m \x1b[1m\x1b[31m1 failed\x1b[0m | \x1b[32m188 passed\x1b[0m (189)",
    "",
  ].join("\r\n");
/** As an editor or `top` draws: on the other screen, in place. */
function picture({ cols, rows }) {
  const bar = (text) => `\x1b[7m${text.padEnd(cols).slice(0, cols)}\x1b[0m`;
  const lines = Array.from({ length: Math.max(0, rows - 2) }, (_, at) =>
    `${String(at + 1).padStart(4)} │ ${"▁▂▃▄▅▆▇█".repeat(30).slice(at, at + Math.max(0, cols - 8))}`.slice(
      0,
      cols,
    ),
  );
  return `\x1b[?1049h\x1b[?25l\x1b[H${[bar(" A full screen. q leaves it."), ...lines, bar(` ${cols} x ${rows}`)].join("\r\n")}`;
}

class Shell {
  constructor(world, terminal) {
    this.world = world;
    this.terminal = terminal;
    this.start = 0;
    this.bytes = Buffer.alloc(0);
    this.readers = new Set();
    this.line = "";
    this.full = false;
    this.prompt();
  }
  get end() {
    return this.start + this.bytes.length;
  }
  say(text) {
    this.bytes = Buffer.concat([this.bytes, Buffer.from(text)]);
    if (this.bytes.length > kKept) {
      this.start += this.bytes.length - kKept;
      this.bytes = this.bytes.subarray(-kKept);
    }
    for (const reader of this.readers) this.feed(reader);
  }
  prompt() {
    this.say("\x1b[1;32mweb-shop\x1b[0m \x1b[34mmain\x1b[0m $ ");
  }
  feed(reader) {
    if (!reader.looking) return;
    if (reader.sent < this.start) this.begin(reader, this.start, true);
    while (reader.sent < this.end && reader.sent - reader.acked < kAhead) {
      const from = reader.sent - this.start;
      const most = Math.min(kFrame, kAhead - (reader.sent - reader.acked));
      const part = this.bytes.subarray(from, from + most);
      reader.sent += part.length;
      reader.ws.send(Buffer.from(part));
    }
    if (this.terminal.state === "ended" && reader.sent === this.end && !reader.told) {
      reader.told = true;
      reader.ws.send(JSON.stringify({ type: "ended", how: this.terminal.ended }));
    }
  }
  begin(reader, offset, reset) {
    reader.sent = reader.acked = offset;
    const { cols, rows } = this.terminal;
    reader.ws.send(JSON.stringify({ type: "start", offset, cols, rows, reset }));
  }
  connect(ws, since) {
    const known = since !== undefined && since >= this.start && since <= this.end;
    const reader = { ws, looking: true, sent: 0, acked: 0, told: false };
    this.readers.add(reader);
    this.begin(reader, known ? since : this.start, !known);
    this.feed(reader);
    ws.on("message", (data, binary) => {
      if (binary ?? typeof data !== "string") return this.type(Buffer.from(data).toString());
      const message = JSON.parse(data.toString());
      if (message.type === "ack") reader.acked = message.offset;
      else if (message.type === "look") reader.looking = message.looking;
      else if (message.type === "resize") this.resize(message);
      this.feed(reader);
    });
    ws.on("close", () => this.readers.delete(reader));
  }
  resize({ cols, rows }) {
    Object.assign(this.terminal, { cols, rows });
    for (const { ws } of this.readers) ws.send(JSON.stringify({ type: "size", cols, rows }));
    if (this.full) this.say(picture(this.terminal));
  }
  type(text) {
    if (this.terminal.state === "ended") return;
    for (const key of text.replace(/\x1b\[20[01]~/g, "")) {
      if (this.full) {
        if (key === "q") {
          this.full = false;
          this.say("\x1b[?1049l\x1b[?25h");
          this.prompt();
        }
      } else if (key === "\r") {
        const line = this.line;
        this.line = "";
        this.say("\r\n");
        this.run(line.trim());
      } else if (key === "\x7f") {
        if (this.line !== "") this.say("\b \b");
        this.line = this.line.slice(0, -1);
      } else if (key === "\x03") {
        this.line = "";
        this.say("^C\r\n");
        this.prompt();
      } else if (key >= " ") {
        this.line += key;
        this.say(key);
      }
    }
  }
  run(line) {
    const [name, ...rest] = line.split(/\s+/);
    if (name === "exit") return this.stop(`exited with code ${Number(rest[0] ?? 0)}`);
    if (name === "full") {
      this.full = true;
      return this.say(picture(this.terminal));
    }
    if (name === "echo") this.say(`${rest.join(" ")}\r\n`);
    else if (name === "printf") this.say(JSON.parse(`"${rest.join(" ")}"`));
    else if (name === "colours") this.say(colours());
    else if (name === "npm") this.say(tests());
    else if (name === "size") this.say(`${this.terminal.rows} ${this.terminal.cols}\r\n`);
    else if (name === "seq")
      this.say(Array.from({ length: Number(rest[0]) }, (_, at) => `${at + 1}\r\n`).join(""));
    else if (name) this.say(`${name}: not found\r\n`);
    this.prompt();
  }
  stop(how) {
    Object.assign(this.terminal, { state: "ended", ended: how });
    this.world.broadcast({ type: "terminal:upsert", terminal: this.terminal });
    for (const reader of this.readers) this.feed(reader);
  }
}

export function addTerminal(world, sessionId, more = {}) {
  const { info } = world.session(sessionId);
  world.shells ??= new Map();
  const count = [...world.shells.values()].filter(({ terminal }) => terminal.sessionId === sessionId).length;
  const terminal = {
    terminalId: randomUUID(),
    sessionId,
    name: `Terminal ${count + 1}`,
    folder: world.projects.find(({ projectId }) => projectId === info.projectId)?.path ?? "/",
    cols: 80,
    rows: 24,
    state: "running",
    ...(info.confined ? { confined: true } : {}),
    createdAt: new Date().toISOString(),
    ...more,
  };
  const shell = new Shell(world, terminal);
  world.shells.set(terminal.terminalId, shell);
  world.broadcast({ type: "terminal:upsert", terminal });
  return shell;
}

function found(world, id) {
  const shell = world.shells?.get(id);
  if (!shell) throw fail(404, "NOT_FOUND", "There is no such terminal.");
  return shell;
}

function closeTerminal(world, { terminal, readers }) {
  const { terminalId, sessionId } = terminal;
  world.shells.delete(terminalId);
  for (const { ws } of readers) ws.close();
  world.broadcast({ type: "terminal:removed", terminalId, sessionId });
  return { terminalId, sessionId };
}

export function terminalHttp(world, method, url, body, send) {
  const path = url.pathname;
  const sessionId = url.searchParams.get("sessionId");
  if (path === "/api/terminals") {
    const all = [...(world.shells?.values() ?? [])].map(({ terminal }) => terminal);
    const problem = world.terminalProblem;
    send(200, {
      available: problem === undefined,
      ...(problem === undefined ? {} : { problem }),
      terminals: all.filter((one) => !sessionId || one.sessionId === sessionId),
    });
  } else if (path === "/api/terminal/create") {
    if (world.terminalProblem !== undefined) throw fail(409, "NOT_SUPPORTED", world.terminalProblem);
    const { sessionId: of, ...more } = body;
    send(201, { terminal: addTerminal(world, of, more).terminal });
  } else if (path === "/api/ports") {
    send(200, {
      ports: (world.ports ?? []).filter((one) => !sessionId || (one.sessionId ?? sessionId) === sessionId),
    });
  } else {
    const of = /^\/api\/terminal\/([^/]+)\/(rename|close)$/.exec(path);
    if (!of || method !== "POST") return false;
    const shell = found(world, of[1]);
    if (of[2] === "close") send(200, closeTerminal(world, shell));
    else {
      shell.terminal.name = body.name;
      world.broadcast({ type: "terminal:upsert", terminal: shell.terminal });
      send(200, { terminal: shell.terminal });
    }
  }
  return true;
}

/** The terminal whose socket is asked for; undefined where the path is of something else. */
export function shellAt(world, url) {
  const id = /^\/api\/terminal\/([^/]+)\/socket$/.exec(url.pathname)?.[1];
  return id === undefined ? undefined : (world.shells?.get(id) ?? null);
}
export function connectTerminal(shell, ws, url) {
  const since = url.searchParams.get("since");
  shell.connect(ws, since === null ? undefined : Number(since));
}
