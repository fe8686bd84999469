import { describe, expect, it, vi } from "vitest";
import { BlockSplitter, mended } from "../src/markdown/blocks";
import { highlight } from "../src/markdown/languages";
import { renderBlock, sanitise } from "../src/markdown/sanitise";
import { forgetMarkdown, markdownFor, MarkdownView } from "../src/markdown/view";

const html = (fragment: DocumentFragment) => {
  const box = document.createElement("div");
  box.append(fragment);
  return box.innerHTML;
};
const rendered = (text: string) => {
  const view = new MarkdownView();
  view.show(text, true);
  return view.element;
};

const sample = `# Title

Some *text* with [a link](https://example.com/x) and \`code\`.

- one
- two

  still two

1. first
2. second

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`ts
const x: number = 1;
\`\`\`

> quote

- [x] done
- [ ] open

Last line.
`;

describe("BlockSplitter", () => {
  it("gives the same blocks for every way of growing as for the whole", () => {
    const whole = new BlockSplitter();
    whole.update(sample);
    for (const step of [1, 3, 7, 50]) {
      const growing = new BlockSplitter();
      for (let end = step; end < sample.length + step; end += step) growing.update(sample.slice(0, end));
      expect(growing.blocks).toEqual(whole.blocks);
    }
  });

  it("touches only the last block while text grows", () => {
    const splitter = new BlockSplitter();
    splitter.update("one\n\ntwo");
    expect(splitter.update("one\n\ntwo more")).toBe(1);
    expect(splitter.update("one\n\ntwo more\n\nthree")).toBe(1);
    expect(splitter.update("one\n\ntwo more\n\nthree!")).toBe(2);
  });

  it("starts again when the text is another one", () => {
    const splitter = new BlockSplitter();
    splitter.update("one\n\ntwo");
    expect(splitter.update("other")).toBe(0);
    expect(splitter.blocks.map((block) => block.raw)).toEqual(["other"]);
  });

  it("cuts a long list so that its beginning is finished", async () => {
    const splitter = new BlockSplitter();
    const list = (n: number) => Array.from({ length: n }, (_, i) => `${i + 1}. item ${i}\n`).join("");
    splitter.update(list(100));
    expect(splitter.blocks.length).toBeGreaterThan(3);
    expect(splitter.update(list(101))).toBe(splitter.blocks.length - 1);
    const view = new MarkdownView();
    view.show(list(50), false);
    view.show(list(100), true);
    await expect.poll(() => view.element.querySelectorAll("li").length).toBe(100);
    expect(view.element.querySelectorAll("ol")[1]!.getAttribute("start")).toBe("25");
  });

  it.each([
    ["a **bol", "a **bol**"],
    ["a **", "a "],
    ["a **bold*", "a **bold**"],
    ["a **bold** b", "a **bold** b"],
    ["run `make", "run `make`"],
    ["run `", "run "],
    ["`a**` and **b", "`a**` and **b**"],
    ["see [the guide](https://exam", "see the guide"],
    ["see [the gui", "see the gui"],
    ["see [the guide](https://x.y/)", "see [the guide](https://x.y/)"],
    ["- [ ", "- [ "],
    ["- [x] done", "- [x] done"],
    ["2 * 3 * 4", "2 * 3 * 4"],
  ])("mends what is only begun: %s", (raw, shown) => {
    expect(mended(raw)).toBe(shown);
  });

  it("knows an open fence from a closed one", () => {
    const splitter = new BlockSplitter();
    splitter.update("```ts\nlet a");
    expect(splitter.blocks[0]!.code).toEqual({ text: "let a", lang: "ts", closed: false });
    splitter.update("```ts\nlet a\n```\n");
    expect(splitter.blocks[0]!.code).toEqual({ text: "let a", lang: "ts", closed: true });
  });
});

