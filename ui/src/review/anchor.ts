// The reader's place: what is at the top stays there while things above it grow or come. Pure.
import { kHeadHeight } from "./entry";
import type { Review } from "./review";
import { lineOf, type Row } from "./rows";

export interface Anchor {
  path: string;
  /** Undefined in the head of a file, or below its rows. */
  row: Row | undefined;
  index: number;
  /** Beyond the beginning of that. */
  delta: number;
  /** Its number in the file as it is: where that is looked at in another way, its rows are others. */
  line?: number | undefined;
}

/** `before`: a file whose rows are still to come has the line that it had. */
export function anchorAt(review: Review, top: number, before?: Anchor): Anchor | undefined {
  const { entries, heights } = review;
  if (entries.length === 0 || top <= 0) return undefined;
  const at = heights.at(top);
  const entry = entries[at]!;
  const inside = top - heights.top(at);
  const { path } = entry.info;
  const body = inside - kHeadHeight;
  if (!entry.open || body < 0 || entry.rows.length === 0)
    return { path, row: undefined, index: 0, delta: inside };
  const index = entry.heights.at(body);
  const row = entry.rows[index];
  const line =
    row?.kind === "note" && before?.path === path ? before.line : row && lineOf(row, "new")?.newLine;
  return { path, row, index, delta: body - entry.heights.top(index), line };
}

const isAt = (row: Row, line: number) => (lineOf(row, "new")?.newLine ?? 0) >= line;

export function topOf(review: Review, { path, row, index, delta, line }: Anchor): number | undefined {
  const at = review.indexOf(path);
  const entry = review.entries[at];
  if (!entry) return undefined;
  const top = review.heights.top(at);
  if (row === undefined || !entry.open) return top + (entry.open ? delta : Math.min(delta, kHeadHeight));
  const now = entry.rows[index] === row ? index : entry.rows.indexOf(row);
  const same = now < 0 && line !== undefined ? entry.rows.findIndex((one) => isAt(one, line)) : now;
  const found = same < 0 ? Math.min(index, entry.rows.length - 1) : same;
  return top + kHeadHeight + entry.heights.top(Math.max(0, found)) + delta;
}
