// Bringing the work of a worktree into its base branch: what would happen is said before anything does.
import { useState } from "preact/hooks";
import { askToMerge, land, titleIn } from "../../actions/workspaces";
import { WireError } from "../../api";
import { run } from "../../commands/table";
import type { LandBody, Workspace } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";
import { useAnswer } from "./answer";
import { Modal } from "./modal";
import { Paths } from "./paths";

type Strategy = "merge" | "squash" | "rebase";
const strategies: readonly { id: Strategy; name: string; about: string }[] = [
  { id: "merge", name: "Merge", about: "All commits, and a merge if needed" },
  { id: "squash", name: "Squash", about: "Everything as one commit" },
  { id: "rebase", name: "Rebase", about: "All commits, in one line" },
];

export function Land({ workspaceId, close }: { workspaceId: string; close: () => void }) {
  const app = useApp();
  const [workspace] = useState(() => app.workspaces.of(workspaceId));
  const [strategy, setStrategy] = useState<Strategy>("merge");
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<LandBody>();
  const [refused, setRefused] = useState<Error>();
  const dry = useAnswer(strategy, () => land(app, workspace!, { strategy, dryRun: true }));
  if (!workspace) return null;
  if (done) return <Landed done={done} workspace={workspace} close={close} />;
  const into = dry.value?.into ?? workspace.baseRef ?? "";
  const error = refused ?? dry.error;
  const nothing = dry.value?.files === 0 && dry.value.commits === 0;
  const can = dry.value && dry.value.conflicts.length === 0 && !error && !nothing;
  const commits = strategy !== "rebase" || dry.value?.commitsFirst;
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    const words = message.trim();
    try {
      setDone(await land(app, workspace, { strategy, ...(commits && words ? { message: words } : {}) }));
    } catch (why) {
      setRefused(why as Error);
    }
    setBusy(false);
  };
  return (
    <Modal title={`Land ${workspace.branch} in ${into}`} onClose={close} class="workspace-dialog">
      <form onSubmit={(event) => void submit(event)}>
        <fieldset class="strategies">
          <legend>How</legend>
          {strategies.map(({ id, name, about }) => (
            <label key={id} class="strategy">
              <input
                type="radio"
                name="strategy"
                value={id}
                checked={strategy === id}
                onChange={() => {
                  setRefused(undefined);
                  setStrategy(id);
                }}
              />
              <span>
                <strong>{name}</strong>
                <span class="muted">{about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div class="dry-run" aria-live="polite">
          {error ? (
            <Refused error={error} workspace={workspace} into={into} close={close} />
          ) : !dry.value ? (
            <p class="muted">
              <Working label="Trying" /> Trying it without changing anything…
            </p>
          ) : dry.value.conflicts.length > 0 ? (
            <Conflict paths={dry.value.conflicts} workspace={workspace} into={into} close={close} />
          ) : nothing ? (
            <p>There is nothing to land: {into} has it all.</p>
          ) : (
            <WouldDo body={dry.value} strategy={strategy} />
          )}
        </div>
        {can && commits && (
          <label class="field">
            Message of the commit
            <textarea
              rows={2}
              value={message}
              placeholder={titleIn(app, workspace) || "The title of the session"}
              onInput={(event) => setMessage(event.currentTarget.value)}
            />
          </label>
        )}
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={!can || busy}>
            {busy ? "Landing…" : `Land in ${into}`}
          </button>
        </footer>
      </form>
    </Modal>
  );
}

const many = (count: number, one: string) => (count === 1 ? `1 ${one}` : `${count} ${one}s`);

function WouldDo({ body, strategy }: { body: LandBody; strategy: Strategy }) {
  const commits = strategy === "squash" ? "1 commit" : many(body.commits, "commit");
  return (
    <div class="verdict good">
      <Icon name="check" size={15} />
      <div>
        <p>
          No conflicts. {commits} and {many(body.files, "changed file")} go into {body.into}.
        </p>
        {body.commitsFirst && <p class="muted">The uncommitted changes become a commit first.</p>}
        <p class="muted">Your git hooks run, as in a terminal.</p>
      </div>
    </div>
  );
}

interface Refusal {
  workspace: Workspace;
  into: string;
  close: () => void;
}

function Conflict({ paths, workspace, into, close }: Refusal & { paths: readonly string[] }) {
  const app = useApp();
  const sessionId = workspace.sessionIds.find((id) => app.sessions.of(id) !== undefined);
  return (
    <div class="verdict bad" role="alert">
      <Icon name="alert" size={15} />
      <div>
        <p>
          <strong>This does not merge into {into}.</strong> Nothing was changed. Both sides changed the same
          lines in:
        </p>
        <Paths paths={paths} label="Conflicts" />
        <p>Bring {into} into the branch first, settle it there, and land again.</p>
        {sessionId !== undefined && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              close();
              askToMerge(app, sessionId, into, paths);
            }}
          >
            Write that to its agent
          </button>
        )}
      </div>
    </div>
  );
}

function Refused({ error, ...about }: Refusal & { error: Error }) {
  const { into } = about;
  const code = error instanceof WireError ? error.code : "";
  const paths = (error instanceof WireError && error.detail.paths) || [];
  if (code === "LAND_CONFLICT") return <Conflict {...about} paths={paths} />;
  const todo =
    code === "TARGET_DIRTY"
      ? `Commit or stash these files where ${into} is checked out, then land again.`
      : code === "TARGET_ELSEWHERE"
        ? `Switch that checkout to another branch, or land there by hand.`
        : "";
  return (
    <div class="verdict bad" role="alert">
      <Icon name="alert" size={15} />
      <div>
        <p class="said-words">
          <strong>{error.message}</strong>
          {todo && " Nothing was changed."}
        </p>
        {paths.length > 0 && <Paths paths={paths} label="In the way" />}
        {todo && <p>{todo}</p>}
      </div>
    </div>
  );
}

function Landed({ done, workspace, close }: { done: LandBody; workspace: Workspace; close: () => void }) {
  const app = useApp();
  const { workspaceId } = workspace;
  return (
    <Modal title={`Landed in ${done.into}`} onClose={close} class="workspace-dialog">
      <div class="verdict good">
        <Icon name="check" size={15} />
        <p>
          {many(done.files, "file")} changed in {done.into}
          {done.oid && (
            <>
              , now at <code>{done.oid.slice(0, 8)}</code>
            </>
          )}
          .
        </p>
      </div>
      {done.said && (
        <>
          <p class="muted">Your hooks said:</p>
          <pre class="said" tabIndex={0}>
            {done.said}
          </pre>
        </>
      )}
      <footer class="modal-foot">
        <button
          type="button"
          class="button apart"
          onClick={() => {
            close();
            run(app, "remove-workspace", { workspaceId });
          }}
        >
          Remove the worktree…
        </button>
        <button type="button" class="button primary" data-autofocus onClick={close}>
          Done
        </button>
      </footer>
    </Modal>
  );
}
