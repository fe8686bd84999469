// Bytes written to disk per byte of text, on the running server: what the kernel counts for its process, until the store is at rest.
//
//   node bench/disk.mjs
import { writtenBytes } from "../tests/support/proc.mjs";
import { eventually, makeHome, Server, sleep } from "../tests/support/server.mjs";

// The pace decides: text that grows is on disk within 100 ms, and a disk writes pages of 4 KiB, however little has changed. At full
// pace a page is full before it is written; the limit is for that. Each stamp is a word that the full-text index has never seen.
const loads = [
  { name: "disk_full_pace", prompt: "/load chunks=6000 bytes=120 every_us=250", limit: 5 },
  { name: "disk_200_words", prompt: "/load chunks=1000 bytes=30 every_us=5000" },
  { name: "disk_20_words", prompt: "/load chunks=100 bytes=30 every_us=50000" },
];
const kTurns = 3;

const place = makeHome();
const server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });
const { pid } = server.child;

/** The index and the checkpoint come behind the last commit: until nothing was written for a second. */
async function atRest() {
  let before = -1;
  let calm = 0;
  await eventually(
    async () => {
      const now = writtenBytes(pid);
      calm = now === before ? calm + 1 : 0;
      before = now;
      await sleep(100);
      return calm >= 30; // The longest that the store puts anything off is 2 s.
    },
    "a store at rest",
    60_000,
  );
  return before;
}

let missed = false;
for (const { name, prompt, limit } of loads) {
  const { sessionId } = await server.create(place.project);
  await server.deliver(sessionId, "/tools 1");
  await eventually(() => server.isIdle(sessionId), "the end of the turn");
  const before = await atRest();
  const started = performance.now();
  for (let turn = 0; turn < kTurns; ++turn) {
    await server.deliver(sessionId, prompt);
    await eventually(() => server.isIdle(sessionId), "the end of the turn", 120_000);
  }
  const seconds = (performance.now() - started) / 1000;
  const written = (await atRest()) - before;
  const { entries } = await server.get(`/api/session/${sessionId}/timeline?since=0`);
  const text = entries.filter((item) => item.origin === "agent").reduce((sum, item) => sum + Buffer.byteLength(item.content), 0);
  if (written === 0) throw new Error("the kernel counts no writes here: the folder for temporary files is not on a disk (set TMPDIR)");
  const ratio = written / text;
  const ok = limit === undefined ? undefined : ratio <= limit;
  missed ||= ok === false;
  console.log(
    JSON.stringify({ name, text_bytes: text, text_bytes_per_s: Math.round(text / seconds), written_bytes: written, value: Number(ratio.toFixed(2)), limit, ok, written_bytes_per_s: Math.round(written / seconds) }),
  );
}
await server.stop();
place.remove();
process.exitCode = missed ? 1 : 0;
