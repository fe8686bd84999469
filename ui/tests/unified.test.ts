// Differences as they are read, laid out and walked through.
import { describe, expect, it } from "vitest";
import { unified } from "../dev/unified.mjs";
import { Heights } from "../src/review/heights";
import { kindWords } from "../src/review/kind";
import { languageOf, withMarks } from "../src/review/language";
import { rowsOf, type Row, type Shown } from "../src/review/rows";
import { asList, asTree } from "../src/review/tree";
import { readInSlices, readUnified } from "../src/review/unified";
import { changedWords } from "../src/review/words";
import { lookedAt, lookedText } from "../src/state/bench";
import type { ChangedFile, Comment } from "../src/wire";

const lines = (n: number) => Array.from({ length: n }, (_, at) => `line ${at + 1}`);
const text = (list: string[]) => `${list.join("\n")}\n`;
const changed = (n: number, change: (list: string[]) => void) => {
  const [before, now] = [lines(n), lines(n)];
  change(now);
  return readUnified(unified("a.txt", text(before), text(now)));
};
const shown = (more: Partial<Shown> = {}): Shown => ({
  split: false,
  opened: new Map(),
  source: undefined,
  comments: [],
  writing: [],
  made: new Map(),
  ...more,
});
const kinds = (rows: readonly Row[]) => rows.map((row) => row.kind);
const comment = (more: Partial<Comment>): Comment => ({
  commentId: "c",
  sessionId: "s",
  state: "draft",
  path: "a.txt",
  side: "new",
  line: 5,
  quote: "",
  body: "why?",
  createdAt: "",
  updatedAt: "",
  ...more,
});

describe("a unified difference", () => {
  it("is read with the numbers of both sides", () => {
    const { hunks } = changed(20, (list) => list.splice(9, 1, "other", "more"));
    expect(hunks).toHaveLength(1);
    const { oldStart, oldLines, newStart, newLines, lines: all } = hunks[0]!;
    expect([oldStart, oldLines, newStart, newLines]).toEqual([7, 7, 7, 8]);
    expect(all.map(({ kind, oldLine, newLine }) => [kind, oldLine, newLine])).toContainEqual([
      "add",
      undefined,
      11,
    ]);
    expect(all.at(-1)).toMatchObject({ kind: "same", oldLine: 13, newLine: 14 });
  });

  it("has the place of each run of changes, of which a hunk may have many", () => {
    const { hunks } = changed(20, (list) => {
      list.splice(13, 2);
      list.splice(11, 0, "new", "more");
      list[9] = "ten";
    });
    expect(hunks).toHaveLength(1);
    expect(hunks[0]!.lines.flatMap(({ first }) => (first ? [Object.values(first)] : []))).toEqual([
      [10, 1, 10, 1],
      [11, 0, 12, 2],
      [14, 2, 15, 0],
    ]);
    expect(readUnified("@@ -0,0 +1,2 @@\n+a\n+b\n").hunks[0]!.lines[0]!.first).toEqual({
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 2,
    });
    expect(readUnified("@@ -1,2 +0,0 @@\n-a\n-b\n").hunks[0]!.lines[0]!.first).toEqual({
      oldStart: 1,
      oldLines: 2,
      newStart: 0,
      newLines: 0,
    });
  });

  it("keeps lines that look like heads, and lines that begin with signs", () => {
    const diff = readUnified("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- not a head\n-+old\n+++ b/x\n+-new\n");
    expect(diff.hunks[0]!.lines.map(({ kind, text: said }) => [kind, said])).toEqual([
      ["del", "-- not a head"],
      ["del", "+old"],
      ["add", "++ b/x"],
      ["add", "-new"],
    ]);
  });

  it("knows ends of lines, files without a newline, and binaries", () => {
    const { hunks } = readUnified(
      "@@ -1 +1 @@\n-a\r\n\\ No newline at end of file\n+a\n\\ No newline at end of file\n",
    );
    expect(hunks[0]!.lines).toMatchObject([
      { kind: "del", text: "a", cr: true, open: true },
      { kind: "add", text: "a", open: true },
    ]);
    expect(hunks[0]!.lines[0]!.pair).toBe(hunks[0]!.lines[1]);
    expect(readUnified("Binary files a/x and b/x differ\n").binary).toBe(true);
    expect(readUnified("").hunks).toEqual([]);
  });

  it("knows modes: what is a link, and what became executable", () => {
    const words = (...modes: string[]) =>
      kindWords(readUnified(unified("a", "x\n", modes[0]!.startsWith("old") ? "x\n" : "y\n", { modes })));
    expect(words("new file mode 120000")).toBe("link");
    expect(words("new file mode 100644")).toBeUndefined();
    expect(words("new file mode 100755")).toBe("executable");
    expect(words("old mode 100644", "new mode 100755")).toBe("now executable");
    expect(words("old mode 100755", "new mode 100644")).toBe("no longer executable");
    // A line of the file is no word of git's.
    const diff = readUnified("@@ -1 +1 @@\n-a\n+new file mode 120000\n");
    expect(kindWords(diff)).toBeUndefined();
  });

  it("lets others have their turn, and stops when nobody wants it", async () => {
    const large = unified("a", undefined, text(lines(20_000)));
    let pauses = 0;
    const pause = async () => void pauses++;
    expect((await readInSlices(large, pause, () => true))!.hunks[0]!.lines).toHaveLength(20_000);
    expect(pauses).toBeGreaterThan(3);
    expect(await readInSlices(large, pause, () => false)).toBeUndefined();
  });
});

