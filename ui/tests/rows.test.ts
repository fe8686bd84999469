import { describe, expect, it } from "vitest";
import { toRows, type RowInput } from "../src/rows";
import { approval, message, tool, turn } from "./data";

const input = (more: Partial<RowInput>): RowInput => ({
  items: [],
  turns: [],
  hasCall: () => false,
  older: false,
  pending: [],
  ...more,
});
const keys = (more: Partial<RowInput>) => toRows(input(more)).map((row) => row.key);

describe("toRows", () => {
  it("puts the end of a turn behind its last item", () => {
    const items = [
      message("u1", { turnId: "A", pos: 1 }),
      message("a1", { turnId: "A", pos: 2 }),
      message("u2", { turnId: "B", pos: 3 }),
    ];
    const turns = [turn("A", { type: "turn_complete", pos: 0 }), turn("B", { type: "turn_started", pos: 3 })];
    expect(keys({ items, turns })).toEqual(["u1", "a1", "turn:A", "u2"]);
  });

  it("shows the end of a turn that produced nothing at its place", () => {
    const items = [message("a", { turnId: "A", pos: 1 }), message("c", { turnId: "C", pos: 9 })];
    const turns = [turn("A", { type: "turn_complete" }), turn("B", { type: "turn_error", pos: 5 })];
    expect(keys({ items, turns })).toEqual(["a", "turn:A", "turn:B", "c"]);
  });

  it("leaves nothing of a queued message that was removed, nor of words that were taken back", () => {
    const removed = turn("B", { type: "turn_complete", status: "cancelled", pos: 5 });
    const items = [
      message("u", { turnId: "A", origin: "user" }),
      message("half", { turnId: "A", status: "cancelled", content: "" }),
      message("cut", { turnId: "A", status: "cancelled", content: "Half a" }),
    ];
    expect(keys({ items, turns: [removed] })).toEqual(["u", "cut"]);
  });

  it("says once why a turn failed", () => {
    const why = { status: "error" as const, origin: "system" as const, errorMessage: "API Error: 429" };
    const items = [message("u", { turnId: "A" }), message("n", { turnId: "A", ...why })];
    const failed = turn("A", { type: "turn_error", errorMessage: "API Error: 429" });
    expect(keys({ items, turns: [failed] })).toEqual(["u", "turn:A"]);
    expect(keys({ items, turns: [{ ...failed, errorMessage: "Something else" }] })).toEqual([
      "u",
      "n",
      "turn:A",
    ]);
    expect(keys({ items, turns: [turn("A")] })).toEqual(["u", "n"]);
  });

  it("leaves a subagent's items to their call, but shows orphans", () => {
    const items = [
      tool("t", { callId: "c1" }),
      message("x", { parentCallId: "c1" }),
      message("o", { parentCallId: "gone" }),
    ];
    expect(keys({ items, hasCall: (id) => id === "c1" })).toEqual(["t", "o"]);
  });

  it("shows a subagent's approval in the open", () => {
    const items = [tool("t", { callId: "c1" }), approval("p", { parentCallId: "c1" })];
    expect(keys({ items, hasCall: () => true })).toEqual(["t", "p"]);
  });

  it("E1-TC-3.1a: an own message that the server has not confirmed is a row at once", () => {
    expect(keys({ items: [message("a")], pending: ["m1"] })).toEqual(["a", "pending:m1"]);
  });

  it("offers what is above the window", () => {
    expect(keys({ older: true, items: [message("a")] })).toEqual(["older", "a"]);
  });
});
