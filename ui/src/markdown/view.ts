// One message as rendered markdown. Finished blocks stay as they are; the last one is drawn again, once per frame.
import { BlockSplitter, type Block } from "./blocks";
import { CodeBlock } from "./code";
import { renderBlock } from "./sanitise";

/** When the last block itself is slow to draw, wait this many times its cost before the next time. */
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
  private notBefore = 0;

  constructor() {
    this.element.className = "md";
  }

  /** Shows `text`: now when it is the first or the last form, else with the next frame. */
  show(text: string, final: boolean): void {
    this.wanted = text;
    if (final && this.drawn.length === 0) this.drawWhole(text);
    else if (final || this.drawn.length === 0) this.draw(final);
    else if (this.frame === 0) this.frame = requestAnimationFrame(() => this.onFrame());
  }

  /** A finished text that was never drawn: one pass over all of it is cheaper than one per block. */
  private drawWhole(text: string): void {
    if (text === this.whole) return;
    const fragment = renderBlock(text, {});
    enhance(fragment);
    this.element.replaceChildren(fragment);
    this.whole = text;
  }

  private onFrame(): void {
    this.frame = 0;
    if (performance.now() < this.notBefore) {
      this.frame = requestAnimationFrame(() => this.onFrame());
      return;
    }
    this.draw(false);
  }

  private draw(final: boolean): void {
    if (this.frame !== 0) {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
    }
    const start = performance.now();
    if (this.whole !== undefined) {
      this.whole = undefined;
      this.element.replaceChildren();
    }
    const first = this.splitter.update(this.wanted);
    const { blocks } = this.splitter;
    for (let index = Math.min(first, this.drawn.length); index < blocks.length; index++) {
      const last = index === blocks.length - 1;
      this.drawBlock(index, blocks[index]!, final || !last, first === 0);
    }
    if (final && blocks.length > 0)
      this.drawBlock(blocks.length - 1, blocks[blocks.length - 1]!, true, false);
    for (const gone of this.drawn.splice(blocks.length)) gone.nodes.forEach((node) => node.remove());
    const cost = performance.now() - start;
    this.notBefore = cost > 4 ? performance.now() + cost * kRest : 0;
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
    const fragment = renderBlock(block.raw, this.splitter.links);
    enhance(fragment);
    const nodes = [...fragment.childNodes];
    this.put(index, nodes, { raw: block.raw, nodes });
  }

  private put(index: number, nodes: ChildNode[], drawn: Drawn): void {
    const old = this.drawn[index];
    const anchor = this.nodeAfter(index);
    old?.nodes.forEach((node) => node.remove());
    nodes.forEach((node) => this.element.insertBefore(node, anchor));
    this.drawn[index] = drawn;
  }

  private nodeAfter(index: number): ChildNode | null {
    for (let next = index + 1; next < this.drawn.length; next++) {
      const node = this.drawn[next]!.nodes[0];
      if (node) return node;
    }
    return null;
  }
}

/** Code inside lists and quotes gets the same frame as code at top level; tables get room to scroll. */
function enhance(fragment: DocumentFragment): void {
  for (const pre of fragment.querySelectorAll("pre")) {
    const code = new CodeBlock();
    const lang = /language-(\S+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
    code.update((pre.textContent ?? "").replace(/\n$/, ""), lang === "text" ? "" : lang, true);
    pre.replaceWith(code.element);
  }
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

/** Rendered messages that left the screen, newest use last: scrolling back costs nothing. */
const cache = new Map<string, MarkdownView>();
const kCached = 300;

export function markdownFor(key: string): MarkdownView {
  const view = cache.get(key) ?? new MarkdownView();
  cache.delete(key);
  cache.set(key, view);
  if (cache.size > kCached) {
    for (const [old, candidate] of cache) {
      if (cache.size <= kCached) break;
      if (!candidate.element.isConnected) cache.delete(old);
    }
  }
  return view;
}
