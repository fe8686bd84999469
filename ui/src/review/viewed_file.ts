// A file that is read: its lines, and their colours as they come near. Pure but for the highlighter's code.
import type { Piece } from "./language";
import { languageOf } from "./language";

export type Content =
  | { kind: "text"; lines: readonly string[] }
  | { kind: "image"; blob: Blob }
  | { kind: "binary"; bytes: number };

/** By what the server says that it is. */
export async function contentOf(blob: Blob): Promise<Content> {
  if (blob.type.startsWith("image/")) return { kind: "image", blob };
  if (blob.type !== "" && !blob.type.startsWith("text/")) return { kind: "binary", bytes: blob.size };
  const lines = (await blob.text())
    .split("\n")
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return { kind: "text", lines };
}

/** Lines that are coloured together. */
const kChunk = 300;
const kMostChars = 60_000;

export class Colours {
  private readonly known = new Map<number, readonly (readonly Piece[])[]>();
  private readonly asked = new Set<number>();

  constructor(
    private readonly path: string,
    private readonly lines: readonly string[],
  ) {}

  of(line: number): readonly Piece[] {
    const chunk = this.known.get(Math.floor(line / kChunk));
    return chunk?.[line % kChunk] ?? [{ text: this.lines[line]!, scope: "" }];
  }
  /** Asks for those of these lines; `done` when there are more. */
  want(first: number, last: number, done: () => void): void {
    for (let chunk = Math.floor(first / kChunk); chunk <= Math.floor(last / kChunk); chunk++) {
      if (this.asked.has(chunk)) continue;
      this.asked.add(chunk);
      const text = this.lines.slice(chunk * kChunk, (chunk + 1) * kChunk).join("\n");
      if (text.length > kMostChars) continue;
      void import("../markdown/languages").then(
        ({ highlightLines }) => {
          const found = highlightLines(text, languageOf(this.path));
          if (!found) return;
          this.known.set(chunk, found);
          done();
        },
        () => this.asked.delete(chunk),
      );
    }
  }
}
