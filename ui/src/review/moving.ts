// Where the keys lead: to the next file, the next change, the next line. Pure.
import { kHeadHeight, type FileEntry } from "./entry";
import type { Focus, Review } from "./review";
import { isStop, lineOf, type Row } from "./rows";

/** The head of a file. */
export const kHeadRow = -1;

export const isChange = (row: Row | undefined): boolean =>
  row !== undefined &&
  (["old", "new"] as const).some((side) => {
    const kind = lineOf(row, side)?.kind;
    return kind === "add" || kind === "del";
  });

/** Where one is: the focus, or what is at the top of what is seen. */
function place(review: Review): { index: number; row: number } {
  const focus = review.focus.peek();
  const index = focus ? review.indexOf(focus.path) : -1;
  if (index >= 0) return { index, row: focus!.row };
  if (review.entries.length === 0) return { index: -1, row: kHeadRow };
  const top = review.scrollTop + 1;
  const seen = review.heights.at(top);
  const entry = review.entries[seen]!;
  const inside = top - review.heights.top(seen) - kHeadHeight;
  return { index: seen, row: inside > 0 && rowsOf(entry).length > 0 ? entry.heights.at(inside) : kHeadRow };
}

export function nextFile(review: Review, step: 1 | -1): Focus | undefined {
  const { index, row } = place(review);
  const began = review.focus.peek() !== undefined || row > kHeadRow;
  // Back from within a file leads to its head first.
  const next = step < 0 && row > kHeadRow ? index : began ? index + step : Math.max(0, index);
  const entry = review.entries[next];
  return entry && { path: entry.info.path, row: kHeadRow };
}

const rowsOf = (entry: FileEntry): readonly Row[] => (entry.open ? entry.rows : []);

export function nextLine(review: Review, step: 1 | -1): Focus | undefined {
  return find(review, step, (row) => isStop(row), true);
}

/** The first row of the next run of changes. */
export function nextChange(review: Review, step: 1 | -1): Focus | undefined {
  return find(review, step, (row, before) => isChange(row) && !isChange(before), false);
}

function find(
  review: Review,
  step: 1 | -1,
  fits: (row: Row, before: Row | undefined) => boolean,
  heads: boolean,
): Focus | undefined {
  let { index, row } = place(review);
  for (; index >= 0 && index < review.entries.length; index += step) {
    const entry = review.entries[index]!;
    const rows = rowsOf(entry);
    const { path } = entry.info;
    for (row += step; row >= 0 && row < rows.length; row += step)
      if (fits(rows[row]!, rows[row - 1])) return { path, row };
    if (step < 0 && row === kHeadRow && heads) return { path, row };
    const next = review.entries[index + step];
    if (step > 0 && next && heads) return { path: next.info.path, row: kHeadRow };
    row = step > 0 ? kHeadRow : next ? rowsOf(next).length : 0;
  }
  return undefined;
}
