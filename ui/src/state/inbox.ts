// The questions that wait for the user, over all sessions.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api";
import type { Waiting } from "./types";

const kTogetherMs = 30;

export class Inbox {
  private readonly items = signal<readonly Waiting[]>([]);
  readonly waiting: ReadonlySignal<readonly Waiting[]> = this.items;
  readonly count = computed(() => this.items.value.length);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly api: Api) {}

  /** The one that waits longest in a session. */
  of(sessionId: string): Waiting | undefined {
    return this.items.value.find((entry) => entry.sessionId === sessionId);
  }

  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.api.get<{ items: Waiting[] }>("/api/inbox").then(
        ({ items }) => {
          this.items.value = items.filter(({ item }) => item.state === "pending");
        },
        () => {},
      );
    }, kTogetherMs);
  }
}
