// Code that the first picture does not need. It comes by itself right after it, so that it is there before anyone asks
// for it, and stays there when the server goes away.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { App } from "../state/app";

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

/** The dialogs' code for something small that opens: it is there, or comes now because it is `wanted`. */
export function useDialogs(wanted = true): typeof dialogs.module.value {
  useEffect(() => {
    if (wanted) void dialogs.load();
  }, [wanted]);
  return dialogs.module.value;
}

/** The same for what is done at once; whoever cannot have it is told so. */
export async function fetchDialogs(app: App): Promise<typeof dialogs.module.value> {
  await dialogs.load();
  if (dialogs.failed.peek())
    app.toasts.add("error", "This part of the page could not be loaded.", {
      label: "Reload the page",
      run: () => location.reload(),
    });
  return dialogs.module.peek();
}

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
