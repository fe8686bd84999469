// Messages that wait while a turn runs.
import { afterEach, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, button, press, startPage, texts, type, until, type Harness } from "./harness";
import type { Item } from "../src/wire";

let page: Harness;
afterEach(() => page.close());

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

it("E1-TC-3.5b E1-TC-3.7a E1-TC-3.7c: during a turn there is a working mark and a stop button, and a message is queued; after it neither", async () => {
  const session = await open();
  expect($(page.root, ".round.stop")).toBeNull();
  page.world.pace = 5;
  await say("tell me something long");
  await until(() => $(page.root, ".working-line"));
  expect(button(page.root, "Stop (Esc)")).toBeTruthy();
  await say("and then this");
  await until(() => texts(page.root, ".queued-text").includes("and then this"));
  expect(session.queue.length).toBe(1);
  button(page.root, "Edit queued message").click();
  await type(await until(() => $(page.root, ".queue textarea") as HTMLTextAreaElement), "and then that");
  button(page.root, "Save").click();
  await until(() => texts(page.root, ".queued-text").includes("and then that"));
  // Nothing changes without Save, and the focus is where it came from.
  button(page.root, "Edit queued message").click();
  await type(await until(() => $(page.root, ".queue textarea") as HTMLTextAreaElement), "something else");
  button(page.root, "Cancel").click();
  await until(() => texts(page.root, ".queued-text").includes("and then that"));
  expect(document.activeElement).toBe(button(page.root, "Edit queued message"));
  button(page.root, "Remove queued message").click();
  await until(() => !$(page.root, ".queue"));
  page.world.session("s-7").timeline.turn([...page.world.session("s-7").timeline.items.values()][0]!.turnId, {
    type: "turn_complete",
    status: "completed",
  });
});

it("queued messages are put in another order, with the keyboard too", async () => {
  const session = await open();
  page.world.pace = 5;
  await say("tell me something long");
  await until(() => $(page.root, ".working-line"));
  for (const text of ["one", "two", "three"]) {
    await say(text);
    await until(() => texts(page.root, ".queued-text").includes(text));
  }
  const all = (label: string) => [
    ...page.root.querySelectorAll<HTMLButtonElement>(`.queue [aria-label="${label}"]`),
  ];
  expect(all("Send earlier").map((one) => one.disabled)).toEqual([true, false, false]);
  expect(all("Send later").map((one) => one.disabled)).toEqual([false, false, true]);
  all("Send earlier")[2]!.focus();
  expect(document.activeElement).toBe(all("Send earlier")[2]);
  all("Send earlier")[2]!.click();
  await until(() => texts(page.root, ".queued-text").join() === "one,three,two");
  all("Send later")[0]!.click();
  await until(() => texts(page.root, ".queued-text").join() === "three,one,two");
  expect((session.queue as { content: string }[]).map((turn) => turn.content)).toEqual([
    "three",
    "one",
    "two",
  ]);
});

it("a message of an image alone is sent, and a message of nothing is refused", async () => {
  const session = await open();
  page.app.drafts.attach("s-7", {
    key: "k",
    kind: "image",
    name: "a.png",
    url: "blob:a",
    attachmentId: "att-1",
  });
  await press(await compose(), "Enter");
  const hasImage = (item: Item) => item.type === "message" && item.attachments?.[0]?.attachmentId === "att-1";
  const sent = await until(() => [...session.timeline.items.values()].find(hasImage));
  expect(sent).toMatchObject({ content: "", origin: "user" });
  page.app.outbox.add("s-7", " ", []);
  const refused = () => page.app.outbox.entries.peek().find((entry) => entry.state === "failed");
  expect((await until(refused)).problem).toBe("content: must not be empty");
});

it("a message can be sent into the turn that runs, by key and by button, where the agent takes it", async () => {
  const session = await open("s-1");
  page.world.pace = 5;
  await say("tell me something long");
  await until(() => $(page.root, ".working-line"));
  await type(await compose(), "use the other file");
  await press(await compose(), "Enter", { altKey: true });
  await until(() => texts(page.root, ".message.user").some((text) => text.includes("use the other file")));
  await type(await compose(), "and be brief");
  button(page.root, "Steer").click();
  await until(() => page.heard("session:send").filter(({ steer }) => steer === true).length === 2);
  expect(session.queue.length).toBe(0);
  await say("then this");
  await until(() => texts(page.root, ".queued-text").includes("then this"));
  expect($(page.root, ".session-cost")!.textContent).toContain("$0.42");
});

it("an agent that takes nothing in the middle of a turn is offered the queue only", async () => {
  await open();
  page.world.pace = 5;
  await say("tell me something long");
  await until(() => $(page.root, ".working-line"));
  await type(await compose(), "later");
  await until(() => $(page.root, ".round.send"));
  expect($(page.root, ".steer")).toBeNull();
});
