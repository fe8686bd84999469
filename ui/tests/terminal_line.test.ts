// What a terminal's socket says and hears: offsets, resets, acknowledgements, coming back, who looks.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TerminalLine, type LineSocket } from "../src/state/terminal_line";

class Socket implements LineSocket {
  binaryType: BinaryType = "blob";
  readyState = 1;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readonly sent: (Record<string, unknown> | string)[] = [];
  constructor(
    readonly since: number | undefined,
    readonly protocols: string[],
  ) {}
  send(data: string | Uint8Array) {
    this.sent.push(
      typeof data === "string"
        ? (JSON.parse(data) as Record<string, unknown>)
        : new TextDecoder().decode(data),
    );
  }
  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code: 1006 } as CloseEvent);
  }
  say(frame: Record<string, unknown>) {
    this.onmessage?.({ data: JSON.stringify(frame) } as MessageEvent);
  }
  bytes(text: string) {
    this.onmessage?.({ data: new TextEncoder().encode(text).buffer } as unknown as MessageEvent);
  }
  of(type: string) {
    return this.sent.filter((one) => typeof one === "object" && one["type"] === type);
  }
}

const start = (more = {}) => ({ type: "start", offset: 0, cols: 80, rows: 24, reset: true, ...more });

function setup() {
  const sockets: Socket[] = [];
  const done: string[] = [];
  const waiting: (() => void)[] = [];
  const world = { exists: true as boolean | Error, ticket: true };
  const line = new TerminalLine(
    {
      ticket: () => (world.ticket ? Promise.resolve("t") : Promise.reject(new Error("offline"))),
      random: () => 0,
      exists: () =>
        world.exists instanceof Error ? Promise.reject(world.exists) : Promise.resolve(world.exists),
      connect: (since, protocols) => {
        const socket = new Socket(since, protocols);
        sockets.push(socket);
        return socket;
      },
    },
    {
      clear: () => done.push("clear"),
      resize: (cols, rows) => done.push(`${cols}x${rows}`),
      write: (bytes, parsed) => {
        done.push(new TextDecoder().decode(bytes));
        waiting.push(parsed);
      },
    },
  );
  const parse = () => waiting.splice(0).forEach((parsed) => parsed());
  return { line, sockets, done, parse, world };
}
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is opened when somebody looks, with a ticket and nothing to go on from", async () => {
  const { line, sockets, done } = setup();
  await settle();
  expect(sockets).toHaveLength(0);
  line.look(true);
  await settle();
  expect(sockets[0]!.protocols).toEqual(["liminal.v1", "liminal.ticket.t"]);
  expect(sockets[0]!.since).toBeUndefined();
  expect(sockets[0]!.binaryType).toBe("arraybuffer");
  sockets[0]!.say(start());
  sockets[0]!.bytes("hello");
  expect(done).toEqual(["80x24", "hello"]);
  expect(line.state.value.kind).toBe("open");
});

it("acknowledges what was drawn, not what was received: much at once, little after a moment", async () => {
  const { line, sockets, parse } = setup();
  line.look(true);
  await settle();
  const [socket] = sockets;
  socket!.say(start({ offset: 1000 }));
  socket!.bytes("x".repeat(10));
  await vi.advanceTimersByTimeAsync(1000);
  expect(socket!.of("ack")).toEqual([]);
  parse();
  expect(socket!.of("ack")).toEqual([]);
  await vi.advanceTimersByTimeAsync(60);
  expect(socket!.of("ack")).toEqual([{ type: "ack", offset: 1010 }]);
  for (let i = 0; i < 4; i++) socket!.bytes("x".repeat(64 * 1024));
  parse();
  expect(socket!.of("ack").at(-1)).toEqual({ type: "ack", offset: 1010 + 4 * 64 * 1024 });
  expect(socket!.of("ack")).toHaveLength(3);
});

it("comes back behind the last byte that it received, and draws none twice", async () => {
  const { line, sockets, done, parse } = setup();
  line.look(true);
  await settle();
  sockets[0]!.say(start());
  sockets[0]!.bytes("one ");
  parse();
  sockets[0]!.close();
  expect(line.state.value.kind).toBe("offline");
  expect(line.type("lost")).toBe(false);
  await vi.advanceTimersByTimeAsync(300);
  expect(sockets[1]!.since).toBe(4);
  sockets[1]!.say(start({ offset: 4, reset: false }));
  sockets[1]!.bytes("two");
  expect(done).toEqual(["80x24", "one ", "two"]);
  expect(line.type("ls\r")).toBe(true);
  expect(sockets[1]!.sent.at(-1)).toBe("ls\r");
});

