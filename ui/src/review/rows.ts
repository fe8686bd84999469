// What stands below each other in one file of the changes: lines, what is folded between them, comments. Pure.
import type { Comment } from "../wire";
import type { Hunk, Line, Unified } from "./unified";

export type Side = "old" | "new";
/** Unchanged lines that are not shown: `count` of them, undefined while nobody knows where the file ends. */
export interface Gap {
  kind: "gap";
  index: number;
  /** The first of them in both sides. */
  oldLine: number;
  newLine: number;
  count: number | undefined;
  title: string;
  hunk?: Hunk;
}
export interface Pair {
  kind: "pair";
  left: Line | undefined;
  right: Line | undefined;
}
export interface CommentRow {
  kind: "comment";
  comment: Comment;
  /** Its line is not shown: it says itself which one that was. */
  quoted?: true;
  /** It was sent, and this is another since. */
  since?: "line" | "file";
}
/** Where a comment is being written. */
export interface EditorRow {
  kind: "editor";
  side: Side;
  line: number;
  quote: string;
}
export interface NoteRow {
  kind: "note";
  note: "loading" | "binary" | "image" | "same" | "failed" | "large";
  text?: string;
}
export type Row = Line | Gap | Pair | CommentRow | EditorRow | NoteRow;

/** How many lines of a gap were opened at its upper and its lower end. */
export interface Opened {
  top: number;
  bottom: number;
}

export interface Shown {
  split: boolean;
  opened: ReadonlyMap<number, Opened>;
  /** The lines of the file as it is, once they were asked for. */
  source: readonly string[] | undefined;
  comments: readonly Comment[];
  /** Of the file's content. */
  oid?: string;
  writing: readonly { side: Side; line: number; quote: string }[];
  /** Lines of gaps that were made before, by their number: they stay what they are. */
  made: Map<number, Line>;
}

const same = (text: string, oldLine: number, newLine: number): Line => ({
  kind: "same",
  text: text.endsWith("\r") ? text.slice(0, -1) : text,
  oldLine,
  newLine,
});

/** What is before the first hunk, between two, and behind the last. */
function gapBefore(
  hunks: readonly Hunk[],
  index: number,
  source: readonly string[] | undefined,
): Gap | undefined {
  const before = hunks[index - 1];
  const hunk = hunks[index];
  // A side without lines is counted from the line before it.
  const end = (start: number, lines: number) => start + (lines === 0 ? 1 : lines);
  const oldLine = before ? end(before.oldStart, before.oldLines) : 1;
  const newLine = before ? end(before.newStart, before.newLines) : 1;
  const until = hunk ? hunk.newStart + (hunk.newLines === 0 ? 1 : 0) : source && source.length + 1;
  const count = until === undefined ? undefined : until - newLine;
  if (count !== undefined && count <= 0) return undefined;
  return { kind: "gap", index, oldLine, newLine, count, title: hunk?.title ?? "", ...(hunk ? { hunk } : {}) };
}

/** The gap without what was opened of it, as rows. */
function gapRows(gap: Gap, { opened, source, made }: Shown): Row[] {
  const { top = 0, bottom = 0 } = opened.get(gap.index) ?? {};
  if (!source || gap.count === undefined) return [gap];
  const line = (n: number) => {
    const at = gap.newLine + n;
    const known = made.get(at) ?? same(source[at - 1] ?? "", gap.oldLine + n, at);
    made.set(at, known);
    return known;
  };
  const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => line(from + n));
  const left = gap.count - top - bottom;
  if (left <= 0) return lines(0, gap.count);
  const rest: Gap = { ...gap, oldLine: gap.oldLine + top, newLine: gap.newLine + top, count: left };
  return [...lines(0, top), rest, ...lines(gap.count - bottom, gap.count)];
}

/** Lines that went stand beside those that came. */
function pairs(lines: readonly Line[]): Pair[] {
  const rows: Pair[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (line.kind === "same") {
      rows.push({ kind: "pair", left: line, right: line });
      at++;
      continue;
    }
    const from = at;
    while (lines[at]?.kind === "del") at++;
    const dels = lines.slice(from, at);
    const middle = at;
    while (lines[at]?.kind === "add") at++;
    const adds = lines.slice(middle, at);
    for (let n = 0; n < Math.max(dels.length, adds.length); n++)
      rows.push({ kind: "pair", left: dels[n], right: adds[n] });
  }
  return rows;
}

