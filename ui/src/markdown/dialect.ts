// Markdown as agents write it: GitHub's, with footnotes, alerts and formulas. Shared by splitting and drawing.
import { Lexer, Marked, type TokenizerAndRendererExtension, type Tokens } from "marked";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string) => text.replace(/[&<>"]/g, (char) => escapes[char]!);

/**
 * HTML inside markdown: plain tags of text pass, everything with an attribute and every other tag is shown as what it is.
 * So the sanitiser never even parses a handler or a style, and a reader sees what the agent wrote.
 */
const plainTag =
  /^<\/?(?:br|hr|p|b|i|u|s|em|strong|del|ins|mark|kbd|sub|sup|small|code|details|summary|blockquote|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|h[1-6])\s*\/?>$/i;
const plainHtml = (text: string) =>
  text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/<[^<>]*>|[<>]/g, (tag) => (plainTag.test(tag) ? tag : escape(tag)));

/** What could end a paragraph is looked for in it, not in all that follows: a long text would be read for each of its parts. */
const paragraph = (src: string): string => {
  const end = src.indexOf("\n\n");
  return end < 0 ? src : src.slice(0, end);
};

/** The source of a formula. What draws it finds it by its class and reads its text. */
const formula = (tex: string, block: boolean) =>
  block
    ? `<div class="math block">${escape(tex.trim())}</div>`
    : `<span class="math">${escape(tex.trim())}</span>`;

/** From two dollars, or a bracket with a backslash, at the beginning of a line to their end, without an empty line between. */
const formulaBlock: TokenizerAndRendererExtension = {
  name: "formulaBlock",
  level: "block",
  childTokens: ["tokens"],
  start: (src) => /^ {0,3}(?:\$\$|\\\[)/m.exec(paragraph(src))?.index,
  tokenizer(src) {
    const begin = /^ {0,3}(\$\$|\\\[)/.exec(src);
    if (!begin) return undefined;
    const close = begin[1] === "$$" ? "$$" : "\\]";
    const rest = src.slice(begin[0].length);
    const blank = rest.search(/\n[ \t]*\n/);
    const body = blank < 0 ? rest : rest.slice(0, blank);
    const end = body.indexOf(close);
    if (end < 0) {
      // Not closed yet, or never: one paragraph, so that the lines in it begin no blocks of their own.
      if (blank >= 0 || !body.includes("\n")) return undefined;
      return { type: "formulaBlock", raw: src, tokens: this.lexer.inline(src.replace(/\n+$/, "")) };
    }
    const length = begin[0].length + end + close.length;
    const alone = /^[ \t]*(?:\n|$)/.test(body.slice(end + close.length));
    if (!alone || body.slice(0, end).trim() === "") return undefined;
    const raw = src.slice(0, length) + /^[ \t]*\n*/.exec(src.slice(length))![0];
    return { type: "formulaBlock", raw, tex: body.slice(0, end) };
  },
  renderer(token) {
    if (typeof token["tex"] === "string") return formula(token["tex"], true);
    return `<p>${this.parser.parseInline(token.tokens ?? [])}</p>`;
  },
};

/** Between dollars, as far as they are not money and not variables of a shell; or in parentheses with backslashes. */
const formulaInline: TokenizerAndRendererExtension = {
  name: "formulaInline",
  level: "inline",
  start: (src) => /(?<![\w\\$])\$|\\[([]/.exec(src)?.index,
  tokenizer(src) {
    const display = /^\$\$(?!\s)((?:\\.|[^\\$])*(?:\\.|[^\s\\$]))\$\$|^\\\[((?:(?!\\\])[^])+)\\\]/.exec(src);
    const inline =
      /^\$(?![\s$])((?:\\.|[^\\$\n])*(?:\\.|[^\s\\$]))\$(?![\w$])|^\\\(((?:(?!\\\)).)+)\\\)/.exec(src);
    const found = display ?? inline;
    if (!found) return undefined;
    return { type: "formulaInline", raw: found[0], tex: found[1] ?? found[2], block: display !== null };
  },
  renderer: (token) =>
    formula(token["tex"] as string, token["block"] as boolean).replace(/^<div|div>$/g, (tag) =>
      tag.replace("div", "span"),
    ),
};

const noteLabel = /\[\^([^\]\s]{1,40})\]/.source;
const noteStart = new RegExp(`^ {0,3}${noteLabel}:`, "m");
const noteRefText = new RegExp(`^${noteLabel}(?![(\\[])`);
const noteText = new RegExp(
  `^ {0,3}${noteLabel}:[ \\t]*([^\\n]*(?:\\n(?:[ \\t]{2,}\\S|(?!\\s*(?:[#>|~\`*+-]|\\d+[.)]|\\[\\^))[^\\s])[^\\n]*|\\n[ \\t]*\\n {4}[^\\n]*)*)(?:\\n+|$)`,
);

/** `[^1]: what it says`, with lines that are indented or follow at once. */
const note: TokenizerAndRendererExtension = {
  name: "note",
  level: "block",
  childTokens: ["tokens"],
  start: (src) => noteStart.exec(paragraph(src))?.index,
  tokenizer(src) {
    const found = noteText.exec(src);
    if (!found) return undefined;
    const text = found[2]!.replace(/\n {1,4}/g, "\n");
    const tokens: Tokens.Generic[] = [];
    this.lexer.blockTokens(text, tokens);
    return { type: "note", raw: found[0], label: found[1], tokens };
  },
  renderer(token) {
    const label = escape(token["label"] as string);
    return `<div class="footnote"><sup class="note-label">${label}</sup><div>${this.parser.parse(token.tokens ?? [])}</div></div>`;
  },
};

/** `[^1]`: the text as it is written until its note is found. */
const noteRef: TokenizerAndRendererExtension = {
  name: "noteRef",
  level: "inline",
  start: (src) => {
    const at = src.indexOf("[^");
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    const found = noteRefText.exec(src);
    return found ? { type: "noteRef", raw: found[0] } : undefined;
  },
  renderer: (token) => `<span class="note-ref">${escape(token.raw)}</span>`,
};

const alertNames = {
  note: "Note",
  tip: "Tip",
  important: "Important",
  warning: "Warning",
  caution: "Caution",
};

export const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => plainHtml(text),
    checkbox: ({ checked }) =>
      `<span class="${checked ? "task done" : "task"}">${checked ? "☑" : "☐"} </span>`,
    code: ({ text, lang }) => {
      const name = (lang ?? "").trim().split(/\s+/)[0] ?? "";
      if (name === "math") return formula(text, true);
      return `<pre><code class="language-${escape(name || "text")}">${escape(text)}</code></pre>`;
    },
    blockquote({ tokens }) {
      const body = this.parser.parse(tokens);
      const alert = /^<p>\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:<br>)?(?:\n|(?=<\/p>))/i.exec(
        body,
      );
      if (!alert) return `<blockquote>\n${body}</blockquote>\n`;
      const kind = alert[1]!.toLowerCase() as keyof typeof alertNames;
      const rest = `<p>${body.slice(alert[0].length)}`.replace(/^<p>\s*<\/p>/, "");
      return `<blockquote class="alert ${kind}"><p class="alert-title">${alertNames[kind]}</p>${rest}</blockquote>\n`;
    },
  },
  extensions: [formulaBlock, formulaInline, note, noteRef],
});

export const newLexer = (): Lexer => new Lexer(marked.defaults);
