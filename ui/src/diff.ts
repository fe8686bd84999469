// Unified diffs by line (Myers), for what an agent changed. Pure; cost is bounded whatever the files are.
import type { Diff } from "./wire";

export interface DiffLine {
  kind: "same" | "add" | "del";
  text: string;
  oldLine?: number;
  newLine?: number;
}
export interface Hunk {
  lines: DiffLine[];
  oldStart: number;
  newStart: number;
}
export interface FileDiff {
  hunks: Hunk[];
  added: number;
  removed: number;
}

/**
 * The change that an edit asks to make, from the arguments of the common editing tools. Undefined when an argument is
 * left over: then the arguments themselves are shown, and nothing hides.
 */
export function askedDiff(args: Readonly<Record<string, unknown>> | undefined): Diff | undefined {
  const { file_path, old_string, new_string, content, replace_all, ...rest } = args ?? {};
  if (typeof file_path !== "string" || Object.keys(rest).length > 0 || replace_all === true) return undefined;
  const edit = typeof old_string === "string" && typeof new_string === "string" && content === undefined;
  const write = typeof content === "string" && old_string === undefined && new_string === undefined;
  if (!edit && !write) return undefined;
  return edit
    ? { path: file_path, oldText: old_string, newText: new_string }
    : { path: file_path, newText: content as string };
}

/** More edits than this are shown as "all old lines, then all new ones": still true, and cheap. */
const kMaxEdits = 1500;
const kContext = 3;

export function diffTexts(oldText: string | undefined, newText: string): FileDiff {
  const before = oldText === undefined || oldText === "" ? [] : lines(oldText);
  const after = newText === "" ? [] : lines(newText);
  const all = diffLines(before, after);
  return {
    hunks: hunks(all),
    added: all.filter((line) => line.kind === "add").length,
    removed: all.filter((line) => line.kind === "del").length,
  };
}

function lines(text: string): string[] {
  const list = text.split("\n");
  if (list[list.length - 1] === "") list.pop();
  return list;
}

export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const middle = myers(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const kinds: DiffLine["kind"][] = [
    ...Array<"same">(head).fill("same"),
    ...middle,
    ...Array<"same">(tail).fill("same"),
  ];
  let oldLine = 1;
  let newLine = 1;
  return kinds.map((kind) => {
    if (kind === "add") {
      const text = after[newLine - 1]!;
      return { kind, text, newLine: newLine++ };
    }
    const text = before[oldLine - 1]!;
    if (kind === "del") return { kind, text, oldLine: oldLine++ };
    return { kind, text, oldLine: oldLine++, newLine: newLine++ };
  });
}

function myers(a: readonly string[], b: readonly string[]): DiffLine["kind"][] {
  const replace = (): DiffLine["kind"][] => [
    ...Array<"del">(a.length).fill("del"),
    ...Array<"add">(b.length).fill("add"),
  ];
  if (a.length === 0 || b.length === 0) return replace();
  const max = Math.min(a.length + b.length, kMaxEdits);
  const offset = max + 1;
  let row = new Int32Array(2 * max + 3);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= max; d++) {
    trace.push(row.slice(offset - d - 1, offset + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && row[offset + k - 1]! < row[offset + k + 1]!);
      let x = down ? row[offset + k + 1]! : row[offset + k - 1]! + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      row[offset + k] = x;
      if (x >= a.length && y >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return replace();
}

function walkBack(trace: readonly Int32Array[], endX: number, endY: number): DiffLine["kind"][] {
  const kinds: DiffLine["kind"][] = [];
  let x = endX;
  let y = endY;
  for (let d = trace.length - 1; d >= 0; d--) {
    const row = trace[d]!;
    const at = (k: number) => row[k + d + 1]!;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const previousK = down ? k + 1 : k - 1;
    const previousX = d === 0 ? 0 : at(previousK);
    const previousY = d === 0 ? 0 : previousX - previousK;
    while (x > previousX && y > previousY) {
      kinds.push("same");
      x--;
      y--;
    }
    if (d > 0) kinds.push(down ? "add" : "del");
    x = previousX;
    y = previousY;
  }
  return kinds.reverse();
}

function hunks(all: readonly DiffLine[]): Hunk[] {
  const found: Hunk[] = [];
  let current: DiffLine[] | undefined;
  let lastChange = -Infinity;
  all.forEach((line, index) => {
    if (line.kind !== "same") {
      if (!current || index - lastChange > 2 * kContext + 1) {
        current = all.slice(Math.max(0, index - kContext, lastChange + kContext + 1), index);
        found.push({ lines: current, oldStart: 0, newStart: 0 });
      } else {
        current.push(...all.slice(lastChange + kContext + 1, index));
      }
      current.push(line);
      lastChange = index;
    } else if (current && index - lastChange <= kContext) {
      current.push(line);
    }
  });
  for (const hunk of found) {
    hunk.oldStart = hunk.lines.find((line) => line.oldLine !== undefined)?.oldLine ?? 0;
    hunk.newStart = hunk.lines.find((line) => line.newLine !== undefined)?.newLine ?? 0;
  }
  return found;
}

/** Where two lines differ: the common start and end are cut away. For marking the changed words. */
export function changedPart(
  oldText: string,
  newText: string,
): { start: number; oldEnd: number; newEnd: number } {
  let start = 0;
  while (start < oldText.length && start < newText.length && oldText[start] === newText[start]) start++;
  let end = 0;
  while (
    end < oldText.length - start &&
    end < newText.length - start &&
    oldText[oldText.length - 1 - end] === newText[newText.length - 1 - end]
  )
    end++;
  return { start, oldEnd: oldText.length - end, newEnd: newText.length - end };
}