describe("MarkdownView", () => {
  it("E1-TC-3.2b: renders headings, lists, tables, task lists and highlighted code", async () => {
    const element = rendered(sample);
    for (const selector of ["h1", "ul > li", "ol > li", "table td", "blockquote", ".task.done", "pre code"]) {
      expect(element.querySelector(selector), selector).not.toBeNull();
    }
    await expect.poll(() => element.querySelector("code .hl-keyword")?.textContent).toBe("const");
  });

  it("E1-TC-3.2a TC-7.2a: shows text as it grows and keeps finished blocks", async () => {
    const view = new MarkdownView();
    view.show("First.\n\nSec", false);
    const first = view.element.firstChild;
    view.show("First.\n\nSecond **bold**", false);
    await expect.poll(() => view.element.textContent).toContain("bold");
    expect(view.element.firstChild).toBe(first);
    expect(view.element.querySelector("strong")?.textContent).toBe("bold");
  });

  it("ends with the same DOM however the text arrived", async () => {
    const growing = new MarkdownView();
    growing.show(sample.slice(0, 5), false);
    for (let end = 1; end <= sample.length; end += 13) growing.show(sample.slice(0, end), true);
    growing.show(sample, true);
    await expect.poll(() => growing.element.textContent).toBe(rendered(sample).textContent);
    expect(growing.element.querySelectorAll("*").length).toBe(rendered(sample).querySelectorAll("*").length);
  });

  it("resolves reference links that are defined later", async () => {
    const view = new MarkdownView();
    view.show("See [here][x].\n\n", true);
    view.show("See [here][x].\n\n[x]: https://example.com/\n", true);
    await expect
      .poll(() => view.element.querySelector("a")?.getAttribute("href"))
      .toBe("https://example.com/");
  });

  it("draws a burst over several frames, in order, and ends with all of it", async () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1));
    const frames: FrameRequestCallback[] = [];
    const raf = vi.spyOn(window, "requestAnimationFrame").mockImplementation((run) => frames.push(run));
    try {
      const view = new MarkdownView();
      view.show("Start.\n\n", false);
      const burst = `Start.\n\n${Array.from({ length: 40 }, (_, n) => `Paragraph ${n}.\n\n`).join("")}`;
      view.show(burst, false);
      const seen: number[] = [];
      while (frames.length > 0) {
        frames.shift()!(0);
        seen.push(view.element.querySelectorAll("p").length);
      }
      expect(seen.length).toBeGreaterThan(5);
      expect(Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 1)))).toBeLessThan(6);
      expect(view.element.querySelectorAll("p").length).toBe(41);
      expect(view.element.lastElementChild?.textContent).toBe("Paragraph 39.");
    } finally {
      clock.mockRestore();
      raf.mockRestore();
    }
  });

  it("lets the browser skip blocks far above the end while a text grows, and none when it comes back", () => {
    const view = new MarkdownView();
    view.show("Start.\n\n", false);
    view.show(Array.from({ length: 8 }, (_, n) => `${n}.\n\n`).join("Text\n\n"), true);
    expect(view.element.querySelector(".settled")).toBeNull();
    const long = new MarkdownView();
    const raf = vi.spyOn(window, "requestAnimationFrame").mockImplementation((run) => (run(0), 0));
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    try {
      long.show("Start.\n\n", false);
      long.show(`Start.\n\n${"Text.\n\n".repeat(30)}`, false);
      // In the frame in which they come the browser does not know yet how high they are.
      expect(long.element.querySelectorAll(".settled").length).toBe(1);
      long.show(`Start.\n\n${"Text.\n\n".repeat(31)}`, false);
    } finally {
      raf.mockRestore();
      clock.mockRestore();
    }
    expect(long.element.querySelectorAll("p").length).toBe(32);
    expect(long.element.querySelectorAll(".settled").length).toBe(20);
    expect(long.element.lastElementChild!.className).toBe("");
    long.attached();
    expect(long.element.querySelectorAll(".settled").length).toBe(0);
  });

  it("keeps rendered messages by how much they show, oldest use first out, and never one on screen", () => {
    const shown = markdownFor("on-screen");
    shown.show("x".repeat(50), true);
    document.body.append(shown.element);
    const old = markdownFor("old");
    old.show("a".repeat(60), true);
    const recent = markdownFor("recent");
    recent.show("b".repeat(40), true);
    forgetMarkdown(300, 120);
    expect(markdownFor("on-screen")).toBe(shown);
    expect(markdownFor("recent")).toBe(recent);
    expect(markdownFor("old")).not.toBe(old);
    shown.element.remove();
    forgetMarkdown(1, 120);
    expect(markdownFor("old")).not.toBe(old);
    forgetMarkdown(0, 0);
    expect(markdownFor("recent")).not.toBe(recent);
  });

  it("shows markup that was only begun as what it will be, and the text as written at the end", async () => {
    const view = new MarkdownView();
    view.show("It is **bol", false);
    expect(view.element.querySelector("strong")?.textContent).toBe("bol");
    view.show("It is **bol", true);
    await expect.poll(() => view.element.textContent?.trim()).toBe("It is **bol");
  });
});

