// The files that differ, above their differences: a list or a tree, of which only what is seen exists.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Review } from "../../../review/review";
import { kHeadRow } from "../../../review/moving";
import { asList, asTree, type ListRow } from "../../../review/tree";
import type { ChangedFile } from "../../../wire";
import { Icon } from "../../icons";
import { Delta, FileName } from "./parts";

const kRow = 28;
const kAround = 6;

export function FileList({ review, tree }: { review: Review; tree: boolean }) {
  const [top, setTop] = useState(0);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLDivElement>(null);
  const files = review.body.value?.files ?? [];
  const rows = useMemo(() => (tree ? asTree(files, closed) : asList(files)), [files, tree, closed]);
  const height = box.current?.clientHeight ?? 200;
  const first = Math.max(0, Math.floor(top / kRow) - kAround);
  const last = Math.ceil((top + height) / kRow) + kAround;
  const here = review.focus.value?.path ?? review.top.value;
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === "file" && row.file.path === here);
    const list = box.current!;
    if (at < 0) return;
    const [above, below] = [at * kRow, (at + 1) * kRow + 9 - list.clientHeight];
    if (list.scrollTop > above) list.scrollTop = above;
    else if (list.scrollTop < below) list.scrollTop = below;
  }, [here, tree]);
  const go = (path: string) => {
    const entry = review.entry(path);
    if (entry && !entry.open && entry.info.viewed !== true) review.setOpen(entry, true);
    review.moved = true;
    review.focus.value = { path, row: kHeadRow };
    review.jump.value = { path };
  };
  const fold = (path: string) => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  return (
    <div
      class="changed-files"
      ref={box}
      style={{ "--rows": Math.min(rows.length, 8) }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <ul style={{ height: `${rows.length * kRow}px` }} aria-label="Files that differ">
        {rows.slice(first, last).map((row, at) => (
          <li key={keyOf(row)} style={{ top: `${(first + at) * kRow}px`, "--depth": row.depth }}>
            {row.kind === "folder" ? (
              <button
                type="button"
                class="changed-folder"
                aria-expanded={row.open}
                onClick={() => fold(row.path)}
              >
                <Icon name={row.open ? "down" : "chevron"} size={12} />
                <bdi>{row.name}</bdi>
                <span class="muted">{row.files}</span>
              </button>
            ) : (
              <FileLine
                review={review}
                row={row.file}
                here={row.file.path === here}
                name={tree ? row.name : undefined}
                onGo={go}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const keyOf = (row: ListRow) => (row.kind === "folder" ? `d:${row.path}` : row.file.path);

function FileLine({
  review,
  row,
  here,
  name,
  onGo,
}: {
  review: Review;
  row: ChangedFile;
  here: boolean;
  name: string | undefined;
  onGo: (path: string) => void;
}) {
  return (
    <div class={`changed-file ${here ? "is-here" : ""}`}>
      <input
        type="checkbox"
        checked={row.viewed === true}
        aria-label={`Viewed: ${row.path}`}
        onChange={(event) => {
          const entry = review.entry(row.path);
          if (entry) void review.setViewed(entry, event.currentTarget.checked);
        }}
      />
      <button type="button" aria-current={here ? "true" : undefined} onClick={() => onGo(row.path)}>
        <FileName file={name === undefined ? row : { ...row, path: name }} />
        <Delta added={row.added} deleted={row.deleted} />
      </button>
    </div>
  );
}
