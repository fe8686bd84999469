// One message as rendered markdown. Finished blocks stay as they are; the last one is drawn again, once per frame.
import { BlockSplitter, mended, type Block } from "./blocks";
import { CodeBlock } from "./code";
import { prosePlaces, wordPlace } from "../paths";
import { numberNotes } from "./notes";
import { renderBlock, toFile } from "./sanitise";

/** A frame gives the text this much; what is left is drawn in the next ones, so that a burst never stops the page. */
const kSliceMs = 3;
/** Blocks this far above the end of a growing text may be skipped by the browser while they are off screen. */
const kUnsettled = 12;
/** When the last block itself is slow to draw, wait this many times its cost before it is drawn again. */
const kRest = 6;

interface Drawn {
  raw: string;
  nodes: ChildNode[];
  code?: CodeBlock;
}

export class MarkdownView {
  readonly element = document.createElement("div");
  private readonly splitter = new BlockSplitter();
  private drawn: Drawn[] = [];
  private wanted = "";
  private whole: string | undefined;
  private frame = 0;
  private final = false;
  /** The first block that is not on screen as it is in the text. */
  private next = 0;
  /** Blocks before this one are drawn again although their own text is the same: a link definition came late. */
  private stale = 0;
  /** Blocks before this one are settled: drawn, seen once, and skipped in layout and paint while off screen. */
  private settled = 0;
  /** Blocks before this one were there in an earlier frame: the browser knows how high they are. */
  private seen = 0;
  private notBefore = 0;

  constructor() {
    this.element.className = "md";
  }

  /** How much text it shows: a measure of its nodes. */
  get length(): number {
    return this.wanted.length;
  }

  /** Shows `text`: now when it is the first or the last form, else with the next frame. */
  show(text: string, final: boolean): void {
    this.wanted = text;
    this.final = final;
    if (final && this.drawn.length === 0) this.drawWhole(text);
    else if (final || this.drawn.length === 0) this.draw();
    else this.later();
  }

  private later(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  /** A finished text that was never drawn: one pass over all of it is cheaper than one per block. */
  private drawWhole(text: string): void {
    if (text === this.whole) return;
    const fragment = renderBlock(text, {});
    enhance(fragment);
    this.element.replaceChildren(fragment);
    this.whole = text;
    this.number();
  }

  /** Draws what changed, block by block, until the slice of this frame is used up. */
  private draw(): void {
    if (this.whole !== undefined) {
      this.whole = undefined;
      this.element.replaceChildren();
    }
    this.element.classList.add("growing");
    const first = this.splitter.update(this.wanted);
    const { blocks } = this.splitter;
    if (first === 0) this.stale = Math.min(this.drawn.length, blocks.length);
    // The end of a message changes how its last block is drawn even when no text came with it.
    this.next = Math.min(this.next, first, this.final ? Math.max(0, blocks.length - 1) : first);
    for (const gone of this.drawn.splice(blocks.length)) gone.nodes.forEach((node) => node.remove());
    const start = performance.now();
    while (this.next < blocks.length) {
      const began = performance.now();
      const last = this.next === blocks.length - 1;
      if (began - start > kSliceMs || (last && !this.final && began < this.notBefore)) return this.later();
      this.drawBlock(this.next, blocks[this.next]!, this.final || !last, this.next < this.stale);
      this.next++;
      const cost = performance.now() - began;
      if (last) this.notBefore = cost > kSliceMs / 2 ? performance.now() + cost * kRest : 0;
    }
    this.stale = 0;
    this.number();
    const old = Math.min(blocks.length - kUnsettled, this.seen);
    while (this.settled < old) this.mark(this.settled++, true);
    this.seen = blocks.length;
  }

  private number(): void {
    if (this.wanted.includes("[^")) numberNotes(this.element);
  }

  /** The element comes back into the page: the browser forgot how high its skipped blocks are. */
  attached(): void {
    for (let index = 0; index < this.settled; index++) this.mark(index, false);
    this.settled = 0;
    this.seen = 0;
  }

  private mark(index: number, settled: boolean): void {
    for (const node of this.drawn[index]?.nodes ?? [])
      if (node instanceof Element) node.classList.toggle("settled", settled);
  }

  private drawBlock(index: number, block: Block, finished: boolean, always: boolean): void {
    const old = this.drawn[index];
    if (block.code) {
      const code = old?.code ?? new CodeBlock();
      code.update(block.code.text, block.code.lang, finished || block.code.closed);
      if (!old?.code) this.put(index, [code.element], { raw: block.raw, nodes: [code.element], code });
      return;
    }
    if (old && old.raw === block.raw && !old.code && !always) return;
    const raw = finished ? block.raw : mended(block.raw);
    const fragment = renderBlock(raw, this.splitter.links);
    enhance(fragment);
    const nodes = [...fragment.childNodes];
    this.put(index, nodes, { raw, nodes });
  }

  private put(index: number, nodes: ChildNode[], drawn: Drawn): void {
    const old = this.drawn[index];
    const anchor = this.nodeAfter(index);
    old?.nodes.forEach((node) => node.remove());
    nodes.forEach((node) => this.element.insertBefore(node, anchor));
    this.drawn[index] = drawn;
    if (index < this.settled) this.mark(index, true);
  }

  private nodeAfter(index: number): ChildNode | null {
    for (let next = index + 1; next < this.drawn.length; next++) {
      const node = this.drawn[next]!.nodes[0];
      if (node) return node;
    }
    return null;
  }
}

/** Files that stand in the words themselves. */
function linkWords(fragment: DocumentFragment): void {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.includes("/") && !node.parentElement?.closest("a, code, pre, .math")) found.push(node);
  }
  for (const node of found)
    for (const { at, text, place } of prosePlaces(node.data).reverse()) {
      const link = document.createElement("span");
      link.textContent = text;
      toFile(link, place);
      node.splitText(at).splitText(text.length);
      node.nextSibling!.replaceWith(link);
    }
}

