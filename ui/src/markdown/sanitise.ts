// The one place where text becomes HTML. Everything that arrives here is hostile; a fragment leaves, never a string.
import createDOMPurify, { type Config } from "dompurify";
import { Parser, type TokensList } from "marked";
import { kImageTypes } from "../images";
import { placeOf, type Place } from "../paths";
import { visible } from "../reveal";
import { marked, newLexer } from "./dialect";

/** Our Trusted Types policy. It is private to this file and only DOMPurify uses it, to parse into an inert document. */
interface Policy {
  createHTML(html: string): never;
  createScriptURL(url: string): never;
}
interface PolicyFactory {
  createPolicy(name: string, rules: object): Policy;
}
const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
const policy = factory?.createPolicy("lb-md", {
  createHTML: (html: string) => html,
  createScriptURL: () => {
    throw new TypeError("no script may be loaded from text");
  },
});

const purify = createDOMPurify(window);

const config: Config = {
  ALLOWED_TAGS: [
    "p",
    "br",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "em",
    "strong",
    "b",
    "i",
    "u",
    "s",
    "del",
    "ins",
    "mark",
    "sub",
    "sup",
    "kbd",
    "samp",
    "var",
    "small",
    "a",
    "img",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "th",
    "td",
    "caption",
    "details",
    "summary",
    "dl",
    "dt",
    "dd",
    "abbr",
    "q",
    "cite",
    "span",
    "div",
  ],
  ALLOWED_ATTR: [
    "href",
    "title",
    "alt",
    "src",
    "start",
    "align",
    "colspan",
    "rowspan",
    "class",
    "open",
    "reversed",
  ],
  ADD_URI_SAFE_ATTR: ["start", "align", "colspan", "rowspan", "open", "reversed"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: new RegExp(`^(?:https?:|mailto:|data:(?:${kImageTypes.join("|")});base64,)`, "i"),
  RETURN_DOM_FRAGMENT: true,
  ...(policy ? { TRUSTED_TYPES_POLICY: policy as never } : {}),
};

const kClasses =
  /^(?:language-[\w+#.-]{1,40}|task|task done|remote-image|math|math block|alert (?:note|tip|important|warning|caution)|alert-title|footnote|note-label|note-ref)$/;

// Set once: parsing these lists again for every block costs more than most blocks.
purify.setConfig(config);
/** Files that links lead to, until the link is done: a path is no address and never becomes one. */
const places = new WeakMap<Element, Place>();
purify.addHook("uponSanitizeAttribute", (node, data) => {
  if (data.attrName === "href" && node.tagName === "A") {
    const place = placeOf(data.attrValue);
    if (place) places.set(node, place);
  }
  if (data.attrName === "class" && !kClasses.test(data.attrValue)) data.keepAttr = false;
});
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") safeLink(node);
  if (node.tagName === "IMG") safeImage(node);
});

/** Links open elsewhere, tell nobody where they came from, and show where they lead. */
function safeLink(link: Element): void {
  const url = parse(link.getAttribute("href"));
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) {
    link.removeAttribute("href");
    const place = places.get(link);
    if (place) toFile(link, place);
    return;
  }
  link.setAttribute("href", url.href);
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
  link.setAttribute("title", url.href);
  const host = url.protocol === "mailto:" ? "" : url.host;
  if (host !== "" && !(link.textContent ?? "").includes(host)) link.setAttribute("data-host", host);
}

/** A file in the text can be asked about. What the page does with it is not in the text. */
export function toFile(element: Element, { path, line, column }: Place): void {
  element.setAttribute("class", "file-link");
  element.setAttribute("role", "button");
  element.setAttribute("tabindex", "0");
  element.setAttribute("aria-haspopup", "menu");
  element.setAttribute("data-path", path);
  if (line !== undefined) element.setAttribute("data-line", String(line));
  if (column !== undefined) element.setAttribute("data-column", String(column));
  element.setAttribute("title", visible(path));
}

/** Only images that are in the text itself are drawn. A remote one becomes a link: no request leaves without a click. */
function safeImage(image: Element): void {
  const source = image.getAttribute("src") ?? "";
  if (source.startsWith("data:")) return;
  const url = parse(source);
  const document = image.ownerDocument;
  const remote = url && /^https?:$/.test(url.protocol);
  const shown = document.createElement(remote ? "a" : "span");
  shown.textContent = `Image: ${image.getAttribute("alt") || url?.href || "not shown"}`;
  shown.setAttribute("class", "remote-image");
  if (remote) {
    shown.setAttribute("href", url.href);
    safeLink(shown);
  }
  image.replaceWith(shown);
}

function parse(href: string | null): URL | undefined {
  if (href === null || !URL.canParse(href)) return undefined;
  return new URL(href);
}

/** One markdown block as a fragment that is safe to put into the page. */
export function renderBlock(raw: string, links: TokensList["links"]): DocumentFragment {
  const lexer = newLexer();
  lexer.tokens.links = { ...links };
  return sanitise(Parser.parse(lexer.lex(raw), marked.defaults));
}

/** For tests and for whoever has HTML in hand. */
export function sanitise(html: string): DocumentFragment {
  return purify.sanitize(html) as unknown as DocumentFragment;
}
