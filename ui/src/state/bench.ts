// The workbench beside a conversation: whether it is open, which of its panels is shown, how wide it is. It comes with the
// code of the dialogs; what is in the panels comes when one is opened.
import { batch, computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { App } from "./app";
import { isBoolean, isNumber, stored } from "./stored";
import { write } from "./write";

export const benchTabs = ["changes", "files", "terminal", "ports"] as const;
export type BenchTab = (typeof benchTabs)[number];
const isTab = (value: unknown): value is BenchTab => benchTabs.includes(value as BenchTab);

export const kBenchWidth = { least: 360, usual: 620, most: 1600 };
const isWidth = (value: unknown): value is number =>
  isNumber(value) && value >= kBenchWidth.least && value <= kBenchWidth.most;

/** A file that is looked at, and the line that was asked for. */
export interface Looked {
  path: string;
  line?: number;
}

/** `src/a.ts:12` */
export const lookedText = ({ path, line }: Looked) => (line === undefined ? path : `${path}:${line}`);
export function lookedAt(text: string): Looked | undefined {
  const [, path = "", line] = /^(.+?)(?::(\d{1,9}))?$/s.exec(text) ?? [];
  return path === "" ? undefined : line === undefined ? { path } : { path, line: Number(line) };
}

/** Without room for both it lies over the conversation. */
const over = matchMedia("(max-width: 1099.9px)");

export class Bench {
  readonly tab: ReadonlySignal<BenchTab> = stored("lb.bench-tab", "changes", isTab);
  readonly width: ReadonlySignal<number> = stored("lb.bench-width", kBenchWidth.usual, isWidth);
  /** How changes are looked at: side by side, the files as a tree, the list of them folded away. */
  readonly split: ReadonlySignal<boolean> = stored("lb.diff-split", false, isBoolean);
  readonly tree: ReadonlySignal<boolean> = stored("lb.diff-tree", false, isBoolean);
  readonly listed: ReadonlySignal<boolean> = stored("lb.diff-list", true, isBoolean);
  /** Beside the conversation it stays as it was left; above it nobody begins with it. */
  private readonly beside = stored("lb.bench", false, isBoolean);
  private readonly above = signal(false);
  private readonly isOver = signal(over.matches);
  readonly over: ReadonlySignal<boolean> = this.isOver;
  /** Only a session has work to look at. */
  readonly open = computed(
    () => this.session.value !== undefined && (this.isOver.value ? this.above : this.beside).value,
  );
  /** The session whose work is shown: one that the server has. */
  readonly session = computed(() => {
    void this.app.sessions.ids.value;
    const id = this.app.nav.session.value;
    return id !== undefined && this.app.sessions.of(id) ? id : undefined;
  });
  /** What each session's files were compared with last, and the file that was looked at. */
  private readonly compared = signal<Readonly<Record<string, string>>>({});
  /** What was committed here since the user last chose what to compare with. */
  private readonly commits = signal<Readonly<Record<string, string | undefined>>>({});
  private readonly looked = signal<Readonly<Record<string, Looked>>>({});
  /** Goes up when a panel was asked for: it takes the focus. */
  readonly asked: ReadonlySignal<number> = signal(0);

  constructor(private readonly app: App) {
    over.addEventListener("change", () => {
      this.isOver.value = over.matches;
    });
    this.read(location.search);
    this.follow();
    addEventListener("popstate", () => {
      if (!this.read(location.search) && this.isOver.peek()) this.above.value = false;
    });
  }

  show(tab: BenchTab): void {
    batch(() => {
      write(this.tab, tab);
      this.setOpen(true);
      write(this.asked, this.asked.peek() + 1);
    });
  }
  /** The key of a panel that is shown closes it. */
  toggle(tab: BenchTab = this.tab.peek()): void {
    if (this.open.peek() && this.tab.peek() === tab) this.close();
    else this.show(tab);
  }
  close(): void {
    // The entry in which it was opened is left, so that Back does not open it again.
    if (this.isOver.peek() && this.open.peek() && (history.state as { bench?: true } | null)?.bench)
      history.back();
    this.setOpen(false);
  }
  resize(width: number): void {
    const most = Math.min(kBenchWidth.most, innerWidth * 0.75);
    write(this.width, Math.round(Math.max(kBenchWidth.least, Math.min(most, width))));
  }

  choose(what: "split" | "tree" | "listed", value: boolean): void {
    write(this[what], value);
  }

  against(sessionId: string): string {
    return this.compared.value[sessionId] ?? "base";
  }
  compare(sessionId: string, against: string): void {
    this.compared.value = { ...this.compared.peek(), [sessionId]: against };
    this.commit(sessionId, undefined);
  }
  committed(sessionId: string): string | undefined {
    return this.commits.value[sessionId];
  }
  commit(sessionId: string, words: string | undefined): void {
    this.commits.value = { ...this.commits.peek(), [sessionId]: words };
  }
  file(sessionId: string): Looked | undefined {
    return this.looked.value[sessionId];
  }
  look(sessionId: string, file: Looked): void {
    this.looked.value = { ...this.looked.peek(), [sessionId]: file };
  }

  private setOpen(open: boolean): void {
    (this.isOver.peek() ? this.above : this.beside).value = open;
  }

  /** The address says what is open: `?changes`, `?files=src/a.ts:12`. True where one does. */
  private read(search: string): boolean {
    const asked = new URLSearchParams(search);
    const tab = benchTabs.find((name) => asked.has(name));
    if (!tab) return false;
    const file = lookedAt(asked.get("files") ?? "");
    const sessionId = this.app.nav.session.peek();
    batch(() => {
      if (file && sessionId !== undefined) this.look(sessionId, file);
      write(this.tab, tab);
      this.setOpen(true);
    });
    return true;
  }

  private searched(): string {
    const sessionId = this.session.value;
    if (!this.open.value || sessionId === undefined) return "";
    const tab = this.tab.value;
    const file = tab === "files" ? this.file(sessionId) : undefined;
    return `?${tab}${file ? `=${encodeURIComponent(lookedText(file)).replace(/%2F/g, "/")}` : ""}`;
  }

  private follow(): void {
    effect(() => {
      const search = this.searched();
      const leads = this.session.peek() !== undefined;
      // After whoever writes the address of the session itself.
      queueMicrotask(() => {
        if (!leads || search === location.search) return;
        const address = location.pathname + search;
        // On a phone it is a page: Back leads to the conversation again.
        if (this.isOver.peek() && location.search === "") history.pushState({ bench: true }, "", address);
        else history.replaceState(history.state, "", address);
      });
    });
  }
}

const benches = new WeakMap<App, Bench>();
export function benchOf(app: App): Bench {
  const known = benches.get(app) ?? new Bench(app);
  benches.set(app, known);
  return known;
}
