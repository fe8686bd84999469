// Colours for rows that are on screen, both sides of them, when the browser has a moment. What is never seen costs nothing.
import type { FileEntry } from "./entry";
import { languageOf } from "./language";
import { lineOf, type Row } from "./rows";
import type { Line } from "./unified";

/** Rows that are coloured together, so that a comment over several lines is one. */
const kChunk = 120;
/** More than this is left without colours: it would be felt. */
const kMostChars = 40_000;

type Languages = typeof import("../markdown/languages");
let languages: Languages | undefined;
let asked: Promise<Languages | undefined> | undefined;
const fetchLanguages = () =>
  (asked ??= import("../markdown/languages").then(
    (code) => (languages = code),
    () => {
      asked = undefined; // The server is gone. The text is what matters.
      return undefined;
    },
  ));

const waiting = new Set<string>();

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in window) window.requestIdleCallback(() => resolve(), { timeout: 500 });
    else setTimeout(resolve, 0);
  });

export function highlightSoon(entry: FileEntry, first: number, last: number, done: () => void): void {
  for (let chunk = Math.floor(first / kChunk); chunk <= Math.floor(last / kChunk); chunk++) {
    const rows = entry.rows.slice(chunk * kChunk, (chunk + 1) * kChunk);
    if (!rows.some((row) => isBare(entry, row))) continue;
    const key = `${entry.info.path}:${entry.loaded}:${chunk}`;
    if (waiting.has(key)) continue;
    waiting.add(key);
    void colour(entry, rows)
      .then((coloured) => coloured && done())
      .finally(() => waiting.delete(key));
  }
}

const isBare = (entry: FileEntry, row: Row): boolean =>
  (["old", "new"] as const).some((side) => {
    const line = lineOf(row, side);
    return line !== undefined && !entry.colours.has(line);
  });

async function colour(entry: FileEntry, rows: readonly Row[]): Promise<boolean> {
  const code = languages ?? (await fetchLanguages());
  await idle();
  if (!code) return false;
  const language = languageOf(entry.info.path);
  for (const side of ["old", "new"] as const) paint(entry, rows, side, language, code);
  return true;
}

function paint(
  entry: FileEntry,
  rows: readonly Row[],
  side: "old" | "new",
  language: string,
  code: Languages,
): void {
  const lines = rows.flatMap((row): Line[] => {
    const line = lineOf(row, side);
    return line && line.kind !== (side === "old" ? "add" : "del") ? [line] : [];
  });
  const text = lines.map((line) => line.text).join("\n");
  const found = text.length > kMostChars ? undefined : code.highlightLines(text, language);
  // What has no colours has them now too: nobody asks again.
  lines.forEach((line, index) => entry.colours.set(line, found?.[index] ?? [{ text: line.text, scope: "" }]));
}
