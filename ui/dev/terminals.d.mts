import type { Terminal } from "../src/wire";
import type { World } from "./world.mjs";

export interface DevSocket {
  send(data: string | Uint8Array): void;
  on(event: "message" | "close", listener: (data?: unknown, binary?: boolean) => void): void;
  close(): void;
}
export interface Shell {
  terminal: Terminal;
  readonly start: number;
  readonly end: number;
  bytes: Uint8Array;
  readers: Set<{ looking: boolean; sent: number; acked: number; ws: DevSocket }>;
  say(text: string): void;
  stop(how: string): void;
}
export function addTerminal(world: World, sessionId: string, more?: Partial<Terminal>): Shell;
export function shellAt(world: World, url: URL): Shell | null | undefined;
export function connectTerminal(shell: Shell, ws: DevSocket, url: URL): void;
