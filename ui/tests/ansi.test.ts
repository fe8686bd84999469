import { describe, expect, it } from "vitest";
import { plainText } from "../src/ansi";
import { toSpans } from "../src/ansi_spans";

const text = (input: string) =>
  toSpans(input)
    .map((span) => span.text)
    .join("");

describe("toSpans", () => {
  it("turns SGR into classes", () => {
    expect(toSpans("a\u001b[1;31mred\u001b[0m b")).toEqual([
      { text: "a", classes: "" },
      { text: "red", classes: "ansi-fg-1 ansi-bold" },
      { text: " b", classes: "" },
    ]);
  });

  it("maps 256 and true colours to the nearest named one", () => {
    expect(toSpans("\u001b[38;5;196mx")[0]!.classes).toBe("ansi-fg-1");
    expect(toSpans("\u001b[38;2;20;190;120mx")[0]!.classes).toBe("ansi-fg-2");
    expect(toSpans("\u001b[48;5;21mx")[0]!.classes).toMatch(/^ansi-bg-/);
  });

  it.each([
    ["cursor", "a\u001b[2J\u001b[10;5Hb", "ab"],
    ["OSC title", "a\u001b]0;evil\u0007b", "ab"],
    ["OSC 52", "a\u001b]52;c;AAAA\u001b\\b", "ab"],
    ["OSC 8", "\u001b]8;;javascript:x\u0007link\u001b]8;;\u0007", "link"],
    ["DCS", "a\u001bPq#0\u001b\\b", "ab"],
    ["APC", "a\u001b_x\u001b\\b", "ab"],
    ["C1", "a\u009b31mb\u009d0;x\u0007c", "abc"],
    ["bell and backspace", "a\u0007\u0008b", "ab"],
    ["private CSI", "\u001b[?25lx\u001b[>4;1m", "x"],
    ["progress bar", "10%\r50%\r100%\ndone\r\nend", "100%\ndone\nend"],
    ["unterminated", "a\u001b[", "a"],
    ["lone escape", "a\u001b", "a"],
  ])("keeps only the text of %s", (_name, input, expected) => {
    expect(text(input)).toBe(expected);
    expect(plainText(input)).toBe(expected);
  });

  it("is linear for a megabyte of unterminated OSC", () => {
    const start = performance.now();
    text("\u001b]0;" + "x".repeat(1_000_000));
    text("\u001b]0;\u001b]0;".repeat(100_000));
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
