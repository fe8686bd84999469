// Everything is said once, and nothing looks busy that is not.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, $$, startPage, texts, until, type Harness } from "./harness";
import { headline, oneLine, type ToolCall } from "../src/views/conversation/tool_call";

let page: Harness;
afterEach(() => page?.close());

const open = async () => {
  page = await startPage(new World("busy"));
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  await until(() => page.app.timelines.of("s-7").loaded.value);
  return page.world.session("s-7").timeline;
};
const times = (text: string) => page.root.textContent!.split(text).length - 1;

describe("a tool", () => {
  const call = (fields: Record<string, unknown>) =>
    headline({ type: "tool_call", ...fields } as unknown as ToolCall, "/home/ada/shop");

  it("that is only called what it runs is named by its kind", () => {
    const command = "npm test -- pricing";
    const fields = { toolName: command, title: command, toolArguments: { command } };
    expect(call({ ...fields, kind: "execute" })).toEqual({ verb: "Run", what: command });
    expect(call({ ...fields, kind: "other" })).toEqual({ verb: "Tool", what: command });
  });

  it("whose title has the path does not repeat it, and keeps a folder that the title lacks", () => {
    const edit = (path: string) =>
      call({ toolName: "Edit total.ts", title: "Edit total.ts", kind: "edit", locations: [{ path }] });
    expect(edit("/home/ada/shop/total.ts")).toEqual({ verb: "Edit total.ts", what: "" });
    expect(edit("/home/ada/shop/src/total.ts")).toEqual({ verb: "Edit total.ts", what: "src/total.ts" });
  });

  it("with a long path shows where it ends, with a long command where it begins", () => {
    const folder = "/home/ada/.local/state/liminal-builder/demo/scratch/4c2eafc3-e4cd-4cc8-baca-46882699f161";
    expect(oneLine(`${folder}/greet.py`)).toMatch(/^….{63}\/greet\.py$/);
    expect(oneLine(`cat ${folder}/greet.py`)).toMatch(/^cat \/home/);
    expect(oneLine(`https://example.com${folder}`)).toMatch(/^https:/);
    expect(oneLine("src/a.ts")).toBe("src/a.ts");
  });

  it("that may not begin before the user answers is not shown as running", async () => {
    const timeline = await open();
    timeline.item("c", {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      callId: "c",
      toolArguments: {},
      status: "create",
    });
    await until(() => $(page.root, ".tool .working"));
    timeline.item("a", {
      turnId: "t",
      type: "approval",
      callId: "c",
      title: "Run",
      kind: "tool",
      state: "pending",
      status: "create",
      options: [{ optionId: "no", name: "Reject", kind: "reject_once" }],
    });
    await until(() => $(page.root, '.tool [aria-label="Waits for your answer"]'));
    expect($(page.root, ".tool .working")).toBeNull();
    timeline.item("a", { state: "answered", status: "complete", answer: { optionId: "yes" } });
    await until(() => $(page.root, ".tool .working"));
  });

  it("shows a command in its body only when the head cannot show all of it", async () => {
    const timeline = await open();
    const run = (id: string, command: string) =>
      timeline.item(id, {
        turnId: "t",
        type: "tool_call",
        toolName: "Bash",
        callId: id,
        kind: "execute",
        status: "complete",
        toolArguments: { command },
      });
    run("short", "npm test");
    run("lines", "npm test\nnpm run build");
    run("hidden", "rm \u202efr- x");
    await until(() => $$(page.root, ".tool-head").length === 3);
    $$(page.root, ".tool-head").forEach((head) => head.click());
    await until(() => $$(page.root, ".tool-body").length === 3);
    expect(texts(page.root, ".tool-body pre.command")).toEqual([
      "$ npm test\nnpm run build",
      "$ rm \\u202efr- x",
    ]);
    expect(texts(page.root, ".tool-body > .muted")).toEqual(["No output.", "No output.", "No output."]);
  });
});

