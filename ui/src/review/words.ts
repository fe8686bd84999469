// Which words of a line are others than in the line that it replaced. Pure; long lines are left alone.
import { diffLines } from "../diff";

/** From, to: letters of the line. */
export type Range = readonly [number, number];
const kMostChars = 600;
/** Where less than this is the same, the lines have nothing to do with each other. */
const kLeastSame = 0.25;

const words = (text: string) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

export function changedWords(before: string, after: string): { before: Range[]; after: Range[] } {
  const none = { before: [], after: [] };
  if (before === after || before.length > kMostChars || after.length > kMostChars) return none;
  const found = diffLines(words(before), words(after));
  const same = found.reduce(
    (sum, { kind, text }) => sum + (kind === "same" && text.trim() !== "" ? text.length : 0),
    0,
  );
  if (same < kLeastSame * Math.max(before.trim().length, after.trim().length)) return none;
  const sides = { before: [] as [number, number][], after: [] as [number, number][] };
  let [oldAt, newAt] = [0, 0];
  for (const { kind, text } of found) {
    if (kind !== "add") {
      if (kind === "del") mark(sides.before, oldAt, oldAt + text.length, before);
      oldAt += text.length;
    }
    if (kind !== "del") {
      if (kind === "add") mark(sides.after, newAt, newAt + text.length, after);
      newAt += text.length;
    }
  }
  return sides;
}

/** What follows at once, or after a blank, is one mark: single letters between marks are hard to read. */
function mark(ranges: [number, number][], from: number, to: number, text: string): void {
  const last = ranges.at(-1);
  if (last && text.slice(last[1], from).trim() === "" && from - last[1] <= 1) last[1] = to;
  else ranges.push([from, to]);
}
