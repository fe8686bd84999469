// What an approval says and which answers it offers, without a page.
import { describe, expect, it } from "vitest";
import { asked, piece } from "../src/asked";
import { arrange, labelOf, wordsOf } from "../src/options";
import type { Approval, ApprovalOption } from "../src/wire";
import { approval } from "./data";

describe("what is asked", () => {
  const of = (fields: Partial<Approval>) => asked(approval("a", { detail: undefined, ...fields }));

  it("is laid out when it came as one line of JSON; other words stay as they are", () => {
    const toolArguments = { url: "https://example.com", depth: 2 };
    expect(of({ detail: JSON.stringify(toolArguments), toolArguments })).toEqual({
      text: "url: https://example.com\ndepth: 2",
      diffs: [],
      flags: [],
    });
    expect(of({ toolArguments: { text: "two\nlines" } }).text).toBe('{\n  "text": "two\\nlines"\n}');
    expect(of({ toolArguments: { list: [1] } }).text).toContain('"list"');
    expect(of({ detail: "make all", toolArguments })).toMatchObject({ text: "make all" });
    expect(of({ detail: "make all", toolArguments }).raw).toContain('"depth": 2');
    expect(of({ detail: '{"other": 1}', toolArguments }).text).toBe('{"other": 1}');
    expect(of({ toolArguments: {} }).text).toBeUndefined();
  });

  it("is a diff where the call has one, and the arguments are one press away", () => {
    const diffs = [{ path: "a.ts", newText: "x\n" }];
    const toolArguments = { changes: { "a.ts": { type: "add", content: "x\n" } } };
    const what = asked(approval("a", { detail: undefined, toolArguments }), diffs);
    expect(what).toMatchObject({ diffs, raw: JSON.stringify(toolArguments, null, 2) });
    expect(what.text).toBeUndefined();
  });

  it("repeats nothing: a command and its description are said already", () => {
    const toolArguments = { command: "make", description: "Build it", run_in_background: false };
    expect(of({ title: "Bash: Build it", detail: "make", toolArguments }).raw).toBeUndefined();
    expect(of({ title: "Bash", detail: "make", toolArguments }).raw).toBeDefined();
  });

  it("is cut by lines and by length, never in the middle of a character", () => {
    expect(piece("a\nb\n")).toEqual({ shown: "a\nb", lines: 2, bytes: 4, cut: false });
    expect(piece("x\n".repeat(17))).toMatchObject({ lines: 17, bytes: 34, cut: true });
    const wide = piece(`${"x".repeat(1599)}😀 rm -rf /`);
    expect(wide).toMatchObject({ shown: "x".repeat(1599), lines: 1, cut: true });
  });
});

describe("the answers of an approval", () => {
  const option = (kind: ApprovalOption["kind"], name: string, optionId = name): ApprovalOption => ({
    optionId,
    name,
    kind,
  });

  it("begin with the one that allows a single time, whatever the agent puts first", () => {
    const [always, once, no, stop] = [
      option("allow_always", "Always Allow all Write"),
      option("allow_once", "Allow"),
      option("reject_once", "Reject"),
      option("reject_once", "Reject and stop"),
    ];
    expect(arrange([always, once, no, stop])).toEqual({ primary: once, reject: no, rest: [always, stop] });
    expect(arrange([always, no])).toEqual({ primary: always, reject: no, rest: [] });
    expect(arrange([])).toEqual({ rest: [] });
  });

  it("of a plan have the one that also accepts edits beside the one that does not", () => {
    const [edits, more, once, no] = [
      option("allow_always", "Yes, and auto-accept edits"),
      option("allow_always", "Yes, and allow everything"),
      option("allow_once", "Yes, and manually approve edits"),
      option("reject_once", "No, keep planning"),
    ];
    expect(arrange([edits, more, once, no], "plan")).toEqual({
      primary: once,
      also: edits,
      reject: no,
      rest: [more],
    });
    expect(arrange([edits, no], "plan")).toEqual({ primary: edits, reject: no, rest: [] });
  });

  it("say what the agent's name adds to the kind, and nothing twice", () => {
    const words = (kind: ApprovalOption["kind"], name: string) =>
      wordsOf({ kind: "tool" }, option(kind, name));
    expect(words("allow_once", "Allow")).toBeUndefined();
    expect(words("allow_once", "Yes, proceed")).toBeUndefined();
    expect(words("allow_once", "Yes, use B")).toBe("Yes, use B");
    expect(words("reject_once", "No, provide feedback")).toBeUndefined();
    expect(words("reject_once", "Allow")).toBe("Allow");
    expect(words("allow_once", "Reject")).toBe("Reject");
    expect(words("allow_always", "Always allow Bash(npm test:*) in this project")).toBe(
      "Bash(npm test:*) in this project",
    );
    expect(words("allow_always", "Allow for this session")).toBe("Allow for this session");
    expect(labelOf({ kind: "plan" }, option("allow_once", "Yes"))).toBe("Approve the plan");
    expect(labelOf({ kind: "plan" }, option("reject_once", "Keep planning"))).toBe("Keep planning");
  });
});
