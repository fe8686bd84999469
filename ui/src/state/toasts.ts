// Short messages at the edge of the page: what went wrong, what was done.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Toast } from "./types";
import { write } from "./write";

const kInfoMs = 5000;
const kMost = 4;

export class Toasts {
  readonly shown: ReadonlySignal<readonly Toast[]> = signal([]);
  private next = 1;

  /** The same words a second time replace the first. What only informs leaves by itself. */
  add(kind: Toast["kind"], text: string, action?: Toast["action"]): void {
    const id = this.next++;
    const others = this.shown.peek().filter((toast) => toast.text !== text);
    write(this.shown, [...others.slice(1 - kMost), { id, kind, text, action }]);
    if (kind === "info") setTimeout(() => this.dismiss(id), kInfoMs);
  }

  dismiss(id: number): void {
    write(
      this.shown,
      this.shown.peek().filter((toast) => toast.id !== id),
    );
  }

  report(error: unknown, retry?: () => void): void {
    const text = error instanceof Error ? error.message : String(error);
    this.add("error", text, retry && { label: "Try again", run: retry });
  }
}
