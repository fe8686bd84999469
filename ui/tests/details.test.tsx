// Small things that are easily overlooked, each of which was a fault once.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { waited } from "../src/waited";
import type { Item } from "../src/wire";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());

const open = async (id = "s-7") => {
  page = await startPage(new World("busy"));
  page.app.nav.navigate({ page: "session", sessionId: id });
  await until(() => page.app.timelines.of(id).loaded.value);
  return page.world.session(id);
};
const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
const say = async (text: string) => {
  await type(await compose(), text);
  await press(await compose(), "Enter");
};
/** A turn that runs, and a message behind it; with something attached or without. */
const queueOne = async (...attached: { attachmentId: string }[]) => {
  const session = await open();
  page.world.pace = 5;
  await say("tell me something slow");
  await until(() => $(page.root, ".working-line"));
  for (const { attachmentId } of attached)
    page.app.drafts.attach("s-7", { key: "k", kind: "image", name: "a.png", url: "blob:a", attachmentId });
  await say("look at this");
  await until(() => texts(page.root, ".queued-text").includes("look at this"));
  button(page.root, "Edit queued message").click();
  const field = await until(() => $(page.root, ".queue textarea") as HTMLTextAreaElement);
  return { session, field };
};

describe("characters that would be invisible are shown", () => {
  it("in the names of files that are offered", async () => {
    await open();
    page.world.files.push("docs/invoice\u202efdp.ts");
    await type(await compose(), "@docs/inv");
    const name = await until(() => $(page.root, ".completion bdi"));
    expect(name.textContent).toBe("docs/invoice\\u202efdp.ts");
    expect($(name, ".hidden-char")!.title).toContain("right-to-left override");
  });

  it("in what a search has found", async () => {
    const { timeline } = await open();
    const fields = { type: "message", turnId: "t9", origin: "user", status: "complete" };
    timeline.item("t9:user", { ...fields, content: "the zebra\u200b and its \u202eparts" });
    page.app.nav.openDialog({ kind: "search", query: "zebra" });
    const found = await until(() => $(page.root, ".pick-snippet"));
    expect(found.textContent).toBe("the zebra\\u200b and its \\u202eparts");
  });
});

describe("the key that sends, as it was chosen", () => {
  it("saves a queued message; the other one begins a line", async () => {
    const { field } = await queueOne();
    page.world.changeSettings({ sendKey: "ctrl-enter" });
    await until(() => page.app.settings.values.value.sendKey === "ctrl-enter");
    await type(field, "look at that");
    await press(field, "Enter");
    expect(page.heard("session:queue")).toEqual([]);
    await press(field, "Enter", { ctrlKey: true });
    await until(() => texts(page.root, ".queued-text").includes("look at that"));
  });

  it("sends an answer in own words, and Enter alone does not when it is not that key", async () => {
    const { timeline } = await open("s-2");
    const questions = [{ question: "Which?", multiSelect: false, options: [{ label: "A" }] }];
    timeline.item("t1:approval", { kind: "question", title: "Which?", questions });
    const card = await until(() => $(page.root, ".questions"));
    page.world.changeSettings({ sendKey: "ctrl-enter" });
    await until(() => page.app.settings.values.value.sendKey === "ctrl-enter");
    await type($(card, ".note") as HTMLInputElement, "neither");
    await press($(card, ".note")!, "Enter");
    expect(page.heard("session:answer")).toEqual([]);
    await press($(card, ".note")!, "Enter", { ctrlKey: true });
    await until(() => page.heard("session:answer").length === 1);
    expect(page.heard("session:answer")[0]!["answers"]).toEqual({ "Which?": "neither" });
  });
});

describe("a message with an image", () => {
  it("is seen while it waits, also when it has no words", async () => {
    await open();
    page.pipes.at(-1)!.close();
    await until(() => page.app.link.state.value.kind !== "online");
    page.app.outbox.add("s-7", "", [{ attachmentId: "att-1", name: "shot.png", kind: "image" }]);
    await until(() => texts(page.root, ".message.user .bubble").includes("shot.png"));
    page.app.outbox.add("s-7", "", []);
    await until(() => texts(page.root, ".message.user .bubble").some((text) => text.trim() === "Attached"));
    expect($$(page.root, ".message.user .bubble").every((bubble) => bubble.textContent !== "")).toBe(true);
  });

  it("can lose its words while it waits; one without an image cannot", async () => {
    const { session, field } = await queueOne({ attachmentId: "att-1" });
    await type(field, "");
    button(page.root, "Save").click();
    await until(() => texts(page.root, ".queued-text").includes("Only what is attached"));
    expect((session.queue as { content: string }[])[0]!.content).toBe("");
    expect(texts(page.root, ".queue .chip")).toEqual(["a.png"]);
    page.close();
    const bare = await queueOne();
    await type(bare.field, "");
    button(page.root, "Save").click();
    await until(() => $(page.root, ".toast.error")?.textContent?.includes("it needs words"));
    expect($(page.root, ".queue textarea")).not.toBeNull();
  });
});

describe("the time that a turn works", () => {
  const question = (from: number, to?: number) =>
    ({
      type: "approval",
      turnId: "t1",
      startedAt: new Date(from).toISOString(),
      ...(to === undefined ? {} : { answeredAt: new Date(to).toISOString() }),
    }) as Item;

  it("does not contain the time in which it waited for the user", () => {
    expect(waited([], "t1", 9000)).toBe(0);
    expect(waited([question(1000, 4000)], "t1", 9000)).toBe(3000);
    expect(waited([question(1000, 4000)], "t2", 9000)).toBe(0);
    expect(waited([question(1000, 4000), question(2000, 5000)], "t1", 9000)).toBe(4000);
    expect(waited([question(1000, 4000), question(6000)], "t1", 9000)).toBe(6000);
  });

  it("is what is counted beside it", async () => {
    const { timeline } = await open();
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    timeline.turn("t9", { type: "turn_started", startedAt: ago(100) });
    timeline.item("t9:q", {
      type: "approval",
      turnId: "t9",
      title: "May it?",
      kind: "tool",
      options: [],
      state: "answered",
      status: "complete",
      startedAt: ago(90),
      answeredAt: ago(30),
    });
    const words = await until(() => $(page.root, ".working-line")?.textContent);
    expect(words).toMatch(/ · 4\d s$/);
  });
});
