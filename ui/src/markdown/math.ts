// Formulas as MathML: its own chunk, loaded when the first formula asks for it. No HTML string, no style, no address.
import * as katex from "katex";

/** What KaTeX makes before it would make nodes of it. */
interface Virtual {
  type?: string;
  attributes?: Readonly<Record<string, unknown>>;
  children?: readonly Virtual[];
  text?: string;
  character?: string | null;
  width?: number;
}
const build = (
  katex as unknown as { __renderToDomTree: (tex: string, options: katex.KatexOptions) => Virtual }
).__renderToDomTree;

const kNamespace = "http://www.w3.org/1998/Math/MathML";
const kTags = new Set(
  "math semantics annotation mrow mi mo mn ms mtext mspace msub msup msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mstyle mpadded mphantom menclose".split(
    " ",
  ),
);
const kAttributes = new Set(
  "display encoding mathvariant mathcolor mathbackground mathsize displaystyle scriptlevel stretchy fence separator accent accentunder largeop movablelimits minsize maxsize lspace rspace width height depth voffset linethickness notation rowspacing columnspacing columnalign columnlines rowlines".split(
    " ",
  ),
);
/** More than this is no formula that anybody reads, and its nodes would cost a frame. */
const kMostChars = 5000;
const kMostNodes = 4000;

/** A formula, or undefined where the text is none: then its source is what there is to see. */
export function formula(tex: string, block: boolean): Element | undefined {
  if (tex.length > kMostChars) return undefined;
  try {
    const left = { nodes: kMostNodes };
    const box = document.createElement("span");
    draw(
      build(tex, { output: "mathml", displayMode: block, maxSize: 20, maxExpand: 300, strict: "ignore" }),
      box,
      left,
    );
    return box.firstElementChild ?? undefined;
  } catch {
    return undefined;
  }
}

function draw(node: Virtual, into: Node, left: { nodes: number }): void {
  if (left.nodes-- <= 0) throw new RangeError("too many nodes");
  if (node.text !== undefined) into.appendChild(document.createTextNode(node.text));
  else if (node.character) into.appendChild(document.createTextNode(node.character));
  else if (node.type === undefined && node.width !== undefined && node.children === undefined)
    into.appendChild(element("mspace", { width: `${node.width}em` }));
  else {
    const here =
      node.type !== undefined && kTags.has(node.type) ? element(node.type, node.attributes ?? {}) : into;
    for (const child of node.children ?? []) draw(child, here, left);
    if (here !== into) into.appendChild(here);
    if (node.type === "mtable") alignColumns(here as Element);
  }
}

function element(type: string, attributes: Readonly<Record<string, unknown>>): Element {
  const made = document.createElementNS(kNamespace, type);
  for (const [name, value] of Object.entries(attributes))
    if (kAttributes.has(name) && typeof value === "string" && /^[\w #%+./-]{0,200}$/.test(value))
      made.setAttribute(name, value);
  return made;
}

/** Browsers know neither `columnalign` nor `columnspacing`: the cells say it by their class. */
function alignColumns(table: Element): void {
  const aligns = (table.getAttribute("columnalign") ?? "").split(" ");
  const gaps = (table.getAttribute("columnspacing") ?? "").split(" ");
  for (const row of table.children)
    [...row.children].forEach((cell, at) => {
      const align = aligns[at] ?? aligns.at(-1);
      if (align === "left" || align === "right") cell.classList.add(`to-${align}`);
      if (gaps[at] === "0em" || gaps[at - 1] === "0em") cell.classList.add("close");
    });
}
