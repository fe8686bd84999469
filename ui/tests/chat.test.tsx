import { afterEach, describe, expect, it } from "vitest";
import { manyCommands } from "../dev/commands.mjs";
import { World } from "../dev/world.mjs";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

/** A quiet session that the test plays by hand. */
const open = async (id = "s-7") => {
  const world = new World("busy");
  world.pace = 0;
  page = await startPage(world);
  page.app.nav.navigate({ page: "session", sessionId: id });
  await until(() => page.app.timelines.of(id).loaded.value);
  return world.session(id);
};
const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
const say = async (text: string) => {
  await type(await compose(), text);
  await press(await compose(), "Enter");
};
const turn = { turnId: "t", type: "turn_started", startedAt: new Date().toISOString() };

describe("chat", () => {
  it("E1-TC-3.1a: an own message is there at once, as pending until the server shows it", async () => {
    await open();
    page.online.value = false;
    page.pipes.at(-1)!.close();
    await until(() => page.app.link.state.value.kind === "offline");
    await say("are you there?");
    expect(texts(page.root, ".message.user .bubble")).toEqual(["are you there?"]);
    expect($(page.root, ".pending-note")!.textContent).toContain("Waits for the connection");
    page.online.value = true;
    page.app.link.retryNow();
    await until(() => $(page.root, ".message.user time"));
    expect(texts(page.root, ".message.user .bubble")).toEqual(["are you there?"]);
    expect($(page.root, ".pending-note")).toBeNull();
  });

  it("E1-TC-3.1b: an empty message cannot be sent", async () => {
    await open();
    expect(button(page.root, "Send message").disabled).toBe(true);
    await say("   \n ");
    expect(page.heard("session:send")).toEqual([]);
  });

  it("E1-TC-3.2a TC-7.2a: text appears as it arrives, in place", async () => {
    const { timeline } = await open();
    timeline.turn("t", turn);
    timeline.item("a", { turnId: "t", type: "message", origin: "agent", content: "First" });
    await until(() => texts(page.root, ".message.agent .md")[0] === "First");
    timeline.append("a", "content", " and **second**");
    await until(() => $(page.root, ".message.agent .md strong")?.textContent === "second");
    expect($$(page.root, ".message.agent").length).toBe(1);
  });

  it("E1-TC-3.3a E1-TC-3.3b TC-7.2b: a tool shows its name while it runs, then its result, folded and expandable", async () => {
    const { timeline } = await open();
    timeline.turn("t", turn);
    const call = {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      kind: "execute",
      callId: "c",
      toolArguments: { command: "ls -la" },
    };
    timeline.item("x", call);
    const head = await until(() => $(page.root, ".tool-head"));
    expect(head.textContent).toContain("Bash");
    expect(head.textContent).toContain("ls -la");
    expect(head.querySelector(".working")!.getAttribute("aria-label")).toBe("Running");
    timeline.item("x", { ...call, status: "complete", toolOutput: "total 0\nfile.txt" });
    await until(() => head.querySelector(".state.done"));
    expect($(page.root, ".tool-body")).toBeNull();
    head.click();
    await until(() => $(page.root, ".output pre")?.textContent === "total 0\nfile.txt");
    expect($$(page.root, ".tool").length).toBe(1);
  });

  it("E1-TC-3.3c: a failed tool shows its error without a click", async () => {
    const { timeline } = await open();
    timeline.item("x", {
      turnId: "t",
      type: "tool_call",
      toolName: "Read",
      callId: "c",
      toolArguments: {},
      status: "error",
      errorMessage: "ENOENT: no such file",
    });
    await until(() => $(page.root, ".tool-problem")?.textContent === "ENOENT: no such file");
    expect($(page.root, ".state.failed")).toBeTruthy();
  });

  it("what a failed tool said is shown without the colours of its terminal", async () => {
    const { timeline } = await open();
    timeline.item("coloured", {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      callId: "coloured",
      toolArguments: { command: "npm test" },
      status: "complete",
      toolOutputIsError: true,
      toolOutput: "\n\u001b[1m LINK \u001b[0m pricing\n\u001b[31mfailed\u001b[39m\n",
    });
    await until(() => texts(page.root, ".tool-problem").includes("LINK  pricing"));
    timeline.item("coloured", { kind: "execute" });
    await until(() => texts(page.root, ".tool-problem").includes("failed"));
  });

  it("long output is folded, and the whole is fetched on demand", async () => {
    const { timeline } = await open();
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
    timeline.outputs.set("long", `${lines}\nthe very end`);
    timeline.item("long", {
      turnId: "t",
      type: "tool_call",
      toolName: "Bash",
      callId: "c",
      toolArguments: {},
      status: "complete",
      toolOutput: lines,
      outputBytes: 900_000,
    });
    (await until(() => $(page.root, ".tool-head"))).click();
    await until(() => $(page.root, ".output pre"));
    expect($(page.root, ".output pre")!.textContent!.split("\n").length).toBe(16);
    button(page.root, /Load the whole output/).click();
    await until(() => $(page.root, ".output pre")!.textContent!.endsWith("the very end"));
  });

  it("E1-TC-3.4a: thinking is distinct and folded, with its duration", async () => {
    const { timeline } = await open();
    const at = Date.now();
    timeline.item("h", {
      turnId: "t",
      type: "thinking",
      providerId: "demo",
      content: "secret thoughts",
      status: "complete",
      startedAt: new Date(at - 4200).toISOString(),
      endedAt: new Date(at).toISOString(),
    });
    const head = await until(() => $(page.root, ".thinking-head"));
    expect(head.textContent).toBe("Thought for 4.2 s");
    expect(page.root.textContent).not.toContain("secret thoughts");
    head.click();
    await until(() => $(page.root, ".thinking-body")?.textContent?.trim() === "secret thoughts");
  });

  it("TC-7.2c: interleaved items stand for themselves", async () => {
    const { timeline } = await open();
    const agent = { turnId: "t", type: "message", origin: "agent" };
    timeline.item("a", { ...agent, content: "A1" });
    timeline.item("b", { ...agent, content: "B1" });
    await until(() => $$(page.root, ".message.agent").length === 2);
    const first = $$(page.root, ".message.agent")[0];
    timeline.append("b", "content", "B2");
    timeline.append("a", "content", "A2");
    await until(() => texts(page.root, ".message.agent .md").join() === "A1A2,B1B2");
    expect($$(page.root, ".message.agent")[0]).toBe(first);
  });

  it("E1-TC-3.5a: the composer stands below the conversation, outside of what scrolls", async () => {
    await open();
    expect($(page.root, ".chat-scroll .composer")).toBeNull();
    expect($(page.root, ".chat + .dock .composer")).toBeTruthy();
  });

  it("E1-TC-3.7b: stopping keeps what came so far, says that it was cancelled, and the composer is free again", async () => {
    await open();
    page.world.pace = 5;
    await say("something");
    await until(() => $(page.root, ".message.agent .md")?.textContent);
    await press(await compose(), "Escape");
    await until(() => $(page.root, ".turn-cancelled"));
    expect($(page.root, ".turn-cancelled")!.textContent).toContain("Stopped by you");
    expect($(page.root, ".message.agent .md")!.textContent!.length).toBeGreaterThan(0);
    await until(() => !$(page.root, ".working-line"));
    expect($(page.root, ".round.stop")).toBeNull();
    expect((await compose()).disabled).toBe(false);
  });

  it("a failed turn says why and can be tried again", async () => {
    await open();
    await say("please fail");
    await until(() => $(page.root, ".turn-failed")?.textContent?.includes("The model is overloaded."));
    button(page.root, "Retry").click();
    await until(() => page.heard("session:send").length === 2);
    expect(page.heard("session:send")[1]!["content"]).toBe("please fail");
    // Only the last turn can be tried again.
    await until(() => $$(page.root, ".turn-failed").length === 2);
    expect($$(page.root, ".turn-failed .button")).toHaveLength(1);
  });

  it("subagents stand under their call", async () => {
    await open("s-1");
    const head = await until(() =>
      $$(page.root, ".tool-head").find((element) => element.textContent?.includes("Check the callers")),
    );
    expect(head.textContent).toContain("2 steps");
    head.click();
    await until(() => $(page.root, ".subagent .tool-head")?.textContent?.includes("import.*total"));
  });

  it("shows a diff with counts and changed words", async () => {
    await open("s-1");
    await until(() => $(page.root, ".diff"));
    expect($(page.root, ".tool .diff-stat")!.textContent).toBe("+4 −3");
    expect($$(page.root, ".line-del").length).toBe(3);
    expect($(page.root, ".line-add mark")!.textContent).toBe("Cents, ");
  });
});

