// Which language a file is written in, by its name; and its text in coloured pieces. Pure.
import type { Range } from "./words";

const byName: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
  gemfile: "ruby",
  rakefile: "ruby",
};
const byEnding: Readonly<Record<string, string>> = {
  vue: "xml",
  svelte: "xml",
  svg: "xml",
  jsonc: "json",
  mdx: "markdown",
  conf: "ini",
  toml: "ini",
  hh: "cpp",
  cppm: "cpp",
  pyi: "python",
};

/** As the highlighter calls it, or one of its other names. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  return byName[name] ?? byName[name.split(".")[0]!] ?? byEnding[ending] ?? ending;
}

const kImages = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i;
/** That a browser shows. */
export const isImage = (path: string): boolean => kImages.test(path);

/** A piece of a line: `scope` colours it. */
export interface Piece {
  text: string;
  scope: string;
  marked?: boolean;
}

/** Pieces cut where marks begin and end. */
export function withMarks(pieces: readonly Piece[], marks: readonly Range[]): readonly Piece[] {
  if (marks.length === 0) return pieces;
  const cut: Piece[] = [];
  let [at, mark] = [0, 0];
  for (const { text, scope } of pieces) {
    let from = 0;
    while (from < text.length) {
      while (mark < marks.length && marks[mark]![1] <= at + from) mark++;
      const next = marks[mark];
      const inside = next !== undefined && next[0] <= at + from;
      const to = next ? Math.min(text.length, (inside ? next[1] : next[0]) - at) : text.length;
      cut.push({ text: text.slice(from, to), scope, ...(inside ? { marked: true } : {}) });
      from = to;
    }
    at += text.length;
  }
  return cut;
}
