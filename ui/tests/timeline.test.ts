import { effect } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { Timeline } from "../src/state/timeline";
import { message, tool, turn } from "./data";
import type { Item } from "../src/wire";

const ids = (timeline: Timeline) => [...timeline.order.value];
const content = (timeline: Timeline, id: string) =>
  (timeline.item(id)!.value as Extract<Item, { type: "message" }>).content;

describe("Timeline", () => {
  it("TC-7.2a: a growing text updates in place, newest form only", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, message("a", { rev: 1, content: "He", status: "create" }));
    timeline.upsert(2, message("a", { rev: 2, content: "Hello", status: "update" }));
    expect(ids(timeline)).toEqual(["a"]);
    expect(content(timeline, "a")).toBe("Hello");
    timeline.upsert(1, message("a", { rev: 1, content: "He" }));
    expect(content(timeline, "a")).toBe("Hello");
  });

  it("TC-7.2b: a tool call changes from invocation to result under one id", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, tool("t", { rev: 1, status: "create" }));
    timeline.upsert(2, tool("t", { rev: 2, status: "complete", toolOutput: "ok" }));
    const item = timeline.item("t")!.value as Extract<Item, { type: "tool_call" }>;
    expect([item.status, item.toolOutput]).toEqual(["complete", "ok"]);
  });

  it("TC-7.2c: a change of one item does not touch the signal of another", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, message("a", { rev: 1, pos: 1 }));
    timeline.upsert(2, message("b", { rev: 2, pos: 2 }));
    let drawn = 0;
    const stop = effect(() => {
      void timeline.item("a")!.value;
      drawn++;
    });
    timeline.upsert(3, message("b", { rev: 3, pos: 2, content: "new" }));
    timeline.append({ itemId: "b", rev: 4, field: "content", from: 3, text: "er" });
    expect(drawn).toBe(1);
    expect(content(timeline, "b")).toBe("newer");
    stop();
  });

  it("orders by pos, whatever the order of arrival", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, message("c", { rev: 1, pos: 30 }));
    timeline.upsert(2, message("a", { rev: 2, pos: 10 }));
    timeline.upsert(3, message("b", { rev: 3, pos: 20 }));
    expect(ids(timeline)).toEqual(["a", "b", "c"]);
  });

  it("appends count in UTF-16 units, are idempotent, and report a gap", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, message("a", { rev: 1, content: "a😀" }));
    const grow = { itemId: "a", rev: 2, field: "content", from: 3, text: "é" } as const;
    expect(timeline.append(grow)).toBe(true);
    expect(timeline.append(grow)).toBe(true);
    expect(content(timeline, "a")).toBe("a😀é");
    expect(timeline.append({ ...grow, rev: 3, from: 9 })).toBe(false);
    expect(timeline.append({ ...grow, rev: 3, itemId: "unknown" })).toBe(false);
  });

  it("appends reach toolOutput that did not exist before", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, tool("t", { rev: 1 }));
    expect(timeline.append({ itemId: "t", rev: 2, field: "toolOutput", from: 0, text: "line" })).toBe(true);
    expect((timeline.item("t")!.value as Extract<Item, { type: "tool_call" }>).toolOutput).toBe("line");
  });

  it("a page adds older entries in front and does not move the cursor", () => {
    const timeline = new Timeline("s");
    timeline.reset({ entries: [message("c", { pos: 30, rev: 9 })], turns: [], rev: 9, before: 30 }, "e");
    timeline.upsert(10, message("low", { pos: 5, rev: 10 }));
    expect(ids(timeline)).toEqual(["c"]);
    timeline.page({
      entries: [message("a", { pos: 10, rev: 2 }), message("low", { pos: 5, rev: 10 })],
      turns: [],
    });
    expect(ids(timeline)).toEqual(["low", "a", "c"]);
    expect([timeline.rev, timeline.before.value]).toEqual([10, undefined]);
  });

  it("a new epoch replaces entries even when their revisions are lower; unchanged ones keep their signal", () => {
    const timeline = new Timeline("s");
    timeline.reset(
      { entries: [message("a", { rev: 50, content: "old" }), message("b", { rev: 51 })], turns: [], rev: 51 },
      "e1",
    );
    const kept = timeline.item("a");
    timeline.reset(
      { entries: [message("a", { rev: 3, content: "new" })], turns: [turn("t", { rev: 4 })], rev: 4 },
      "e2",
    );
    expect(timeline.item("a")).toBe(kept);
    expect(content(timeline, "a")).toBe("new");
    expect(ids(timeline)).toEqual(["a"]);
    expect([timeline.rev, timeline.epoch, timeline.turnOrder.value.length]).toEqual([4, "e2", 1]);
  });

  it("knows the children of a subagent's call", () => {
    const timeline = new Timeline("s");
    timeline.upsert(1, tool("t", { rev: 1, pos: 1, callId: "call-1" }));
    timeline.upsert(2, message("child", { rev: 2, pos: 2, parentCallId: "call-1" }));
    expect(timeline.childrenOf("call-1")).toEqual(["child"]);
    expect(timeline.hasCall("call-1")).toBe(true);
  });

  it("forgets the oldest when there are many, and a page brings them back", () => {
    const timeline = new Timeline("s");
    const [most, keep] = [
      { items: 60, chars: 1e6 },
      { items: 40, chars: 1e6 },
    ];
    const make = (n: number) =>
      message(`i${n}`, { pos: n, rev: n, turnId: `t${Math.floor(n / 10)}`, status: "complete" });
    for (let n = 1; n <= 100; n++) timeline.upsert(n, make(n));
    for (let n = 0; n <= 10; n++)
      timeline.turnChanged(100 + n, turn(`t${n}`, { pos: n * 10, rev: 100 + n, type: "turn_complete" }));
    timeline.follow(false);
    timeline.trim(most, keep);
    expect(ids(timeline).length).toBe(100);
    timeline.follow(true);
    timeline.trim(most, keep);
    expect([
      ids(timeline).length,
      ids(timeline)[0],
      timeline.before.value,
      timeline.turnOrder.value.length,
    ]).toEqual([40, "i61", 61, 5]);
    timeline.page({ entries: [make(60)], turns: [], before: 60 });
    expect(ids(timeline)[0]).toBe("i60");
  });

  it("forgets the oldest when their text is long, but nothing that still changes", () => {
    const timeline = new Timeline("s");
    const [most, keep] = [
      { items: 100, chars: 20_000 },
      { items: 100, chars: 10_000 },
    ];
    const add = (n: number, status: "update" | "complete") =>
      timeline.upsert(n, tool(`i${n}`, { pos: n, rev: n, toolOutput: "x".repeat(800), status }));
    for (let n = 1; n <= 20; n++) add(n, n === 15 ? "update" : "complete");
    timeline.trim(most, keep);
    expect(ids(timeline).length).toBe(20);
    add(21, "complete");
    timeline.trim(most, keep);
    expect([ids(timeline)[0], ids(timeline).length]).toEqual(["i12", 10]);
    for (let n = 22; n <= 40; n++) add(n, "complete");
    timeline.trim(most, keep);
    expect([ids(timeline)[0], ids(timeline).length]).toEqual(["i15", 26]);
    timeline.upsert(41, tool("i15", { pos: 15, rev: 41, status: "complete" }));
    timeline.trim(most, keep);
    expect([ids(timeline)[0], ids(timeline).length]).toEqual(["i31", 10]);
  });

  it("any prefix replayed twice gives the same state", () => {
    const frames: ((timeline: Timeline) => void)[] = [
      (s) => s.upsert(1, message("a", { rev: 1, pos: 1, content: "x" })),
      (s) => s.append({ itemId: "a", rev: 2, field: "content", from: 1, text: "y" }),
      (s) => s.upsert(3, tool("t", { rev: 3, pos: 2 })),
      (s) => s.turnChanged(4, turn("turn", { rev: 4, type: "turn_complete" })),
    ];
    const dump = (s: Timeline) => JSON.stringify([ids(s), ids(s).map((id) => s.item(id)!.value), s.rev]);
    const once = new Timeline("s");
    frames.forEach((frame) => frame(once));
    const twice = new Timeline("s");
    frames.forEach((frame, index) => {
      frame(twice);
      frames.slice(0, index + 1).forEach((again) => again(twice));
    });
    expect(dump(twice)).toBe(dump(once));
  });
});
