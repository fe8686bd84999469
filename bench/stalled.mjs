// Readers that never read: what they cost the server, and what they do to a reader that does. One JSON line.
//
//   node bench/stalled.mjs [--stalled 50] [--chunks 20000] [--runs 5]
//
// Runs with and without stalled readers are interleaved; figures are medians.
import { median, option, quantile } from "../tests/support/figures.mjs";
import { rssKb } from "../tests/support/proc.mjs";
import { makeHome, Server, Socket } from "../tests/support/server.mjs";

const stalledCount = option("stalled", 50);
const chunks = option("chunks", 20_000);
const runs = option("runs", 5);
const place = makeHome();
const server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });

/** One load with `count` readers that stop after the handshake; the healthy reader's p99 and the growth of memory. */
async function load(count) {
  const { sessionId } = await server.create(place.project);
  const stalled = [];
  for (let i = 0; i < count; ++i) {
    const socket = new Socket(server.port, { onMessage: () => {} });
    await socket.open;
    socket.send({ type: "session:open", sessionId, appends: i % 2 === 0 });
    socket.socket.pause();
    stalled.push(socket);
  }
  const latencies = [];
  const before = rssKb(server.child.pid);
  let peak = before;
  await new Promise((done, failed) => {
    const socket = new Socket(server.port, {
      onMessage: (message) => {
        if (message.sessionId !== sessionId) return;
        if (message.type === "session:history") {
          socket.send({ type: "session:send", sessionId, content: `/load chunks=${chunks} bytes=60 every_us=200` });
        } else if (message.type === "session:append") {
          const at = process.hrtime.bigint();
          for (const [, stamp] of message.text.matchAll(/@(\d+) /g)) latencies.push(Number(at - BigInt(stamp)) / 1000);
          if (latencies.length % 500 === 0) peak = Math.max(peak, rssKb(server.child.pid));
        } else if (message.type === "session:turn" && message.payload.type === "turn_complete") socket.destroy();
        else if (message.type === "error") failed(new Error(message.message));
      },
      onClose: done,
    });
    socket.open.then(() => socket.send({ type: "session:open", sessionId, appends: true }), failed);
  });
  peak = Math.max(peak, rssKb(server.child.pid));
  for (const socket of stalled) socket.destroy();
  await server.post(`/api/session/${sessionId}/kill`);
  return { p99: quantile(latencies, 0.99), grown: peak - before };
}

await load(0); // Warm: the first run fills caches and pools.
const alone = [];
const among = [];
for (let run = 0; run < runs; ++run) {
  alone.push(await load(0));
  among.push(await load(stalledCount));
}
await server.stop();
place.remove();
const p99 = median(among.map((one) => one.p99));
const p99Alone = median(alone.map((one) => one.p99));
console.log(
  JSON.stringify({
    name: "stalled_readers",
    stalled: stalledCount,
    chunks,
    rss_growth_kb: median(among.map((one) => one.grown)),
    rss_growth_alone_kb: median(alone.map((one) => one.grown)),
    p99_us: Math.round(p99),
    p99_alone_us: Math.round(p99Alone),
    p99_ratio: Number((p99 / p99Alone).toFixed(2)),
  }),
);