describe("composer", () => {
  it("keeps a draft per session, over a reload", async () => {
    await open();
    await type(await compose(), "half a thought");
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => page.app.timelines.of("s-1").loaded.value);
    expect((await compose()).value).toBe("");
    await page.reload();
    page.app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(
      () =>
        $(page.root, ".composer textarea") &&
        ($(page.root, ".composer textarea") as HTMLTextAreaElement).value === "half a thought",
    );
  });

  it("arrow up brings earlier messages, arrow down the draft again", async () => {
    await open("s-1");
    const input = await compose();
    await press(input, "ArrowUp");
    await until(() => input.value.startsWith("The pricing test fails"));
    await press(input, "ArrowDown");
    await until(() => input.value === "");
  });

  it("offers the agent's commands after a slash and files after an @", async () => {
    await open();
    await type(await compose(), "/co");
    await until(() => texts(page.root, ".completion bdi").includes("/compact"));
    await press(await compose(), "Enter");
    await until(async () => (await compose()).value === "/compact ");
    await type(await compose(), "look at @item");
    await until(() => texts(page.root, ".completion bdi").includes("src/pricing/item.ts"));
    await press(await compose(), "Tab");
    await until(
      () =>
        ($(page.root, ".composer textarea") as HTMLTextAreaElement).value === "look at @src/pricing/item.ts ",
    );
  });

  it("all commands are offered, the best match first; arrows stop at the ends and keep the choice in view", async () => {
    await open();
    page.world.broadcast({ type: "session:facts", sessionId: "s-7", commands: manyCommands });
    await until(() => page.app.timelines.of("s-7").facts.value.commands?.length === manyCommands.length);
    const seen: string[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      seen.push(this.id);
    };
    const chosen = () => texts(page.root, '.completion [aria-selected="true"] bdi')[0];
    const input = await compose();
    await type(input, "/");
    await until(() => texts(page.root, ".completion bdi").length === manyCommands.length);
    await press(input, "ArrowUp");
    expect(chosen()).toBe(`/${manyCommands[0]!.name}`);
    await press(input, "PageDown");
    await press(input, "ArrowDown");
    expect(chosen()).toBe(`/${manyCommands[8]!.name}`);
    expect(seen.at(-1)).toBe("offer-8");
    for (let index = 0; index < manyCommands.length; index++) await press(input, "ArrowDown");
    expect(chosen()).toBe(`/${manyCommands.at(-1)!.name}`);
    await type(input, "/ver");
    await until(() => texts(page.root, ".completion bdi").length === 2);
    expect(texts(page.root, ".completion bdi")).toEqual(["/verify", "/version"]);
    expect(chosen()).toBe("/verify");
    await type(input, "/review");
    await until(() => chosen() === "/review");
    expect(texts(page.root, ".completion bdi")).toEqual(["/review", "/security-review"]);
    delete (Element.prototype as { scrollIntoView?: unknown }).scrollIntoView;
  });

  it("a command typed to its end is sent by Enter", async () => {
    await open();
    await type(await compose(), "/review");
    await until(() => texts(page.root, ".completion bdi").includes("/review"));
    await press(await compose(), "Enter");
    await until(() => page.heard("session:send")[0]?.["content"] === "/review");
  });

  it("how much the agent thinks is switched where it offers a choice, and not shown where it does not", async () => {
    await open();
    const thinking = () => $(page.root, 'label[title="Thinking"] select') as HTMLSelectElement | null;
    await until(() => thinking()?.value === "default");
    thinking()!.value = "high";
    thinking()!.dispatchEvent(new Event("change", { bubbles: true }));
    await until(() => page.heard("session:thinking")[0]?.["thinking"] === "high");
    await until(() => thinking()?.value === "high");
    page.world.broadcast({ type: "session:facts", sessionId: "s-7", thinkingLevels: [] });
    await until(() => thinking() === null);
    expect($(page.root, 'label[title="Model"]')).not.toBeNull();
  });

  it("the mode is visible and really switches", async () => {
    await open();
    const mode = await until(() => $(page.root, ".switch select") as HTMLSelectElement);
    expect(mode.selectedOptions[0]!.textContent).toBe("Ask before acting");
    mode.value = "plan";
    mode.dispatchEvent(new Event("change", { bubbles: true }));
    await until(() => page.world.session("s-7").facts["mode"] === "plan");
    await until(() => ($(page.root, ".switch select") as HTMLSelectElement).value === "plan");
  });

  it("a send that the server never confirmed goes out again after a reload, with the same key", async () => {
    await open();
    page.online.value = false;
    page.pipes.at(-1)!.close();
    await until(() => page.app.link.state.value.kind === "offline");
    await say("do not lose me");
    const { clientMessageId } = page.app.outbox.entries.value[0]!;
    page.online.value = true;
    await page.reload();
    await until(() => page.heard("session:send").length === 1);
    expect(page.heard("session:send")[0]!["clientMessageId"]).toBe(clientMessageId);
    await until(() => page.app.outbox.entries.value.length === 0);
  });
});
