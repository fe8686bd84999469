// One file of the changes: what it is, its difference once that was fetched, and what stands below each other in it.
import type { ChangedFile, Comment } from "../wire";
import { Heights } from "./heights";
import { isImage, type Piece } from "./language";
import { rowsOf, type Opened, type Row, type Side } from "./rows";
import type { Line, Unified } from "./unified";

/** What a row is high before it was drawn, by the width there is. */
export interface Measure {
  line: number;
  /** Letters that fit beside each other. */
  columns: number;
}
export const kHeadHeight = 36;
/** Below a file. */
export const kFileGap = 8;
/** More changed lines than anybody reads through: they are shown when somebody wants that. */
const kLarge = 3000;
/** Longer lines are cut until somebody wants all of it. */
export const kLongLine = 2000;
export const kCutLine = 500;

export interface Context {
  split: boolean;
  measure: Measure;
  comments: readonly Comment[];
  writing: readonly { side: Side; line: number; quote: string }[];
}

export class FileEntry {
  /** Opened or closed by the user; undefined: as usual. */
  chosen: boolean | undefined;
  diff: Unified | undefined;
  /** Of which contents `diff` is. */
  loaded = "";
  problem: string | undefined;
  /** The problem is its size: nobody tries that again. */
  tooLarge = false;
  /** What is said about it, as far as it changes its rows. */
  said = "";
  source: readonly string[] | undefined;
  /** What was asked for `source`. */
  fetching = false;
  readonly opened = new Map<number, Opened>();
  /** Long lines that are shown whole. */
  readonly whole = new Set<Line>();
  readonly colours = new Map<Line, readonly Piece[]>();
  rows: readonly Row[] = [];
  heights = new Heights(0, () => 0);
  private readonly made = new Map<number, Line>();

  constructor(
    public info: ChangedFile,
    public key: string,
  ) {}

  get isLarge(): boolean {
    return this.info.added + this.info.deleted > kLarge;
  }
  get open(): boolean {
    return this.chosen ?? !(this.info.viewed === true || this.isLarge);
  }
  get image(): boolean {
    return this.info.binary === true && isImage(this.info.path);
  }
  /** Its difference is not here, or that of an older content. */
  get isStale(): boolean {
    return this.loaded !== this.key;
  }
  get height(): number {
    return kHeadHeight + kFileGap + (this.open ? this.heights.total : 0);
  }

  take(diff: Unified, key: string): void {
    if (this.loaded !== "" && this.loaded !== key) this.forgetSource();
    this.diff = diff;
    this.loaded = key;
    this.problem = undefined;
    this.colours.clear();
    this.whole.clear();
  }
  private forgetSource(): void {
    this.source = undefined;
    this.opened.clear();
    this.made.clear();
  }

  /** Sizes of rows that stay are kept. */
  build(context: Context): void {
    const before = new Map<unknown, number>();
    this.rows.forEach((row, index) => before.set(keyOf(row), this.heights.size(index)));
    this.rows = this.rowsNow(context);
    const { rows } = this;
    this.heights = new Heights(
      rows.length,
      (index) => before.get(keyOf(rows[index]!)) ?? this.estimate(rows[index]!, context),
    );
  }
  remeasure(context: Context): void {
    this.heights.forgetMeasured();
    this.heights.guess((index) => this.estimate(this.rows[index]!, context));
  }

  private rowsNow({ split, comments, writing }: Context): Row[] {
    const quoted: Row[] = comments.map((comment) => ({ kind: "comment", comment }));
    if (this.info.binary) return [...quoted, { kind: "note", note: this.image ? "image" : "binary" }];
    if (!this.diff) {
      if (this.problem !== undefined)
        return [...quoted, { kind: "note", note: this.tooLarge ? "large" : "failed", text: this.problem }];
      return [...quoted, { kind: "note", note: "loading" }];
    }
    if (this.diff.binary) return [...quoted, { kind: "note", note: "binary" }];
    const { rows, elsewhere } = rowsOf(this.diff, {
      split,
      opened: this.opened,
      source: this.source,
      comments,
      oid: this.info.oid,
      writing,
      made: this.made,
    });
    return [...elsewhere, ...rows];
  }

  private estimate(row: Row, { split, measure }: Context): number {
    const { line, columns } = measure;
    if (row.kind === "gap") return line + 8;
    if (row.kind === "comment") return 84;
    if (row.kind === "editor") return 140;
    if (row.kind === "note")
      return row.note === "loading" ? this.expected(line) : row.note === "image" ? 240 : 52;
    if (row.kind === "pair")
      return (
        line * Math.max(lines(row.left, columns), row.left === row.right ? 1 : lines(row.right, columns))
      );
    return line * lines(row, split ? columns / 2 : columns);
  }
  /** Of a difference that is not here. */
  private expected(line: number): number {
    return line * Math.min(kLarge, this.info.added + this.info.deleted + 6);
  }
}

const lines = (line: Line | undefined, columns: number): number =>
  line === undefined ? 1 : Math.max(1, Math.ceil(Math.min(line.text.length, kCutLine * 4) / columns));

/** What a row is, whatever else was built around it. */
const keyOf = (row: Row): unknown => {
  switch (row.kind) {
    case "comment":
      return `c:${row.comment.commentId}:${row.comment.state}:${row.comment.body.length}`;
    case "editor":
      return `e:${row.side}:${row.line}`;
    case "gap":
      return "gap";
    case "pair":
      return row.right ?? row.left;
    case "note":
      return row;
    default:
      return row;
  }
};
