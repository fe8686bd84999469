// Going back to before a turn: what would change is shown first, and what cannot be done is said before anything is.
import { useState } from "preact/hooks";
import { lookBack, rewind } from "../../actions/forks";
import { WireError } from "../../api";
import { plainLine } from "../../format";
import type { FileChange } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";
import { useAnswer } from "./answer";
import { Modal } from "./modal";
import { Paths } from "./paths";

const kinds: Readonly<Record<FileChange["kind"], string>> = {
  added: "comes back",
  modified: "changes back",
  deleted: "is removed",
};

export function Rewind({
  dialog: { sessionId, turnId },
  close,
}: {
  dialog: { sessionId: string; turnId: string };
  close: () => void;
}) {
  const app = useApp();
  const dry = useAnswer(turnId, () => lookBack(app, sessionId, turnId));
  const [files, setFiles] = useState(true);
  const [words, setWords] = useState<boolean>();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Error>();
  const prompt = app.timelines.known(sessionId)?.item(`${turnId}:user`)?.peek();
  const said = prompt?.type === "message" ? plainLine(prompt.content).slice(0, 140) : "";
  const body = dry.value;
  const late = refused instanceof WireError ? refused.detail.paths : undefined;
  const conflicts = late ?? body?.conflicts ?? [];
  const conversation = (body?.conversation ?? false) && (words ?? false);
  const nothing = body && files && !conversation && body.changes.length === 0;
  const blocked = files && conflicts.length > 0;
  const can = body && (files || conversation) && !blocked && !nothing && !busy;
  const go = async () => {
    setBusy(true);
    try {
      await rewind(app, sessionId, {
        turnId,
        ...(files && { files }),
        ...(conversation && { conversation }),
      });
      close();
    } catch (error) {
      setRefused(error as Error);
      setBusy(false);
    }
  };
  return (
    <Modal title="Rewind this turn" onClose={close} class="workspace-dialog">
      {said && <blockquote class="rewind-prompt">{said}</blockquote>}
      {dry.error && (
        <p class="problem" role="alert">
          {dry.error.message}
        </p>
      )}
      {!body && !dry.error && (
        <p class="muted">
          <Working label="Looking" /> Looking at what would change…
        </p>
      )}
      {body && (
        <>
          <label class="check rewind-choice">
            <input
              type="checkbox"
              checked={files}
              onChange={(event) => setFiles(event.currentTarget.checked)}
            />
            <span>
              <strong>Files</strong>
              <span class="muted">
                {body.changes.length === 0
                  ? "This turn left no file changed."
                  : "Takes back what this turn did. What was changed since stays."}
              </span>
            </span>
          </label>
          {files && body.changes.length > 0 && (
            <Paths
              paths={body.changes}
              label="Files that change"
              mark={({ kind }) => <span class={`change-kind kind-${kind}`}>{kinds[kind]}</span>}
            />
          )}
          {files && conflicts.length > 0 && (
            <div class="verdict bad" role="alert">
              <Icon name="alert" size={15} />
              <div>
                <p>
                  <strong>Changed again since, at the same place:</strong>
                </p>
                <Paths paths={conflicts} label="Conflicts" />
                <p>
                  Rewinding would overwrite that, so nothing is done to any file. Undo the later changes first
                  {body.conversation ? ", or rewind only the conversation" : ""}.
                </p>
              </div>
            </div>
          )}
          {files && body.shared.length > 0 && (
            <div class="rewind-shared">
              <p class="muted">Changed while other sessions worked in the same folder: left as they are.</p>
              <Paths paths={body.shared} label="Left as they are" />
            </div>
          )}
          <label class="check rewind-choice">
            <input
              type="checkbox"
              checked={conversation}
              disabled={!body.conversation}
              onChange={(event) => setWords(event.currentTarget.checked)}
            />
            <span>
              <strong>Conversation</strong>
              <span class="muted">
                {body.conversation
                  ? "Opens a fork that ends before this turn, with your message ready to be changed. This session stays as it is."
                  : "Files only: this agent cannot go back in its conversation."}
              </span>
            </span>
          </label>
        </>
      )}
      {refused && !late && (
        <p class="problem said-words" role="alert">
          {refused.message}
        </p>
      )}
      <footer class="modal-foot">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="button primary"
          data-autofocus
          disabled={!can}
          title={blocked ? "Files were changed again since, at the same place" : undefined}
          onClick={() => void go()}
        >
          {busy ? "Rewinding…" : "Rewind"}
        </button>
      </footer>
    </Modal>
  );
}
