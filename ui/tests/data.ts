// Short ways to make wire objects for tests.
import type { Item, Turn } from "../src/wire";

type Of<T extends Item["type"]> = Extract<Item, { type: T }>;
const at = "2026-11-15T12:00:00.000Z";
const base = (itemId: string) => ({
  turnId: "turn",
  sessionId: "s",
  itemId,
  pos: 1,
  rev: 1,
  sourceTimestamp: at,
  emittedAt: at,
  startedAt: at,
  status: "complete" as const,
});

export const message = (id: string, more: Partial<Of<"message">> = {}): Item => ({
  ...base(id),
  type: "message",
  content: "text",
  origin: "agent",
  ...more,
});
export const thinking = (id: string, more: Partial<Of<"thinking">> = {}): Item => ({
  ...base(id),
  type: "thinking",
  content: "hm",
  providerId: "demo",
  ...more,
});
export const tool = (id: string, more: Partial<Of<"tool_call">> = {}): Item => ({
  ...base(id),
  type: "tool_call",
  toolName: "Bash",
  toolArguments: { command: "ls" },
  callId: id,
  ...more,
});
export const approval = (id: string, more: Partial<Of<"approval">> = {}): Of<"approval"> => ({
  ...base(id),
  status: "create",
  type: "approval",
  title: "Run ls",
  kind: "tool",
  detail: "ls",
  state: "pending",
  options: [
    { optionId: "yes", name: "Allow once", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
  ...more,
});
export const turn = (id: string, more: Partial<Turn> = {}): Turn => ({
  type: "turn_started",
  turnId: id,
  sessionId: "s",
  rev: 1,
  pos: 0,
  origin: "user",
  ...more,
});
