// Readers cut at random byte offsets while agents stream: in the end every reader knows what the store knows.
//
//   node tests/torture/reconnect.mjs [--readers 200] [--sessions 20] [--chunks 600] [--rounds 3]
//
// Each reader follows one session over WebSocket or as events, with or without appends, is cut after a random number of
// bytes and comes back with its own cursor, a stale one, none, or one from the future. One JSON line; exit code 1 if a
// reader's state differs, a revision went back, or an append did not fit.
import { isDeepStrictEqual } from "node:util";
import { option } from "../support/figures.mjs";
import { Follower, kinds } from "../support/follower.mjs";
import { eventually, makeHome, Server } from "../support/server.mjs";

const readers = option("readers", 200);
const sessionCount = option("sessions", 20);
const chunks = option("chunks", 600);
const rounds = option("rounds", 3);

const { home, project, remove } = makeHome();
const server = await Server.start({ home, args: ["--log-level", "warn"] });
const sessions = [];
for (let i = 0; i < sessionCount; ++i) sessions.push((await server.create(project)).sessionId);

let finished = false;
const followers = Array.from(
  { length: readers },
  (_, i) => new Follower(server, sessions[i % sessions.length], kinds[Math.floor(i / sessions.length) % kinds.length]),
);
const started = Date.now();
const running = followers.map((follower) => follower.run(() => finished));
for (let round = 0; round < rounds; ++round) {
  await Promise.all(
    sessions.map(async (sessionId) => {
      // Two hundred who connect at once may be asked to come again: so may this prompt.
      await server.deliver(sessionId, `/load chunks=${chunks} bytes=80 every_us=2000`);
      if (round % 3 === 1) await server.deliver(sessionId, "/tools 5");
      await eventually(() => server.isIdle(sessionId), "the end of the turn", 120_000);
    }),
  );
}
finished = true;
for (const follower of followers) follower.connection?.destroy();
await Promise.all(running);

let different = 0;
let doubled = 0; // Texts that are longer than the truth: something was applied twice.
const truths = new Map();
for (const sessionId of sessions) truths.set(sessionId, await server.get(`/api/session/${sessionId}/timeline?since=0`));
const byId = (list, id) => new Map(list.map((entry) => [entry[id], entry]));
await Promise.all(
  followers.map(async (follower) => {
    const truth = truths.get(follower.sessionId);
    await follower.catchUp(truth.rev);
    const same =
      isDeepStrictEqual(follower.replica.items, byId(truth.entries, "itemId")) &&
      isDeepStrictEqual(follower.replica.turns, byId(truth.turns, "turnId"));
    if (!same) ++different;
    for (const entry of truth.entries) {
      const known = follower.replica.items.get(entry.itemId);
      if ((known?.content ?? "").length > (entry.content ?? "").length) ++doubled;
    }
  }),
);
await server.stop();
remove();

const sum = (of) => followers.reduce((total, follower) => total + of(follower), 0);
const result = {
  name: "torture_reconnect",
  readers,
  sessions: sessionCount,
  seconds: Math.round((Date.now() - started) / 1000),
  reconnects: sum((f) => f.reconnects),
  gaps: sum((f) => f.replica.gaps),
  backwards: sum((f) => f.replica.backwards),
  duplicates_applied: doubled,
  duplicates_ignored: sum((f) => f.replica.repeated),
  different,
};
console.log(JSON.stringify(result));
process.exitCode = result.gaps + result.backwards + doubled + different > 0 ? 1 : 0;
