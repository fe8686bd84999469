// The socket of one terminal: gets in by a ticket, comes back by itself where it was, and says how much was drawn, so that
// the server never sends more than the page can draw.
import { signal, type ReadonlySignal } from "@preact/signals";
import { write } from "./write";

/** Where the bytes are drawn, in the order in which they are given. */
export interface Screen {
  /** What was drawn before is void. */
  clear(): void;
  resize(cols: number, rows: number): void;
  /** `parsed`: these bytes, and all before them, are in the picture. */
  write(bytes: Uint8Array, parsed: () => void): void;
}

export interface LineSocket {
  binaryType: BinaryType;
  readonly readyState: number;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface LineEnvironment {
  ticket(): Promise<string>;
  connect(since: number | undefined, protocols: string[]): LineSocket;
  /** Whether the server still has this terminal. Rejects when it cannot be asked. */
  exists(): Promise<boolean>;
  random(): number;
}

/** `gone`: the server does not have it any more, nor what it said; the picture that is left can be read. */
export type LineState =
  | { kind: "waiting" | "connecting" | "open" | "gone" }
  | { kind: "offline"; retryAt: number }
  | { kind: "ended"; how: string };

interface Frame {
  type: string;
  offset?: number;
  cols?: number;
  rows?: number;
  reset?: boolean;
  how?: string;
}

const kFirstDelayMs = 250;
const kLongestDelayMs = 10_000;
const kStartMs = 10_000;
/** A quarter of what the server sends beyond it: told so soon, nobody waits for the word. */
const kAckBytes = 128 * 1024;
const kAckMs = 50;
/** Of one frame of the keyboard. A paste is cut: the server takes no larger one. */
const kInputBytes = 16 * 1024;
/** What is typed before the first connection: a line or two. */
const kEarlyBytes = 4096;

const encoder = new TextEncoder();
const inRange = (value: number) => Math.max(2, Math.min(1000, Math.floor(value)));

export class TerminalLine {
  readonly state: ReadonlySignal<LineState> = signal({ kind: "waiting" });
  /** As the server has it: what every window shows. */
  readonly size: ReadonlySignal<{ cols: number; rows: number } | undefined> = signal(undefined);
  /** A new stretch begins: what follows was said before we came, until it is told otherwise. */
  onStart: () => void = () => {};

  private socket: LineSocket | undefined;
  private started = false;
  private received: number | undefined;
  private drawn = 0;
  private acked = 0;
  private looking = false;
  private early: Uint8Array[] = [];
  private attempt = 0;
  /** Of what is being drawn: an answer about bytes before a reset says nothing about those behind it. */
  private epoch = 0;
  private generation = 0;
  private wanted: { cols: number; rows: number } | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private startTimer: ReturnType<typeof setTimeout> | undefined;
  private ackTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly env: LineEnvironment,
    private readonly screen: Screen,
  ) {}

  /** Whether anybody sees it. Nothing is asked for before somebody does. */
  look(looking: boolean): void {
    if (looking === this.looking) return;
    this.looking = looking;
    if (this.started) this.say({ type: "look", looking });
    else if (looking && this.state.peek().kind === "waiting") void this.connect();
  }

  /**
   * What was typed. Before the first connection it waits for it; while a connection is lost it goes nowhere: who typed cannot
   * see what it would do.
   */
  type(data: string | Uint8Array): boolean {
    const { kind } = this.state.peek();
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    if (kind === "open" && this.started) {
      for (let at = 0; at < bytes.length; at += kInputBytes)
        this.socket!.send(bytes.slice(at, at + kInputBytes));
      return true;
    }
    if (kind !== "waiting" && kind !== "connecting") return false;
    const waits = this.early.reduce((sum, one) => sum + one.length, bytes.length) <= kEarlyBytes;
    if (waits) this.early.push(bytes);
    return waits;
  }

  resize(cols: number, rows: number): void {
    this.wanted = { cols: inRange(cols), rows: inRange(rows) };
    this.askSize();
  }

  /** Tries at once instead of waiting: the server is there again, or the user asked. */
  retryNow(): void {
    if (this.state.peek().kind !== "offline") return;
    clearTimeout(this.retryTimer);
    void this.connect();
  }

