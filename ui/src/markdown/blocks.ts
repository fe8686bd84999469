// Splits a growing markdown text into blocks, so that finished blocks are rendered once and only the last one again.
import type { Token, TokensList } from "marked";
import { newLexer } from "./dialect";

export interface Block {
  raw: string;
  /** A fenced or indented code block at top level: drawn as text, never through the HTML path. */
  code?: { text: string; lang: string; closed: boolean };
}

/** A list longer than this is cut into several blocks while it grows: re-lexing a long list costs more than a frame. */
const kLongList = 24;

/** Owned by one rendered message. `update` costs what the last block costs, not what the text costs. */
export class BlockSplitter {
  readonly blocks: Block[] = [];
  /** Reference link definitions seen so far; a later one may change an earlier block. */
  links: TokensList["links"] = {};
  private text = "";
  /** Where the last block begins: in the text, and in `blocks`. */
  private open = 0;
  private openFrom = 0;

  /** Takes the whole text so far. Returns the index of the first block that changed. */
  update(text: string): number {
    const next = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (next === this.text) return this.blocks.length;
    if (!next.startsWith(this.text)) this.forget();
    this.text = next;
    const first = this.openFrom;
    const known = Object.keys(this.links).length;
    this.blocks.length = first;
    this.lex(next.slice(this.open));
    return Object.keys(this.links).length > known ? 0 : first;
  }

  private forget(): void {
    this.blocks.length = 0;
    this.links = {};
    this.open = 0;
    this.openFrom = 0;
  }

  private lex(tail: string): void {
    const lexer = newLexer();
    lexer.tokens.links = this.links;
    const tokens = withLongListsCut(lexer.blockTokens(tail, lexer.tokens));
    this.links = lexer.tokens.links;
    const whole = tokens.reduce((sum, token) => sum + token.raw.length, 0) === tail.length;
    const pieces = whole ? tokens : [{ type: "paragraph", raw: tail } as Token];
    let offset = this.open;
    for (const token of pieces) {
      // Blank lines belong to no block: the block before them may still grow (a loose list), so it stays open.
      if (token.type !== "space") {
        this.open = offset;
        this.openFrom = this.blocks.length;
        this.blocks.push(toBlock(token));
      }
      offset += token.raw.length;
    }
  }
}

/**
 * A block as it reads while its end is still on the way: bold, code and links that were begun are shown as such,
 * so that no markup flickers by. The text itself is not touched; a finished block is drawn from what was written.
 */
export function mended(raw: string): string {
  const ticks = raw.match(/`+/g) ?? [];
  const text = raw.replace(/\s+$/, "");
  const space = raw.slice(text.length);
  if (ticks.length % 2 === 1) {
    const tick = ticks[ticks.length - 1]!;
    return text.endsWith(tick) ? text.slice(0, -tick.length) + space : text + tick + space;
  }
  const link = /!?\[([^\]\n]*)(?:\](?:\([^)\s]*)?)?$/.exec(text);
  const whole = link
    ? text.slice(0, link.index) + (/^!?\[[ xX]?\]?$/.test(link[0]) ? link[0] : link[1]!)
    : text;
  const plain = whole.replace(/`+[^`]*`+/g, "");
  if ((plain.match(/\*\*/g) ?? []).length % 2 === 0) return whole + space;
  if (whole.endsWith("**")) return whole.slice(0, -2) + space;
  return `${whole.replace(/\*$/, "")}**${space}`;
}

function toBlock(token: Token): Block {
  if (token.type !== "code") return { raw: token.raw };
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  const closed =
    fence === undefined || new RegExp(`\\n {0,3}${fence[0]}{${fence.length},} *\\n*$`).test(token.raw);
  const lang = (token.lang as string | undefined)?.trim().split(/\s+/)[0] ?? "";
  if (lang === "math" && closed) return { raw: token.raw }; // A formula.
  return { raw: token.raw, code: { text: token.text as string, lang, closed } };
}

function withLongListsCut(tokens: Token[]): Token[] {
  return tokens.flatMap((token) => {
    const items = token.type === "list" ? (token.items as Token[]) : [];
    if (items.length <= kLongList) return [token];
    const pieces: Token[] = [];
    for (let at = 0; at < items.length; at += kLongList) {
      pieces.push({
        type: "list",
        raw: items
          .slice(at, at + kLongList)
          .map((item) => item.raw)
          .join(""),
      } as Token);
    }
    // The raw of a list has no trailing blanks of its last item; give the difference back to the last piece.
    const missing = token.raw.length - pieces.reduce((sum, piece) => sum + piece.raw.length, 0);
    if (missing > 0) pieces[pieces.length - 1]!.raw += token.raw.slice(-missing);
    return pieces;
  });
}