describe("rows", () => {
  const file = changed(60, (list) => {
    list[9] = "ten";
    list[39] = "forty";
  });

  it("have what is folded before, between and behind the changes", () => {
    const { rows } = rowsOf(file, shown());
    const gaps = rows.filter((row) => row.kind === "gap");
    expect(gaps.map(({ count, newLine }) => [newLine, count])).toEqual([
      [1, 6],
      [14, 23],
      [44, undefined],
    ]);
  });

  it("show more of a gap from both ends, the same lines each time", () => {
    const source = lines(60);
    const made = new Map();
    const opened = new Map([[1, { top: 5, bottom: 2 }]]);
    const { rows } = rowsOf(file, shown({ source, opened, made }));
    const gap = rows.findIndex((row) => row.kind === "gap" && row.index === 1);
    expect(rows[gap]).toMatchObject({ newLine: 19, count: 16 });
    expect(rows[gap - 1]).toMatchObject({ kind: "same", text: "line 18", oldLine: 18, newLine: 18 });
    expect(rowsOf(file, shown({ source, opened, made })).rows[gap - 1]).toBe(rows[gap - 1]);
    const all = rowsOf(
      file,
      shown({ source, opened: new Map([0, 1, 2].map((n) => [n, { top: 1e9, bottom: 0 }])) }),
    );
    expect(all.rows.filter((row) => row.kind === "same")).toHaveLength(58);
    expect(kinds(all.rows)).not.toContain("gap");
  });

  it("stand beside each other in two columns", () => {
    const { rows } = rowsOf(
      changed(5, (list) => list.splice(1, 2, "a", "b", "c")),
      shown({ split: true }),
    );
    const pairs = rows.flatMap((row) => (row.kind === "pair" ? [[row.left?.text, row.right?.text]] : []));
    expect(pairs).toEqual([
      ["line 1", "line 1"],
      ["line 2", "a"],
      ["line 3", "b"],
      [undefined, "c"],
      ["line 4", "line 4"],
      ["line 5", "line 5"],
    ]);
  });

  it("carry comments at their line, and those without one at the top", () => {
    const comments = [
      comment({ commentId: "at", line: 10 }),
      comment({ commentId: "old", line: 10, side: "old" }),
      comment({ commentId: "far", line: 25 }),
      comment({ commentId: "gone", line: 11, state: "outdated" }),
    ];
    const writing = [{ side: "new" as const, line: 11, quote: "" }];
    const { rows, elsewhere } = rowsOf(file, shown({ comments, writing }));
    expect(elsewhere.map(({ comment: { commentId } }) => commentId)).toEqual(["far", "gone"]);
    const at = rows.findIndex((row) => row.kind === "comment" && row.comment.commentId === "at");
    expect(rows[at - 1]).toMatchObject({ kind: "add", newLine: 10 });
    const old = rows.findIndex((row) => row.kind === "comment" && row.comment.commentId === "old");
    expect(rows[old - 1]).toMatchObject({ kind: "del", oldLine: 10 });
    expect(rows.findIndex((row) => row.kind === "editor")).toBeGreaterThan(at);
  });

  it("mark what was sent about a line, or a file, that is another since", () => {
    const sent = (more: Partial<Comment>) => comment({ state: "sent", oid: "then", ...more });
    const comments = [
      sent({ commentId: "same", line: 10, quote: "ten" }),
      sent({ commentId: "changed", line: 10, quote: "TEN" }),
      sent({ commentId: "hidden", line: 25, quote: "line 25" }),
      sent({ commentId: "here", line: 26, quote: "line 26", oid: "now" }),
      sent({ commentId: "old", line: 40, side: "old", quote: "other" }),
    ];
    const { rows, elsewhere } = rowsOf(file, shown({ comments, oid: "now" }));
    expect(elsewhere.map(({ comment: { commentId }, since }) => [commentId, since])).toEqual([
      ["changed", "line"],
      ["hidden", "file"],
      ["here", undefined],
    ]);
    expect(rows.flatMap((row) => (row.kind === "comment" ? [row.comment.commentId] : []))).toEqual([
      "same",
      "old",
    ]);
  });

  it("say so where no line changed", () => {
    expect(rowsOf({ hunks: [], binary: false }, shown()).rows).toEqual([{ kind: "note", note: "same" }]);
  });
});

