// Code that the first picture does not need. It comes by itself right after it, so that it is there before anyone asks
// for it, and stays there when the server goes away.
import { signal } from "@preact/signals";

/** One part of the page that arrives after the rest. */
export class Later<T> {
  readonly module = signal<T | undefined>(undefined);
  /** It could not be fetched. The next `load` tries again. */
  readonly failed = signal(false);
  private loading: Promise<void> | undefined;

  constructor(private readonly fetch: () => Promise<T>) {}

  load(): Promise<void> {
    if (this.module.peek()) return Promise.resolve();
    return (this.loading ??= this.fetch()
      .then(
        (module) => {
          this.module.value = module;
          this.failed.value = false;
        },
        () => {
          this.failed.value = true;
        },
      )
      .finally(() => {
        this.loading = undefined;
      }));
  }
}

export const conversation = new Later(() => import("./conversation"));
export const dialogs = new Later(() => import("./dialogs"));

/** Letters that the first picture seldom has: there before a conversation needs them. */
function moreLetters(): void {
  for (const font of ["italic 1em Inter", 'bold 1em "JetBrains Mono"'])
    document.fonts?.load(font).catch(() => {});
}

/** A conversation's code is fetched while its text is: neither waits for the other. Dialogs when there is a moment. */
export function loadSoon(): void {
  void conversation.load();
  const rest = () => {
    void dialogs.load();
    moreLetters();
  };
  if ("requestIdleCallback" in window) window.requestIdleCallback(rest, { timeout: 1000 });
  else setTimeout(rest, 100);
}
