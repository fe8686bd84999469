// What the server adds to a bare relay, how much it carries, and what it costs while idle. One JSON line per figure, with its target and
// whether it was met where there is one; ends with 1 when one was missed.
//
//   node bench/server.mjs [NAME...]     of: start latency durable saturation fanout bytes
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { median, quantile } from "../tests/support/figures.mjs";
import { cpuMs, processorTime, rssKb } from "../tests/support/proc.mjs";
import { eventually, makeHome, Server, sleep, token } from "../tests/support/server.mjs";
import { medians, readRelay, readServer, spread } from "./support/reader.mjs";

const wanted = process.argv.slice(2);
const now = () => process.hrtime.bigint();
const place = makeHome();
/** Of all processor time; a quiet virtual machine has less. */
const kStolenMax = 0.03;

function say(figure, target, met) {
  console.log(JSON.stringify(target === undefined ? figure : { ...figure, target, met }));
  if (met === false) process.exitCode = 1;
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

/** Sessions that play `prompt` at the same time, one reader each: what they saw, how long it took, what it cost the server. */
async function timed(server, sessions, prompt, options) {
  const begun = now();
  const cpu = cpuMs(server.child.pid);
  const readers = await readServer(server, sessions, prompt, options);
  return { readers, seconds: Number(now() - begun) / 1e9, cpuMs: cpuMs(server.child.pid) - cpu };
}

/**
 * Relay and server in turn, each with fresh processes; the medians of each, side by side. A pair during which the host took
 * processor time away says nothing of either and is made again, as long as that helps; how many is part of the figure.
 */
async function beside(name, sessions, { runs, chunks, every_us: everyUs, skip, apart = 1, target = true }) {
  const prompt = `/load chunks=${chunks + skip} bytes=60 every_us=${everyUs} apart=${apart}`;
  const pairs = [];
  const isQuiet = (pair) => pair.stolen < kStolenMax;
  while (pairs.filter(isQuiet).length < runs && pairs.length < 3 * runs) {
    const before = processorTime();
    // One socket in both cases, as a page has: as many writes for one as for the other.
    const bare = spread(await readRelay(place, sessions, prompt), skip * sessions);
    const seen = await withServer(sessions, (server, all) => timed(server, all, prompt, { sockets: 1 }));
    const after = processorTime();
    pairs.push({
      bare,
      ours: spread(seen.readers, skip * sessions),
      cpu: (seen.cpuMs * 10_000) / (sessions * (chunks + skip)),
      stolen: (after.stolen - before.stolen) / (after.all - before.all),
    });
  }
  const taken = [...pairs].sort((a, b) => a.stolen - b.stolen).slice(0, runs);
  const [bare, ours, cpu] = ["bare", "ours", "cpu"].map((field) => taken.map((pair) => pair[field]));
  // The last chunks of a turn may arrive inside its final form, which has a figure of its own.
  const least = Math.min(...ours.map((run) => run.chunks));
  if (least < sessions * chunks * 0.98) throw new Error(`a reader got ${least} of ${sessions * chunks} chunks`);
  const relay = medians(bare);
  const server = medians(ours);
  const ratio = { p50: server.p50 / relay.p50, p99: server.p99 / relay.p99 };
  say(
    {
      name,
      runs,
      runs_disturbed: pairs.length - pairs.filter(isQuiet).length,
      most_stolen_percent: Number((100 * Math.max(...taken.map((pair) => pair.stolen))).toFixed(1)),
      chunks: sessions * chunks,
      p50_us: server.p50,
      p99_us: server.p99,
      relay_p50_us: relay.p50,
      relay_p99_us: relay.p99,
      p50_ratio: Number(ratio.p50.toFixed(2)),
      p99_ratio: Number(ratio.p99.toFixed(2)),
      p50_us_runs: ours.map((run) => run.p50),
      relay_p50_us_runs: bare.map((run) => run.p50),
      p99_us_runs: ours.map((run) => run.p99),
      relay_p99_us_runs: bare.map((run) => run.p99),
      cpu_ms_per_10000_chunks: Math.round(median(cpu)),
    },
    target ? "p50_ratio <= 2, p99_ratio <= 3" : undefined,
    ratio.p50 <= 2 && ratio.p99 <= 3,
  );
}

/** What this disk needs for one small write that is synced, in µs. */
function syncs(count) {
  const file = openSync(join(place.home, "sync"), "w");
  const took = [];
  for (let i = 0; i < count; ++i) {
    const begun = now();
    writeSync(file, Buffer.alloc(4096, i));
    fdatasyncSync(file);
    took.push(Number(now() - begun) / 1000);
  }
  closeSync(file);
  return took;
}

const benches = {
  async start() {
    const ready = [];
    const rss = [];
    for (let i = 0; i < 9; ++i) {
      const server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });
      ready.push(server.readyMs);
      await sleep(300);
      rss.push(rssKb(server.child.pid));
      await server.stop();
    }
    const ms = median(ready);
    say({ name: "ready_ms", median: Math.round(ms), best: Math.round(Math.min(...ready)) }, "median <= 50", ms <= 50);
    const kb = median(rss);
    say({ name: "idle_rss_kb", median: kb }, "median <= 15000", kb <= 15_000);
  },

  async latency() {
    await beside("latency_1_session", 1, { runs: 5, chunks: 3000, every_us: 1000, skip: 200 });
    await beside("latency_50_sessions", 50, { runs: 9, chunks: 60, every_us: 20_000, skip: 20 });
    // What no fifty agents do: all of them within the same microseconds, again and again. It shows what a line costs us.
    await beside("latency_50_in_step", 50, { runs: 9, chunks: 60, every_us: 20_000, skip: 20, apart: 0, target: false });
  },

  /** Final forms are on the disk before anybody sees them: a bare sync of the same disk is their limit. */
  async durable() {
    const turns = 60;
    await withServer(1, async (server, sessions) => {
      const took = [];
      for (let turn = 0; turn < turns; ++turn) {
        const [reader] = await readServer(server, sessions, "/load chunks=20 bytes=60 every_us=1000");
        took.push(...reader.durable_us);
      }
      const bare = syncs(200);
      say({
        name: "latency_durable",
        forms: took.length,
        p50_us: quantile(took, 0.5),
        p99_us: quantile(took, 0.99),
        sync_p50_us: Math.round(quantile(bare, 0.5)),
        sync_p99_us: Math.round(quantile(bare, 0.99)),
      });
    });
  },

  async saturation() {
    for (const [count, chunks] of [[1, 200_000], [50, 6_000]]) {
      const { seconds, cpuMs: cpu } = await withServer(count, (server, sessions) =>
        timed(server, sessions, `/load chunks=${chunks} bytes=40 every_us=0`),
      );
      const total = count * chunks;
      const perSecond = Math.round(total / seconds);
      say(
        {
          name: `saturation_${count}_session${count > 1 ? "s" : ""}`,
          chunks: total,
          chunks_per_second: perSecond,
          cpu_ms_per_10000_chunks: Math.round((cpu * 10_000) / total),
        },
        "chunks_per_second >= 100000",
        perSecond >= 100_000,
      );
    }
  },

  async bytes() {
    const chunks = 1000;
    for (const appends of [true, false]) {
      const [reader] = await withServer(1, (server, sessions) =>
        readServer(server, sessions, `/load chunks=${chunks} bytes=60 every_us=1000`, { appends }),
      );
      const { bytes, text_bytes: text } = reader;
      const figure = { name: appends ? "bytes_with_appends" : "bytes_without_appends", chunks, text_bytes: text, wire_bytes: bytes };
      const most = 3 * text + 200 * chunks;
      if (appends) say(figure, `wire_bytes <= ${most}, 3 times the text and 200 a chunk`, bytes <= most);
      else say(figure);
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
