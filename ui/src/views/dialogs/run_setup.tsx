// The setup commands of a repository: read, agreed to, run.
import { useState } from "preact/hooks";
import { runSetup, setupOf } from "../../actions/workspaces";
import { WireError } from "../../api";
import { useApp } from "../context";
import { Revealed } from "../conversation/revealed";
import { Working } from "../parts";
import { useAnswer } from "./answer";
import { Modal } from "./modal";

export function RunSetup({ workspaceId, close }: { workspaceId: string; close: () => void }) {
  const app = useApp();
  const [workspace] = useState(() => app.workspaces.of(workspaceId));
  const [tries, setTries] = useState(0);
  const [problem, setProblem] = useState("");
  const setup = useAnswer(String(tries), async () => ({ script: await setupOf(app, workspace!) }));
  if (!workspace) return null;
  const script = setup.value?.script;
  const start = async () => {
    try {
      await runSetup(app, workspace, script!.id);
      app.toasts.add("info", `The setup of ${workspace.branch} runs. Its output is in the session.`);
      close();
    } catch (error) {
      const changed = error instanceof WireError && error.code === "CONFIRM_NEEDED";
      setProblem(changed ? "The commands changed meanwhile. Read them once more." : (error as Error).message);
      if (changed) setTries(tries + 1);
    }
  };
  return (
    <Modal title={`Set up ${workspace.branch}`} onClose={close} class="workspace-dialog">
      <p>
        The repository wants these commands run in a new worktree (<code>.worktreesetup</code>). They run on
        your machine, so read them first.
      </p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {setup.error && (
        <p class="problem" role="alert">
          {setup.error.message}
        </p>
      )}
      {!setup.value && !setup.error && <Working label="Loading" />}
      {setup.value && !script && <p class="muted">There are no setup commands on its branch any more.</p>}
      {script && (
        <pre class="said" tabIndex={0} aria-label="Setup commands">
          <Revealed text={script.text} />
        </pre>
      )}
      <footer class="modal-foot">
        <button type="button" class="button" data-autofocus onClick={close}>
          Cancel
        </button>
        <button type="button" class="button primary" disabled={!script} onClick={() => void start()}>
          Run these commands
        </button>
      </footer>
    </Modal>
  );
}