describe("a failure", () => {
  it("of the turn is told where the turn ends, not by everything that it cut off", async () => {
    const timeline = await open();
    const errorMessage = "The server was restarted while this was running.";
    timeline.turn("t", { type: "turn_started" });
    timeline.item("m", {
      turnId: "t",
      type: "message",
      origin: "agent",
      content: "Half a",
      status: "create",
    });
    timeline.item("m", { status: "error", errorMessage });
    timeline.item("c", {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      callId: "c",
      toolArguments: {},
      status: "error",
      errorMessage,
    });
    timeline.turn("t", { type: "turn_error", errorMessage });
    await until(() => $(page.root, ".turn-failed"));
    expect(times(errorMessage)).toBe(1);
    expect(texts(page.root, ".cut")).toEqual(["Cut off here."]);
  });

  it("of one tool is told by that tool", async () => {
    const timeline = await open();
    timeline.item("c", {
      turnId: "t",
      type: "tool_call",
      toolName: "Read",
      callId: "c",
      toolArguments: {},
      status: "error",
      errorMessage: "ENOENT",
    });
    await until(() => texts(page.root, ".tool-problem").includes("ENOENT"));
  });

  it("by a refusal stands in the refusal, without the title that is right above", async () => {
    const timeline = await open();
    timeline.item("c", {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      callId: "c",
      kind: "execute",
      status: "complete",
      toolArguments: { command: "make clean" },
      toolOutput: "The user declined this action.",
      toolOutputIsError: true,
    });
    timeline.item("a", {
      turnId: "t",
      type: "approval",
      callId: "c",
      title: "Clean the build folder",
      kind: "tool",
      state: "answered",
      status: "complete",
      options: [{ optionId: "no", name: "Reject", kind: "reject_once" }],
      answer: { optionId: "no", message: "not yet" },
      answeredBy: "browser",
    });
    const card = await until(() => $(page.root, ".approval.decided"));
    expect(card.textContent).toBe("Clean the build folder: Rejected by you · “not yet”");
    expect($(card, ".visually-hidden")!.textContent).toBe("Clean the build folder: ");
    expect(times("The user declined this action.")).toBe(0);
    expect($(page.root, ".tool .state.failed")).toBeNull();
    expect($(page.root, ".tool .state")!.title).toBe("Rejected");
    $(page.root, ".tool-head")!.click();
    await until(() => $(page.root, ".tool .output"));
    expect($(page.root, ".tool .output-error")).toBeNull();
  });

  it("by a refusal is found also where several calls are asked about at once", async () => {
    const timeline = await open();
    const options = [{ optionId: "no", name: "Reject", kind: "reject_once" }];
    for (const id of ["c1", "c2"])
      timeline.item(id, {
        turnId: "t",
        type: "tool_call",
        toolName: "Bash",
        callId: id,
        status: "error",
        toolArguments: { command: id },
        errorMessage: "Declined.",
      });
    for (const id of ["c1", "c2"])
      timeline.item(`a-${id}`, {
        turnId: "t",
        type: "approval",
        callId: id,
        title: "Run",
        kind: "tool",
        state: "answered",
        status: "complete",
        options,
        answer: { optionId: "no" },
      });
    await until(() => $$(page.root, ".tool .state[title=Rejected]").length === 2);
    expect(times("Declined.")).toBe(0);
  });
});

describe("what is not going on", () => {
  it("a plan's step stops turning when the turn ends", async () => {
    const timeline = await open();
    timeline.turn("t", { type: "turn_started" });
    timeline.item("p", {
      turnId: "t",
      type: "plan",
      status: "create",
      entries: [{ content: "Fix the sum", status: "in_progress", priority: "high" }],
    });
    await until(() => $(page.root, ".plan .working"));
    timeline.turn("t", { type: "turn_complete", status: "completed" });
    await until(() => !$(page.root, ".plan .working"));
    expect($$(page.root, ".plan-pending").length).toBe(1);
  });

  it("without the server nothing turns, not even the note that says so", async () => {
    await open();
    page.online.value = false;
    page.pipes.forEach((pipe) => pipe.close());
    const banner = await until(() => $(page.root, ".banner"));
    expect(banner.querySelector(".working")).toBeNull();
    expect($(page.root, ".app.offline")).not.toBeNull();
  });

  it("without the server nothing is counted", async () => {
    const timeline = await open();
    const startedAt = new Date(Date.now() - 90_000).toISOString();
    timeline.turn("t", { type: "turn_started", startedAt });
    timeline.item("c", {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      callId: "c",
      toolArguments: { command: "make" },
      status: "create",
      startedAt,
    });
    await until(() => $(page.root, ".working-line")?.textContent?.match(/is working · 1 min/));
    await until(() => $(page.root, ".tool .took"));
    page.online.value = false;
    page.pipes.forEach((pipe) => pipe.close());
    await until(() => $(page.root, ".working-line")?.textContent?.includes("was working when"));
    expect($(page.root, ".working-line")!.textContent).not.toMatch(/\d/);
    expect($(page.root, ".tool .took")).toBeNull();
  });

  it("the context's meter says in words what it measures", async () => {
    await open();
    const meter = await until(() => $(page.root, ".context"));
    const words = "24 % of the agent's context is used: 48k of 200k tokens";
    expect(meter.title).toBe(words);
    expect(meter.querySelector(".visually-hidden")!.textContent).toBe(words);
    expect(meter.querySelector(".context-word")!.textContent).toBe("Context");
  });
});
