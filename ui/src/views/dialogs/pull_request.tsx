// Pushing a branch and opening a pull request for it.
import { useState } from "preact/hooks";
import { openPullRequest, titleIn } from "../../actions/workspaces";
import type { PushBody } from "../../wire";
import { useApp } from "../context";
import { Modal } from "./modal";

export function PullRequest({ workspaceId, close }: { workspaceId: string; close: () => void }) {
  const app = useApp();
  const [workspace] = useState(() => app.workspaces.of(workspaceId));
  const [title, setTitle] = useState("");
  const [body, setBody] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [done, setDone] = useState<PushBody>();
  if (!workspace) return null;
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const words = { ...(title.trim() && { title: title.trim() }), ...(body.trim() && { body }) };
      setDone(await openPullRequest(app, workspace, words));
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  if (done)
    return (
      <Modal title="Pushed" onClose={close} class="workspace-dialog">
        <p>
          {done.branch} is on {done.remote}.{" "}
          {done.url && /^https?:\/\//.test(done.url) && (
            <a href={done.url} target="_blank" rel="noopener noreferrer" data-autofocus>
              Open the pull request
            </a>
          )}
        </p>
        {done.said && (
          <pre class="said" tabIndex={0}>
            {done.said}
          </pre>
        )}
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Done
          </button>
        </footer>
      </Modal>
    );
  return (
    <Modal title={`Pull request for ${workspace.branch}`} onClose={close} class="workspace-dialog">
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          Title
          <input
            type="text"
            data-autofocus
            value={title}
            placeholder={titleIn(app, workspace) || workspace.branch}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Description
          <textarea rows={5} value={body} onInput={(event) => setBody(event.currentTarget.value)} />
        </label>
        <p class="muted">
          Pushes the branch and opens a pull request into {workspace.baseRef} with <code>gh</code>, as you.
          What is not committed is not pushed.
        </p>
        {problem && (
          <p class="problem said-words" role="alert">
            {problem}
          </p>
        )}
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {busy ? "Pushing…" : "Push and open"}
          </button>
        </footer>
      </form>
    </Modal>
  );
}
