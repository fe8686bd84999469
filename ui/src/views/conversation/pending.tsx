// A message that the timeline does not have yet: on its way, or set aside with its reason. It can be taken back either way.
import { editUnsent } from "../../actions/unmade";
import type { Outgoing } from "../../state/outbox";
import { isTemporary } from "../../state/temporary";
import { useApp } from "../context";
import { Icon } from "../icons";
import { AttachmentView } from "./attachments";
import { UserMessage } from "./items";

/** Enough to know it again. A message may have megabytes, and this one was never meant to be read here. */
const kShown = 600;

export function PendingMessage({ entry }: { entry: Outgoing }) {
  const app = useApp();
  const failed = entry.state === "failed";
  const { content } = entry;
  const words = waitsFor(app, entry);
  const shown = content.length > kShown ? `${content.slice(0, kShown)}…` : content;
  return (
    <UserMessage content={shown} attached={<Attached entry={entry} />}>
      <span class={`pending-note ${failed ? "failed" : "waiting"}`} role={failed ? "alert" : undefined}>
        {failed ? (
          <span>Not sent: {entry.problem}</span>
        ) : (
          <span key={words}>
            <Icon name="clock" size={12} /> {words}
          </span>
        )}
        <PendingActions entry={entry} />
      </span>
    </UserMessage>
  );
}

/** Of a session that is being made the attachments are sent when it is there. */
function Attached({ entry: { sessionId, content, attachments } }: { entry: Outgoing }) {
  if (attachments.length === 0 && content === "")
    return (
      <span class="chip">
        <Icon name="attach" size={14} /> Attached
      </span>
    );
  return (
    <>
      {attachments.map(({ kind, ...rest }) => (
        <AttachmentView
          key={rest.attachmentId}
          sessionId={sessionId}
          attachment={{ ...rest, mimeType: kind === "text" ? "text/plain" : "image/png" }}
        />
      ))}
    </>
  );
}

function waitsFor(app: ReturnType<typeof useApp>, { sessionId }: Outgoing): string {
  if (app.link.state.value.kind !== "online") return "Waits for the connection";
  return isTemporary(sessionId) ? "Waits for the agent" : "Sending…";
}

function PendingActions({ entry: { clientMessageId, state } }: { entry: Outgoing }) {
  const app = useApp();
  const edit = () => {
    editUnsent(app, clientMessageId);
    document.querySelector<HTMLElement>(".composer textarea")?.focus();
  };
  // What the server has taken cannot be taken back; the room stays, so that the words beside it do.
  return (
    <span class={`pending-actions ${state === "accepted" ? "over" : ""}`}>
      {state === "failed" && (
        <button type="button" class="link-button" onClick={() => app.outbox.retry(clientMessageId)}>
          Try again
        </button>
      )}
      <button type="button" class="link-button" onClick={edit}>
        Edit
      </button>
      <button type="button" class="link-button" onClick={() => app.outbox.remove(clientMessageId)}>
        Remove
      </button>
    </span>
  );
}
