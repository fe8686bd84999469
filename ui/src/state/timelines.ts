// The conversations that this page follows: who is open at the server, and what it says of them.
import { WireError, type Api } from "../api";
import type { ServerMessage, SessionStatus } from "../wire";
import type { Connection } from "./link";
import { isTemporary } from "./temporary";
import { isFinal, Timeline } from "./timeline";

type Message<T extends ServerMessage["type"]> = Extract<ServerMessage, { type: T }>;

/** How many entries a session opens with. Older ones come when the reader scrolls up. */
export const kTail = 300;

interface Told {
  /** A session was opened, and this is how it is. */
  status(timeline: Timeline, status: SessionStatus): void;
  refused(timeline: Timeline, error: WireError): void;
}

export class Timelines {
  private readonly replicas = new Map<string, Timeline>();
  private readonly opened = new Set<string>();
  /** The store file of the server: revisions of another one mean nothing. */
  private epoch = "";

  constructor(
    private readonly link: Connection,
    private readonly api: Api,
    private readonly told: Told,
  ) {}

  /** The replica of a session, made on first use. */
  of(id: string): Timeline {
    const known = this.replicas.get(id);
    if (known) return known;
    const timeline = new Timeline(id);
    this.replicas.set(id, timeline);
    return timeline;
  }
  known(id: string): Timeline | undefined {
    return this.replicas.get(id);
  }
  isOpen(id: string): boolean {
    return this.opened.has(id);
  }

  /** A server is there, perhaps another than before: everything is asked for again, by its revision. */
  connected(epoch: string): void {
    this.epoch = epoch;
    this.opened.clear();
    for (const timeline of this.replicas.values())
      if (!isTemporary(timeline.sessionId)) void this.open(timeline);
  }

  /** Asks for a session's timeline: everything the first time, what changed since then later. */
  async open(timeline: Timeline): Promise<void> {
    if (this.link.state.peek().kind !== "online") return;
    const { sessionId } = timeline;
    this.opened.add(sessionId);
    const known = timeline.loaded.peek() && timeline.epoch === this.epoch;
    try {
      const answer = await this.link.request({
        type: "session:open",
        sessionId,
        tail: kTail,
        appends: true,
        ...(known ? { since: timeline.rev, epoch: timeline.epoch } : {}),
      });
      if (answer.type === "ok" && answer.rev !== undefined) timeline.seen(answer.rev);
      this.told.status(timeline, await this.api.call("GET /api/session/{sessionId}/status", { sessionId }));
    } catch (error) {
      this.opened.delete(sessionId);
      if (error instanceof WireError) this.told.refused(timeline, error);
    }
  }

  close(sessionId: string): void {
    this.replicas.delete(sessionId);
    if (this.opened.delete(sessionId))
      void this.link.request({ type: "session:close", sessionId }).catch(() => {});
  }

  /** The link is down and stays down: nobody has to be told. */
  forgetAll(): void {
    this.replicas.clear();
    this.opened.clear();
  }

  history(message: Message<"session:history">): void {
    this.replicas.get(message.sessionId)?.reset(message, this.epoch);
  }
  page(message: Message<"session:page">): void {
    this.replicas.get(message.sessionId)?.page(message);
  }
  upsert({ sessionId, rev, payload }: Message<"session:upsert">): void {
    const timeline = this.replicas.get(sessionId);
    timeline?.upsert(rev, payload);
    if (isFinal(payload)) timeline?.trim();
  }
  turn({ sessionId, rev, payload }: Message<"session:turn">): void {
    this.replicas.get(sessionId)?.turnChanged(rev, payload);
  }
  append(message: Message<"session:append">): void {
    const timeline = this.replicas.get(message.sessionId);
    if (!timeline || timeline.append(message)) return;
    timeline.epoch = ""; // Text is missing between: ask for the whole.
    void this.open(timeline);
  }
}