describe("words", () => {
  it("that are others are marked, and nothing where all of it is another", () => {
    const found = changedWords("total(items: Item[]): number {", "total(items: readonly Item[]): Cents {");
    expect(found.before).toEqual([[22, 28]]);
    expect(found.after).toEqual([
      [13, 22],
      [31, 36],
    ]);
    expect(changedWords("abc def", "xyz uvw").before).toEqual([]);
    expect(changedWords("x".repeat(700), "y").before).toEqual([]);
  });

  it("cut coloured pieces where marks begin and end", () => {
    const pieces = [
      { text: "const ", scope: "k" },
      { text: "value", scope: "t" },
    ];
    expect(withMarks(pieces, [[3, 8]])).toEqual([
      { text: "con", scope: "k" },
      { text: "st ", scope: "k", marked: true },
      { text: "va", scope: "t", marked: true },
      { text: "lue", scope: "t" },
    ]);
  });
});

describe("heights", () => {
  it("are guessed, measured and found", () => {
    const heights = new Heights(1000, () => 20);
    expect([heights.total, heights.at(0), heights.at(45), heights.at(1e9)]).toEqual([20_000, 0, 2, 999]);
    expect(heights.set(1, 60)).toBe(true);
    expect(heights.set(1, 60.2)).toBe(false);
    expect([heights.top(2), heights.at(45), heights.total]).toEqual([80, 1, 20_040]);
    heights.guess(() => 10);
    expect([heights.size(1), heights.total]).toEqual([60, 10_050]);
    expect(new Heights(0, () => 1).total).toBe(0);
  });
});

describe("files", () => {
  const file = (path: string): ChangedFile => ({ path, status: "modified", added: 1, deleted: 0, oid: "x" });
  const files = ["README.md", "src/a/b/one.ts", "src/a/b/two.ts", "src/main.ts"].map(file);

  it("are a list, or a tree in which lonely folders are one", () => {
    expect(asList(files).map(({ name }) => name)).toEqual(files.map(({ path }) => path));
    const rows = asTree(files, new Set());
    expect(rows.map(({ kind, name, depth }) => [kind, name, depth])).toEqual([
      ["folder", "src", 0],
      ["folder", "a/b", 1],
      ["file", "one.ts", 2],
      ["file", "two.ts", 2],
      ["file", "main.ts", 1],
      ["file", "README.md", 0],
    ]);
    expect(asTree(files, new Set(["src"])).map(({ name }) => name)).toEqual(["src", "README.md"]);
  });

  it("are named with their lines in the address", () => {
    expect(lookedAt("src/a.ts:12")).toEqual({ path: "src/a.ts", line: 12 });
    expect(lookedAt("odd:name.ts")).toEqual({ path: "odd:name.ts" });
    expect(lookedAt("")).toBeUndefined();
    expect(lookedText({ path: "a", line: 3 })).toBe("a:3");
  });

  it("have the language that their name says", () => {
    expect(["a.ts", "x/Dockerfile", "b.TOML", "Makefile", "plain"].map(languageOf)).toEqual([
      "ts",
      "dockerfile",
      "ini",
      "makefile",
      "",
    ]);
  });
});
