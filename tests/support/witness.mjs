// Remembers what clients saw as final, and compares it with what the store has.
import { createHash } from "node:crypto";

const isFinalItem = (item) => ["complete", "error", "cancelled"].includes(item.status);
export const isFinalTurn = (turn) => turn.type === "turn_complete" || turn.type === "turn_error";

/** Whatever the order of the fields: two clients may get them from different encoders. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}
const fingerprint = (value) => createHash("sha256").update(JSON.stringify(sorted(value))).digest("base64");

/** Fingerprints of every final form that any client saw. `seen` counts them, `changed` those that were seen in two forms. */
export class Witness {
  constructor() {
    this.sessions = new Map(); // Session → {items, turns}: id → fingerprint.
    this.seen = 0;
    this.changed = 0;
  }

  /** Everything that a client is sent goes through here. */
  look(message) {
    const items = message.type === "session:history" ? message.entries : message.type === "session:upsert" ? [message.payload] : [];
    const turns = message.type === "session:history" ? message.turns : message.type === "session:turn" ? [message.payload] : [];
    for (const item of items) if (isFinalItem(item)) this.record("items", item, item.itemId);
    for (const turn of turns) if (isFinalTurn(turn)) this.record("turns", turn, turn.turnId);
  }

  record(kind, value, id) {
    const known = this.of(value.sessionId)[kind];
    const mark = fingerprint(value);
    if (known.has(id) && known.get(id) !== mark) ++this.changed;
    known.set(id, mark);
    ++this.seen;
  }

  of(sessionId) {
    if (!this.sessions.has(sessionId)) this.sessions.set(sessionId, { items: new Map(), turns: new Map() });
    return this.sessions.get(sessionId);
  }

  /** `truth` is the answer of `…/timeline?since=0`: what was seen and is not there, or not as it was seen. */
  compare(truth) {
    const { items, turns } = this.of(truth.sessionId);
    const there = new Map([...truth.entries.map((item) => [item.itemId, item]), ...truth.turns.map((turn) => [turn.turnId, turn])]);
    const missing = (known) => [...known].filter(([id, mark]) => !there.has(id) || fingerprint(there.get(id)) !== mark).map(([id]) => id);
    return {
      lost: missing(items),
      wrongEnds: missing(turns),
      open: truth.turns.filter((turn) => !isFinalTurn(turn)).map((turn) => turn.turnId),
      openItems: truth.entries.filter((item) => !isFinalItem(item)).map((item) => item.itemId),
    };
  }
}