describe("sanitise", () => {
  it.each([
    "<script>window.hit=1</script>",
    "<img src=x onerror=hit()>",
    "<svg onload=hit()><script>hit()</script></svg>",
    "<a href='javascript:hit()'>x</a>",
    "<iframe src='https://canary.test'></iframe>",
    "<style>*{background:url(//canary.test)}</style>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=hit()&gt;'>",
    "<form id=x><input name=attributes></form>",
    "<p style='background:url(//canary.test)'>x</p>",
    "<link rel=dns-prefetch href=//canary.test>",
    "<base href=//canary.test>",
    "<meta http-equiv=refresh content='0;url=//canary.test'>",
    "<object data=x></object>",
    "<embed src=x>",
  ])("leaves nothing that acts: %s", (payload) => {
    const clean = html(sanitise(payload)).toLowerCase();
    expect(clean).not.toMatch(
      /<script|onerror|onload|javascript:|<iframe|<style|style=|<form|<input|<link|<base|<meta|<object|<embed|<svg|<math/,
    );
    expect(clean).not.toMatch(/(?:src|href)=["']?(?:https?:)?\/\/canary/);
  });

  it("HTML in markdown: plain tags of text work, anything else is shown as written", () => {
    const box = document.createElement("div");
    box.append(
      renderBlock(
        "press <kbd>Ctrl</kbd><br>then <img src=x onerror=hit()> <b onclick=hit()>no</b> <!-- gone -->\n",
        {},
      ),
    );
    expect(box.querySelector("kbd")!.textContent).toBe("Ctrl");
    expect(box.querySelector("br")).not.toBeNull();
    expect(box.querySelector("img, b")).toBeNull();
    expect(box.textContent).toContain("<img src=x onerror=hit()>");
    expect(box.textContent).not.toContain("gone");
  });

  it("links: only http, https and mailto can be clicked, and they say where they lead", () => {
    const box = document.createElement("div");
    box.append(
      renderBlock(
        "[a](javascript:x) [b](https://example.com/p) [c](data:text/html,x) [d](file:///etc/passwd) [e](vbscript:x)",
        {},
      ),
    );
    const links = [...box.querySelectorAll("a")];
    expect(links.filter((link) => link.hasAttribute("href")).map((link) => link.textContent)).toEqual(["b"]);
    const good = links.find((link) => link.hasAttribute("href"))!;
    expect([good.rel, good.target, good.getAttribute("data-host")]).toEqual([
      "noopener noreferrer",
      "_blank",
      "example.com",
    ]);
  });

  it("a remote image becomes a link, an embedded one stays", () => {
    const box = document.createElement("div");
    box.append(renderBlock("![cat](http://canary.test/cat.png) ![dot](data:image/png;base64,AAAA)", {}));
    expect([...box.querySelectorAll("img")].map((image) => image.getAttribute("src"))).toEqual([
      "data:image/png;base64,AAAA",
    ]);
    expect(box.querySelector(".remote-image")!.textContent).toBe("Image: cat");
  });

  it("drops ids, names and classes that could collide with the page", () => {
    expect(html(sanitise('<p id="app" name="x" class="toast">t</p>'))).toBe("<p>t</p>");
  });
});

describe("highlight", () => {
  it("makes spans with classes and keeps the text exactly", () => {
    const code = 'int main() { return 0; } // <b>&amp;"';
    const box = document.createElement("div");
    box.append(highlight(code, "cpp")!);
    expect(box.textContent).toBe(code);
    expect(box.innerHTML).not.toContain("style=");
    expect(box.querySelector(".hl-comment")).not.toBeNull();
    expect(highlight(code, "no-such-language")).toBeUndefined();
  });
});
