import { describe, expect, it } from "vitest";
import { changedPart, diffLines, diffTexts } from "../src/diff";

const apply = (lines: ReturnType<typeof diffLines>, side: "old" | "new") =>
  lines
    .filter((line) => line.kind === "same" || line.kind === (side === "old" ? "del" : "add"))
    .map((line) => line.text);

describe("diffLines", () => {
  it("can be read back into both sides, for many random texts", () => {
    let seed = 7;
    const random = (n: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % n;
    };
    for (let round = 0; round < 300; round++) {
      const before = Array.from({ length: random(30) }, () => `line ${random(6)}`);
      const after = before.flatMap((line) =>
        random(4) === 0 ? [] : random(4) === 0 ? [line, `new ${random(3)}`] : [line],
      );
      const result = diffLines(before, after);
      expect(apply(result, "old")).toEqual(before);
      expect(apply(result, "new")).toEqual(after);
    }
  });

  it("finds the small change, not a large one", () => {
    const result = diffLines(["a", "b", "c", "d"], ["a", "x", "c", "d"]);
    expect(result.map((line) => line.kind)).toEqual(["same", "del", "add", "same", "same"]);
  });

  it("stays cheap for two large files that share nothing", () => {
    const start = performance.now();
    const before = Array.from({ length: 20_000 }, (_, i) => `old ${i}`);
    const after = Array.from({ length: 20_000 }, (_, i) => `new ${i}`);
    expect(diffLines(before, after).length).toBe(40_000);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe("diffTexts", () => {
  it("cuts into hunks with three lines of context and line numbers", () => {
    const before = Array.from({ length: 40 }, (_, i) => `l${i + 1}`);
    const after = [...before];
    after[4] = "changed";
    after.splice(30, 1);
    const result = diffTexts(before.join("\n"), after.join("\n"));
    expect([result.added, result.removed, result.hunks.length]).toEqual([1, 2, 2]);
    expect(result.hunks[0]!.lines.map((line) => line.text)).toEqual([
      "l2",
      "l3",
      "l4",
      "l5",
      "changed",
      "l6",
      "l7",
      "l8",
    ]);
    expect([result.hunks[1]!.oldStart, result.hunks[1]!.newStart]).toEqual([28, 28]);
  });

  it("a new file is all additions", () => {
    expect(diffTexts(undefined, "a\nb\n")).toMatchObject({ added: 2, removed: 0 });
  });

  it("joins hunks that touch", () => {
    const before = Array.from({ length: 12 }, (_, i) => `l${i}`);
    const after = before.map((line, i) => (i === 3 || i === 8 ? `${line}!` : line));
    const result = diffTexts(before.join("\n"), after.join("\n"));
    expect(result.hunks.length).toBe(1);
    expect(apply(result.hunks[0]!.lines, "old")).toEqual(before.slice(0, 12));
  });
});

it("changedPart marks the words between the common ends", () => {
  expect(changedPart("let a = 1;", "let a = 22;")).toEqual({ start: 8, oldEnd: 9, newEnd: 10 });
});
