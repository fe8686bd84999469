// Someone waits for the user: what is shown of it, and what is sent.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { labelOf, wordsOf } from "../src/options";
import { decision } from "../src/views/conversation/decided";
import type { Approval, ApprovalOption } from "../src/wire";
import { approval } from "./data";
import { $, $$, button, press, startPage, texts, tick, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());

const open = async (id = "s-7") => {
  const world = new World("busy");
  world.pace = 0;
  page = await startPage(world);
  page.app.nav.navigate({ page: "session", sessionId: id });
  await until(() => page.app.timelines.of(id).loaded.value);
  return world.session(id);
};

const show = ({ itemId, sessionId: _, ...item }: Approval) =>
  page.world.session("s-7").timeline.item(itemId, item);

describe("approvals", () => {
  it("are answered from the chat, and say who decided", async () => {
    await open("s-2");
    const card = await until(() => $(page.root, ".approval.pending"));
    expect(card.querySelector(".detail")!.textContent).toBe("rm -rf build/ && npm run build -- --release");
    button(card, /^Allow once/).click();
    await until(() => $(page.root, ".approval.decided")?.textContent?.match(/Allowed by you, \d/));
    expect(page.heard("session:answer")[0]).toMatchObject({ optionId: "once", itemId: "t1:approval" });
  });

  it("are being sent until the agent has taken the answer", async () => {
    await open("s-2");
    let take = () => {};
    page.world.delivery = new Promise((resolve) => (take = resolve));
    button(await until(() => $(page.root, ".approval.pending")), /^Allow once/).click();
    await until(() => $(page.root, ".approval.pending header")!.textContent!.endsWith("Sending…"));
    const card = $(page.root, ".approval.pending")!;
    expect($$(card, "button").every((one) => (one as HTMLButtonElement).disabled)).toBe(true);
    await press(card, "2");
    expect(page.heard("session:answer")).toHaveLength(1);
    take();
    await until(() => $(page.root, ".approval.decided"));
  });

  it("are open again with the reason when the agent does not take the answer", async () => {
    await open("s-2");
    let fail = (_why: Error) => {};
    page.world.delivery = new Promise((_resolve, reject) => (fail = reject));
    button(await until(() => $(page.root, ".approval.pending")), /^Allow once/).click();
    await until(() => page.heard("session:answer").length === 1);
    fail(new Error("The agent does not read its input."));
    await until(() => $(page.root, ".approval.pending .problem")?.textContent?.includes("does not read"));
    await until(() => !button(page.root, /^Allow once/).disabled);
    expect(page.root.textContent!.split("does not read").length - 1).toBe(1);
    page.world.delivery = undefined;
    button(page.root, /^Allow once/).click();
    await until(() => $(page.root, ".approval.decided"));
    expect($(page.root, ".approval .problem")).toBeNull();
  });

  it("are answered from the inbox with a number key; words for an agent that takes none are the next message", async () => {
    page = await startPage(new World("busy"));
    button(page.root, /^Inbox/).click();
    const card = await until(() => $(page.root, ".inbox .approval.pending"));
    const hint = $(card, ".note-hint")!;
    expect(hint.hidden).toBe(true);
    await type(card.querySelector(".note")!, "use the cache instead");
    expect([hint.hidden, hint.textContent]).toEqual([false, "Sent as your next message, after this turn."]);
    await press(card, "2");
    await until(() => !$(page.root, ".inbox .approval.pending"));
    expect(page.heard("session:answer")).toHaveLength(1);
    expect(page.heard("session:answer")[0]).toMatchObject({
      optionId: "no",
      message: "use the cache instead",
    });
    expect(page.heard("session:send")).toEqual([]); // What becomes of the words is for the server to know.
    page.app.nav.navigate({ page: "session", sessionId: "s-2" });
    await until(() => texts(page.root, ".message.user .bubble").includes("use the cache instead"));
  });

  it("words go with the answer, whichever it is", async () => {
    const ask = async (id: string) => {
      page.world.session("s-5").timeline.item(id, {
        turnId: "t",
        type: "approval",
        title: "Run",
        kind: "tool",
        state: "pending",
        detail: "make",
        options: [
          { optionId: "yes", name: "Allow", kind: "allow_once" },
          { optionId: "no", name: "Reject", kind: "reject_once" },
        ],
      });
      const card = await until(() => $(page.root, ".approval.pending"));
      await type(card.querySelector(".note")!, `words of ${id}`);
      return card;
    };
    await open("s-5");
    button(await ask("a1"), /^Reject/).click();
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]).toMatchObject({ optionId: "no", message: "words of a1" });
    await until(() => !$(page.root, ".approval.pending"));
    expect(page.heard("session:send")).toEqual([]);
    button(await ask("a2"), /^Allow/).click();
    await until(() => page.heard("session:answer").length === 2);
    expect(page.heard("session:answer")[1]).toMatchObject({ optionId: "yes", message: "words of a2" });
    await until(() => texts(page.root, ".message.user .bubble").includes("words of a2"));
    const decided = texts(page.root, ".approval.decided");
    expect(decided.map((text) => text.includes("words of"))).toEqual([true, false]); // Each is said once.
    expect(page.heard("session:send")).toEqual([]);
  });

  it("words of an answer that was refused are still there", async () => {
    await open("s-2");
    const card = await until(() => $(page.root, ".approval.pending"));
    await type(card.querySelector(".note")!, "use the cache instead");
    Object.assign(page.world.session("s-2").timeline.items.get("t1:approval")!, { state: "answered" });
    button(card, /^Allow once/).click();
    await until(() => $(card, ".problem")?.textContent === "Someone has answered this already.");
    expect($(page.root, ".toast.error")).toBeNull();
    expect(card.querySelector<HTMLInputElement>(".note")!.value).toBe("use the cache instead");
  });

  it("are answered from the composer with Alt, Shift and a number; a held key answers once", async () => {
    await open("s-2");
    const card = await until(() => $(page.root, ".approval.pending"));
    const composer = $(page.root, ".composer textarea")!;
    composer.focus();
    await press(composer, "1", { code: "Digit1" });
    await press(composer, "!", { code: "Digit1", altKey: true, shiftKey: true, repeat: true });
    expect(page.heard("session:answer")).toEqual([]);
    expect(button(card, /^Allow once/).getAttribute("aria-keyshortcuts")).toBe("Alt+Shift+1");
    await press(composer, "!", { code: "Digit1", altKey: true, shiftKey: true });
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]).toMatchObject({ optionId: "once" });
    expect(document.activeElement).toBe(composer);
    expect(page.app.nav.tabs.value.active).toBe("s-2");
  });

  it("name an answer that also stops the turn by that, and nothing twice", async () => {
    const option = (optionId: string, name: string): ApprovalOption => ({
      optionId,
      name,
      kind: "reject_once",
    });
    const plain = option("reject", "Reject");
    const stop = option("reject-and-stop", "Reject and stop");
    for (const kind of ["tool", "plan", "question"] as const) {
      expect(labelOf({ kind }, stop)).toMatch(/stop the turn$/i);
      expect(labelOf({ kind }, stop)).not.toBe(labelOf({ kind }, plain));
      expect(wordsOf({ kind }, stop)).toBeUndefined();
    }
    await open();
    show(approval("two", { turnId: "t1", options: [plain, option("other", "Decline"), stop] }));
    const card = await until(() => $$(page.root, ".approval.pending").at(-1));
    button(card, /^More/).click();
    await until(() => $(page.root, ".answers [role=menuitem]"));
    expect(texts(page.root, ".answers [role=menuitem]")).toEqual([
      "Reject“Decline”",
      "Reject and stop the turn",
    ]);
  });

  it("lists answers as they were asked, and says when the turn was stopped before one came", async () => {
    await open();
    const ask = (question: string) => ({ question, options: [{ label: "x" }], multiSelect: false });
    show(
      approval("q", {
        turnId: "t1",
        kind: "question",
        status: "complete",
        state: "answered",
        questions: [ask("Which?"), ask("And when?")],
        answer: { answers: { "And when?": "Now", "Which?": "Red" } },
      }),
    );
    const decided = await until(() => $$(page.root, ".approval.decided").at(-1));
    expect(decided.textContent!.indexOf("Which?")).toBeLessThan(decided.textContent!.indexOf("And when?"));
    const expired = approval("e", { state: "expired", status: "cancelled" });
    expect(decision(expired, true)).toBe("Not answered: the turn was stopped");
  });

  it("of a plan without words say that there are none", async () => {
    await open();
    show(approval("p", { turnId: "t1", kind: "plan", title: "Approve the plan?", detail: "" }));
    await until(() => $(page.root, ".approval.pending")?.textContent?.includes("did not say what it plans"));
  });

  it("say what was decided in words that read on", () => {
    const decided = (kind: string, name: string, more = {}) =>
      decision({
        kind: "tool",
        options: [{ optionId: "o", name, kind }],
        state: "answered",
        answer: { optionId: "o" },
        answeredBy: "browser",
        ...more,
      } as unknown as Approval);
    expect(decided("allow_once", "Allow")).toBe("Allowed by you");
    expect(decided("allow_once", "Yes")).toBe("Allowed by you");
    expect(decided("reject_once", "Reject", { answeredBy: "deploy bot" })).toBe("Rejected by deploy bot");
    expect(decided("allow_always", "Always allow npm test")).toBe("Always allowed by you · npm test");
    expect(decided("allow_once", "Allow", { state: "expired", answer: undefined })).toBe(
      "Expired without an answer",
    );
    expect(decided("allow_once", "Allow", { state: "expired" })).toBe(
      "Taken back while this answer was on its way",
    );
    const errorMessage = "The server stopped while this answer was on its way; the agent may have had it.";
    expect(decided("allow_once", "Allow", { state: "expired", errorMessage })).toBe(errorMessage);
  });

  it("show in the inbox the diff of the edit they are about", async () => {
    page = await startPage(new World("busy"));
    const { timeline } = page.world.session("s-2");
    timeline.item("t1:tool", {
      kind: "edit",
      toolArguments: {},
      diffs: [{ path: "src/cart.ts", oldText: "let sum = 0.1;\n", newText: "let sum = 10;\n" }],
    });
    button(page.root, /^Inbox/).click();
    const card = await until(() => $(page.root, ".inbox .approval.pending"));
    await until(() => card.querySelector(".diff"));
    expect(card.textContent).toContain("src/cart.ts");
    expect(card.textContent).toContain("let sum = 10;");
    expect(card.querySelector(".detail")!.textContent).toContain("rm -rf build/");
  });

  const ask = async (fields: Partial<Approval>, id = "s-7") => {
    const { timeline } = await open(id);
    const { type: kind, ...rest } = approval("asked", fields);
    timeline.item("asked", { ...rest, type: kind, turnId: "t", sessionId: id });
    return until(() => $(page.root, ".approval.pending"));
  };

  it("show hidden characters of what would run, of its title and of what allows it", async () => {
    const card = await ask({
      title: "Run \u202efoo",
      detail: "rm \u202efr-\u{e0072}\u00a0\u2800x",
      options: [
        { optionId: "a", name: "Allow", kind: "allow_once" },
        { optionId: "b", name: "Always allow \u200bls", kind: "allow_always" },
      ],
    });
    expect(texts(card, ".detail .hidden-char")).toEqual(["\\u202e", "\\u{e0072}", "\\u00a0", "\\u2800"]);
    expect(texts(card, ".approval-title .hidden-char")).toEqual(["\\u202e"]);
    button(card, /^More/).click();
    await until(() => $(card, ".popup .hidden-char")?.textContent === "\\u200b");
    expect(card.getAttribute("aria-label")).toBe("Needs you: Run \\u202efoo");
  });

  it("the line of the call above them shows what is hidden in it too", async () => {
    const { timeline } = await open();
    const toolArguments = { command: "echo \u202eok\u00a0 \nrm x" };
    timeline.item("c", {
      turnId: "t",
      type: "tool_call",
      toolName: "Ba\u200bsh",
      callId: "c",
      toolArguments,
    });
    const head = await until(() => $(page.root, ".tool-head"));
    expect(texts(head, ".hidden-char")).toEqual(["\\u200b", "\\u202e", "\\u00a0"]);
    expect($(head, ".what")!.textContent).toBe("echo \\u202eok\\u00a0 ↵ rm x");
    expect($(head, ".what")!.title).toContain("\\u202e");
  });

  const script = Array.from({ length: 601 }, (_, n) => (n === 300 ? "rm -rf ~/important" : `echo ${n}`));

  it("that are cut say how much there is, and are not allowed before all of it was shown", async () => {
    const card = await ask({ detail: script.join("\n") });
    expect($(card, ".detail")!.textContent!.split("\n")).toHaveLength(16);
    expect($(card, ".detail-more")!.textContent).toMatch(/601 lines, \d KiB in all.*Show all 601 lines/);
    button(card, /^Allow once/).click();
    await until(() => $(card, ".look-first"));
    expect($(card, ".detail")!.textContent).toContain("rm -rf ~/important");
    expect(document.activeElement).toBe($(card, ".detail"));
    expect(page.heard("session:answer")).toEqual([]);
    expect($(card, ".detail-size")!.textContent).toMatch(/^601 lines/);
    button(card, /^Allow once/).click();
    await until(() => page.heard("session:answer").length === 1);
  });

  it("that are cut are refused at once, and shown whole by one press", async () => {
    const card = await ask({ detail: script.join("\n") });
    $(card, ".detail-more")!.click();
    await until(() => $(card, ".detail")!.textContent!.includes("echo 600"));
    expect($(card, ".look-first")).toBeNull();
    button(card, /^Reject/).click();
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]).toMatchObject({ optionId: "no" });
  });

  it("what lasts is not allowed unseen either, and a long change counts like a long command", async () => {
    const card = await ask({
      detail: undefined,
      toolArguments: { file_path: "a.ts", content: script.join("\n") },
      options: [
        { optionId: "always", name: "Always allow", kind: "allow_always" },
        { optionId: "once", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
    });
    expect($$(card, ".line-add")).toHaveLength(40);
    expect($(card, ".detail-more")!.textContent).toContain("Show all 601 lines");
    await press(card, "3");
    const always = await until(() => $(card, ".popup [role=menuitem]"));
    expect(always.textContent).toBe("Always allowThe agent does not say what this covers, or for how long.");
    always.click();
    await until(() => $$(card, ".line-add").length === 601);
    expect(page.heard("session:answer")).toEqual([]);
    await press(card, "1");
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]).toMatchObject({ optionId: "once" });
  });

  it("name answers by what they do: an answer that allows for ever cannot look like a refusal", async () => {
    const card = await ask({
      options: [
        { optionId: "trap", name: "Reject", kind: "allow_always" },
        { optionId: "yes", name: "Yes, proceed", kind: "allow_once" },
        { optionId: "no", name: "No, and tell Codex what to do differently", kind: "reject_once" },
      ],
    });
    expect(texts(card, ".approval-actions > .button")).toEqual(["Allow once1", "Reject2", "More3"]);
    expect(texts(card, ".keys")).toHaveLength(1);
    button(card, /^More/).click();
    const trap = await until(() => $(card, ".popup [role=menuitem]"));
    expect(trap.textContent).toBe("Always allow“Reject”");
    expect($(trap, "strong")!.textContent).toBe("Always allow");
    await press(trap, "Escape");
    await until(() => !$(card, ".popup"));
    expect(document.activeElement).toBe(button(card, /^More/));
    button(card, /^Reject/).click();
    await until(() => page.heard("session:answer")[0]?.["optionId"] === "no");
  });

  it("of a command say apart what runs, why, and what else is switched on; the rest is one press away", async () => {
    const toolArguments = {
      command: ["/bin/bash", "-lc", "touch /x"],
      reason: "Need it",
      run_in_background: true,
      cwd: "/etc",
      call_id: "c1",
    };
    const card = await ask({ title: "touch /x", detail: "touch /x\n\nNeed it", toolArguments });
    expect($(card, ".detail")!.textContent).toBe("touch /x");
    expect($(card, ".asked-words")!.textContent).toBe("Need it");
    expect(texts(card, ".asked-flags .chip")).toEqual(["run in background", "in /etc"]);
    expect(card.textContent).not.toContain("call_id");
    const raw = $(card, ".raw-input") as HTMLDetailsElement;
    raw.open = true;
    raw.dispatchEvent(new Event("toggle"));
    await until(() => $(raw, "pre")?.textContent?.includes('"call_id": "c1"'));
  });

  const questions = [
    {
      question: "Which?",
      multiSelect: true,
      options: [{ label: "A" }, { label: "B" }, { label: "C" }],
    },
  ];
  const asksWhich: Partial<Approval> = {
    title: "Which?",
    kind: "question",
    toolName: "AskUserQuestion",
    toolArguments: { questions },
    detail: JSON.stringify({ questions }),
    questions,
    options: [
      { optionId: "reject", name: "Do not answer", kind: "reject_once" },
      { optionId: "stop", name: "Stop the turn", kind: "reject_once" },
    ],
  };

  it("that are questions show the questions, and the raw input only to who asks for it", async () => {
    const card = await ask(asksWhich);
    expect($(card, "pre")).toBeNull();
    expect(card.textContent).not.toContain("multiSelect");
    expect(texts(card, ".choice strong")).toEqual(["A", "B", "C"]);
    expect(texts(card, ".approval-actions > .button")).toEqual(["Answer", "Do not answer", "More"]);
    expect($(card, ".raw-input summary")!.textContent).toBe("Raw input");
  });

  it("of several choices send what is ticked and another answer as well", async () => {
    const card = await ask(asksWhich);
    const tick3 = async (at: number) => {
      $$(card, "input[type=checkbox]")[at]!.dispatchEvent(new Event("change", { bubbles: true }));
      await tick();
    };
    await tick3(2);
    await tick3(0);
    await type($(card, ".note") as HTMLInputElement, " and D ");
    expect($$(card, "input[type=checkbox]").map((box) => (box as HTMLInputElement).checked)).toEqual([
      true,
      false,
      true,
    ]);
    $(card, ".questions")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]!["answers"]).toEqual({ "Which?": "A, C, and D" });
  });

  it("of one choice take own words instead of it, and the choice instead of own words", async () => {
    const one = [{ ...questions[0]!, multiSelect: false }];
    const card = await ask({ ...asksWhich, questions: one });
    const radios = () => $$(card, "input[type=radio]") as HTMLInputElement[];
    radios()[1]!.dispatchEvent(new Event("change", { bubbles: true }));
    await until(() => radios()[1]!.checked);
    await type($(card, ".note") as HTMLInputElement, "D");
    await until(() => !radios()[1]!.checked);
    radios()[0]!.dispatchEvent(new Event("change", { bubbles: true }));
    await until(() => ($(card, ".note") as HTMLInputElement).value === "");
    $(card, ".questions")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]!["answers"]).toEqual({ "Which?": "A" });
  });

  it("take answers to questions", async () => {
    const { timeline } = await open();
    timeline.item("q", {
      turnId: "t",
      type: "approval",
      title: "Q",
      kind: "question",
      state: "pending",
      options: [],
      questions: [{ question: "Which?", multiSelect: false, options: [{ label: "A" }, { label: "B" }] }],
    });
    const form = await until(() => $(page.root, ".questions"));
    form.querySelectorAll("input[type=radio]")[1]!.dispatchEvent(new Event("change", { bubbles: true }));
    await tick();
    form.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]!["answers"]).toEqual({ "Which?": "B" });
  });
});
