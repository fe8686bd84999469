// Readers that never read: what they cost the server, and what they do to a reader that does. One JSON line.
//
//   node bench/stalled.mjs [--stalled 50] [--chunks 20000] [--runs 5]
//
// Each run is a fresh server: one small turn pays what is paid once (pages of code, pools, the first statements), then memory is looked at,
// then the stalled readers connect, then the chunks stream. The growth is the kernel's high-water mark minus that first look, so nothing
// between two samples is missed, and the readers' own connections count. Runs with and without stalled readers are interleaved; medians.
import { readFileSync } from "node:fs";
import { median, option, quantile } from "../tests/support/figures.mjs";
import { eventually, makeHome, Server, Socket } from "../tests/support/server.mjs";

const stalledCount = option("stalled", 50);
const chunks = option("chunks", 20_000);
const runs = option("runs", 5);
const memoryKb = (pid, field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

/** Streams `count` chunks to one healthy reader with appends; what each took from the agent's write to here, in µs. */
function stream(server, sessionId, count) {
  const latencies = [];
  return new Promise((done, failed) => {
    const socket = new Socket(server.port, {
      onMessage: (message) => {
        if (message.sessionId !== sessionId) return;
        if (message.type === "session:history") {
          socket.send({ type: "session:send", sessionId, content: `/load chunks=${count} bytes=60 every_us=200` });
        } else if (message.type === "session:append") {
          const at = process.hrtime.bigint();
          for (const [, stamp] of message.text.matchAll(/@(\d+) /g)) latencies.push(Number(at - BigInt(stamp)) / 1000);
        } else if (message.type === "session:turn" && message.payload.type === "turn_complete") socket.destroy();
        else if (message.type === "error") failed(new Error(message.message));
      },
      onClose: () => done(latencies),
    });
    socket.open.then(() => socket.send({ type: "session:open", sessionId, appends: true }), failed);
  });
}

/** A reader that stops after its history: the server has something for it from then on, and it never takes it. */
async function stall(server, sessionId, appends) {
  let opened = false;
  const socket = new Socket(server.port, { onMessage: (message) => (opened ||= message.type === "session:history") });
  await socket.open;
  socket.send({ type: "session:open", sessionId, appends });
  await eventually(() => opened, "the stalled reader's history");
  socket.socket.pause();
  return socket;
}

/** One load with `count` readers that stop; the healthy reader's p99 and the growth of memory. */
async function load(count) {
  const place = makeHome();
  const server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });
  try {
    const { sessionId } = await server.create(place.project);
    await stream(server, sessionId, 200);
    const before = memoryKb(server.child.pid, "VmRSS");
    const stalled = [];
    for (let i = 0; i < count; ++i) stalled.push(await stall(server, sessionId, i % 2 === 0));
    const latencies = await stream(server, sessionId, chunks);
    // The first and the last chunks arrive inside whole forms, which carry no time of their own.
    if (latencies.length < chunks * 0.95) throw new Error(`the healthy reader got ${latencies.length} of ${chunks} chunks`);
    const grown = memoryKb(server.child.pid, "VmHWM") - before;
    for (const socket of stalled) socket.destroy();
    return { p99: quantile(latencies, 0.99), grown };
  } finally {
    await server.stop();
    place.remove();
  }
}

const alone = [];
const among = [];
for (let run = 0; run < runs; ++run) {
  alone.push(await load(0));
  among.push(await load(stalledCount));
}
const p99 = median(among.map((one) => one.p99));
const p99Alone = median(alone.map((one) => one.p99));
const grown = median(among.map((one) => one.grown));
const targetKb = 4096;
console.log(
  JSON.stringify({
    name: "stalled_readers",
    stalled: stalledCount,
    chunks,
    runs,
    rss_growth_kb: grown,
    rss_growth_alone_kb: median(alone.map((one) => one.grown)),
    p99_us: Math.round(p99),
    p99_alone_us: Math.round(p99Alone),
    p99_ratio: Number((p99 / p99Alone).toFixed(2)),
    target: `rss_growth_kb < ${targetKb}; p99_ratio <= 1.5 or p99_us <= p99_alone_us + 1000`,
    met: grown < targetKb && (p99 <= 1.5 * p99Alone || p99 <= p99Alone + 1000),
  }),
);
