// Sends on their way. A send is never lost: it stays here, over reloads, until the timeline shows it by its id or the user
// takes it back. What cannot be sent is set aside with its reason, and everything else goes on.
import { computed, type ReadonlySignal } from "@preact/signals";
import { WireError } from "../api";
import { goodOf, isId, isNumber, isRecord, isString, parsed, salvaged } from "./stored";
import { isTemporary } from "./temporary";
import type { AttachmentRef, ServerMessage } from "../wire";
import { OfflineError, type Connection } from "./link";
import type { Timelines } from "./timelines";
import type { Attached } from "./types";
import { write } from "./write";

export interface Outgoing {
  clientMessageId: string;
  sessionId: string;
  content: string;
  attachments: Attached[];
  /** waiting: not yet with the server. accepted: the server has it, its row is about to come. failed: set aside, the user decides. */
  state: "waiting" | "accepted" | "failed";
  problem?: string;
  /** Into the turn that runs, instead of behind it. */
  steer?: boolean;
  /** How many connections ended while this was on its way. */
  drops?: number;
  at: string;
}

export const kOutboxKey = "lb.outbox";
/** A message with which this many connections ended is not sent again by itself. */
const kMostDrops = 2;

export class Outbox {
  readonly entries: ReadonlySignal<readonly Outgoing[]> = salvaged(kOutboxKey, salvageOutbox);
  /** What the user has to decide about. */
  readonly failed = computed(() => this.entries.value.filter((entry) => entry.state === "failed"));
  private readonly busy = new Set<string>();

  constructor(
    private readonly link: Connection,
    private readonly timelines: Timelines,
  ) {
    // What was accepted before a reload is in the timeline by now.
    this.keep(this.entries.peek().filter((entry) => entry.state !== "accepted"));
    addEventListener("storage", (event) => this.changedElsewhere(event));
  }

  of(sessionId: string): ReadonlySignal<readonly Outgoing[]> {
    return computed(() => this.entries.value.filter((entry) => entry.sessionId === sessionId));
  }

  add(sessionId: string, content: string, attachments: Attached[], how: { steer?: boolean } = {}): void {
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
    this.change(id, { state: "waiting", problem: undefined, drops: undefined });
    const entry = this.find(id);
    if (entry) this.flush(entry.sessionId);
  }

  remove(id: string): void {
    this.keep(this.entries.peek().filter((entry) => entry.clientMessageId !== id));
  }

  /** Takes one back, to be written anew. */
  take(id: string): Outgoing | undefined {
    const entry = this.find(id);
    if (entry) this.remove(id);
    return entry;
  }

  /** Takes everything back that was meant for a session. */
  takeAll(sessionId: string): readonly Outgoing[] {
    const taken = this.entries.peek().filter((entry) => entry.sessionId === sessionId);
    this.keep(this.entries.peek().filter((entry) => entry.sessionId !== sessionId));
    return taken;
  }

  clear(): void {
    this.keep([]);
  }

  /** What its first message was sent with could only be uploaded now. */
  attach(sessionId: string, attachments: Attached[]): void {
    const first = this.entries.peek().find((entry) => entry.sessionId === sessionId);
    if (first) this.change(first.clientMessageId, { attachments });
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
    if (clientMessageId !== undefined && this.find(clientMessageId)) this.remove(clientMessageId);
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
        if (error instanceof WireError) this.change(id, { state: "failed", problem: error.message });
        else return this.dropped(id, error); // The link is down: stays waiting, goes out when it is back.
      }
    }
  }

  /** The connection ended before an answer came. Once is the network; what does it again may well be the reason. */
  private dropped(id: string, error: unknown): void {
    if (!(error instanceof OfflineError) || error.code === undefined || isGoodbye(error.code)) return;
    const drops = (this.find(id)?.drops ?? 0) + 1;
    const aside = {
      state: "failed",
      problem: `The connection ended twice while this message was being sent (code ${error.code}).`,
    } as const;
    this.change(id, drops >= kMostDrops ? { drops, ...aside } : { drops });
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
      ...(attachments.length > 0 ? { attachments: attachments.map(refOf) } : {}),
      ...(steer ? { steer } : {}),
    });
  }

  /** Another window of this browser keeps its sends in the same place: what it added, changed or removed is so here too. */
  private changedElsewhere({ key, oldValue, newValue }: StorageEvent): void {
    if (key !== kOutboxKey || newValue === null) return;
    const after = new Map(salvageOutbox(parsed(newValue)).map((entry) => [entry.clientMessageId, entry]));
    const gone = new Set(
      salvageOutbox(parsed(oldValue))
        .map((entry) => entry.clientMessageId)
        .filter((id) => !after.has(id)),
    );
    const here = this.entries.peek().filter((entry) => !gone.has(entry.clientMessageId));
    const known = new Set(here.map((entry) => entry.clientMessageId));
    this.keep([
      ...here.map((entry) => after.get(entry.clientMessageId) ?? entry),
      ...[...after.values()].filter((entry) => !known.has(entry.clientMessageId)),
    ]);
  }

  private find(id: string): Outgoing | undefined {
    return this.entries.peek().find((entry) => entry.clientMessageId === id);
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

/** The server stopped, ended the login or gave up on a reader: nothing that a message did. */
const isGoodbye = (code: number) => code === 1001 || code >= 4000;

const refOf = ({ attachmentId, name }: Attached): AttachmentRef => ({
  attachmentId,
  ...(name ? { name } : {}),
});
const isAttached = (value: unknown): value is Attached =>
  isRecord(value) &&
  isId(value["attachmentId"]) &&
  (value["name"] === undefined || isString(value["name"])) &&
  [undefined, "image", "text"].includes(value["kind"] as undefined) &&
  [value["bytes"], value["lines"]].every((number) => number === undefined || isNumber(number));

/** Every message that can still be read. One of which nobody can say how far it was is not sent without being asked. */
export function salvageOutbox(found: unknown): Outgoing[] {
  const byId = new Map<string, Outgoing>();
  for (const entry of goodOf(found, isRecord)) {
    const { clientMessageId, sessionId, content, state, problem, drops, at } = entry;
    const attachments = goodOf(entry["attachments"], isAttached);
    if (!isId(sessionId) || !isString(content) || (content === "" && attachments.length === 0)) continue;
    const id = isId(clientMessageId) ? clientMessageId : crypto.randomUUID();
    const known = state === "waiting" || state === "accepted";
    byId.set(id, {
      clientMessageId: id,
      sessionId,
      content,
      attachments,
      state: known ? state : "failed",
      ...(known ? {} : { problem: isString(problem) ? problem : "It was left from an earlier visit." }),
      ...(isNumber(drops) ? { drops } : {}),
      ...(entry["steer"] === true ? { steer: true } : {}),
      at: isString(at) ? at : new Date().toISOString(),
    });
  }
  return [...byId.values()];
}
