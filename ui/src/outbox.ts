// Sends on their way. A send is never lost: it stays here, over reloads, until the server has shown it.
import { computed, type ReadonlySignal } from "@preact/signals";
import { WireError } from "./api";
import { isRecord, stored } from "./prefs";
import type { AttachmentRef, ServerMessage } from "./wire";

export interface Outgoing {
  clientMessageId: string;
  sessionId: string;
  content: string;
  attachments: AttachmentRef[];
  /** waiting: not yet with the server. accepted: its turn exists, the row is about to come. failed: refused, the user decides. */
  state: "waiting" | "accepted" | "failed";
  turnId?: string;
  problem?: string;
  at: string;
}

type Send = (entry: Outgoing) => Promise<ServerMessage>;

export class Outbox {
  readonly entries = stored<Outgoing[]>("lb.outbox", [], isOutgoing);
  private readonly busy = new Set<string>();

  /** `shown` says whether the timeline already has this turn. */
  constructor(
    private readonly send: Send,
    private readonly shown: (sessionId: string, turnId: string) => boolean,
  ) {
    // What was accepted before a reload is in the timeline by now.
    this.entries.value = this.entries.peek().filter((entry) => entry.state !== "accepted");
  }

  of(sessionId: string): ReadonlySignal<readonly Outgoing[]> {
    return computed(() => this.entries.value.filter((entry) => entry.sessionId === sessionId));
  }

  add(sessionId: string, content: string, attachments: AttachmentRef[]): void {
    const entry: Outgoing = {
      clientMessageId: crypto.randomUUID(),
      sessionId,
      content,
      attachments,
      state: "waiting",
      at: new Date().toISOString(),
    };
    this.entries.value = [...this.entries.peek(), entry];
    this.flush(sessionId);
  }

  retry(id: string): void {
    this.change(id, { state: "waiting", problem: undefined });
    const entry = this.entries.peek().find((candidate) => candidate.clientMessageId === id);
    if (entry) this.flush(entry.sessionId);
  }

  remove(id: string): void {
    this.entries.value = this.entries.peek().filter((entry) => entry.clientMessageId !== id);
  }

  /** A session that was being made got its real id: what was typed meanwhile goes there. */
  rename(from: string, to: string): void {
    this.entries.value = this.entries
      .peek()
      .map((entry) => (entry.sessionId === from ? { ...entry, sessionId: to } : entry));
    this.flush(to);
  }

  /** The timeline shows this turn: its row takes over. */
  settle(turnId: string): void {
    const left = this.entries.peek().filter((entry) => entry.turnId !== turnId);
    if (left.length !== this.entries.peek().length) this.entries.value = left;
  }

  flushAll(): void {
    for (const id of new Set(this.entries.peek().map((entry) => entry.sessionId))) this.flush(id);
  }

  /** One after the other within a session: the order in which they were typed is the order in which they arrive. */
  flush(sessionId: string): void {
    if (this.busy.has(sessionId) || sessionId.startsWith("new:")) return;
    this.busy.add(sessionId);
    void this.run(sessionId).finally(() => this.busy.delete(sessionId));
  }

  private async run(sessionId: string): Promise<void> {
    for (;;) {
      const entry = this.entries
        .peek()
        .find((candidate) => candidate.sessionId === sessionId && candidate.state === "waiting");
      if (!entry) return;
      try {
        const answer = await this.send(entry);
        if (answer.type === "session:sent") this.accepted(entry, answer.turnId);
        else this.remove(entry.clientMessageId);
      } catch (error) {
        if (!(error instanceof WireError)) return; // The link is down: stays waiting, goes out when it is back.
        this.change(entry.clientMessageId, { state: "failed", problem: error.message });
      }
    }
  }

  private accepted(entry: Outgoing, turnId: string): void {
    if (this.shown(entry.sessionId, turnId)) this.remove(entry.clientMessageId);
    else this.change(entry.clientMessageId, { state: "accepted", turnId });
  }

  private change(id: string, change: Partial<Outgoing>): void {
    this.entries.value = this.entries
      .peek()
      .map((entry) => (entry.clientMessageId === id ? { ...entry, ...change } : entry));
  }
}

function isOutgoing(value: unknown): value is Outgoing[] {
  return (
    Array.isArray(value) &&
    value.every(
      (entry) =>
        isRecord(entry) &&
        typeof entry["clientMessageId"] === "string" &&
        typeof entry["sessionId"] === "string" &&
        typeof entry["content"] === "string" &&
        Array.isArray(entry["attachments"]),
    )
  );
}
