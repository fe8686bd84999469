// One file of the changes: its head, which stays in sight, and the rows of it that are near the screen.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { kHeadHeight, type FileEntry } from "../../../review/entry";
import { kindWords } from "../../../review/kind";
import { kHeadRow } from "../../../review/moving";
import type { Review } from "../../../review/review";
import { isStop, type Row } from "../../../review/rows";
import { Delta, FileName } from "./parts";
import { FileMenu } from "./file_menu";
import { RowView } from "./rows";
import { IconButton } from "../../parts";

interface Props {
  review: Review;
  entry: FileEntry;
  index: number;
  top: number;
  /** What is near the screen, in the room of all files. */
  from: number;
  to: number;
  /** Goes up when anything of it is another: signals draw no component anew whose props are the same. */
  version: number;
}

/** Sizes of what was drawn, told together. */
function useSizes(review: Review) {
  const observer = useRef<ResizeObserver>(undefined);
  observer.current ??= new ResizeObserver((found) =>
    review.measured(
      found.flatMap(({ target, borderBoxSize }) => {
        const { index, row } = (target as HTMLElement).dataset;
        const size = borderBoxSize[0]?.blockSize ?? (target as HTMLElement).offsetHeight;
        return target.isConnected ? [{ index: Number(index), row: Number(row), size }] : [];
      }),
    ),
  );
  useEffect(() => () => observer.current?.disconnect(), []);
  return observer.current;
}

export function FileSection({ review, entry, index, top, from, to, version }: Props) {
  const box = useRef<HTMLElement>(null);
  const sizes = useSizes(review);
  const focus = review.focus.value;
  const here = focus?.path === entry.info.path ? focus.row : undefined;
  const { heights, rows, open } = entry;
  const body = top + kHeadHeight;
  const seen = open && rows.length > 0 && body < to && body + heights.total > from;
  const first = seen ? heights.at(Math.max(0, from - body)) : 0;
  const last = seen ? heights.at(to - body) : -1;
  useEffect(() => {
    if (seen && entry.diff) review.fetcher.colour(entry, first, last);
  });
  useLayoutEffect(() => {
    if (here === undefined || !review.moved) return;
    const element = box.current!.querySelector<HTMLElement>(
      here === kHeadRow ? ".diff-file-head" : `[data-row="${here}"]`,
    );
    if (!element) return;
    review.moved = false;
    element.focus({ preventScroll: true });
  });
  return (
    <section
      ref={box}
      class={`diff-file ${here === undefined ? "" : "is-here"}`}
      aria-label={entry.info.path}
      style={{ top: `${top}px`, height: `${entry.height}px` }}
    >
      <FileHead review={review} entry={entry} version={version} focused={here === kHeadRow} />
      {open &&
        rows.slice(first, last + 1).map((row, at) => {
          const number = first + at;
          return (
            <RowBox
              key={number}
              review={review}
              entry={entry}
              row={row}
              index={index}
              number={number}
              top={kHeadHeight + heights.top(number)}
              focused={here === number}
              sizes={sizes}
              version={version}
            />
          );
        })}
    </section>
  );
}

/** One row where it stands; whoever does not move is not drawn anew, and is measured once. */
function RowBox({
  review,
  entry,
  row,
  index,
  number,
  top,
  focused,
  sizes,
  version,
}: Pick<Props, "review" | "entry" | "index" | "top" | "version"> & {
  row: Row;
  number: number;
  focused: boolean;
  sizes: ResizeObserver;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current!;
    sizes.observe(element);
    return () => sizes.unobserve(element);
  }, [row]);
  return (
    <div
      ref={box}
      class={`diff-row ${focused ? "focused" : ""}`}
      data-index={index}
      data-row={number}
      tabIndex={focused ? 0 : -1}
      style={{ top: `${top}px` }}
      onFocusIn={() => isStop(row) && review.look({ path: entry.info.path, row: number })}
    >
      <RowView review={review} entry={entry} row={row} version={version} />
    </div>
  );
}

/** What no line says: a link, another mode. It is known once the difference is here. */
function KindChip({ entry: { diff } }: { entry: FileEntry }) {
  const words = kindWords(diff);
  return words === undefined ? null : <span class="chip">{words}</span>;
}

function FileHead({
  review,
  entry,
  focused,
}: Pick<Props, "review" | "entry" | "version"> & { focused: boolean }) {
  const { info, open } = entry;
  return (
    <div
      class="diff-file-head"
      tabIndex={focused ? 0 : -1}
      onFocusIn={() => review.look({ path: info.path, row: kHeadRow })}
    >
      <IconButton
        icon="chevron"
        class={open ? "is-open" : ""}
        label={`${open ? "Fold" : "Show"} ${info.path}`}
        aria-expanded={open}
        onClick={() => review.setOpen(entry, !open)}
      />
      <FileName file={info} />
      <KindChip entry={entry} />
      {entry.isLarge && !open && <span class="chip">large</span>}
      <Delta added={info.added} deleted={info.deleted} />
      <label class="viewed-check" title="Viewed: folds it until it changes (V)">
        <input
          type="checkbox"
          checked={info.viewed === true}
          onChange={(event) => void review.setViewed(entry, event.currentTarget.checked)}
        />
        <span>Viewed</span>
      </label>
      <FileMenu review={review} entry={entry} />
    </div>
  );
}
