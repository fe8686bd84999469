// The built program as a black box: start it, ask it, follow it. Raw sockets, so that a test may cut a connection at any byte.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const program = process.env.LIMINAL_BUILDER_BIN ?? join(root, "build/release/liminal-builder");
export const token = "t".repeat(40);

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Polls until it holds; throws after `ms`. */
export async function eventually(holds, what, ms = 60_000) {
  const until = Date.now() + ms;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > until) throw new Error(`never happened: ${what}`);
    await sleep(10);
  }
}

/** A home of its own, gone afterwards. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), "lb-server-"));
  mkdirSync(join(home, "project"));
  return { home, project: join(home, "project"), remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** Runs the program to its end. */
export function run(args, { home, env = {} } = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, { env: environment(home, env), stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("close", (code, signal) => done({ code, signal, out, err }));
  });
}

export function environment(home, more = {}) {
  return { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", LIMINAL_BUILDER_TOKEN: token, ...more };
}

/** A running server. `kill` is SIGKILL, `stop` SIGTERM; both wait for the end. */
export class Server {
  /** `command` runs the program, when it is not the built one by itself. */
  static async start({ home, port = 0, args = [], env = {}, command = [program] }) {
    const server = new Server();
    server.log = "";
    server.startedAt = performance.now();
    server.child = spawn(command[0], [...command.slice(1), "serve", "--no-open", "--port", String(port), "--data-dir", join(home, "data"), ...args], {
      env: environment(home, env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    server.ended = new Promise((done) => server.child.once("close", (code, signal) => done({ code, signal })));
    server.child.stderr.on("data", (data) => (server.log += data));
    let out = "";
    server.readyLine = await new Promise((done, failed) => {
      server.child.stdout.on("data", (data) => {
        out += data;
        if (out.includes("\n")) done(out.slice(0, out.indexOf("\n")));
      });
      server.ended.then(({ code }) => failed(new Error(`ended with ${code} before it was ready: ${server.log}`)));
    });
    server.readyMs = performance.now() - server.startedAt;
    server.output = () => out;
    const found = /^Liminal Builder is ready: http:\/\/127\.0\.0\.1:(\d+)\/#code=([\w-]+)$/.exec(server.readyLine);
    if (!found) throw new Error(`not a ready line: ${server.readyLine}`);
    server.port = Number(found[1]);
    server.code = found[2];
    return server;
  }

  /** The lines of its log that are complete; the last one may still be on its way. */
  logLines() {
    return this.log.split("\n").slice(0, -1);
  }

  kill() {
    this.child.kill("SIGKILL");
    return this.ended;
  }

  stop() {
    this.child.kill("SIGTERM");
    return this.ended;
  }

  /** `{status, headers, text, body}`; rejects when the connection breaks. */
  ask(method, path, body, headers = {}) {
    return new Promise((done, failed) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const request = http.request(
        {
          host: "127.0.0.1",
          port: this.port,
          method,
          path,
          agent: false,
          headers: {
            authorization: `Bearer ${token}`,
            ...(payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
            ...headers,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (data) => (text += data));
          response.on("error", failed);
          response.on("end", () => {
            let parsed;
            try {
              parsed = JSON.parse(text);
            } catch {
              parsed = undefined;
            }
            done({ status: response.statusCode, headers: response.headers, text, body: parsed });
          });
        },
      );
      request.on("error", failed);
      request.end(payload);
    });
  }

  async get(path) {
    const answer = await this.ask("GET", path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async post(path, body, headers) {
    const answer = await this.ask("POST", path, body, headers);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  create(projectDir, cliType = "demo") {
    return this.post("/api/session/create", { cliType, projectDir });
  }

  /** Sends a prompt under one Idempotency-Key until it is accepted, whatever breaks on the way; answers the turn's id. */
  async deliver(sessionId, content, ms = 60_000) {
    const key = { "idempotency-key": randomBytes(12).toString("hex") };
    const accepted = async () => {
      const answer = await this.ask("POST", `/api/session/${sessionId}/send`, { content }, key).catch(() => undefined);
      return answer?.status === 202 && answer.body.turnId;
    };
    return eventually(accepted, `the server takes "${content}"`, ms);
  }

  /** The session has nothing to do and waits for nobody. */
  async isIdle(sessionId) {
    const status = await this.get(`/api/session/${sessionId}/status`).catch(() => undefined);
    return status?.activity === "idle" || status?.activity === "failed";
  }
}

/** A WebSocket on a raw socket. `onMessage` gets parsed objects, `onClose` the end; `bytes` counts what arrived. */
export class Socket {
  constructor(port, { onMessage, onClose = () => {}, cutAfter = Infinity } = {}) {
    this.bytes = 0;
    this.buffer = Buffer.alloc(0);
    this.upgraded = false;
    this.onMessage = onMessage;
    this.socket = net.connect(port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.closed = new Promise((done) => this.socket.once("close", done));
    this.closed.then(onClose);
    this.socket.on("error", () => {});
    this.socket.on("data", (data) => {
      // Cut at exactly this byte: what came behind it was never received.
      const room = cutAfter - this.bytes;
      const part = data.length > room ? data.subarray(0, room) : data;
      this.bytes += part.length;
      this.buffer = this.buffer.length === 0 ? part : Buffer.concat([this.buffer, part]);
      this.parse();
      if (this.bytes >= cutAfter) this.socket.destroy();
    });
    this.open = new Promise((done, failed) => {
      this.opened = done;
      this.closed.then(() => failed(new Error("closed before it was open")));
    });
    this.open.catch(() => {});
    this.socket.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nUpgrade: websocket\r\n` +
        `Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
    );
  }

  parse() {
    if (!this.upgraded) {
      const end = this.buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.status = Number(this.buffer.subarray(9, 12).toString());
      this.buffer = this.buffer.subarray(end + 4);
      this.upgraded = true;
      this.opened();
    }
    for (;;) {
      if (this.buffer.length < 2) return;
      let size = this.buffer[1] & 127;
      let head = 2;
      if (size === 126) {
        if (this.buffer.length < 4) return;
        size = this.buffer.readUInt16BE(2);
        head = 4;
      } else if (size === 127) {
        if (this.buffer.length < 10) return;
        size = Number(this.buffer.readBigUInt64BE(2));
        head = 10;
      }
      if (this.buffer.length < head + size) return;
      const opcode = this.buffer[0] & 15;
      const payload = this.buffer.subarray(head, head + size);
      this.buffer = this.buffer.subarray(head + size);
      if (opcode === 1) this.onMessage(JSON.parse(payload.toString("utf8")), payload.length + head);
      else if (opcode === 9) this.frame(10, payload);
      else if (opcode === 8) {
        this.closeCode = size >= 2 ? payload.readUInt16BE(0) : 1005;
        this.frame(8, payload.subarray(0, 2));
      }
    }
  }

  send(message) {
    this.frame(1, Buffer.from(JSON.stringify(message)));
  }

  frame(opcode, payload) {
    const mask = randomBytes(4);
    const head = payload.length < 126 ? Buffer.from([128 | opcode, 128 | payload.length]) : Buffer.alloc(payload.length < 65536 ? 4 : 10);
    if (payload.length >= 126) {
      head[0] = 128 | opcode;
      head[1] = 128 | (payload.length < 65536 ? 126 : 127);
      if (payload.length < 65536) head.writeUInt16BE(payload.length, 2);
      else head.writeBigUInt64BE(BigInt(payload.length), 2);
    }
    const masked = Buffer.from(payload);
    for (let i = 0; i < masked.length; ++i) masked[i] ^= mask[i % 4];
    this.socket.write(Buffer.concat([head, mask, masked]));
  }

  destroy() {
    this.socket.destroy();
  }
}

/** An event stream on a raw socket: `onMessage(event, id, data)`. */
export class EventStream {
  constructor(port, path, { onMessage, onClose = () => {}, cutAfter = Infinity, headers = "" }) {
    this.bytes = 0;
    this.text = Buffer.alloc(0);
    this.started = false;
    this.socket = net.connect(port, "127.0.0.1");
    this.closed = new Promise((done) => this.socket.once("close", done));
    this.closed.then(onClose);
    this.socket.on("error", () => {});
    this.socket.on("data", (data) => {
      const room = cutAfter - this.bytes;
      const part = data.length > room ? data.subarray(0, room) : data;
      this.bytes += part.length;
      this.text = Buffer.concat([this.text, part]);
      this.parse(onMessage);
      if (this.bytes >= cutAfter) this.socket.destroy();
    });
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`);
  }

  parse(onMessage) {
    for (;;) {
      const end = this.text.indexOf(this.started ? "\n\n" : "\r\n\r\n");
      if (end < 0) return;
      const block = this.text.subarray(0, end).toString("utf8");
      this.text = this.text.subarray(end + (this.started ? 2 : 4));
      if (!this.started) {
        this.started = true;
        this.status = Number(block.slice(9, 12));
        continue;
      }
      const fields = {};
      for (const line of block.split("\n")) {
        const colon = line.indexOf(": ");
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
      }
      if (fields.event) onMessage(fields.event, fields.id === undefined ? undefined : Number(fields.id), JSON.parse(fields.data));
    }
  }

  destroy() {
    this.socket.destroy();
  }
}

/** What a client knows of one session, as docs/wire.md says it is to be kept. Counts what must never happen. */
export class Replica {
  constructor() {
    this.clear();
    this.gaps = 0;
    this.backwards = 0;
    this.repeated = 0;
  }

  clear() {
    this.items = new Map();
    this.turns = new Map();
    this.cursor = 0;
  }

  /** A new connection: revisions may begin anywhere, and then only rise. */
  connected() {
    this.last = 0;
  }

  apply(message) {
    switch (message.type) {
      case "session:history":
        this.clear();
        for (const item of message.entries) this.items.set(item.itemId, item);
        for (const turn of message.turns) this.turns.set(turn.turnId, turn);
        this.moved(message.rev);
        return;
      case "session:upsert":
        this.put(this.items, message.payload.itemId, message.payload);
        this.moved(message.rev);
        return;
      case "session:turn":
        this.put(this.turns, message.payload.turnId, message.payload);
        this.moved(message.rev);
        return;
      case "session:append":
        this.append(message);
        this.moved(message.rev);
        return;
      default:
    }
  }

  moved(rev) {
    if (rev < this.last) ++this.backwards;
    this.last = rev;
    this.cursor = Math.max(this.cursor, rev);
  }

  put(map, id, value) {
    const known = map.get(id);
    if (known && known.rev >= value.rev) {
      ++this.repeated;
      return;
    }
    map.set(id, value);
  }

  append({ itemId, field, from, text, rev }) {
    const item = this.items.get(itemId);
    if (item && item.rev >= rev) {
      ++this.repeated;
      return;
    }
    if (!item || (item[field] ?? "").length !== from) {
      ++this.gaps;
      return;
    }
    this.items.set(itemId, { ...item, [field]: (item[field] ?? "") + text, rev, status: "update" });
  }
}
