// What the server adds to a bare relay, how much it carries, and what it costs while idle. One JSON line per figure.
//
//   node bench/server.mjs [NAME...]     of: start latency saturation fanout bytes
import { spawn } from "node:child_process";
import net from "node:net";
import { dirname, join } from "node:path";
import { quantile } from "../tests/support/figures.mjs";
import { cpuMs, rssKb } from "../tests/support/proc.mjs";
import { eventually, makeHome, program, Server, Socket, sleep, token } from "../tests/support/server.mjs";

const wanted = process.argv.slice(2);
const say = (figure) => console.log(JSON.stringify(figure));
const now = () => process.hrtime.bigint();
const place = makeHome();

/** Microseconds from each stamp in the text to this moment. */
function stampsTo(latencies, text) {
  const at = now();
  for (const [, stamp] of text.matchAll(/@(\d+) /g)) latencies.push(Number(at - BigInt(stamp)) / 1000);
}

function summary(latencies) {
  return { chunks: latencies.length, p50_us: Math.round(quantile(latencies, 0.5)), p99_us: Math.round(quantile(latencies, 0.99)) };
}

/** The demo agent behind a bare relay; resolves to the latencies of one load. */
async function throughRelay(prompt) {
  const relay = join(dirname(program), "bench", "relay");
  const child = spawn("bash", ["-c", `"$0" demo-agent | "$1"`, program, relay], {
    env: { PATH: process.env.PATH, HOME: place.home },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const port = await new Promise((done) => child.stderr.once("data", (data) => done(Number(String(data).trim()))));
  const latencies = [];
  const socket = net.connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  await new Promise((done) => {
    let rest = "";
    socket.on("data", (data) => {
      const text = rest + data;
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      stampsTo(latencies, text.slice(0, end));
      for (const line of text.slice(0, end).split("\n")) {
        if (!line.includes('"id"')) continue;
        const message = JSON.parse(line);
        if (message.id === 1) send({ id: 2, method: "session/new", params: { cwd: place.project, mcpServers: [] } });
        if (message.id === 2) {
          const { sessionId } = message.result;
          send({ id: 3, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: prompt }] } });
        }
        if (message.id === 3) done();
      }
    });
    send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  });
  socket.destroy();
  child.stdin.end();
  return latencies;
}

/** Sessions that play `prompt` at the same time, one reader each. */
async function throughServer(server, sessions, prompt, { appends = true } = {}) {
  const latencies = [];
  let bytes = 0;
  let text = 0;
  const begun = now();
  const cpu = cpuMs(server.child.pid);
  await Promise.all(
    sessions.map(
      (sessionId) =>
        new Promise((done, failed) => {
          let turnId;
          const ended = new Set();
          const socket = new Socket(server.port, {
            onMessage: (message, size) => {
              if (message.sessionId !== sessionId) return;
              if (message.type === "session:append") {
                bytes += size;
                text += message.text.length;
                stampsTo(latencies, message.text);
              } else if (message.type === "session:upsert" && message.payload.origin === "agent") {
                bytes += size;
                if (message.payload.status === "create" && appends) stampsTo(latencies, message.payload.content);
                if (message.payload.status === "complete") text = Math.max(text, message.payload.content.length);
              } else if (message.type === "session:turn" && message.payload.type !== "turn_started") {
                ended.add(message.payload.turnId);
              } else if (message.type === "session:sent") {
                turnId = message.turnId;
              } else if (message.type === "session:history") {
                socket.send({ type: "session:send", sessionId, content: prompt });
              } else if (message.type === "error") failed(new Error(message.message));
              if (turnId && ended.has(turnId)) socket.destroy();
            },
            onClose: done,
          });
          socket.open.then(() => socket.send({ type: "session:open", sessionId, appends }), failed);
        }),
    ),
  );
  return { latencies, bytes, text, seconds: Number(now() - begun) / 1e9, cpuMs: cpuMs(server.child.pid) - cpu };
}

async function withServer(count, work) {
  const server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });
  const sessions = [];
  for (let i = 0; i < count; ++i) sessions.push((await server.create(place.project)).sessionId);
  try {
    return await work(server, sessions);
  } finally {
    await server.stop();
  }
}

