// A session's timeline as the real server keeps it, small enough for a development server: revisions, positions, readers.
export class Timeline {
  constructor(sessionId) {
    this.sessionId = sessionId;
    this.rev = 0;
    this.pos = 0;
    this.items = new Map();
    this.turns = new Map();
    this.outputs = new Map(); // Whole ones, of calls whose items have only a part.
    this.readers = new Set();
  }

  item(itemId, fields) {
    const old = this.items.get(itemId);
    const now = new Date().toISOString();
    const item = {
      sessionId: this.sessionId,
      itemId,
      sourceTimestamp: now,
      startedAt: now,
      status: "create",
      ...old,
      emittedAt: now,
      ...fields,
      pos: old?.pos ?? ++this.pos,
      rev: ++this.rev,
    };
    if (["complete", "error", "cancelled"].includes(item.status) && !item.endedAt) item.endedAt = now;
    this.items.set(itemId, item);
    this.tell({ type: "session:upsert", sessionId: this.sessionId, rev: item.rev, payload: item });
    if (item.type === "approval") this.asked?.();
    return item;
  }

  append(itemId, field, text) {
    const item = this.items.get(itemId);
    const from = (item[field] ?? "").length;
    item[field] = (item[field] ?? "") + text;
    item.rev = ++this.rev;
    item.status = "update";
    this.tell({
      type: "session:append",
      sessionId: this.sessionId,
      rev: item.rev,
      itemId,
      field,
      from,
      text,
    });
  }

  turn(turnId, fields) {
    const old = this.turns.get(turnId);
    const turn = {
      turnId,
      sessionId: this.sessionId,
      origin: "user",
      ...old,
      ...fields,
      pos: old?.pos ?? ++this.pos,
      rev: ++this.rev,
    };
    for (const key of Object.keys(turn)) if (turn[key] === undefined) delete turn[key];
    this.turns.set(turnId, turn);
    this.tell({ type: "session:turn", sessionId: this.sessionId, rev: turn.rev, payload: turn });
    return turn;
  }

  tell(message) {
    const text = JSON.stringify(message);
    for (const send of this.readers) send(text);
  }

  /** The newest `tail` entries before `before`. */
  window(tail, before = Infinity) {
    const entries = [...this.items.values()]
      .filter((item) => item.pos < before)
      .sort((a, b) => a.pos - b.pos);
    const shown = entries.slice(-tail);
    const first = shown[0]?.pos ?? 0;
    const more = entries.length > shown.length;
    const turns = [...this.turns.values()].filter(
      (turn) => turn.pos < before && (!more || turn.pos >= first - 1),
    );
    return { entries: shown, turns, rev: this.rev, ...(more ? { before: first } : {}) };
  }

  since(rev) {
    return [
      ...[...this.items.values()].map((payload) => ({
        type: "session:upsert",
        sessionId: this.sessionId,
        rev: payload.rev,
        payload,
      })),
      ...[...this.turns.values()].map((payload) => ({
        type: "session:turn",
        sessionId: this.sessionId,
        rev: payload.rev,
        payload,
      })),
    ]
      .filter((message) => message.rev > rev)
      .sort((a, b) => a.rev - b.rev);
  }
}
