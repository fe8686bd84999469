// What a terminal showed, as part of a message to an agent.
import type { IBuffer, IMarker } from "@xterm/xterm";

/** Enough for a failed test and its stack; a log belongs into a file that the agent can read by itself. */
export const kMostLines = 200;
export const kMostLetters = 16_000;
export const kUsualLines = 50;

/** The words of some lines, those that were wrapped as one. `to` is not among them. */
export function textOf(buffer: IBuffer, from: number, to: number): string {
  const lines: string[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, buffer.length); at++) {
    const line = buffer.getLine(at);
    if (!line) continue;
    const next = buffer.getLine(at + 1)?.isWrapped === true;
    const text = line.translateToString(!next);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return trimmed(lines).join("\n");
}

function trimmed(lines: readonly string[]): readonly string[] {
  let [first, last] = [0, lines.length];
  while (first < last && lines[first]!.trim() === "") first++;
  while (last > first && lines[last - 1]!.trim() === "") last--;
  return lines.slice(first, last);
}

/** The last command with what it said, if it was typed here; else the last lines. The line that waits for the next is left out. */
export function lastOutput(buffer: IBuffer, entered: IMarker | undefined): { what: string; text: string } {
  const cursor = buffer.baseY + buffer.cursorY;
  if (entered && !entered.isDisposed && entered.line >= 0 && entered.line < cursor) {
    const text = textOf(buffer, entered.line, cursor);
    if (text.includes("\n")) return { what: "last command", text };
  }
  return {
    what: `last ${kUsualLines} lines`,
    text: textOf(buffer, cursor + 1 - kUsualLines, cursor + 1),
  };
}

/** As a block that nothing inside can end; of much, the end is kept. */
export function asBlock(name: string, text: string): string {
  const all = text.split("\n");
  let kept = all.slice(-kMostLines).join("\n");
  if (kept.length > kMostLetters) {
    kept = kept.slice(-kMostLetters);
    const end = kept.indexOf("\n");
    if (end >= 0) kept = kept.slice(end + 1);
  }
  const left = all.length - kept.split("\n").length;
  const longest = Math.max(2, ...[...kept.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const cut = left > 0 ? ` (the last ${kept.split("\n").length} of ${all.length} lines)` : "";
  return `From the terminal “${name}”${cut}:\n\n${fence}\n${kept}\n${fence}`;
}
