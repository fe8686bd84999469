// Committing what an agent did: which files, in which words.
import { useState } from "preact/hooks";
import { commit } from "../../actions/commit";
import { sendMessage } from "../../actions/messages";
import { visible } from "../../reveal";
import { grouped } from "../../review/numbers";
import { benchOf } from "../../state/bench";
import type { ChangedFile } from "../../wire";
import { useApp } from "../context";
import { Working } from "../parts";
import { Delta, FileName } from "../workbench/changes/parts";
import { useAnswer } from "./answer";
import { Modal } from "./modal";

/** More than this are not listed one by one: all of them go. */
const kListed = 500;

const filesOf = (n: number) => (n === 1 ? "1 file" : `${grouped(n)} files`);

export function Commit({ sessionId, close }: { sessionId: string; close: () => void }) {
  const app = useApp();
  const found = useAnswer(sessionId, () =>
    app.api.call("GET /api/session/{sessionId}/changes", { sessionId, against: "head" }),
  );
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState("");
  const files = found.value?.files ?? [];
  const chosen = files.filter(({ path }) => !left.has(path));
  // A renamed file goes with the name that it had: else that one would stay in the repository.
  const paths = chosen.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
  const info = app.sessions.of(sessionId)?.value;
  const name = app.agents.of(info?.cliType ?? "")?.name ?? "the agent";
  const go = async () => {
    setBusy(true);
    setRefused("");
    try {
      const done = await commit(app, sessionId, paths, message.trim());
      const where = done.branch === undefined ? "" : ` on ${visible(done.branch)}`;
      const words = `Committed ${filesOf(chosen.length)}${where}: ${done.oid.slice(0, 10)}.`;
      app.toasts.add("info", words);
      benchOf(app).commit(sessionId, words);
      close();
    } catch (error) {
      setRefused((error as Error).message);
      setBusy(false);
    }
  };
  const ask = () => {
    const list =
      chosen.length === files.length
        ? "all uncommitted changes"
        : `these files only:\n${paths.map((path) => `- ${path}`).join("\n")}`;
    sendMessage(
      app,
      sessionId,
      `Write a commit message for ${list}\n\nAnswer with the message alone. Do not commit anything.`,
    );
    close();
  };
  const toggle = (path: string) => {
    const next = new Set(left);
    if (!next.delete(path)) next.add(path);
    setLeft(next);
  };
  return (
    <Modal title="Commit" onClose={close} class="workspace-dialog commit-dialog">
      {found.error && (
        <p class="problem" role="alert">
          {found.error.message}
        </p>
      )}
      {!found.value && !found.error && (
        <p class="muted">
          <Working label="Looking" /> Looking at what is not committed…
        </p>
      )}
      {found.value && files.length === 0 && <p>Everything is committed already.</p>}
      {files.length > 0 && (
        <>
          <label class="field">
            <span>Message</span>
            <textarea
              rows={4}
              value={message}
              data-autofocus
              dir="auto"
              placeholder="What changed, and why"
              onInput={(event) => setMessage(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && message.trim() !== "")
                  void go();
              }}
            />
          </label>
          <button
            type="button"
            class="link-button"
            disabled={paths.length === 0}
            title={`Asks in the conversation; the answer is for you to copy`}
            onClick={ask}
          >
            Ask {name} to write it
          </button>
          <fieldset class="commit-files">
            <legend>
              {grouped(chosen.length)} of {filesOf(files.length)}
              {files.length > 1 && (
                <button
                  type="button"
                  class="link-button"
                  onClick={() => setLeft(new Set(left.size === 0 ? files.map(({ path }) => path) : []))}
                >
                  {left.size === 0 ? "None" : "All"}
                </button>
              )}
            </legend>
            {files.length <= kListed ? (
              files.map((file) => (
                <FileCheck key={file.path} file={file} on={!left.has(file.path)} onToggle={toggle} />
              ))
            ) : (
              <p class="muted">Too many to choose from: all of them are committed.</p>
            )}
          </fieldset>
        </>
      )}
      {refused !== "" && (
        <div role="alert">
          <p class="problem">It was not committed. Git says:</p>
          <pre class="said-words">{visible(refused)}</pre>
        </div>
      )}
      <footer class="modal-foot">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="button primary"
          disabled={busy || paths.length === 0 || message.trim() === ""}
          onClick={() => void go()}
        >
          {busy ? "Committing…" : `Commit ${filesOf(chosen.length)}`}
        </button>
      </footer>
    </Modal>
  );
}

function FileCheck({
  file,
  on,
  onToggle,
}: {
  file: ChangedFile;
  on: boolean;
  onToggle: (path: string) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} onChange={() => onToggle(file.path)} />
      <FileName file={file} />
      <Delta added={file.added} deleted={file.deleted} />
    </label>
  );
}
