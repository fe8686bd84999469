// Readers that never read: what they cost the server, and what they do to a reader that does. One JSON line; ends with 1 when the target was missed.
//
//   node bench/stalled.mjs [--stalled 50] [--chunks 20000] [--runs 5]
//
// Each run is a fresh server: one small turn pays what is paid once (pages of code, pools, the first statements), then memory is looked at,
// then the stalled readers connect, then the chunks stream. The growth is the kernel's high-water mark minus that first look, so nothing
// between two samples is missed, and the readers' own connections count. Runs with and without stalled readers are interleaved; medians.
import { readFileSync } from "node:fs";
import { median, option } from "../tests/support/figures.mjs";
import { eventually, makeHome, Server, Socket } from "../tests/support/server.mjs";
import { readServer, spread } from "./support/reader.mjs";

const stalledCount = option("stalled", 50);
const chunks = option("chunks", 20_000);
const runs = option("runs", 5);
const memoryKb = (pid, field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

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
    await readServer(server, [sessionId], "/load chunks=200 bytes=60 every_us=200");
    const before = memoryKb(server.child.pid, "VmRSS");
    const stalled = [];
    for (let i = 0; i < count; ++i) stalled.push(await stall(server, sessionId, i % 2 === 0));
    const seen = spread(await readServer(server, [sessionId], `/load chunks=${chunks} bytes=60 every_us=200`), 0);
    // Chunks that arrive inside final forms are not growing text and not counted.
    if (seen.chunks < chunks * 0.95) throw new Error(`the healthy reader got ${seen.chunks} of ${chunks} chunks`);
    const grown = memoryKb(server.child.pid, "VmHWM") - before;
    for (const socket of stalled) socket.destroy();
    return { p50: seen.p50, p99: seen.p99, grown };
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
const of = (list, field) => median(list.map((one) => one[field]));
const [p99, p99Alone, grown] = [of(among, "p99"), of(alone, "p99"), of(among, "grown")];
const targetKb = 4096;
const met = grown < targetKb && (p99 <= 1.5 * p99Alone || p99 <= p99Alone + 1000);
console.log(
  JSON.stringify({
    name: "stalled_readers",
    stalled: stalledCount,
    chunks,
    runs,
    rss_growth_kb: grown,
    rss_growth_alone_kb: of(alone, "grown"),
    p50_us: of(among, "p50"),
    p50_alone_us: of(alone, "p50"),
    p99_us: p99,
    p99_alone_us: p99Alone,
    p99_us_runs: among.map((one) => one.p99),
    p99_alone_us_runs: alone.map((one) => one.p99),
    target: `rss_growth_kb < ${targetKb}; p99_us <= 1.5 * p99_alone_us or p99_us <= p99_alone_us + 1000`,
    met,
  }),
);
if (!met) process.exitCode = 1;
