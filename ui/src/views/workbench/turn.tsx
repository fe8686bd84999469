// At the end of a turn: what it did to the files.
import { benchOf } from "../../state/bench";
import type { Turn } from "../../wire";
import { useApp } from "../context";

/** Files that the turn's tools said they changed. */
function filesOf(app: ReturnType<typeof useApp>, { sessionId, turnId }: Turn): number {
  const timeline = app.timelines.of(sessionId);
  const paths = new Set<string>();
  for (const id of timeline.order.peek()) {
    const item = timeline.item(id)!.peek();
    if (item.turnId === turnId && item.type === "tool_call")
      for (const { path } of item.diffs ?? []) paths.add(path);
  }
  return paths.size;
}

export function TurnChanges({ turn }: { turn: Turn }) {
  const app = useApp();
  const { sessionId, turnId, checkpoint } = turn;
  const files = checkpoint === "made" ? filesOf(app, turn) : 0;
  if (files === 0) return null;
  const show = () => {
    benchOf(app).compare(sessionId, `turn:${turnId}`);
    benchOf(app).show("changes");
  };
  return (
    <button type="button" class="link-button turn-changes" onClick={show}>
      {files === 1 ? "1 file changed" : `${files} files changed`}
    </button>
  );
}
