// A reader of one session that is cut after a random number of bytes and comes back, again and again.
import { EventStream, Replica, Socket, sleep } from "./server.mjs";
import { random } from "./figures.mjs";

/** With appends or without, over WebSocket or as events. */
export const kinds = [
  { events: false, appends: false },
  { events: false, appends: true },
  { events: true, appends: false },
  { events: true, appends: true },
];

/** Follows `sessionId` of `server`; `look`, if any, gets every message first. `server` may be replaced: it may die. */
export class Follower {
  constructor(server, sessionId, kind, look = () => {}) {
    Object.assign(this, { server, sessionId, ...kind, look });
    this.replica = new Replica();
    this.reconnects = 0;
    this.resets = 0;
  }

  /**
   * The cursor to come back with: mostly our own. An older one says that we have less than we have; where the server may have been
   * killed meanwhile (`honest`) that hides what the crash took, and nobody could tell us.
   */
  cursor() {
    const dice = random(20);
    if (dice === 0) return 0;
    if (dice === 1) return this.replica.cursor + 1_000_000;
    if (dice === 2 && !this.honest) return random(this.replica.cursor + 1);
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
            } else this.apply(data);
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
          if (message.sessionId === this.sessionId) this.apply(message);
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

  apply(message) {
    this.look(message);
    this.replica.apply(message);
  }

  async run(finished) {
    while (!finished()) {
      await this.connect(this.cursor(), 1 + random(random(4) === 0 ? 400_000 : 20_000), finished);
      ++this.reconnects;
      await sleep(random(20));
    }
  }

  /** Reads on to `rev` without a cut; gives up after `ms`. */
  async catchUp(rev, ms = 20_000) {
    if (this.replica.cursor >= rev) return;
    const late = setTimeout(() => this.connection.destroy(), ms);
    await this.connect(this.replica.cursor, Infinity, () => this.replica.cursor >= rev);
    clearTimeout(late);
  }
}
