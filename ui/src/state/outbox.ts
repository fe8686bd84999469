// Sends on their way. A send is never lost: it stays here, over reloads, until the timeline shows it by its id.
import { computed, type ReadonlySignal } from "@preact/signals";
import { WireError } from "../api";
import { isRecord, stored } from "./stored";
import { isTemporary } from "./temporary";
import type { AttachmentRef, ServerMessage } from "../wire";
import type { Connection } from "./link";
import type { Timelines } from "./timelines";
import { write } from "./write";

export interface Outgoing {
  clientMessageId: string;
  sessionId: string;
  content: string;
  attachments: AttachmentRef[];
  /** waiting: not yet with the server. accepted: the server has it, its row is about to come. failed: refused, the user decides. */
  state: "waiting" | "accepted" | "failed";
  problem?: string;
  /** Into the turn that runs, instead of behind it. */
  steer?: boolean;
  at: string;
}

export class Outbox {
  readonly entries: ReadonlySignal<readonly Outgoing[]> = stored("lb.outbox", [], isOutgoing);
  private readonly busy = new Set<string>();

  constructor(
    private readonly link: Connection,
    private readonly timelines: Timelines,
  ) {
    // What was accepted before a reload is in the timeline by now.
    this.keep(this.entries.peek().filter((entry) => entry.state !== "accepted"));
  }

  of(sessionId: string): ReadonlySignal<readonly Outgoing[]> {
    return computed(() => this.entries.value.filter((entry) => entry.sessionId === sessionId));
  }

  add(sessionId: string, content: string, attachments: AttachmentRef[], how: { steer?: boolean } = {}): void {
    const entry: Outgoing = {
      clientMessageId: crypto.randomUUID(),
      sessionId,
      content,
      attachments,
      ...how,
      state: "waiting",
      at: new Date().toISOString(),
    };
    this.keep([...this.entries.peek(), entry]);
    this.flush(sessionId);
  }

  retry(id: string): void {
    this.change(id, { state: "waiting", problem: undefined });
    const entry = this.entries.peek().find((candidate) => candidate.clientMessageId === id);
    if (entry) this.flush(entry.sessionId);
  }

  remove(id: string): void {
    this.keep(this.entries.peek().filter((entry) => entry.clientMessageId !== id));
  }

  /** Takes everything back that was meant for a session. */
  takeAll(sessionId: string): readonly Outgoing[] {
    const taken = this.entries.peek().filter((entry) => entry.sessionId === sessionId);
    this.keep(this.entries.peek().filter((entry) => entry.sessionId !== sessionId));
    return taken;
  }

  /** A session that was being made got its real id: what was typed meanwhile goes there. */
  rename(from: string, to: string): void {
    this.keep(
      this.entries.peek().map((entry) => (entry.sessionId === from ? { ...entry, sessionId: to } : entry)),
    );
    this.flush(to);
  }

  /**
   * The timeline has a message or a turn of this send: that takes over, whatever became of it. A prompt that its agent did
   * not take is refused and is a failed turn too, in whatever order: the turn says why, a second copy of it says nothing.
   */
  shown(clientMessageId: string | undefined): void {
    if (this.entries.peek().some((entry) => entry.clientMessageId === clientMessageId))
      this.remove(clientMessageId!);
  }

  flushAll(): void {
    for (const id of new Set(this.entries.peek().map((entry) => entry.sessionId))) this.flush(id);
  }

  /** One after the other within a session: the order in which they were typed is the order in which they arrive. */
  flush(sessionId: string): void {
    if (this.busy.has(sessionId) || isTemporary(sessionId)) return;
    this.busy.add(sessionId);
    void this.run(sessionId).finally(() => this.busy.delete(sessionId));
  }

  private async run(sessionId: string): Promise<void> {
    for (;;) {
      const entry = this.entries
        .peek()
        .find((candidate) => candidate.sessionId === sessionId && candidate.state === "waiting");
      if (!entry) return;
      const { clientMessageId: id } = entry;
      try {
        await this.send(entry);
        // Of a session that nobody follows nothing is shown.
        if (this.timelines.known(sessionId)) this.change(id, { state: "accepted" });
        else this.remove(id);
      } catch (error) {
        if (!(error instanceof WireError)) return; // The link is down: stays waiting, goes out when it is back.
        this.change(id, { state: "failed", problem: error.message });
      }
    }
  }

  private send({
    sessionId,
    content,
    clientMessageId,
    attachments,
    steer,
  }: Outgoing): Promise<ServerMessage> {
    return this.link.request({
      type: "session:send",
      sessionId,
      content,
      clientMessageId,
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(steer ? { steer } : {}),
    });
  }

  private keep(entries: readonly Outgoing[]): void {
    write(this.entries, entries);
  }

  private change(id: string, change: Partial<Outgoing>): void {
    this.keep(
      this.entries.peek().map((entry) => (entry.clientMessageId === id ? { ...entry, ...change } : entry)),
    );
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