/** Code inside lists and quotes gets the same frame as code at top level, files become links, tables get room to scroll. */
function enhance(fragment: DocumentFragment): void {
  for (const code of fragment.querySelectorAll("code")) {
    const place = code.closest("pre, a") ? undefined : wordPlace(code.textContent ?? "");
    if (place) toFile(code, place);
  }
  linkWords(fragment);
  for (const pre of fragment.querySelectorAll("pre")) {
    const code = new CodeBlock();
    const lang = /language-(\S+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
    code.update((pre.textContent ?? "").replace(/\n$/, ""), lang === "text" ? "" : lang, true);
    pre.replaceWith(code.element);
  }
  for (const box of fragment.querySelectorAll(".math")) drawFormula(box);
  for (const table of fragment.querySelectorAll("table")) {
    const scroller = document.createElement("div");
    scroller.className = "table-scroll";
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", "Table");
    table.replaceWith(scroller);
    scroller.append(table);
  }
}

let math: typeof import("./math") | undefined;

/** The source stands there until the formula does; where it is none, it stays. */
function drawFormula(box: Element): void {
  const draw = () => {
    const made = math?.formula(box.textContent ?? "", box.classList.contains("block"));
    box.classList.toggle("drawn", made !== undefined);
    if (made) box.replaceChildren(made);
  };
  if (math) return draw();
  void import("./math").then(
    (loaded) => {
      math = loaded;
      draw();
    },
    () => {}, // The server is gone. The source says it too.
  );
}

/**
 * Rendered messages that left the screen, newest use last: scrolling back costs nothing. Bounded by how much text they
 * show, because nodes are what costs memory: one long answer is worth hundreds of short ones.
 */
const cache = new Map<string, MarkdownView>();
const kCachedViews = 300;
const kCachedChars = 30_000;

export function markdownFor(key: string): MarkdownView {
  const view = cache.get(key) ?? new MarkdownView();
  cache.delete(key);
  cache.set(key, view);
  return view;
}

/** Forgets what was not used for longest; what is on screen stays. Called when a message leaves the screen. */
export function forgetMarkdown(views = kCachedViews, chars = kCachedChars): void {
  let kept = 0;
  for (const view of cache.values()) kept += view.length;
  for (const [key, view] of cache) {
    if (cache.size <= views && kept <= chars) return;
    if (view.element.isConnected) continue;
    kept -= view.length;
    cache.delete(key);
  }
}
