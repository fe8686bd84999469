// What happened last in a session that nobody has opened.
import type { App } from "../state/app";
import type { Approval, Message, ToolCall, Turn } from "../wire";

const lately = (app: App, sessionId: string) =>
  app.api.call("GET /api/session/{sessionId}/timeline", { sessionId, tail: 60 });

export interface Failure {
  turn: Turn;
  prompt: Message | undefined;
}

/** How a session failed last, for whoever has not opened it. */
export async function lastFailure(app: App, sessionId: string): Promise<Failure | undefined> {
  const { entries, turns } = await lately(app, sessionId);
  const turn = turns.filter((candidate) => candidate.type === "turn_error").sort((a, b) => b.pos - a.pos)[0];
  if (!turn) return undefined;
  const user = entries.find((item) => item.itemId === `${turn.turnId}:user`);
  return { turn, prompt: user?.type === "message" ? user : undefined };
}

/** The call that a question is about, for whoever has not opened its session: an edit's diff is there. */
export async function askedCall(app: App, { sessionId, callId }: Approval): Promise<ToolCall | undefined> {
  if (callId === undefined) return undefined;
  const { entries } = await lately(app, sessionId);
  return entries.find((item): item is ToolCall => item.type === "tool_call" && item.callId === callId);
}
