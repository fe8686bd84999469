// The reader's place: what is at the top stays there while things above it grow or come. Pure.
import { kHeadHeight } from "./entry";
import type { Review } from "./review";
import type { Row } from "./rows";

export interface Anchor {
  path: string;
  /** Undefined in the head of a file, or below its rows. */
  row: Row | undefined;
  index: number;
  /** Beyond the beginning of that. */
  delta: number;
}

export function anchorAt(review: Review, top: number): Anchor | undefined {
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
  return { path, row: entry.rows[index], index, delta: body - entry.heights.top(index) };
}

export function topOf(review: Review, { path, row, index, delta }: Anchor): number | undefined {
  const at = review.indexOf(path);
  const entry = review.entries[at];
  if (!entry) return undefined;
  const top = review.heights.top(at);
  if (row === undefined || !entry.open) return top + (entry.open ? delta : Math.min(delta, kHeadHeight));
  const now = entry.rows[index] === row ? index : entry.rows.indexOf(row);
  const found = now < 0 ? Math.min(index, entry.rows.length - 1) : now;
  return top + kHeadHeight + entry.heights.top(Math.max(0, found)) + delta;
}
