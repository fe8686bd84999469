import { describe, expect, it } from "vitest";
import { nameOf, onOneLine, revealed, titled, visible } from "../src/reveal";

describe("what hides in a text is shown", () => {
  it("bidi overrides, zero width, escapes", () => {
    expect(visible("rm \u202e-rf\u200b \u001b[8m")).toBe("rm \\u202e-rf\\u200b \\u001b[8m");
    expect(revealed("ls -la\n\tok")).toEqual([{ text: "ls -la\n\tok", hidden: false }]);
  });

  it.each([
    ["tag", 0xe0072],
    ["tag at the end", 0xe007f],
    ["no-break space", 0xa0],
    ["blank braille", 0x2800],
    ["ogham space", 0x1680],
    ["en quad", 0x2000],
    ["hair space", 0x200a],
    ["narrow no-break space", 0x202f],
    ["mathematical space", 0x205f],
    ["wide space", 0x3000],
    ["line separator", 0x2028],
    ["paragraph separator", 0x2029],
    ["next line", 0x85],
    ["null", 0],
    ["carriage return", 0xd],
    ["vertical tab", 0xb],
    ["delete", 0x7f],
    ["soft hyphen", 0xad],
    ["grapheme joiner", 0x34f],
    ["Arabic letter mark", 0x61c],
    ["Hangul filler", 0x3164],
    ["half-width Hangul filler", 0xffa0],
    ["Hangul choseong filler", 0x115f],
    ["Khmer vowel", 0x17b4],
    ["Mongolian vowel separator", 0x180e],
    ["zero width non-joiner", 0x200c],
    ["zero width joiner", 0x200d],
    ["word joiner", 0x2060],
    ["invisible times", 0x2062],
    ["variation selector", 0xfe00],
    ["variation selector in a word", 0xfe0f],
    ["another variation selector", 0xe0100],
    ["byte order mark", 0xfeff],
    ["annotation anchor", 0xfff9],
    ["musical beam", 0x1d173],
    ["null notehead", 0x1d159],
    ["Khitan filler", 0x16fe4],
    ["private use", 0xe000],
    ["private use far away", 0x100000],
    ["half of a pair", 0xd800],
    ...Array.from({ length: 5 }, (_, n): [string, number] => [`embedding ${n}`, 0x202a + n]),
    ...Array.from({ length: 4 }, (_, n): [string, number] => [`isolate ${n}`, 0x2066 + n]),
  ])("%s", (_name, code) => {
    const parts = revealed(`a${String.fromCodePoint(code)}b`);
    const hex = code.toString(16);
    const text = hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
    expect(parts).toEqual([
      { text: "a", hidden: false },
      { text, hidden: true },
      { text: "b", hidden: false },
    ]);
    expect(nameOf(text)).toMatch(/invisible/);
  });

  it("letters, signs and pictures stay what they are", () => {
    for (const text of [
      "déjà vu",
      "日本語",
      "שלום",
      "a\u0301",
      "→ ✓ │",
      "❤️",
      "👩‍💻",
      "👨‍👩‍👧",
      "\u{1f1eb}\u{1f1f7}",
    ])
      expect(visible(text)).toBe(text);
    expect(visible("1\ufe0f")).toBe("1\\ufe0f");
    expect(visible("❤\ufe0f\ufe0f")).toBe("❤\ufe0f\\ufe0f");
  });

  it("a tag says which letter it carries", () => {
    expect(nameOf("\\u{e0072}")).toContain("“r”");
    expect(nameOf("\\u202e")).toContain("right-to-left override");
  });

  it("titles keep the blanks and joiners that people write, and nothing that turns or hides", () => {
    expect(titled("Pourquoi\u00a0?\u3000Oui")).toBe("Pourquoi ? Oui");
    const persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";
    expect(titled(persian)).toBe(persian);
    expect(titled("log\u200cin")).toBe("log\\u200cin");
    expect(titled("a\u202eb\u{e0072}")).toBe("a\\u202eb\\u{e0072}");
  });

  it("on one line, ends of lines are seen and other blanks are not swallowed", () => {
    expect(onOneLine("  a  b\n\n  c\n")).toBe("a b ↵ c");
    expect(onOneLine("\u00a0a\u2003b\u3000")).toBe("\u00a0a\u2003b\u3000");
  });
});
