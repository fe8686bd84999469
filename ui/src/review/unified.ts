// A unified difference of one file, as git writes it, read in slices so that a large one blocks nobody. Pure.

export interface Line {
  kind: "same" | "add" | "del";
  text: string;
  oldLine?: number;
  newLine?: number;
  /** It ended in a carriage return, which is not shown: in such a file every line has one. */
  cr?: true;
  /** It ends the file without a newline. */
  open?: true;
  /** The line that took its place, or whose place it took. */
  pair?: Line;
  /** It is the first of these changes. */
  first?: Range;
}
/** Lines of both sides; a side without any is counted from the line before it. */
export interface Range {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
}
export interface Hunk extends Range {
  /** What git says it is in: a function, a class. */
  title: string;
  lines: Line[];
}
export interface Unified {
  hunks: Hunk[];
  binary: boolean;
  /** As git writes them; absent where the file was not there, or both are the same. */
  oldMode?: string;
  newMode?: string;
}

const kMode = /^(old|new|deleted file|new file) mode (\d+)$/;
const kHunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
/** How many lines are read before others have a turn. */
const kSlice = 4000;

export class UnifiedReader {
  readonly found: Unified = { hunks: [], binary: false };
  private at = 0;
  private hunk: Hunk | undefined;
  private oldLine = 0;
  private newLine = 0;

  constructor(private readonly text: string) {}

  /** Reads so many lines; true at the end. */
  read(most: number): boolean {
    for (let count = 0; count < most; count++) {
      if (this.at >= this.text.length) {
        this.endHunk();
        return true;
      }
      const end = this.text.indexOf("\n", this.at);
      const stop = end < 0 ? this.text.length : end;
      this.line(this.text.slice(this.at, stop));
      this.at = stop + 1;
    }
    return false;
  }

  private line(line: string): void {
    const { hunk } = this;
    if (!hunk || this.isFull(hunk)) return this.outside(line);
    const sign = line[0];
    if (sign === "\\") return this.noNewline();
    const cr = line.endsWith("\r");
    const text = line.slice(1, cr ? -1 : undefined);
    const more = cr ? { cr } : {};
    if (sign === "+") hunk.lines.push({ kind: "add", text, newLine: this.newLine++, ...more });
    else if (sign === "-") hunk.lines.push({ kind: "del", text, oldLine: this.oldLine++, ...more });
    else hunk.lines.push({ kind: "same", text, oldLine: this.oldLine++, newLine: this.newLine++, ...more });
  }

  /** All of its lines were read: what follows is the next hunk, or a word about the last line. */
  private isFull({ oldStart, oldLines, newStart, newLines }: Hunk): boolean {
    return this.oldLine >= oldStart + oldLines && this.newLine >= newStart + newLines;
  }

  private outside(line: string): void {
    if (line.startsWith("\\")) return this.noNewline();
    const head = kHunk.exec(line);
    if (!head) {
      const [, which, mode] = kMode.exec(line) ?? [];
      if (mode) this.found[which!.startsWith("new") ? "newMode" : "oldMode"] = mode;
      if (/^Binary files |^GIT binary patch/.test(line)) this.found.binary = true;
      return;
    }
    this.endHunk();
    const [, oldStart, oldLines = "1", newStart, newLines = "1", title] = head;
    this.hunk = {
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      title: title!,
      lines: [],
    };
    this.oldLine = this.hunk.oldStart;
    this.newLine = this.hunk.newStart;
    this.found.hunks.push(this.hunk);
  }

  private noNewline(): void {
    const last = this.hunk?.lines.at(-1);
    if (last) last.open = true;
  }

  /** Lines that went and lines that came in their place are pairs, in their order; together they are one change. */
  private endHunk(): void {
    if (!this.hunk) return;
    const { lines, oldStart, oldLines, newStart, newLines } = this.hunk;
    let [old, now] = [oldStart + (oldLines === 0 ? 1 : 0), newStart + (newLines === 0 ? 1 : 0)];
    for (let at = 0; at < lines.length;) {
      const dels = run(lines, at, "del");
      const adds = run(lines, at + dels, "add");
      for (let n = 0; n < Math.min(dels, adds); n++) {
        const [before, after] = [lines[at + n]!, lines[at + dels + n]!];
        before.pair = after;
        after.pair = before;
      }
      if (dels + adds > 0)
        lines[at]!.first = {
          oldStart: dels === 0 ? old - 1 : old,
          oldLines: dels,
          newStart: adds === 0 ? now - 1 : now,
          newLines: adds,
        };
      const step = dels + adds > 0 ? 0 : 1;
      [at, old, now] = [at + dels + adds + step, old + dels + step, now + adds + step];
    }
    this.hunk = undefined;
  }
}

function run(lines: readonly Line[], from: number, kind: Line["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return end - from;
}

export function readUnified(text: string): Unified {
  const reader = new UnifiedReader(text);
  while (!reader.read(kSlice));
  return reader.found;
}

/** The same with pauses, in which others have their turn. Undefined where it is not wanted any more. */
export async function readInSlices(
  text: string,
  pause: () => Promise<void>,
  wanted: () => boolean,
): Promise<Unified | undefined> {
  const reader = new UnifiedReader(text);
  while (!reader.read(kSlice)) {
    await pause();
    if (!wanted()) return undefined;
  }
  return reader.found;
}
