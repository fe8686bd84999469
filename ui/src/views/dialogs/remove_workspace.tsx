// Removing a worktree: what comes back with a restore and what does not is said first, file by file where that helps.
import { useEffect, useState } from "preact/hooks";
import { remove, type Shown } from "../../actions/workspaces";
import { size } from "../../disk";
import { titleOf } from "../../state/tabs";
import type { Inventory } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";
import { Modal } from "./modal";
import { Paths } from "./paths";

export function RemoveWorkspace({ workspaceId, close }: { workspaceId: string; close: () => void }) {
  const app = useApp();
  const [workspace] = useState(() => app.workspaces.of(workspaceId));
  const [shown, setShown] = useState<Shown>();
  const [again, setAgain] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const look = async (confirm?: string) => {
    setBusy(confirm !== undefined);
    setProblem("");
    try {
      const answer = await remove(app, workspace!, confirm);
      if (answer === "removed") return close();
      setAgain(confirm !== undefined);
      setShown(answer);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  useEffect(() => void look(), []);
  if (!workspace) return null;
  const name = workspace.branch ?? workspace.path;
  const working = shown?.inventory.working ?? [];
  return (
    <Modal title={`Remove the worktree ${name}?`} onClose={close} class="workspace-dialog">
      {again && (
        <p class="verdict needs" role="alert">
          <Icon name="alert" size={15} />
          <span>What is in it changed meanwhile. This is how it is now:</span>
        </p>
      )}
      {!shown && !problem && (
        <p class="muted">
          <Working label="Looking" /> Looking at what is in it…
        </p>
      )}
      {shown &&
        (workspace.missing ? (
          <p>Its folder is gone already, and what was not committed with it. The branch stays.</p>
        ) : (
          <Contents inventory={shown.inventory} />
        ))}
      {working.length > 0 && (
        <div class="verdict needs" role="alert">
          <Icon name="alert" size={15} />
          <p>
            {working.map((id) => `“${titleOf(app.sessions.nameOf(id))}”`).join(", ")}{" "}
            {working.length === 1 ? "is" : "are"} at work in it. Stop that first.
          </p>
        </div>
      )}
      {problem && (
        <p class="problem said-words" role="alert">
          {problem}
        </p>
      )}
      <footer class="modal-foot">
        <button type="button" class="button" data-autofocus onClick={close}>
          Cancel
        </button>
        {(working.length > 0 || (problem && !shown)) && (
          <button type="button" class="button" onClick={() => void look()}>
            Refresh
          </button>
        )}
        <button
          type="button"
          class="button danger"
          disabled={!shown || busy || working.length > 0}
          onClick={() => void look(shown!.hash)}
        >
          {busy ? "Removing…" : "Remove worktree"}
        </button>
      </footer>
    </Modal>
  );
}

const many = (count: number, one: string, more = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

function Contents({ inventory }: { inventory: Inventory }) {
  const { tracked, untracked, ignored, ignoredBytes, samples, changed, unlanded, unpushed } = inventory;
  const kept = [
    tracked > 0 ? many(tracked, "changed file") : "",
    untracked > 0 ? many(untracked, "new file") : "",
  ].filter(Boolean);
  const commits = [
    unlanded > 0 ? `${many(unlanded, "commit")} not landed` : "",
    unpushed > 0 ? `${many(unpushed, "commit")} not pushed` : "",
  ].filter(Boolean);
  return (
    <>
      <section class="kept" aria-label="Comes back with Restore">
        <h3>
          <Icon name="check" size={14} /> Comes back with Restore
        </h3>
        <ul>
          <li>The branch stays{commits.length > 0 ? `, with ${commits.join(" and ")}` : ""}.</li>
          <li>
            {kept.length > 0
              ? `${kept.join(" and ")}: a snapshot keeps every byte.`
              : "There are no uncommitted changes."}
          </li>
        </ul>
        {changed.length > 0 && <Paths paths={changed} all={tracked + untracked} label="Uncommitted files" />}
      </section>
      {ignored > 0 ? (
        <section class="lost" aria-label="Is gone for good">
          <h3>
            <Icon name="trash" size={14} /> Is gone for good
          </h3>
          <p>
            {many(ignored, "file")} that git ignores, {size(ignoredBytes)}:
          </p>
          <Paths paths={samples} label="Ignored files" />
        </section>
      ) : (
        <p class="muted">Nothing is lost: there are no files that git ignores.</p>
      )}
    </>
  );
}
