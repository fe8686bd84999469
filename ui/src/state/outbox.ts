// Sends on their way. A send is never lost: it stays here, over reloads, until the server has shown it.
import { computed, type ReadonlySignal } from "@preact/signals";
import { WireError } from "../api";
import { isRecord, stored } from "./stored";
import type { AttachmentRef, ServerMessage } from "../wire";
import type { Connection } from "./link";
import type { Timelines } from "./timelines";

export interface Outgoing {
  clientMessageId: string;
  sessionId: string;
  content: string;
  attachments: AttachmentRef[];
  /** waiting: not yet with the server. accepted: its turn exists, the row is about to come. failed: refused, the user decides. */
  state: "waiting" | "accepted" | "failed";
  turnId?: string;
  problem?: string;
  /** Up to where the timeline was known when it was sent. */
  rev?: number;
  at: string;
}

export class Outbox {
  private readonly kept = stored<Outgoing[]>("lb.outbox", [], isOutgoing);
  readonly entries: ReadonlySignal<readonly Outgoing[]> = this.kept;
  private readonly busy = new Set<string>();

  constructor(
    private readonly link: Connection,
    private readonly timelines: Timelines,
  ) {
    // What was accepted before a reload is in the timeline by now.
    this.kept.value = this.kept.peek().filter((entry) => entry.state !== "accepted");
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
    this.kept.value = [...this.entries.peek(), entry];
    this.flush(sessionId);
  }

  retry(id: string): void {
    this.change(id, { state: "waiting", problem: undefined });
    const entry = this.entries.peek().find((candidate) => candidate.clientMessageId === id);
    if (entry) this.flush(entry.sessionId);
  }

  remove(id: string): void {
    this.kept.value = this.entries.peek().filter((entry) => entry.clientMessageId !== id);
  }

  /** Takes everything back that was meant for a session. */
  takeAll(sessionId: string): readonly Outgoing[] {
    const taken = this.kept.peek().filter((entry) => entry.sessionId === sessionId);
    this.kept.value = this.kept.peek().filter((entry) => entry.sessionId !== sessionId);
    return taken;
  }

  /** A session that was being made got its real id: what was typed meanwhile goes there. */
  rename(from: string, to: string): void {
    this.kept.value = this.entries
      .peek()
      .map((entry) => (entry.sessionId === from ? { ...entry, sessionId: to } : entry));
    this.flush(to);
  }

  /** The timeline shows this turn: its row takes over. */
  settle(turnId: string): void {
    const left = this.entries.peek().filter((entry) => entry.turnId !== turnId);
    if (left.length !== this.entries.peek().length) this.kept.value = left;
  }

  /**
   * The timeline shows these words of the user. A prompt that could not be given to its agent is refused and is shown as
   * a failed turn, in whatever order: the turn says why and can be tried again, a second copy of it says nothing.
   */
  appeared(sessionId: string, content: string, rev: number): void {
    const copy = (entry: Outgoing) =>
      entry.state === "failed" &&
      entry.sessionId === sessionId &&
      entry.content === content &&
      rev > (entry.rev ?? Infinity);
    if (this.entries.peek().some(copy)) this.kept.value = this.entries.peek().filter((entry) => !copy(entry));
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
      const rev = this.timelines.known(sessionId)?.rev ?? 0;
      try {
        const answer = await this.send(entry);
        if (answer.type === "session:sent") this.accepted(entry, answer.turnId);
        else this.remove(entry.clientMessageId);
      } catch (error) {
        if (!(error instanceof WireError)) return; // The link is down: stays waiting, goes out when it is back.
        if (this.timelines.known(sessionId)?.hasPrompt(entry.content, rev))
          this.remove(entry.clientMessageId);
        else this.change(entry.clientMessageId, { state: "failed", problem: error.message, rev });
      }
    }
  }

  private send({ sessionId, content, clientMessageId, attachments }: Outgoing): Promise<ServerMessage> {
    return this.link.request({
      type: "session:send",
      sessionId,
      content,
      clientMessageId,
      ...(attachments.length > 0 ? { attachments } : {}),
    });
  }

  private accepted(entry: Outgoing, turnId: string): void {
    const timeline = this.timelines.known(entry.sessionId);
    if (!timeline || timeline.turn(turnId)) this.remove(entry.clientMessageId);
    else this.change(entry.clientMessageId, { state: "accepted", turnId });
  }

  private change(id: string, change: Partial<Outgoing>): void {
    this.kept.value = this.entries
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
