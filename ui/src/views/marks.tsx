// What a session has changed, where it does that, and who else changes the same: on its row, its card and its head.
import { run } from "../commands/table";
import { count } from "../format";
import type { App } from "../state/app";
import { titleOf } from "../state/tabs";
import type { SessionInfo } from "../wire";
import { useApp } from "./context";
import { Icon } from "./icons";

/** "Also changed by Faster search and 2 others". */
export function overlapWords(app: App, { overlaps = [] }: SessionInfo): string {
  const [first = "", ...others] = overlaps;
  const more =
    others.length === 0 ? "" : others.length === 1 ? " and 1 other" : ` and ${others.length} others`;
  return `Also changed by ${titleOf(app.sessions.nameOf(first)) || "another session"}${more}`;
}

/** +42 −17 */
export function Delta({ info: { changes } }: { info: SessionInfo }) {
  if (!changes?.files) return null;
  const { files, added, deleted } = changes;
  const words = `${files === 1 ? "1 file" : `${files} files`} changed: ${added} lines added, ${deleted} deleted`;
  return (
    <span class="delta" role="img" aria-label={words} title={words}>
      <span class="delta-added">+{count(added)}</span> <span class="delta-deleted">−{count(deleted)}</span>
    </span>
  );
}

/** Inside of a row that opens the session: the keyboard has the row's menu for it. */
export function Marks({ info }: { info: SessionInfo }) {
  const app = useApp();
  const { branch, sessionId } = info;
  const where = branch && `In a worktree of its own, on the branch ${branch}`;
  return (
    <>
      <Delta info={info} />
      {where && (
        <span class="branch-mark" role="img" aria-label={where} title={where}>
          <Icon name="branch" size={12} />
        </span>
      )}
      {info.overlaps?.length ? (
        <span
          class="radar"
          role="img"
          aria-label={overlapWords(app, info)}
          title={overlapWords(app, info)}
          onClick={(event) => {
            event.stopPropagation();
            run(app, "overlaps", { sessionId });
          }}
        >
          <Icon name="alert" size={13} />
        </span>
      ) : null}
    </>
  );
}

/** In the head, where there is room for words. */
export function HeadMarks({ info }: { info: SessionInfo }) {
  const app = useApp();
  const workspace = app.workspaces.of(info.workspaceId);
  const { branch, sessionId } = info;
  return (
    <>
      {branch && (
        <button
          type="button"
          class="branch-chip"
          title={`${workspace?.path ?? branch}: show all workspaces`}
          onClick={() => run(app, "workspaces")}
        >
          <bdi>{branch}</bdi>
          {workspace?.baseRef && <span class="branch-base"> → {workspace.baseRef}</span>}
        </button>
      )}
      <Delta info={info} />
      {info.overlaps?.length ? (
        <button
          type="button"
          class="radar-button"
          title={overlapWords(app, info)}
          aria-haspopup="dialog"
          onClick={() => run(app, "overlaps", { sessionId })}
        >
          <Icon name="alert" size={13} />
          <span>{overlapWords(app, info)}</span>
        </button>
      ) : null}
    </>
  );
}
