// The one WebSocket: gets in by a ticket, comes back by itself, answers requests by their id.
import { signal, type ReadonlySignal } from "@preact/signals";
import { WireError } from "../api";
import { tooLarge, usualLimits, utf8Bytes } from "../size";
import type { ClientMessage, Limits, ServerMessage } from "../wire";
import { write } from "./write";

/** `login`: the credential is gone, only a new launch address helps. `offline`: trying again at `retryAt`. */
export type LinkState =
  { kind: "connecting" } | { kind: "online" } | { kind: "offline"; retryAt: number } | { kind: "login" };

export class OfflineError extends Error {
  /** `code`: how the connection ended that the request had been sent on; undefined when it was not sent at all. */
  constructor(readonly code?: number) {
    super("Not connected to the server right now.");
  }
}

export interface SocketLike {
  readonly readyState: number;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: string): void;
  close(): void;
}

export interface Environment {
  ticket(): Promise<string>;
  connect(protocols: string[]): SocketLike;
  random(): number;
}

const kFirstDelayMs = 250;
const kLongestDelayMs = 10_000;
const kHelloMs = 10_000;
/** A connection that ends sooner than this is one more failure: the next try waits longer, not as after a good one. */
const kSteadyMs = 5000;

type Pending = { resolve: (answer: ServerMessage) => void; reject: (error: Error) => void };
type Without<T> = T extends unknown ? Omit<T, "requestId"> : never;
export type Request = Without<ClientMessage>;

export class Connection {
  readonly state: ReadonlySignal<LinkState> = signal({ kind: "connecting" });
  /** What the server takes at most. */
  readonly limits: ReadonlySignal<Limits> = signal(usualLimits);
  /** Every message except answers to requests that failed. */
  onMessage: (message: ServerMessage) => void = () => {};

  private socket: SocketLike | undefined;
  private attempt = 0;
  private onlineSince = Infinity;
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private helloTimer: ReturnType<typeof setTimeout> | undefined;
  private nextId = 1;
  private readonly pending = new Map<string, Pending>();

  constructor(private readonly env: Environment) {}

  start(): void {
    void this.connect();
  }

  /** Tries at once instead of waiting: the network came back, or the user asked. */
  retryNow(): void {
    if (this.state.peek().kind !== "offline") return;
    clearTimeout(this.timer);
    void this.connect();
  }

  /** The credential ended: stop trying. */
  requireLogin(): void {
    clearTimeout(this.timer);
    this.drop();
    write(this.state, { kind: "login" });
  }

  /**
   * Sends and waits for the answer with the same id. Rejects with WireError, or OfflineError when the link is down or drops.
   * What the server would not take is refused here, without being sent.
   */
  request(message: Request): Promise<ServerMessage> {
    if (this.state.peek().kind !== "online" || !this.socket) return Promise.reject(new OfflineError());
    const requestId = `r${this.nextId++}`;
    const text = JSON.stringify({ ...message, requestId });
    const { messageBytes } = this.limits.peek();
    const size = text.length * 3 <= messageBytes ? 0 : utf8Bytes(text);
    if (size > messageBytes) return Promise.reject(new WireError("TOO_LARGE", tooLarge(size, messageBytes)));
    return new Promise((resolve, reject) => {
      this.pending.set(requestId, { resolve, reject });
      this.socket!.send(text);
    });
  }

  private async connect(): Promise<void> {
    const generation = ++this.generation;
    if (this.state.peek().kind !== "offline") write(this.state, { kind: "connecting" });
    let ticket: string;
    try {
      ticket = await this.env.ticket();
    } catch (error) {
      if (generation !== this.generation) return;
      const refused = error instanceof WireError && error.code === "UNAUTHENTICATED";
      return refused ? this.requireLogin() : this.retryLater();
    }
    if (generation !== this.generation) return;
    const socket = this.env.connect(["liminal.v1", `liminal.ticket.${ticket}`]);
    this.socket = socket;
    this.helloTimer = setTimeout(() => socket.close(), kHelloMs);
    socket.onmessage = (event) => {
      if (socket === this.socket) this.receive(String(event.data));
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code);
    };
  }

  private receive(data: string): void {
    const message = JSON.parse(data) as ServerMessage;
    if (message.type === "hello") {
      clearTimeout(this.helloTimer);
      this.onlineSince = Date.now();
      write(this.limits, message.limits ?? usualLimits);
      write(this.state, { kind: "online" });
    }
    const waiting = message.requestId === undefined ? undefined : this.pending.get(message.requestId);
    if (waiting) this.pending.delete(message.requestId!);
    if (waiting && message.type === "error") {
      const { code, message: text, ...detail } = message;
      waiting.reject(new WireError(code, text, detail));
      return;
    }
    this.onMessage(message);
    waiting?.resolve(message);
  }

  private closed(code: number): void {
    if (Date.now() - this.onlineSince >= kSteadyMs) this.attempt = 0;
    this.onlineSince = Infinity;
    this.drop(code);
    if (code === 4401) write(this.state, { kind: "login" });
    else this.retryLater();
  }

  private drop(code?: number): void {
    clearTimeout(this.helloTimer);
    const socket = this.socket;
    this.socket = undefined;
    this.generation++;
    if (socket && socket.readyState <= 1) socket.close();
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new OfflineError(code));
  }

  /** Full jitter, so that many tabs do not all return in the same moment. */
  private retryLater(): void {
    const ceiling = Math.min(kLongestDelayMs, kFirstDelayMs * 2 ** this.attempt++);
    const delay = ceiling * (0.5 + this.env.random() / 2);
    write(this.state, { kind: "offline", retryAt: Date.now() + delay });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.connect(), delay);
  }
}
