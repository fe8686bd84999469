// An attached text, to be read.
import { useEffect, useState } from "preact/hooks";
import { insertText, readText } from "../../actions/texts";
import { bytes } from "../../format";
import { lineCount, promptProblem, utf8Bytes } from "../../size";
import type { Dialog } from "../../state/types";
import { useApp } from "../context";
import { CopyButton, Working } from "../parts";
import { Modal } from "./modal";

/** As much as a browser lays out without stopping for it. The rest comes when it is wanted. */
const kShown = 200_000;

export function TextDialog({
  dialog: { name, sessionId, attachmentId },
  close,
}: {
  dialog: Extract<Dialog, { kind: "text" }>;
  close: () => void;
}) {
  const app = useApp();
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState("");
  const [whole, setWhole] = useState(false);
  useEffect(() => {
    readText(app, sessionId, attachmentId).then(setText, (error: Error) => setProblem(error.message));
  }, [attachmentId]);
  const shown = text !== undefined && !whole ? text.slice(0, kShown) : text;
  const cut = text !== undefined && shown !== text;
  const isDraft = app.drafts.attachments(sessionId).some((one) => one.attachmentId === attachmentId);
  const fits = text !== undefined && promptProblem(text, app.link.limits.value) === undefined;
  return (
    <Modal title={name} onClose={close} class="text-dialog">
      {problem !== "" && <p class="problem">{problem}</p>}
      {text === undefined && problem === "" && (
        <p class="loading" role="status">
          <Working label="Loading" /> Loading…
        </p>
      )}
      {text !== undefined && (
        <>
          <p class="muted text-facts">
            {bytes(utf8Bytes(text))} · {lineCount(text).toLocaleString("en")} lines
            <span class="grow" />
            <CopyButton text={text} label="Copy text" />
          </p>
          <pre tabIndex={0} dir="auto" data-autofocus>
            {shown}
          </pre>
          {cut && (
            <button type="button" class="link-button" onClick={() => setWhole(true)}>
              Show all of it
            </button>
          )}
        </>
      )}
      <footer class="modal-foot">
        {isDraft && fits && (
          <button
            type="button"
            class="button apart"
            onClick={() => {
              close();
              insertText(app, sessionId, attachmentId, text);
            }}
          >
            Put it into the message
          </button>
        )}
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </footer>
    </Modal>
  );
}
