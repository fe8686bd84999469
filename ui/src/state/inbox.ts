// The questions that wait for the user, over all sessions. The server says of each session which there are.
import { computed, signal } from "@preact/signals";
import type { Approval, SessionInboxMessage } from "../wire";
import type { Waiting } from "./types";

export class Inbox {
  private readonly bySession = signal<ReadonlyMap<string, readonly Waiting[]>>(new Map());
  /** Sessions of which a server that came back has not spoken yet. */
  private stale = new Set<string>();
  /** The one that waits longest first. */
  readonly waiting = computed(() =>
    [...this.bySession.value.values()].flat().sort((a, b) => (a.item.startedAt < b.item.startedAt ? -1 : 1)),
  );
  /** In how many sessions something waits. */
  readonly sessions = computed(() => this.bySession.value.size);

  of(sessionId: string): Waiting | undefined {
    return this.bySession.value.get(sessionId)?.[0];
  }

  /** All that waits in one session. */
  set({ sessionId, title, items }: SessionInboxMessage): void {
    this.stale.delete(sessionId);
    const waiting = items
      .filter((item): item is Approval => item.type === "approval" && item.state === "pending")
      .map((item) => ({ sessionId, title, item }));
    const lists = new Map(this.bySession.peek());
    if (waiting.length > 0) lists.set(sessionId, waiting);
    else lists.delete(sessionId);
    this.bySession.value = lists;
  }

  forget(ids: Iterable<string>): void {
    const lists = new Map(this.bySession.peek());
    for (const id of ids) lists.delete(id);
    if (lists.size !== this.bySession.peek().size) this.bySession.value = lists;
  }

  forgetAll(): void {
    this.forget([...this.bySession.peek().keys()]);
  }

  /** After its hello the server names the sessions in which something waits. What is on screen stays until it has. */
  connected(): void {
    this.stale = new Set(this.bySession.peek().keys());
  }
  /** It has: this is an answer to what was asked after the hello. */
  caughtUp(): void {
    this.forget(this.stale);
    this.stale.clear();
  }
}