it("begins anew where the server says so, and never acknowledges what is void", async () => {
  const { line, sockets, done, parse } = setup();
  line.look(true);
  await settle();
  sockets[0]!.say(start());
  sockets[0]!.bytes("old");
  sockets[0]!.say(start({ offset: 5_000_000 }));
  parse(); // Of what was drawn before.
  sockets[0]!.bytes("new");
  await vi.advanceTimersByTimeAsync(60);
  expect(sockets[0]!.of("ack")).toEqual([]);
  parse();
  await vi.advanceTimersByTimeAsync(60);
  expect(sockets[0]!.of("ack")).toEqual([{ type: "ack", offset: 5_000_003 }]);
  expect(done).toEqual(["80x24", "old", "clear", "new"]);
  sockets[0]!.close();
  await vi.advanceTimersByTimeAsync(300);
  expect(sockets[1]!.since).toBe(5_000_003);
});

it("says when nobody looks, and when somebody does again, also on a new connection", async () => {
  const { line, sockets } = setup();
  line.look(true);
  await settle();
  sockets[0]!.say(start());
  line.look(false);
  line.look(true);
  line.look(false);
  expect(sockets[0]!.of("look").map((one) => (one as { looking: boolean }).looking)).toEqual([
    false,
    true,
    false,
  ]);
  sockets[0]!.close();
  await vi.advanceTimersByTimeAsync(300);
  sockets[1]!.say(start({ reset: false }));
  expect(sockets[1]!.of("look")).toEqual([{ type: "look", looking: false }]);
});

it("asks for a size once it is known to differ, and shows the one that the server has", async () => {
  const { line, sockets, done } = setup();
  line.look(true);
  line.resize(100, 30.9);
  await settle();
  sockets[0]!.say(start());
  expect(sockets[0]!.of("resize")).toEqual([{ type: "resize", cols: 100, rows: 30 }]);
  expect(done).toEqual(["80x24"]);
  sockets[0]!.say({ type: "size", cols: 100, rows: 30 });
  line.resize(100, 30);
  line.resize(1, 5000);
  expect(sockets[0]!.of("resize").slice(1)).toEqual([{ type: "resize", cols: 2, rows: 1000 }]);
  expect(done).toEqual(["80x24", "100x30"]);
  expect(line.size.value).toEqual({ cols: 100, rows: 30 });
});

it("ends when the shell does, and does not come back", async () => {
  const { line, sockets } = setup();
  line.look(true);
  await settle();
  sockets[0]!.say(start());
  sockets[0]!.say({ type: "ended", how: "exited with code 1" });
  sockets[0]!.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(1);
  expect(line.state.value).toEqual({ kind: "ended", how: "exited with code 1" });
  expect(line.type("x")).toBe(false);
});

it("is gone when the server has no such terminal, and keeps trying while it cannot be asked", async () => {
  const { line, sockets, world } = setup();
  line.look(true);
  await settle();
  sockets[0]!.say(start());
  world.exists = new Error("nobody answers");
  sockets[0]!.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(line.state.value.kind).toBe("offline");
  expect(sockets).toHaveLength(1);
  world.exists = false;
  line.retryNow();
  await settle();
  expect(line.state.value.kind).toBe("gone");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(1);
});

it("gives up on a connection that never starts, and tries again", async () => {
  const { line, sockets } = setup();
  line.look(true);
  await settle();
  await vi.advanceTimersByTimeAsync(10_500);
  expect(sockets).toHaveLength(2);
  expect(sockets[0]!.readyState).toBe(3);
});

it("cuts a long paste into frames that the server takes", async () => {
  const { line, sockets } = setup();
  line.look(true);
  await settle();
  sockets[0]!.say(start());
  line.type("é".repeat(20_000));
  const frames = sockets[0]!.sent.filter((one) => typeof one === "string");
  expect(frames.length).toBe(3);
});

it("keeps what is typed before the first connection, and nothing that is typed into a lost one", async () => {
  const { line, sockets } = setup();
  line.look(true);
  expect(line.type("ls")).toBe(true);
  expect(line.type("x".repeat(5000))).toBe(false);
  await settle();
  line.type("\r");
  expect(sockets[0]!.sent).toEqual([]);
  sockets[0]!.say(start());
  expect(sockets[0]!.sent).toEqual(["ls", "\r"]);
  sockets[0]!.close();
  expect(line.type("rm")).toBe(false);
  await vi.advanceTimersByTimeAsync(300);
  sockets[1]!.say(start({ reset: false }));
  expect(sockets[1]!.sent).toEqual([]);
});
