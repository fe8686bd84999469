// Whether a tool call began, and how it was kept from its end.
import { allows } from "../../options";
import { isFinal, type Timeline } from "../../state/timeline";
import type { ToolCall } from "./tool_call";

/** The user refused it, and that can be read: nobody has to be told twice, and nothing went wrong. */
export function wasRejected(timeline: Timeline, item: ToolCall): boolean {
  const asked = timeline.approvalOf(item.callId);
  const option = asked?.options.find(({ optionId }) => optionId === asked.answer?.optionId);
  return option !== undefined && !allows(option);
}

/** A call before it is asked about: this one has not begun. */
export function waitsBehind(timeline: Timeline, item: ToolCall): boolean {
  if (isFinal(item) || timeline.approvalOf(item.callId)) return false;
  return timeline.pendingApprovals().some((asked) => {
    const call = asked.turnId === item.turnId && asked.callId ? timeline.call(asked.callId) : undefined;
    return call !== undefined && call.parentCallId === item.parentCallId && call.pos < item.pos;
  });
}

/** What Claude Code tells its model, not the user, of a call that the user stopped. */
const kToModel = "The user doesn't want to proceed with this tool use.";
export const toldToStop = (item: ToolCall): boolean =>
  item.status === "cancelled" && (item.toolOutput ?? "").startsWith(kToModel);
const ranInPart = (item: ToolCall): boolean => (item.toolOutput ?? "").includes("stopped while running");

export function stoppedHow(item: ToolCall): string {
  if (!toldToStop(item)) return "Stopped.";
  return ranInPart(item) ? "Stopped while it ran: parts of it may be done." : "Stopped before it ran.";
}

/** When it began, if it did: what waited for an answer begins with that. */
export function begunAt(timeline: Timeline, item: ToolCall): number | undefined {
  const asked = timeline.approvalOf(item.callId);
  const refused = asked !== undefined && (asked.state !== "answered" || wasRejected(timeline, item));
  const never = toldToStop(item) && !ranInPart(item) && asked?.state !== "answered";
  if (refused || never || waitsBehind(timeline, item)) return undefined;
  const answered = asked?.answeredAt === undefined ? 0 : Date.parse(asked.answeredAt);
  return Math.max(Date.parse(item.startedAt), answered);
}
