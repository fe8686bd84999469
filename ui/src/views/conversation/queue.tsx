// Messages that wait for the running turn: visible, editable, removable, in the order that the user wants.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask } from "../../actions/ask";
import { editQueued, emptyQueued, resumeQueue } from "../../actions/queue";
import { bytes } from "../../format";
import type { Timeline } from "../../state/timeline";
import type { Attachment, Turn } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../parts";

export function Queue({ timeline, turns }: { timeline: Timeline; turns: readonly Turn[] }) {
  const app = useApp();
  const held = turns.some((turn) => turn.held);
  const move = (from: number, to: number) => {
    const turnIds = turns.map((turn) => turn.turnId);
    turnIds.splice(to, 0, ...turnIds.splice(from, 1));
    void ask(app, { type: "session:reorder", sessionId: timeline.sessionId, turnIds });
  };
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
        {turns.map((turn, place) => (
          <QueuedTurn
            key={turn.turnId}
            timeline={timeline}
            turn={turn}
            up={place > 0 ? () => move(place, place - 1) : undefined}
            down={place < turns.length - 1 ? () => move(place, place + 1) : undefined}
          />
        ))}
      </ol>
    </section>
  );
}

interface QueuedTurnProps {
  timeline: Timeline;
  turn: Turn;
  up: (() => void) | undefined;
  down: (() => void) | undefined;
}

function QueuedTurn({ timeline, turn, up, down }: QueuedTurnProps) {
  const app = useApp();
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const left = useRef(false);
  const row = useRef<HTMLLIElement>(null);
  // Escape belongs to this field as soon as it is there; elsewhere it stops the turn.
  useLayoutEffect(() => {
    field.current?.focus();
    if (left.current) row.current?.querySelector<HTMLElement>("[data-edit]")?.focus();
    left.current = false;
  }, [editing !== undefined]);
  /** The focus is where it came from. */
  const leave = () => {
    left.current = true;
    setEditing(undefined);
  };
  // What was refused stays to be mended.
  const save = async () => {
    const text = (editing ?? "").trim();
    const [{ sessionId }, { turnId }] = [timeline, turn];
    const change = () =>
      text === "" ? emptyQueued(app, sessionId, turnId) : editQueued(app, sessionId, turnId, text);
    if (text === (turn.content ?? "") || (await change())) leave();
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
            if (!event.isComposing && app.settings.sends(event)) {
              event.preventDefault();
              void save();
            }
            if (event.key === "Escape") {
              event.stopPropagation();
              leave();
            }
          }}
        />
        <button type="button" class="button small" onClick={leave}>
          Cancel
        </button>
        <button type="button" class="button small primary" onClick={() => void save()}>
          Save
        </button>
      </li>
    );
  }
  return (
    <li ref={row}>
      <span class="queued-text" title={turn.content}>
        {turn.content || <em>Only what is attached</em>}
      </span>
      {turn.attachments && (
        <span class="queued-files">
          {turn.attachments.map((one) => (
            <AttachedChip key={one.attachmentId} {...one} />
          ))}
        </span>
      )}
      <MoveButton label="Send earlier" arrow="↑" onClick={up} />
      <MoveButton label="Send later" arrow="↓" onClick={down} />
      <IconButton
        icon="edit"
        label="Edit queued message"
        data-edit
        onClick={() => setEditing(turn.content ?? "")}
      />
      <IconButton
        icon="close"
        label="Remove queued message"
        onClick={() => void editQueued(app, timeline.sessionId, turn.turnId, null)}
      />
    </li>
  );
}

function AttachedChip({ name, mimeType, bytes: size }: Attachment) {
  const kind = mimeType.startsWith("text/") ? "file" : "image";
  const shown = name ?? (kind === "file" ? "text" : kind);
  return (
    <span class="chip" title={shown}>
      <Icon name={kind} size={14} />
      <bdi>{shown}</bdi>
      {size !== undefined && <span class="muted">{bytes(size)}</span>}
    </span>
  );
}

/** Where it cannot go any further it stays, disabled: the others do not jump under the pointer. */
function MoveButton({
  label,
  arrow,
  onClick,
}: {
  label: string;
  arrow: string;
  onClick?: (() => void) | undefined;
}) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={!onClick}
      onClick={() => onClick?.()}
    >
      {arrow}
    </button>
  );
}