export const lineOf = (row: Row, side: Side): Line | undefined => {
  if (row.kind === "pair") return side === "old" ? row.left : row.right;
  if (row.kind === "same" || row.kind === "add" || row.kind === "del") return row;
  return undefined;
};
const numberOf = (row: Row, side: Side): number | undefined => {
  const line = lineOf(row, side);
  return side === "old" ? line?.oldLine : line?.newLine;
};

/** Behind each line what is said about it. What is said about lines that are not shown is in `elsewhere`. */
export function rowsOf(file: Unified, shown: Shown): { rows: Row[]; elsewhere: CommentRow[] } {
  const rows: Row[] = [];
  file.hunks.forEach((hunk, index) => {
    const gap = gapBefore(file.hunks, index, shown.source);
    const above = gap ? gapRows(gap, shown) : [];
    const lines = shown.split ? pairs(hunk.lines) : hunk.lines;
    for (const row of shown.split ? asPairs(above) : above) rows.push(row);
    for (const row of lines) rows.push(row);
  });
  const last =
    file.hunks.length > 0 && !atEnd(file) && gapBefore(file.hunks, file.hunks.length, shown.source);
  if (last) {
    const below = gapRows(last, shown);
    rows.push(...(shown.split ? asPairs(below) : below));
  }
  if (file.hunks.length === 0 && !file.binary) rows.push({ kind: "note", note: "same" });
  return withComments(rows, shown);
}

const asPairs = (rows: readonly Row[]): Row[] =>
  rows.map((row) => (row.kind === "same" ? { kind: "pair", left: row, right: row } : row));

/** The last hunk has fewer lines around it than git gives, or the file ends in it. */
function atEnd({ hunks }: Unified): boolean {
  const lines = hunks.at(-1)!.lines;
  const last = lines.at(-1);
  if (!last || last.kind !== "same" || last.open) return true;
  let context = 0;
  while (lines[lines.length - 1 - context]?.kind === "same") context++;
  return context < 3;
}

/** A long line is quoted in part. */
const isQuoted = ({ quote }: Comment, text: string) =>
  quote === text || quote === "" || (quote.length >= 200 && text.startsWith(quote));

/** Drafts are looked after by the server; what was sent stays as it was said. */
const isSettled = ({ state, side }: Comment) => (state === "sent" || state === "resolved") && side !== "old";

function withComments(
  rows: Row[],
  { comments, writing, oid }: Shown,
): { rows: Row[]; elsewhere: CommentRow[] } {
  const key = (side: Side | undefined, line: number) => `${side ?? "new"}:${line}`;
  const by = new Map<string, (CommentRow | EditorRow)[]>();
  const add = (at: string, row: CommentRow | EditorRow) => by.set(at, [...(by.get(at) ?? []), row]);
  const elsewhere = new Map<Comment, CommentRow["since"]>();
  for (const comment of comments)
    if (comment.state === "outdated" || comment.line === 0) elsewhere.set(comment, undefined);
    else add(key(comment.side, comment.line), { kind: "comment", comment });
  for (const { side, line, quote } of writing) add(key(side, line), { kind: "editor", side, line, quote });
  const all: Row[] = by.size === 0 ? rows : [];
  for (const row of by.size === 0 ? [] : rows) {
    all.push(row);
    for (const side of ["old", "new"] as const) {
      const line = lineOf(row, side);
      const number = numberOf(row, side);
      if (number === undefined || (side === "old" && row.kind === "same")) continue;
      const at = key(side, number);
      for (const said of by.get(at) ?? [])
        if (said.kind === "comment" && isSettled(said.comment) && !isQuoted(said.comment, line!.text))
          elsewhere.set(said.comment, "line");
        else all.push(said);
      by.delete(at);
    }
  }
  for (const row of [...by.values()].flat())
    if (row.kind === "comment")
      elsewhere.set(
        row.comment,
        isSettled(row.comment) && row.comment.oid !== undefined && row.comment.oid !== oid
          ? "file"
          : undefined,
      );
  return {
    rows: all,
    elsewhere: comments
      .filter((comment) => elsewhere.has(comment))
      .map((comment) => {
        const since = elsewhere.get(comment);
        return { kind: "comment", comment, quoted: true, ...(since ? { since } : {}) };
      }),
  };
}

/** Rows that have the focus in turn: lines, and what can be opened. */
export const isStop = (row: Row | undefined): boolean =>
  row !== undefined && (row.kind === "gap" || row.kind === "pair" || lineOf(row, "new") !== undefined);
