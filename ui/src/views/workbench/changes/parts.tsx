// Small pieces of the changes.
import { count } from "../../../format";
import { visible } from "../../../reveal";
import { grouped } from "../../../review/numbers";
import type { ChangedFile } from "../../../wire";
import { Revealed } from "../../conversation/revealed";

export function Delta({ added, deleted }: { added: number; deleted: number }) {
  return (
    <span
      class="delta"
      role="img"
      aria-label={`${grouped(added)} ${added === 1 ? "line" : "lines"} added, ${grouped(deleted)} deleted`}
    >
      {added > 0 && <span class="delta-added">+{count(added)}</span>}{" "}
      {deleted > 0 && <span class="delta-deleted">−{count(deleted)}</span>}
    </span>
  );
}

const marks: Readonly<Partial<Record<ChangedFile["status"], string>>> = {
  added: "new",
  deleted: "deleted",
  renamed: "renamed",
};

/** The former name; with its folder where that is another. */
const wasIn = (oldPath: string, path: string) => {
  const folder = oldPath.slice(0, oldPath.lastIndexOf("/") + 1);
  return path.startsWith(folder) && !path.includes("/", folder.length)
    ? oldPath.slice(folder.length)
    : oldPath;
};

/** The folder quietly, the name not. The end of a long path is what one looks for. */
export function FileName({ file: { path, oldPath, status, changedSinceViewed } }: { file: ChangedFile }) {
  const at = path.lastIndexOf("/") + 1;
  return (
    <span class="file-name" title={visible(oldPath === undefined ? path : `${oldPath} → ${path}`)}>
      <span class="file-path">
        <bdi>
          <span class="file-folder">
            <Revealed text={path.slice(0, at)} />
          </span>
          <strong>
            <Revealed text={path.slice(at)} />
          </strong>
        </bdi>
      </span>
      {oldPath !== undefined && (
        <span class="file-was">
          from <Revealed text={wasIn(oldPath, path)} />
        </span>
      )}
      {marks[status] && <span class={`chip is-${status}`}>{marks[status]}</span>}
      {changedSinceViewed && (
        <span
          class="unread-dot"
          role="img"
          aria-label="Changed since you viewed it"
          title="Changed since you viewed it"
        />
      )}
    </span>
  );
}
