// A new title; a question before something that cannot be undone.
import { useEffect, useRef, useState } from "preact/hooks";
import { renameSession } from "../../actions/sessions";
import type { Dialog } from "../../state/types";
import { useApp } from "../context";
import { Modal } from "./modal";

export function Rename({ sessionId, close }: { sessionId: string; close: () => void }) {
  const app = useApp();
  const [title, setTitle] = useState(app.sessions.of(sessionId)?.peek().title ?? "");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const save = (event: Event) => {
    event.preventDefault();
    if (title.trim() === "") return;
    void renameSession(app, sessionId, title.trim());
    close();
  };
  return (
    <Modal title="Rename session" onClose={close}>
      <form onSubmit={save}>
        <label class="field">
          Title
          <input
            ref={input}
            data-autofocus
            type="text"
            maxLength={200}
            value={title}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={title.trim() === ""}>
            Rename
          </button>
        </footer>
      </form>
    </Modal>
  );
}

export function Confirm({
  dialog,
  close,
}: {
  dialog: Extract<Dialog, { kind: "confirm" }>;
  close: () => void;
}) {
  return (
    <Modal title={dialog.title} onClose={close}>
      <p>{dialog.text}</p>
      <footer class="modal-foot">
        <button type="button" class="button" data-autofocus onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            close();
            dialog.run();
          }}
        >
          {dialog.action}
        </button>
      </footer>
    </Modal>
  );
}
