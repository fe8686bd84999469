// A replica of one session's timeline. Applying anything twice changes nothing.
import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Approval, Item, ServerMessage, SessionStatus, ToolCall, Turn } from "../wire";
import { write } from "./write";

type Message<T extends ServerMessage["type"]> = Extract<ServerMessage, { type: T }>;
type History = Pick<Message<"session:history">, "entries" | "turns" | "rev" | "before">;
type Page = Pick<Message<"session:page">, "entries" | "turns" | "before">;
type Append = Pick<Message<"session:append">, "itemId" | "rev" | "field" | "from" | "text">;

/** A tab that follows keeps at most this much of a conversation, and this much when that was exceeded: hours of streaming cost no more than minutes. */
const kMost = { items: 1200, chars: 3_000_000 };
const kKept = { items: 600, chars: 1_500_000 };

/** Item ids in the order of `pos`, each item in its own signal, so that one change draws one row. */
export class Timeline {
  /** Item ids by `pos`. A new array only when an item came or went. */
  readonly order = signal<readonly string[]>([]);
  /** Turn ids by `pos`. */
  readonly turnOrder = signal<readonly string[]>([]);
  /** Changes whenever the list of rows may look different: items, parents, kinds of turns. */
  readonly shape = signal(0);
  /** Where older entries begin on the server; undefined when the window reaches the beginning. */
  readonly before = signal<number | undefined>(undefined);
  readonly loaded = signal(false);
  /** The agent's choices and use, as last heard. */
  readonly facts: ReadonlySignal<Partial<SessionStatus>> = signal({});
  private following = true;
  /** The cursor: every change up to here has been seen. Pages of old entries do not move it. */
  rev = 0;
  /** The store file that `rev` counts in; another one means that revisions cannot be compared. */
  epoch = "";

  private readonly items = new Map<string, Signal<Item>>();
  private readonly turns = new Map<string, Signal<Turn>>();
  private readonly children = new Map<string, string[]>();

  constructor(readonly sessionId: string) {}

  item(id: string): Signal<Item> | undefined {
    return this.items.get(id);
  }
  turn(id: string): Signal<Turn> | undefined {
    return this.turns.get(id);
  }
  /** Items that a subagent made, by the call that started it. Reads `shape`, so views follow. */
  childrenOf(callId: string): readonly string[] {
    void this.shape.value;
    return this.children.get(callId) ?? [];
  }
  /** What stands right before (-1) or after (1) an item. */
  neighbour(itemId: string, step: 1 | -1): Item | undefined {
    const order = this.order.peek();
    const id = order[order.lastIndexOf(itemId) + step];
    return id === undefined ? undefined : this.items.get(id)?.value;
  }
  /** Whether a message with this id of its client is here, whatever became of it. */
  hasMessage(clientMessageId: string): boolean {
    return this.turnOrder.value.some((id) => this.turns.get(id)!.peek().clientMessageId === clientMessageId);
  }
  hasCall(callId: string): boolean {
    return this.calls.has(callId);
  }
  /** A call by its id, and the last question about it. Both read `shape`, so views follow. */
  call(callId: string): ToolCall | undefined {
    const item = this.indexed(this.calls, callId);
    return item?.type === "tool_call" ? item : undefined;
  }
  approvalOf(callId: string): Approval | undefined {
    const item = this.indexed(this.approvals, callId);
    return item?.type === "approval" ? item : undefined;
  }
  /** The questions about calls that wait for their answer. */
  pendingApprovals(): Approval[] {
    return [...this.approvals.keys()]
      .map((callId) => this.approvalOf(callId))
      .filter((item) => item?.state === "pending") as Approval[];
  }
  private readonly calls = new Map<string, string>();
  private readonly approvals = new Map<string, string>();

  learn(facts: Partial<SessionStatus>): void {
    write(this.facts, { ...this.facts.peek(), ...facts });
  }
  /** While the reader is at the end, what lies far above may be forgotten. */
  follow(atEnd: boolean): void {
    this.following = atEnd;
  }

  /** Replaces everything by what the server says is the whole. Rows that did not change keep their identity. */
  reset(history: History, epoch: string): void {
    batch(() => {
      const comparable = epoch === this.epoch;
      const keepItems = new Set(history.entries.map((entry) => entry.itemId));
      const keepTurns = new Set(history.turns.map((turn) => turn.turnId));
      for (const id of this.items.keys()) if (!keepItems.has(id)) this.items.delete(id);
      for (const id of this.turns.keys()) if (!keepTurns.has(id)) this.turns.delete(id);
      for (const entry of history.entries) set(this.items, entry.itemId, entry, !comparable);
      for (const turn of history.turns) set(this.turns, turn.turnId, turn, !comparable);
      this.rev = history.rev;
      this.epoch = epoch;
      this.before.value = history.before;
      this.loaded.value = true;
      this.rebuild();
    });
  }

  /** Adds an older page in front. */
  page(page: Page): void {
    batch(() => {
      for (const entry of page.entries) this.putItem(entry);
      for (const turn of page.turns) this.putTurn(turn);
      this.before.value = page.before;
      this.rebuild();
    });
  }

  upsert(rev: number, item: Item): void {
    this.seen(rev);
    if (this.belowWindow(item.itemId, item.pos, this.items)) return;
    batch(() => this.putItem(item) && this.place(item.itemId, item, this.order, this.items));
  }

