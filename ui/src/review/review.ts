// The changes of one session as they are looked at: which files, what of them is here, where the reader is.
import { batch, effect, signal, untracked } from "@preact/signals";
import type { App } from "../state/app";
import { benchOf } from "../state/bench";
import { commentsOf } from "../state/comments";
import type { ChangedFile, ChangesBody, Comment } from "../wire";
import { FileEntry, kHeadHeight, type Measure } from "./entry";
import { Fetcher } from "./fetcher";
import { Heights } from "./heights";
import { kHeadRow } from "./moving";
import { saidIn, signatureOf, type Said } from "./said";

/** Files change in bursts: whoever writes one soon writes the next. */
const kDebounceMs = 400;
/** Somebody who comes back to the window looks again, but not at every switch. */
const kFocusMs = 2000;

export interface Focus {
  path: string;
  row: number;
}

export class Review {
  readonly body = signal<ChangesBody | undefined>(undefined);
  readonly problem = signal<Error | undefined>(undefined);
  readonly busy = signal(false);
  /** Goes up when rows or their heights are others. */
  readonly version = signal(0);
  readonly focus = signal<Focus | undefined>(undefined);
  /** The file at the top of what is seen. */
  readonly top = signal<string | undefined>(undefined);
  /** Brought into view once; the list takes it away. */
  readonly jump = signal<{ path: string; row?: number; start?: boolean } | undefined>(undefined);
  /** The focus went somewhere by a key: the element there takes it once it is drawn. */
  moved = false;
  /** The comment that was just begun here: its field takes the focus. */
  fresh = "";
  entries: FileEntry[] = [];
  heights = new Heights(0, () => 0);
  /** Where the reader was. */
  scrollTop = 0;
  split = false;
  measure: Measure = { line: 20, columns: 80 };
  readonly fetcher: Fetcher;
  private said: Said = { comments: new Map(), writing: new Map() };
  private at = new Map<string, number>();
  private asked = 0;
  private answeredAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly app: App,
    readonly session: string,
  ) {
    this.fetcher = new Fetcher(this);
  }

  get against(): string {
    return benchOf(this.app).against(this.session);
  }

  /** While it is on screen. Gives back how that ends. */
  watch(): () => void {
    const stops = [
      effect(() => {
        void benchOf(this.app).against(this.session);
        void benchOf(this.app).committed(this.session);
        untracked(() => void this.refresh());
      }),
      effect(() => {
        const oid = this.app.sessions.of(this.session)?.value.changes?.oid;
        const body = this.body.peek();
        if (oid !== undefined && body && oid !== body.oid) this.soon();
      }),
      effect(() => {
        void commentsOf(this.app).of(this.session).value;
        void commentsOf(this.app).writing.value;
        untracked(() => this.saidAnew());
      }),
    ];
    const onFocus = () => {
      if (Date.now() - this.answeredAt > kFocusMs) void this.refresh();
    };
    addEventListener("focus", onFocus);
    return () => {
      stops.forEach((stop) => stop());
      removeEventListener("focus", onFocus);
      clearTimeout(this.timer);
    };
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), kDebounceMs);
  }

  async refresh(): Promise<void> {
    clearTimeout(this.timer);
    const [against, asked] = [this.against, ++this.asked];
    this.busy.value = true;
    try {
      const body = await this.app.api.call("GET /api/session/{sessionId}/changes", {
        sessionId: this.session,
        against,
      });
      if (asked === this.asked) this.take(body);
    } catch (error) {
      if (asked === this.asked) this.problem.value = error as Error;
    } finally {
      if (asked === this.asked) this.busy.value = false;
      this.answeredAt = Date.now();
    }
  }

  /** What did not change keeps what is known of it. */
  private take(body: ChangesBody): void {
    const old = new Map(this.entries.map((entry) => [entry.info.path, entry]));
    const sameAgainst = this.body.peek()?.against === body.against;
    batch(() => {
      this.problem.value = undefined;
      this.entries = body.files.map((info) => {
        const key = `${body.from}:${info.oid}:${info.status}`;
        const known = sameAgainst ? old.get(info.path) : undefined;
        if (!known) {
          const made = new FileEntry(info, key);
          made.chosen = old.get(info.path)?.chosen;
          return made;
        }
        if (known.info.oid !== info.oid && info.changedSinceViewed) known.chosen = undefined;
        known.info = info;
        known.key = key;
        return known;
      });
      this.at = new Map(this.entries.map(({ info }, index) => [info.path, index]));
      this.body.value = body;
      if (!sameAgainst) {
        // The list goes on at the same file where that is among these, too.
        this.scrollTop = 0;
        const path = this.focus.peek()?.path;
        this.focus.value = path !== undefined && this.at.has(path) ? { path, row: kHeadRow } : undefined;
      }
      this.saidAnew();
    });
  }

  indexOf(path: string): number {
    return this.at.get(path) ?? -1;
  }
  entry(path: string): FileEntry | undefined {
    return this.entries[this.indexOf(path)];
  }

  /** All rows anew: they are looked at in another way. */
  private rebuild(): void {
    for (const entry of this.entries) this.build(entry);
    this.layout();
  }
  rebuildOne(entry: FileEntry): void {
    this.build(entry);
    this.layout();
  }
  private build(entry: FileEntry): void {
    entry.build(this.contextOf(entry, this.said.comments.get(entry.info.path) ?? []));
  }
  /** Only files about which something else is said are built anew: others may be large, and many. */
  private saidAnew(): void {
    this.said = saidIn(commentsOf(this.app), this.session);
    for (const entry of this.entries) {
      const said = signatureOf(this.said, entry.info.path);
      if (said === entry.said && entry.rows.length > 0) continue;
      entry.said = said;
      this.build(entry);
    }
    this.layout();
  }
  private contextOf(entry: FileEntry, comments: readonly Comment[]) {
    const { split, measure } = this;
    const writing = this.said.writing.get(entry.info.path) ?? [];
    return { split, measure, comments, writing };
  }

  layout(): void {
    this.heights = new Heights(this.entries.length, (index) => this.entries[index]!.height);
    this.version.value++;
  }
  /** Rows were drawn: this is how high they are. */
  measured(sizes: readonly { index: number; row: number; size: number }[]): void {
    let changed = false;
    for (const { index, row, size } of sizes) {
      const entry = this.entries[index];
      if (!entry || row >= entry.rows.length) continue;
      if (entry.heights.set(row, size)) changed = this.heights.set(index, entry.height) || changed;
    }
    if (changed) this.version.value++;
  }
  fit(measure: Measure): void {
    if (measure.line === this.measure.line && measure.columns === this.measure.columns) return;
    this.measure = measure;
    for (const entry of this.entries) entry.remeasure(this.contextOf(entry, []));
    this.layout();
  }
  setSplit(split: boolean): void {
    if (split === this.split) return;
    this.split = split;
    this.rebuild();
  }
  setOpen(entry: FileEntry, open: boolean): void {
    entry.chosen = open;
    this.layout();
  }

  /** The focus of the browser went somewhere by a pointer or Tab: the keys go on from there. */
  look(focus: Focus): void {
    const { path, row } = this.focus.peek() ?? {};
    if (path !== focus.path || row !== focus.row) this.focus.value = focus;
  }

  /** By a pointer: what is out of sight does not have the focus any more. */
  scrolled(top: number, height: number): void {
    const focus = this.focus.peek();
    const index = focus ? this.indexOf(focus.path) : -1;
    if (!focus || index < 0) return;
    const { heights } = this.entries[index]!;
    const at = this.heights.top(index) + (focus.row < 0 ? 0 : kHeadHeight + heights.top(focus.row));
    if (at < top || at > top + height) this.focus.value = undefined;
  }

  /** Seen, or not after all: at once here, then at the server. */
  async setViewed(entry: FileEntry, viewed: boolean): Promise<void> {
    const { path, oid } = entry.info;
    const before = entry.info;
    this.put(entry, { ...before, viewed, changedSinceViewed: false });
    try {
      await this.app.api.call("POST /api/session/{sessionId}/viewed", {
        sessionId: this.session,
        path,
        oid,
        ...(viewed ? {} : { viewed }),
      });
    } catch (error) {
      this.put(entry, before);
      this.app.toasts.report(error, () => void this.setViewed(entry, viewed));
    }
  }
  private put(entry: FileEntry, info: ChangedFile): void {
    entry.info = info;
    entry.chosen = undefined;
    const body = this.body.peek();
    if (body)
      this.body.value = {
        ...body,
        files: body.files.map((file) => (file.path === info.path ? info : file)),
      };
    this.layout();
  }
  async done(): Promise<void> {
    const body = this.body.peek();
    if (!body) return;
    try {
      await this.app.api.call("POST /api/session/{sessionId}/reviewed", {
        sessionId: this.session,
        oid: body.oid,
      });
      this.body.value = { ...this.body.peek()!, reviewed: true };
    } catch (error) {
      this.app.toasts.report(error, () => void this.done());
    }
  }
}

/** The last few stay as they were left: whoever comes back finds his place. */
const kKept = 4;
const kept = new WeakMap<App, Map<string, Review>>();
export function reviewOf(app: App, session: string): Review {
  const all = kept.get(app) ?? new Map<string, Review>();
  kept.set(app, all);
  const review = all.get(session) ?? new Review(app, session);
  all.delete(session);
  all.set(session, review);
  for (const old of all.keys()) if (all.size > kKept) all.delete(old);
  return review;
}
