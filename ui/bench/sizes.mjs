// How much of the page goes over the wire before something is seen, gzipped; `dist` is where it was built.
import { gzipSync } from "node:zlib";
import { readdirSync, readFileSync } from "node:fs";

/** In kB. The bench prints them, a test of the page holds them. */
export const budgets = { first: 40, conversation: 105, math: 80, terminal: 130, fonts: 120 };

export function sizes(dist) {
  const assets = readdirSync(new URL("assets/", dist));
  const read = (path) => readFileSync(new URL(path, dist));
  /** One file and everything that it imports at once. */
  const closure = (path, seen = new Set()) => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const [, name] of read(path)
      .toString()
      .matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g))
      closure(`assets/${name}`, seen);
    return seen;
  };
  const named = (pattern) => assets.filter((name) => pattern.test(name)).map((name) => `assets/${name}`);
  const kilobytes = (paths) =>
    [...paths].reduce((sum, path) => sum + gzipSync(read(path), { level: 9 }).length, 0) / 1000;
  const entry = /<script type="module"[^>]* src="\/(assets\/[\w.-]+\.js)"/.exec(
    read("index.html").toString(),
  )[1];
  const [view] = named(/^conversation-.*\.js$/);
  return {
    first: kilobytes(closure(entry)),
    conversation: kilobytes(closure(view, closure(entry))),
    math: kilobytes(named(/^math-.*\.js$/)),
    terminal: kilobytes(named(/^terminal-.*\.js$/)), // Its style sheets are in it.
    fonts: kilobytes(named(/\.woff2$/)),
  };
}