  turnChanged(rev: number, turn: Turn): void {
    this.seen(rev);
    if (this.belowWindow(turn.turnId, turn.pos, this.turns)) return;
    batch(() => {
      const old = this.turns.get(turn.turnId)?.peek();
      if (this.putTurn(turn)) this.place(turn.turnId, turn, this.turnOrder, this.turns);
      else if (old && old.type !== turn.type) this.bump();
    });
  }

  /** Grows one text. False when text is missing between: the caller must ask for the whole again. */
  append(append: Append): boolean {
    this.seen(append.rev);
    const item = this.items.get(append.itemId);
    if (!item) return this.before.peek() !== undefined;
    const old = item.peek();
    if (append.rev <= old.rev) return true;
    const text = textOf(old, append.field);
    if (text.length !== append.from) return false;
    item.value = { ...old, rev: append.rev, status: "update", [append.field]: text + append.text } as Item;
    return true;
  }

  /** Forgets the oldest entries when there are many, so that a tab that follows for hours does not grow. They come back as pages. */
  trim(most = kMost, keep = kKept): void {
    const ids = this.order.peek();
    const sizeAt = (at: number) => sizeOf(this.items.get(ids[at]!)!.peek());
    let all = 0;
    for (let at = 0; at < ids.length; at++) all += sizeAt(at);
    if (!this.following || (ids.length <= most.items && all <= most.chars)) return;
    let first = ids.length;
    for (let kept = 0; ids.length - first < keep.items && kept < keep.chars;) kept += sizeAt(--first);
    // What still changes stays, and all that came after it.
    first = Math.min(
      ...[first, ids.findIndex((id) => !isFinal(this.items.get(id)!.peek()))].filter((at) => at >= 0),
    );
    if (first === 0) return;
    const before = this.items.get(ids[first]!)!.peek().pos;
    batch(() => {
      for (const id of ids.slice(0, first)) this.items.delete(id);
      for (const [id, turn] of this.turns) {
        if (turn.peek().pos < before && isEnded(turn.peek()) && !this.usesTurn(id)) this.turns.delete(id);
      }
      this.before.value = before;
      this.rebuild();
    });
  }

  /** The caller saw `ok {rev}`: all changes up to it were sent. */
  seen(rev: number): void {
    if (rev > this.rev) this.rev = rev;
  }

  private usesTurn(turnId: string): boolean {
    for (const item of this.items.values()) if (item.peek().turnId === turnId) return true;
    return false;
  }

  private belowWindow(id: string, pos: number, known: ReadonlyMap<string, unknown>): boolean {
    const before = this.before.peek();
    return before !== undefined && pos < before && !known.has(id);
  }

  private putItem(item: Item): boolean {
    const old = this.items.get(item.itemId)?.peek();
    const added = set(this.items, item.itemId, item, false);
    if (old && old.parentCallId !== item.parentCallId) this.rebuild();
    return added;
  }

  private putTurn(turn: Turn): boolean {
    return set(this.turns, turn.turnId, turn, false);
  }

  /** The common case, a new entry at the end, without sorting. */
  private place(
    id: string,
    entry: Item | Turn,
    order: Signal<readonly string[]>,
    known: ReadonlyMap<string, Signal<Item | Turn>>,
  ): void {
    const ids = order.peek();
    const last = ids.length > 0 ? known.get(ids[ids.length - 1]!) : undefined;
    if (last && last.peek().pos > entry.pos) return this.rebuild();
    order.value = [...ids, id];
    if ("itemId" in entry) this.index(entry);
    this.bump();
  }

  private rebuild(): void {
    this.order.value = sorted(this.items);
    this.turnOrder.value = sorted(this.turns);
    this.children.clear();
    this.calls.clear();
    this.approvals.clear();
    for (const id of this.order.peek()) this.index(this.items.get(id)!.peek());
    this.bump();
  }

  private indexed(index: ReadonlyMap<string, string>, callId: string): Item | undefined {
    void this.shape.value;
    const id = index.get(callId);
    return id === undefined ? undefined : this.items.get(id)?.value;
  }

  private index(item: Item): void {
    if (item.type === "tool_call") this.calls.set(item.callId, item.itemId);
    if (item.type === "approval" && item.callId) this.approvals.set(item.callId, item.itemId);
    if (item.parentCallId === undefined) return;
    const list = this.children.get(item.parentCallId);
    this.children.set(item.parentCallId, list ? [...list, item.itemId] : [item.itemId]);
  }

  private bump(): void {
    this.shape.value = this.shape.peek() + 1;
  }
}

/** Adds or replaces by a newer form; true when it is new. */
function set<T extends { rev: number }>(
  map: Map<string, Signal<T>>,
  id: string,
  entry: T,
  force: boolean,
): boolean {
  const known = map.get(id);
  if (!known) map.set(id, signal(entry));
  else if (force || entry.rev > known.peek().rev) known.value = entry;
  return !known;
}

function sorted(map: ReadonlyMap<string, Signal<{ pos: number }>>): string[] {
  return [...map].sort((a, b) => a[1].peek().pos - b[1].peek().pos).map(([id]) => id);
}

export function isFinal(item: Pick<Item, "status">): boolean {
  return item.status !== "create" && item.status !== "update";
}

function sizeOf(item: Item): number {
  return textOf(item, "content").length + textOf(item, "toolOutput").length + 200;
}

function textOf(item: Item, field: string): string {
  const text = (item as unknown as Record<string, unknown>)[field];
  return typeof text === "string" ? text : "";
}

export function isEnded(turn: Turn): boolean {
  return turn.type === "turn_complete" || turn.type === "turn_error";
}
