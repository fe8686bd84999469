// Fetches the differences of files that come near, their whole text where more of it is wanted, and colours what is seen.
import { WireError } from "../api";
import { highlightSoon } from "./colour";
import type { FileEntry } from "./entry";
import type { Review } from "./review";
import { readInSlices } from "./unified";

/** At once: enough to be quick, and the server has other things to do. */
const kMost = 4;
/** Opened at each end of a gap with one press; a shorter one opens whole. */
export const kOpenLines = 30;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

export class Fetcher {
  private readonly running = new Set<FileEntry>();
  private wanted: readonly FileEntry[] = [];

  constructor(private readonly review: Review) {}

  address(kind: "diff" | "file", asked: Readonly<Record<string, string>>): string {
    return `/api/session/${encodeURIComponent(this.review.session)}/${kind}?${String(new URLSearchParams(asked))}`;
  }

  /** These are on screen or near, the nearest first. */
  near(entries: readonly FileEntry[]): void {
    this.wanted = entries.filter((entry) => entry.open && !entry.info.binary);
    this.next();
  }

  private next(): void {
    for (const entry of this.wanted) {
      if (this.running.size >= kMost) return;
      if (entry.isStale && !this.running.has(entry) && entry.problem === undefined) void this.load(entry);
    }
  }
  again(entry: FileEntry): void {
    entry.problem = undefined;
    void this.load(entry);
  }

  private async load(entry: FileEntry): Promise<void> {
    const { body } = this.review;
    const trees = body.peek();
    if (!trees) return;
    const { key } = entry;
    this.running.add(entry);
    try {
      const { from, oid } = trees;
      const text = await this.review.app.api.text(this.address("diff", { path: entry.info.path, from, oid }));
      const diff = await readInSlices(text, pause, () => entry.key === key);
      if (diff) entry.take(diff, key);
    } catch (error) {
      if (entry.key === key) {
        entry.problem = (error as Error).message;
        entry.tooLarge = error instanceof WireError && error.code === "TOO_LARGE";
      }
    } finally {
      this.running.delete(entry);
    }
    this.review.rebuildOne(entry);
    this.next();
  }

  /** More lines of a gap. The file is fetched once, as it was when the changes were asked for. */
  async openGap(
    entry: FileEntry,
    index: number,
    count: number | undefined,
    how: "top" | "bottom" | "all",
  ): Promise<void> {
    await this.fetchSource(entry);
    if (!entry.source) return;
    const { top, bottom } = entry.opened.get(index) ?? { top: 0, bottom: 0 };
    const all = how === "all" || (count !== undefined && count <= 2 * kOpenLines);
    const more = all ? Number.MAX_SAFE_INTEGER / 4 : kOpenLines;
    entry.opened.set(index, how === "bottom" ? { top, bottom: bottom + more } : { top: top + more, bottom });
    this.review.rebuildOne(entry);
  }
  private async fetchSource(entry: FileEntry): Promise<void> {
    const trees = this.review.body.peek();
    if (entry.source || entry.fetching || !trees) return;
    entry.fetching = true;
    try {
      const text = await this.review.app.api.text(
        this.address("file", { path: entry.info.path, oid: trees.oid }),
      );
      const lines = text.split("\n");
      if (lines.at(-1) === "") lines.pop();
      entry.source = lines;
    } catch (error) {
      this.review.app.toasts.report(error);
    } finally {
      entry.fetching = false;
    }
  }

  /** An image as it was and as it is. */
  blob(entry: FileEntry, side: "from" | "oid"): Promise<Blob> {
    const { from, oid } = this.review.body.peek()!;
    const path = side === "from" ? (entry.info.oldPath ?? entry.info.path) : entry.info.path;
    return this.review.app.api.blob(this.address("file", { path, oid: side === "from" ? from : oid }));
  }

  /** Colours of these rows, when the browser has a moment. */
  colour(entry: FileEntry, first: number, last: number): void {
    highlightSoon(entry, first, last, () => {
      this.review.version.value++;
    });
  }
}
