// Whether a tool call began, and how it was kept from its end.
import { describe, expect, it } from "vitest";
import { Timeline } from "../src/state/timeline";
import { begunAt, stoppedHow, toldToStop, waitsBehind } from "../src/views/conversation/call_state";
import type { ToolCall } from "../src/views/conversation/tool_call";
import { approval, tool } from "./data";

const kToModel = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const at = (second: number) => `2026-11-15T12:00:${String(second).padStart(2, "0")}.000Z`;
const call = (id: string, more: Partial<ToolCall> = {}) =>
  tool(id, { startedAt: at(0), ...more }) as ToolCall;

function timelineWith(...items: Parameters<Timeline["upsert"]>[1][]): Timeline {
  const timeline = new Timeline("s");
  items.forEach((item, index) => timeline.upsert(index + 1, { ...item, rev: index + 1 }));
  return timeline;
}

describe("a call", () => {
  it("that was asked about begins with the answer", () => {
    const asked = approval("q", { callId: "a", state: "answered", answeredAt: at(40) });
    const yes = { ...asked, answer: { optionId: "yes" } };
    expect(begunAt(timelineWith(call("a"), yes), call("a"))).toBe(Date.parse(at(40)));
    const no = { ...asked, answer: { optionId: "no" } };
    expect(begunAt(timelineWith(call("a"), no), call("a"))).toBeUndefined();
    const pending = approval("q", { callId: "a" });
    expect(begunAt(timelineWith(call("a"), pending), call("a"))).toBeUndefined();
    expect(begunAt(timelineWith(call("a")), call("a"))).toBe(Date.parse(at(0)));
  });

  it("behind one that is asked about has not begun; one before it has", () => {
    const [first, asked, last] = ["f", "a", "l"].map((id, pos) => call(id, { pos, status: "create" }));
    const timeline = timelineWith(first!, asked!, last!, approval("q", { callId: "a" }));
    expect([first, asked, last].map((one) => waitsBehind(timeline, one!))).toEqual([false, false, true]);
    expect(begunAt(timeline, last!)).toBeUndefined();
    timeline.upsert(
      9,
      approval("q", { rev: 9, callId: "a", state: "answered", answer: { optionId: "yes" } }),
    );
    expect(waitsBehind(timeline, last!)).toBe(false);
  });

  it("that the user stopped says whether it ran", () => {
    const never = call("a", { status: "cancelled", toolOutput: kToModel, toolOutputIsError: true });
    expect([toldToStop(never), stoppedHow(never)]).toEqual([true, "Stopped before it ran."]);
    expect(begunAt(timelineWith(never), never)).toBeUndefined();
    const ran = { ...never, toolOutput: `${kToModel} Correction: this call was stopped while running.` };
    expect(stoppedHow(ran)).toContain("may be done");
    expect(begunAt(timelineWith(ran), ran)).toBe(Date.parse(at(0)));
    const own = { ...never, toolOutput: "half of it" };
    expect([toldToStop(own), stoppedHow(own)]).toEqual([false, "Stopped."]);
  });
});
