// Footnotes, alerts and formulas: what they look like, and what they are not.
import { describe, expect, it } from "vitest";
import { all } from "../dev/corpus.mjs";
import { BlockSplitter } from "../src/markdown/blocks";
import { formula } from "../src/markdown/math";
import { otherEnd } from "../src/markdown/notes";
import { MarkdownView } from "../src/markdown/view";

const rendered = (text: string) => {
  const view = new MarkdownView();
  view.show(text, true);
  return view.element;
};
/** As it arrives: a few characters at a time. */
const streamed = async (text: string, step: number) => {
  const view = new MarkdownView();
  view.show(text.slice(0, 1), false);
  for (let end = 1; end < text.length; end += step) view.show(text.slice(0, end), true);
  view.show(text, true);
  return view.element;
};
const texs = (text: string) =>
  [...rendered(text).querySelectorAll(".math")].map(
    (box) => box.querySelector("annotation")?.textContent ?? box.textContent,
  );

describe("alerts", () => {
  it.each(["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"])("%s", (kind) => {
    const quote = rendered(`> [!${kind}]\n> Mind the **gap**.\n>\n> Twice.`).querySelector("blockquote")!;
    expect(quote.className).toBe(`alert ${kind.toLowerCase()}`);
    expect(quote.querySelector(".alert-title")!.textContent!.toUpperCase()).toBe(kind);
    expect([...quote.querySelectorAll("p")].slice(1).map((p) => p.textContent)).toEqual([
      "Mind the gap.",
      "Twice.",
    ]);
    expect(quote.querySelector("strong")!.textContent).toBe("gap");
  });

  it("a quote that is none stays a quote", () => {
    for (const text of ["> plain", "> [!OTHER]\n> x", "> x [!NOTE]", "> [!NOTE] on the same line"])
      expect(rendered(text).querySelector(".alert"), text).toBeNull();
  });
});

describe("footnotes", () => {
  const text =
    "First[^b] and second[^a], first again[^b].\n\n[^a]: The **second**.\n[^b]: The first,\n  in two lines.\n";

  it("are numbered by where they are referred to, and lead there and back", () => {
    const element = rendered(text);
    const refs = [...element.querySelectorAll<HTMLElement>(".note-ref")];
    expect(refs.map((ref) => ref.textContent)).toEqual(["1", "2", "1"]);
    const notes = [...element.querySelectorAll(".footnote")];
    expect(notes.map((note) => note.textContent!.replace(/\s+/g, " ").trim())).toEqual([
      "2The second.",
      "1The first, in two lines.",
    ]);
    expect(notes[0]!.querySelector("strong")).not.toBeNull();
    const there = otherEnd(element, refs[0]!)!;
    expect(there.closest(".footnote")).toBe(notes[1]);
    expect(otherEnd(element, there)).toBe(refs[0]);
    expect([refs[0]!.getAttribute("role"), refs[0]!.getAttribute("aria-label"), refs[0]!.tabIndex]).toEqual([
      "link",
      "Footnote 1",
      0,
    ]);
  });

  it("without a definition are what was written", () => {
    const element = rendered("Use [^a-z] here, and `[^1]`.\n\n[^1]: nobody refers to this");
    expect(element.querySelector("p")!.textContent).toBe("Use [^a-z] here, and [^1].");
    expect(element.querySelector("[data-note]")).toBeNull();
  });

  it.each([1, 3, 11])("come out the same in steps of %i", async (step) => {
    expect((await streamed(text, step)).innerHTML).toBe(rendered(text).innerHTML);
  });
});

