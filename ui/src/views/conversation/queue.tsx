// Messages that wait for the running turn: visible, editable, removable.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { editQueued, resumeQueue } from "../../actions/messages";
import type { Timeline } from "../../state/timeline";
import type { Turn } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../parts";

export function Queue({ timeline, turns }: { timeline: Timeline; turns: readonly Turn[] }) {
  const app = useApp();
  const held = turns.some((turn) => turn.held);
  return (
    <section class="queue" aria-label="Queued messages">
      <header>
        <Icon name="clock" size={14} /> {held ? "Held" : "Queued"} · {turns.length}
        {held && (
          <>
            <span class="muted"> Nothing is sent until you say so.</span>
            <span class="grow" />
            <button
              type="button"
              class="button small"
              onClick={() => void resumeQueue(app, timeline.sessionId)}
            >
              Send now
            </button>
          </>
        )}
      </header>
      <ol>
        {turns.map((turn) => (
          <QueuedTurn key={turn.turnId} timeline={timeline} turn={turn} />
        ))}
      </ol>
    </section>
  );
}

function QueuedTurn({ timeline, turn }: { timeline: Timeline; turn: Turn }) {
  const app = useApp();
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  // Escape belongs to this field as soon as it is there; elsewhere it stops the turn.
  useLayoutEffect(() => field.current?.focus(), [editing !== undefined]);
  const save = () => {
    if (editing?.trim()) void editQueued(app, timeline.sessionId, turn.turnId, editing.trim());
    setEditing(undefined);
  };
  if (editing !== undefined) {
    return (
      <li>
        <textarea
          ref={field}
          aria-label="Edit queued message"
          rows={2}
          value={editing}
          onInput={(event) => setEditing(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              save();
            }
            if (event.key === "Escape") {
              event.stopPropagation();
              setEditing(undefined);
            }
          }}
        />
        <button type="button" class="button small" onClick={save}>
          Save
        </button>
      </li>
    );
  }
  return (
    <li>
      <span class="queued-text" title={turn.content}>
        {turn.content}
      </span>
      <IconButton icon="edit" label="Edit queued message" onClick={() => setEditing(turn.content ?? "")} />
      <IconButton
        icon="close"
        label="Remove queued message"
        onClick={() => void editQueued(app, timeline.sessionId, turn.turnId, null)}
      />
    </li>
  );
}