  /** The server does not have it: nothing more will come. */
  lost(): void {
    if (this.state.peek().kind === "ended") return;
    this.drop();
    write(this.state, { kind: "gone" });
  }

  dispose(): void {
    this.drop();
    clearTimeout(this.retryTimer);
  }

  private async connect(): Promise<void> {
    const generation = ++this.generation;
    if (this.state.peek().kind !== "offline") write(this.state, { kind: "connecting" });
    let ticket: string;
    try {
      // A socket that is refused does not say why.
      if (this.attempt > 0 && !(await this.env.exists())) {
        if (generation === this.generation) this.lost();
        return;
      }
      ticket = await this.env.ticket();
    } catch {
      if (generation === this.generation) this.retryLater();
      return;
    }
    if (generation !== this.generation) return;
    const socket = this.env.connect(this.received, ["liminal.v1", `liminal.ticket.${ticket}`]);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.startTimer = setTimeout(() => socket.close(), kStartMs);
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === "string") this.hear(JSON.parse(data) as Frame);
      else this.draw(new Uint8Array(data as ArrayBuffer));
    };
    socket.onclose = () => {
      if (socket === this.socket) this.closed();
    };
  }

  private hear(frame: Frame): void {
    if (frame.type === "start") this.start(frame);
    else if (frame.type === "size") this.setSize(frame);
    else if (frame.type === "ended") {
      write(this.state, { kind: "ended", how: frame.how ?? "ended" });
    }
  }

  private start(frame: Frame): void {
    const offset = frame.offset ?? 0;
    clearTimeout(this.startTimer);
    this.attempt = 0;
    if (frame.reset || offset !== this.received) {
      if (this.received !== undefined) this.screen.clear();
      this.epoch++;
      this.received = this.drawn = this.acked = offset;
    }
    this.onStart();
    this.setSize(frame);
    if (!this.started) {
      this.started = true;
      write(this.state, { kind: "open" });
      if (!this.looking) this.say({ type: "look", looking: false });
      this.askSize();
      this.early.splice(0).forEach((bytes) => this.type(bytes));
    }
  }

  private setSize({ cols, rows }: Frame): void {
    if (cols === undefined || rows === undefined) return;
    const old = this.size.peek();
    if (old?.cols === cols && old.rows === rows) return;
    this.screen.resize(cols, rows);
    write(this.size, { cols, rows });
  }

  private askSize(): void {
    const { wanted } = this;
    if (!wanted || this.state.peek().kind !== "open") return;
    this.wanted = undefined;
    const now = this.size.peek();
    if (now?.cols !== wanted.cols || now.rows !== wanted.rows) this.say({ type: "resize", ...wanted });
  }

  private draw(bytes: Uint8Array): void {
    const end = (this.received ?? 0) + bytes.length;
    const { epoch } = this;
    this.received = end;
    this.screen.write(bytes, () => {
      if (epoch !== this.epoch) return;
      this.drawn = end;
      if (this.drawn - this.acked >= kAckBytes) this.ack();
      else this.ackTimer ??= setTimeout(() => this.ack(), kAckMs);
    });
  }

  private ack(): void {
    clearTimeout(this.ackTimer);
    this.ackTimer = undefined;
    if (!this.started || this.drawn <= this.acked) return;
    this.acked = this.drawn;
    this.say({ type: "ack", offset: this.drawn });
  }

  private say(message: Record<string, unknown>): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }

  private closed(): void {
    this.drop();
    if (this.state.peek().kind !== "ended") this.retryLater();
  }

  private drop(): void {
    clearTimeout(this.startTimer);
    clearTimeout(this.ackTimer);
    this.ackTimer = undefined;
    this.generation++;
    this.started = false;
    const { socket } = this;
    this.socket = undefined;
    if (socket && socket.readyState <= 1) socket.close();
    // What is on its way to the picture was received; the next connection is told so.
    this.acked = this.received ?? 0;
  }

  /** With jitter, so that many windows do not all return in the same moment. */
  private retryLater(): void {
    this.early = [];
    const ceiling = Math.min(kLongestDelayMs, kFirstDelayMs * 2 ** this.attempt++);
    const delay = ceiling * (0.5 + this.env.random() / 2);
    write(this.state, { kind: "offline", retryAt: Date.now() + delay });
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => void this.connect(), delay);
  }
}