describe("formulas", () => {
  it("are MathML, without styles and addresses", async () => {
    await expect.poll(() => rendered("It is $x^2$.").querySelector("math msup")).not.toBeNull();
    const element = rendered("$$\n\\begin{aligned} a &= b \\\\ c &= \\frac{d}{e} \\end{aligned}\n$$");
    const math = element.querySelector(".math.block.drawn > math")!;
    expect(math.getAttribute("display")).toBe("block");
    expect([...math.querySelectorAll("mtd")].map((cell) => cell.className)).toEqual([
      "to-right close",
      "to-left close",
      "to-right close",
      "to-left close",
    ]);
    expect(math.querySelector("annotation")!.textContent).toContain("\\frac{d}{e}");
    expect(element.querySelector("[style], [href], [src]")).toBeNull();
  });

  it("stand between dollars, brackets and fences", () => {
    expect(texs("a $x$ b \\(y\\) c")).toEqual(["x", "y"]);
    expect(texs("$$x = 1$$")).toEqual(["x = 1"]);
    expect(texs("Then $$x$$ follows.")).toEqual(["x"]);
    expect(texs("\\[\nx\n\\]\n\nText")).toEqual(["x"]);
    expect(texs("```math\nx\n```")).toEqual(["x"]);
    expect(texs("- item $a$\n- item $b$")).toEqual(["a", "b"]);
    expect(texs("| $a$ | b |\n|---|---|\n| $\\{c\\}$ | d |")).toEqual(["a", "\\{c\\}"]);
  });

  it.each([
    "It costs $5 and $10.",
    "From $5 to $6, or $7.",
    "Set $HOME/bin:$PATH first.",
    "a$b$c and US$5, US$6",
    "`$x$` in code",
    "\\$x\\$ escaped",
    "$ x $ with room",
    "The pid is $$ and again $$",
    "one $ alone",
    "$$\n\n$$",
  ])("not here: %s", (text) => {
    expect(rendered(text).querySelector(".math")).toBeNull();
  });

  it("that are none show their source", () => {
    const element = rendered("$\\frac{$ and $\\nosuchcommand x$");
    expect(element.querySelector("math")).toBeNull();
    expect(rendered("$\\notacommand$").querySelector(".math")!.textContent).toBe("\\notacommand");
    expect(formula("x".repeat(6000), false)).toBeUndefined();
    expect(formula(`${"{".repeat(4000)}${"}".repeat(900)}`, false)).toBeUndefined();
    expect(formula("\\def\\a{\\a\\a}\\a", false)).toBeUndefined();
  });

  const block = "Before.\n\n$$\na\n- b\n# c\n$$\n\nAfter $x$.\n";
  it.each([1, 2, 7])("come out the same in steps of %i, whatever their lines begin with", async (step) => {
    await expect.poll(() => rendered("$x$").querySelector("math")).not.toBeNull();
    expect((await streamed(block, step)).innerHTML).toBe(rendered(block).innerHTML);
    const growing = new BlockSplitter();
    for (let end = step; end < block.length + step; end += step) growing.update(block.slice(0, end));
    expect(growing.blocks.map(({ raw }) => raw.trim())).toEqual([
      "Before.",
      "$$\na\n- b\n# c\n$$",
      "After $x$.",
    ]);
  });

  it("that never end are text, with what is in it", () => {
    const element = rendered("$$\nnot **closed**");
    expect(element.querySelector("p strong")!.textContent).toBe("closed");
    expect(element.querySelector(".math")).toBeNull();
  });

  it.each([
    "\\href{javascript:hit()}{x}",
    "\\url{https://canary.test}",
    "\\includegraphics{https://canary.test/x.png}",
    "\\htmlStyle{color:red}{x}",
    "\\htmlClass{toast}{x}",
    "\\htmlId{app}{x}",
    "\\htmlData{path=/etc}{x}",
    "\\fcolorbox{red}{blue}{x}",
    "\\text{<img src=x onerror=hit()>}",
    "\\pmb{x}",
    "\\rule{1e9em}{1e9em}",
    "\\color{url(//canary.test)}x",
  ])("lead nowhere and style nothing: %s", (tex) => {
    const made = formula(tex, true);
    const box = document.createElement("div");
    if (made) box.append(made);
    const attributes = [...box.querySelectorAll("*")].flatMap((one) => [...one.attributes]);
    const names = attributes.map(({ name }) => name);
    expect(names.filter((name) => /^(style|href|src|id|on.*|data-.*|class|xlink.*)$/.test(name))).toEqual([]);
    expect(attributes.filter(({ value }) => /url|:/.test(value))).toEqual([]);
    expect([...box.querySelectorAll("*")].every((one) => one.namespaceURI!.endsWith("MathML"))).toBe(true);
  });
});

describe("the hostile corpus", () => {
  it("leaves nothing that acts, with formulas, notes and alerts drawn", async () => {
    await expect.poll(() => rendered("$x$").querySelector("math")).not.toBeNull();
    const element = rendered(all.join("\n\n"));
    const bad =
      "script, iframe, object, embed, style, link, form, svg, img, [style], [onerror], [onload], [onclick]";
    expect([...element.querySelectorAll(bad)].map((one) => one.outerHTML)).toEqual([]);
    for (const link of element.querySelectorAll("[href]"))
      expect(link.getAttribute("href")).toMatch(/^(https?|mailto):/);
    for (const one of element.querySelectorAll("math *"))
      for (const { name } of one.attributes) expect(name).not.toMatch(/^on|href|src|style/);
  });
});
