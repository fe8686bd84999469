// Short messages: what went wrong, what was done. One is on screen for a while; all of them stay in a list.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Toast } from "./types";
import { write } from "./write";

/** Long enough to look up and to read it, at a slow reader's pace. */
const kLeastMs = 6000;
/** What went well and offers nothing needs no more than a glance. */
const kGlanceMs = 2500;
const kPerLetterMs = 60;
const kMostMs = 20_000;
const kKept = 50;

export class Toasts {
  /** What is on screen. */
  readonly shown: ReadonlySignal<Toast | undefined> = signal(undefined);
  /** Newest last. */
  readonly kept: ReadonlySignal<readonly Toast[]> = signal([]);
  private readonly seen = signal(0);
  /** What went wrong since the list was last looked at. */
  readonly unseen = computed(
    () => this.kept.value.filter((toast) => toast.kind === "error" && toast.id > this.seen.value).length,
  );
  private next = 1;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The same words a second time replace the first. */
  add(kind: Toast["kind"], text: string, action?: Toast["action"]): void {
    const toast: Toast = { id: this.next++, kind, text, action, at: new Date().toISOString() };
    const others = this.kept.peek().filter((old) => old.text !== text);
    write(this.kept, [...others.slice(1 - kKept), toast]);
    write(this.shown, toast);
    this.release();
  }

  report(error: unknown, retry?: () => void): void {
    const text = error instanceof Error ? error.message : String(error);
    this.add("error", text, retry && { label: "Try again", run: retry });
  }

  /** It leaves the screen, not the list. */
  dismiss(): void {
    clearTimeout(this.timer);
    write(this.shown, undefined);
  }
  /** Somebody is reading it: it stays until `release`. */
  hold(): void {
    clearTimeout(this.timer);
  }
  release(): void {
    clearTimeout(this.timer);
    const { kind, action, text = "" } = this.shown.peek() ?? {};
    const least = kind === "info" && !action ? kGlanceMs : kLeastMs;
    this.timer = setTimeout(() => this.dismiss(), Math.min(kMostMs, least + text.length * kPerLetterMs));
  }

  /** What it offers is done once, from wherever it stands. */
  act({ id, action }: Toast): void {
    write(
      this.kept,
      this.kept.peek().map((toast) => (toast.id === id ? { ...toast, action: undefined } : toast)),
    );
    if (this.shown.peek()?.id === id) this.dismiss();
    action?.run();
  }

  /** The list was looked at. */
  look(): void {
    this.seen.value = this.next - 1;
  }
  clear(): void {
    this.dismiss();
    write(this.kept, []);
  }
}