const benches = {
  async start() {
    const ready = [];
    let rss = 0;
    for (let i = 0; i < 9; ++i) {
      const server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });
      ready.push(server.readyMs);
      await sleep(300);
      rss = rssKb(server.child.pid);
      await server.stop();
    }
    say({ name: "ready_ms", median: Math.round(quantile(ready, 0.5)), best: Math.round(Math.min(...ready)) });
    say({ name: "idle_rss_kb", value: rss });
  },

  async latency() {
    const prompt = "/load chunks=3000 bytes=60 every_us=1000";
    const relay = summary(await throughRelay(prompt));
    const one = await withServer(1, async (server, sessions) => {
      await throughServer(server, sessions, "/load chunks=200 bytes=60 every_us=1000");
      return throughServer(server, sessions, prompt);
    });
    const added = summary(one.latencies);
    say({
      name: "latency_1_session",
      ...added,
      relay_p50_us: relay.p50_us,
      relay_p99_us: relay.p99_us,
      p50_ratio: Number((added.p50_us / relay.p50_us).toFixed(2)),
      p99_ratio: Number((added.p99_us / relay.p99_us).toFixed(2)),
      cpu_ms_per_10000_chunks: Math.round((one.cpuMs * 10_000) / added.chunks),
    });
    const many = await withServer(50, (server, sessions) => throughServer(server, sessions, "/load chunks=200 bytes=60 every_us=20000"));
    say({ name: "latency_50_sessions", ...summary(many.latencies) });
  },

  async saturation() {
    for (const [count, chunks] of [[1, 200_000], [50, 6_000]]) {
      const { seconds, cpuMs: cpu } = await withServer(count, (server, sessions) =>
        throughServer(server, sessions, `/load chunks=${chunks} bytes=40 every_us=0`),
      );
      const total = count * chunks;
      say({
        name: `saturation_${count}_sessions`,
        chunks: total,
        chunks_per_second: Math.round(total / seconds),
        cpu_ms_per_10000_chunks: Math.round((cpu * 10_000) / total),
      });
    }
  },

  async bytes() {
    const chunks = 1000;
    for (const appends of [true, false]) {
      const { bytes, text } = await withServer(1, (server, sessions) =>
        throughServer(server, sessions, `/load chunks=${chunks} bytes=60 every_us=1000`, { appends }),
      );
      say({ name: appends ? "bytes_with_appends" : "bytes_without_appends", chunks, text_bytes: text, wire_bytes: bytes, per_chunk: Math.round(bytes / chunks) });
    }
  },

  async fanout() {
    const readers = 1000;
    await withServer(1, async (server, [sessionId]) => {
      let deliveries = 0;
      let last = now();
      const sockets = [];
      for (let i = 0; i < readers; ++i) {
        // Counting, not parsing: one reader process must not be the limit of a thousand readers.
        const socket = net.connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        sockets.push(socket);
        const open = Buffer.from(JSON.stringify({ type: "session:open", sessionId, since: 0, appends: true }));
        socket.write(
          `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${token}\r\nUpgrade: websocket\r\n` +
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        );
        await new Promise((done) => socket.once("data", done));
        socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | open.length, 0, 0, 0, 0]), open]));
        socket.on("data", (data) => {
          for (let at = data.indexOf("session:append"); at >= 0; at = data.indexOf("session:append", at + 14)) ++deliveries;
          last = now();
        });
      }
      await sleep(500);
      deliveries = 0;
      const begun = now();
      const cpu = cpuMs(server.child.pid);
      await server.post(`/api/session/${sessionId}/send`, { content: "/load chunks=2000 bytes=60 every_us=1000" });
      await eventually(async () => (await server.get(`/api/session/${sessionId}/status`)).activity === "idle", "the end", 120_000);
      let before = -1;
      while (before !== deliveries) {
        before = deliveries;
        await sleep(200);
      }
      const seconds = Number(last - begun) / 1e9;
      say({
        name: "fanout_1000_readers",
        deliveries,
        deliveries_per_second: Math.round(deliveries / seconds),
        server_cpu_us_per_delivery: Number((((cpuMs(server.child.pid) - cpu) * 1000) / deliveries).toFixed(2)),
      });
      for (const socket of sockets) socket.destroy();
    });
  },
};

for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
place.remove();
