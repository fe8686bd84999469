// Readers cut at random byte offsets while agents stream: in the end every reader knows what the store knows.
//
//   node tests/torture/reconnect.mjs [--readers 200] [--sessions 20] [--chunks 600]
//
// Each reader follows one session over WebSocket or as events, with or without appends, is cut after a random number of
// bytes and comes back with its own cursor, a stale one, none, or one from the future. One JSON line; exit code 1 if a
// reader's state differs, a revision went back, or an append did not fit.
import { isDeepStrictEqual } from "node:util";
import { EventStream, eventually, makeHome, Replica, Server, Socket, sleep } from "../support/server.mjs";

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const readers = option("readers", 200);
const sessionCount = option("sessions", 20);
const chunks = option("chunks", 600);
const random = (n) => Math.floor(Math.random() * n);

/** One follower. Runs until `finished()` says that all is said, and then once more to the end. */
class Follower {
  constructor(server, sessionId, kind) {
    Object.assign(this, { server, sessionId, ...kind });
    this.replica = new Replica();
    this.reconnects = 0;
    this.resets = 0;
  }

  /** The cursor to come back with: mostly our own. */
  cursor() {
    const dice = random(20);
    if (dice === 0) return 0;
    if (dice === 1) return this.replica.cursor + 1_000_000;
    if (dice === 2) return random(this.replica.cursor + 1);
    return this.replica.cursor;
  }

  /** One connection, cut after `cutAfter` bytes, or ended when `until` holds. */
  connect(since, cutAfter, until = () => false) {
    this.replica.connected();
    return new Promise((done) => {
      let connection;
      const check = () => {
        if (until()) connection.destroy();
      };
      if (this.events) {
        if (since === 0) this.replica.clear();
        const path = `/api/session/${this.sessionId}/events?since=${since}${this.appends ? "&appends=1" : ""}`;
        connection = new EventStream(this.server.port, path, {
          cutAfter,
          onClose: done,
          onMessage: (event, id, data) => {
            if (event === "session:reset") {
              ++this.resets;
              this.replica.clear();
            } else this.replica.apply(data);
            check();
          },
        });
        this.connection = connection;
        return;
      }
      connection = new Socket(this.server.port, {
        cutAfter,
        onClose: done,
        onMessage: (message) => {
          if (message.sessionId === this.sessionId) this.replica.apply(message);
          check();
        },
      });
      this.connection = connection;
      connection.open.then(
        () => connection.send({ type: "session:open", sessionId: this.sessionId, since, appends: this.appends }),
        () => {},
      );
    });
  }

  async run(finished) {
    while (!finished()) {
      await this.connect(this.cursor(), 1 + random(random(4) === 0 ? 400_000 : 20_000), finished);
      ++this.reconnects;
      await sleep(random(20));
    }
  }
}

const { home, project, remove } = makeHome();
const server = await Server.start({ home, args: ["--log-level", "warn"] });
const sessions = [];
for (let i = 0; i < sessionCount; ++i) sessions.push((await server.create(project)).sessionId);

let finished = false;
const kinds = [
  { events: false, appends: false },
  { events: false, appends: true },
  { events: true, appends: false },
  { events: true, appends: true },
];
const followers = Array.from(
  { length: readers },
  (_, i) => new Follower(server, sessions[i % sessions.length], kinds[Math.floor(i / sessions.length) % kinds.length]),
);
const started = Date.now();
const running = followers.map((follower) => follower.run(() => finished));
for (let round = 0; round < 3; ++round) {
  await Promise.all(
    sessions.map(async (sessionId) => {
      await server.post(`/api/session/${sessionId}/send`, { content: `/load chunks=${chunks} bytes=80 every_us=2000` });
      if (round === 1) await server.post(`/api/session/${sessionId}/send`, { content: "/tools 5" });
      await eventually(
        async () => (await server.get(`/api/session/${sessionId}/status`)).activity === "idle",
        "the end of the turn",
        120_000,
      );
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
    if (follower.replica.cursor < truth.rev) {
      const late = setTimeout(() => follower.connection.destroy(), 20_000);
      await follower.connect(follower.replica.cursor, Infinity, () => follower.replica.cursor >= truth.rev);
      clearTimeout(late);
    }
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
