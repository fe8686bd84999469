// Short messages at the edge of the page: what went wrong, what was done.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Toast } from "./types";

const kInfoMs = 5000;
const kMost = 4;

export class Toasts {
  private readonly list = signal<readonly Toast[]>([]);
  readonly shown: ReadonlySignal<readonly Toast[]> = this.list;
  private next = 1;

  /** The same words a second time replace the first. What only informs leaves by itself. */
  add(kind: Toast["kind"], text: string, action?: Toast["action"]): void {
    const id = this.next++;
    const others = this.list.peek().filter((toast) => toast.text !== text);
    this.list.value = [...others.slice(1 - kMost), { id, kind, text, action }];
    if (kind === "info") setTimeout(() => this.dismiss(id), kInfoMs);
  }

  dismiss(id: number): void {
    this.list.value = this.list.peek().filter((toast) => toast.id !== id);
  }

  report(error: unknown, retry?: () => void): void {
    const text = error instanceof Error ? error.message : String(error);
    this.add("error", text, retry && { label: "Try again", run: retry });
  }
}
