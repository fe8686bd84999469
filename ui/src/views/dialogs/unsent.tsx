// Every message that was set aside, whatever session it was for.
import { editUnsent } from "../../actions/unmade";
import { age, bytes } from "../../format";
import { utf8Bytes } from "../../size";
import type { Outgoing } from "../../state/outbox";
import { titleOf } from "../../state/tabs";
import { useApp } from "../context";
import { CopyButton } from "../parts";
import { Modal } from "./modal";

const kShown = 400;

export function Unsent({ close }: { close: () => void }) {
  const app = useApp();
  const entries = app.outbox.failed.value;
  return (
    <Modal title="Messages that were not sent" onClose={close} class="unsent">
      {entries.length === 0 ? (
        <p>Nothing waits here any more.</p>
      ) : (
        <ul>
          {entries.map((entry) => (
            <UnsentMessage key={entry.clientMessageId} entry={entry} close={close} />
          ))}
        </ul>
      )}
      <footer class="modal-foot">
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </footer>
    </Modal>
  );
}

function UnsentMessage({ entry, close }: { entry: Outgoing; close: () => void }) {
  const app = useApp();
  const { clientMessageId: id, content, sessionId } = entry;
  const name = app.sessions.nameOf(sessionId);
  // Until all sessions are listed nobody can say that one is gone.
  const there = name !== undefined || app.sessions.listedProjects.value.size < app.projects.list.value.length;
  return (
    <li>
      <header>
        <strong>
          <bdi>{titleOf(name) || "A session that no longer exists"}</bdi>
        </strong>
        <span class="muted">
          {bytes(utf8Bytes(content))} · {age(entry.at, app.now.value)}
        </span>
      </header>
      <p class="unsent-text" dir="auto">
        {content.slice(0, kShown)}
        {content.length > kShown && "…"}
      </p>
      <p class="problem">{entry.problem}</p>
      <div class="unsent-actions">
        {there && (
          <>
            <button type="button" class="button small" onClick={() => app.outbox.retry(id)}>
              Try again
            </button>
            <button
              type="button"
              class="button small"
              onClick={() => {
                close();
                editUnsent(app, id);
              }}
            >
              Edit
            </button>
          </>
        )}
        <button type="button" class="button small" onClick={() => app.outbox.remove(id)}>
          Remove
        </button>
        <span class="grow" />
        <CopyButton text={content} label="Copy message" />
      </div>
    </li>
  );
}
