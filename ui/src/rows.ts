// From a timeline to the rows of the chat: pure, so that the order of things on screen can be tested without a screen.
import { isEnded } from "./state/timeline";
import type { Item, Turn } from "./wire";

export type Row =
  | { kind: "older"; key: "older" }
  | { kind: "item"; key: string; itemId: string }
  | { kind: "turn"; key: string; turnId: string }
  | { kind: "pending"; key: string; clientMessageId: string };

export interface RowInput {
  items: readonly Item[];
  turns: readonly Turn[];
  /** True when an item with this call is in the window, so that its children are drawn inside it. */
  hasCall(callId: string): boolean;
  /** More entries exist above the window. */
  older: boolean;
  /** Sends that the server has not shown yet. */
  pending: readonly string[];
}

/** Items by `pos`; children under their call; the end of a turn behind its last item; unconfirmed sends last. */
export function toRows(input: RowInput): Row[] {
  const rows: Row[] = [];
  if (input.older) rows.push({ kind: "older", key: "older" });
  // A subagent's question must never hide inside a folded card: whoever asks, it stands in the open.
  const failed = new Map(input.turns.map((turn) => [turn.turnId, turn.errorMessage]));
  const top = input.items.filter(
    (item) =>
      !(isFailureNote(item) && failed.get(item.turnId) === item.errorMessage) &&
      (item.type === "approval" || item.parentCallId === undefined || !input.hasCall(item.parentCallId)) &&
      !isTakenBack(item),
  );
  const lastOf = new Map<string, number>();
  top.forEach((item, index) => lastOf.set(item.turnId, index));
  const ended = new Map<string, Turn>();
  for (const turn of input.turns) if (isEnded(turn)) ended.set(turn.turnId, turn);
  // A queued message that was removed leaves nothing.
  const empty = [...ended.values()].filter((turn) => !lastOf.has(turn.turnId) && turn.status !== "cancelled");

  top.forEach((item, index) => {
    while (empty.length > 0 && empty[0]!.pos < item.pos) rows.push(footer(empty.shift()!));
    rows.push({ kind: "item", key: item.itemId, itemId: item.itemId });
    const turn = lastOf.get(item.turnId) === index ? ended.get(item.turnId) : undefined;
    if (turn) rows.push(footer(turn));
  });
  rows.push(...empty.map(footer));
  for (const id of input.pending) rows.push({ kind: "pending", key: `pending:${id}`, clientMessageId: id });
  return rows;
}

/** The CLI's own words about a failure: the end of the turn has the same ones. */
function isFailureNote(item: Item): boolean {
  return item.type === "message" && item.origin === "system" && item.status === "error";
}

/** What the agent had begun to say and then said anew: its text is gone. */
function isTakenBack(item: Item): boolean {
  const says = item.type === "message" || item.type === "thinking";
  return says && item.status === "cancelled" && item.content === "";
}

function footer(turn: Turn): Row {
  return { kind: "turn", key: `turn:${turn.turnId}`, turnId: turn.turnId };
}
