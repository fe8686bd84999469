// Terminals: how fast a flood is drained and drawn, and how soon a key comes back. One JSON line per figure; ends with 1 when a target was missed.
//
//   node bench/terminal.mjs [drained] [delivered] [echo] [--seconds 5] [--keys 400]
//
// `echo` types into `cat`, so that a program hears and answers every key: over the socket, through the pty and back. Beside it ten sessions stream text
// at 200 pieces a second each, read by bench/reader.cpp.
import { loadavg } from "node:os";
import { option, quantile } from "../tests/support/figures.mjs";
import { eventually, makeHome, Server, sleep } from "../tests/support/server.mjs";
import { Window } from "../tests/support/terminal.mjs";
import { readServer } from "./support/reader.mjs";

const seconds = option("seconds", 5);
const keys = option("keys", 400);
const round = (value, digits = 1) => Number(value.toFixed(digits));
const known = ["drained", "delivered", "echo"];
const named = process.argv.slice(2).filter((word) => known.includes(word));

let missed = false;
function figure(fields) {
  missed ||= fields.met === false;
  console.log(JSON.stringify({ ...fields, load: loadavg().map((one) => round(one)) }));
}

const place = makeHome();
const server = await Server.start({ home: place.home, args: ["--log-level", "warn"], env: { SHELL: "/bin/sh", PS1: "$ " } });
const { sessionId } = await server.create(place.project);
const drained = async () => Number(/^lb_terminal_bytes_total (\d+)/m.exec((await server.ask("GET", "/metrics")).text)?.[1] ?? 0);

async function withShell(options, work) {
  const { terminal } = await server.post("/api/terminal/create", { sessionId });
  const window = new Window(server, terminal.terminalId, options);
  await window.open;
  await eventually(() => window.bytes > 0, "the prompt");
  try {
    await work(window);
  } finally {
    await server.post(`/api/terminal/${terminal.terminalId}/close`, {});
  }
}

/** Bytes a second of what `count` says, over `seconds`. */
async function rate(count) {
  const [began, before] = [performance.now(), await count()];
  await sleep(seconds * 1000);
  return ((await count()) - before) / (performance.now() - began) / 1000;
}

async function drain() {
  await withShell({ keep: false }, async (window) => {
    window.say({ type: "look", looking: false });
    window.type("yes 0123456789012345678901234567890123456789012345678901234567890123456789\r");
    await sleep(500);
    const mbs = await rate(drained);
    figure({ name: "terminal_drained", looked_at: false, mb_per_s: round(mbs), target: "mb_per_s >= 20", met: mbs >= 20 });
  });
}

async function deliver() {
  await withShell({ keep: false }, async (window) => {
    window.type("yes 0123456789012345678901234567890123456789012345678901234567890123456789\r");
    await sleep(500);
    const mbs = await rate(async () => window.bytes);
    figure({ name: "terminal_delivered", readers: 1, mb_per_s: round(mbs) });
  });
}

async function typed(window, count) {
  const ms = [];
  for (let i = 0; i < count; ++i) {
    const before = window.bytes;
    const began = performance.now();
    const arrived = new Promise((done) => window.socket.addEventListener("message", done, { once: true }));
    window.type("x");
    while (window.bytes === before) await Promise.race([arrived, sleep(1000)]);
    ms.push(performance.now() - began);
    await sleep(8);
  }
  return { p50_ms: round(quantile(ms, 0.5), 2), p95_ms: round(quantile(ms, 0.95), 2), longest_ms: round(Math.max(...ms), 2) };
}

async function echo() {
  await withShell({}, async (window) => {
    window.type("stty raw -echo; echo rea''dy; cat\r");
    await window.sees("ready");
    await sleep(200);
    const report = (beside, seen) => figure({ name: "terminal_echo", beside, keys, ...seen, target: "p95_ms <= 20", met: seen.p95_ms <= 20 });
    report("nothing", await typed(window, keys));
    const streams = [];
    for (let i = 0; i < 10; ++i) streams.push((await server.create(place.project)).sessionId);
    const chunks = Math.ceil((keys * 40) / 5); // More than enough to last.
    let reading = false;
    const load = readServer(server, streams, `/load chunks=${Math.min(chunks, 4000)} bytes=60 every_us=5000 apart=1`, { onReading: () => (reading = true) });
    await eventually(() => reading, "that they stream");
    await sleep(500);
    report("ten sessions that stream", await typed(window, keys));
    await load;
  });
}

try {
  for (const [name, measure] of Object.entries({ drained: drain, delivered: deliver, echo })) {
    if (named.length === 0 || named.includes(name)) await measure();
  }
} finally {
  await server.stop();
  place.remove();
}
process.exit(missed ? 1 : 0);
