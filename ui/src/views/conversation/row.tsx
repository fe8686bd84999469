// One row of a conversation, whatever it is.
import type { Row } from "../../rows";
import type { Timeline } from "../../state/timeline";
import { useApp } from "../context";
import { Working } from "../parts";
import { ItemView, TurnFooter } from "./items";
import { PendingMessage } from "./pending";

export function RowView({ row, timeline }: { row: Row | undefined; timeline: Timeline }) {
  const app = useApp();
  if (!row) return null;
  switch (row.kind) {
    case "older":
      return (
        <p class="older">
          <Working label="Loading older messages" /> Loading older messages…
        </p>
      );
    case "item": {
      const item = timeline.item(row.itemId);
      return item ? <ItemView item={item} /> : null;
    }
    case "turn": {
      const turn = timeline.turn(row.turnId);
      return turn ? <TurnFooter turn={turn} /> : null;
    }
    case "pending": {
      const entry = app.outbox.entries.value.find(
        (candidate) => candidate.clientMessageId === row.clientMessageId,
      );
      if (!entry) return null;
      return <PendingMessage entry={entry} />;
    }
  }
}

/** How high a row will be, before it was drawn. */
export function estimate(row: Row | undefined, timeline: Timeline): number {
  if (!row || row.kind === "older") return 40;
  if (row.kind === "turn") return 44;
  if (row.kind === "pending") return 72;
  const item = timeline.item(row.itemId)?.peek();
  if (item?.type === "message") return 56 + Math.ceil(item.content.length / 90) * 24;
  return item?.type === "approval" && item.state === "pending"
    ? 180
    : item?.type === "plan"
      ? 60 + item.entries.length * 28
      : 40;
}
