// A send is shown once, from the key that is pressed to its place in the timeline.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { sendMessage } from "../src/actions/messages";
import { startPage, texts, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());

async function open() {
  page = await startPage(new World("busy"));
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  await until(() => page.app.timelines.of("s-7").loaded.value);
  return page.world.session("s-7");
}
const entries = () => page.app.outbox.entries.value;
const bubbles = () => texts(page.root, ".message.user .bubble");
/** The world says it, without having done anything. */
const told = (clientMessageId: string, kind: "message" | "turn") => {
  const { timeline } = page.world.session("s-7");
  if (kind === "turn")
    timeline.turn("t9", { type: "turn_error", clientMessageId, errorMessage: "No agent." });
  else
    timeline.item("t9:user", {
      turnId: "t9",
      type: "message",
      origin: "user",
      content: "hello",
      clientMessageId,
      status: "complete",
    });
};

describe("a send", () => {
  it("leaves when its message or its turn is shown, by its own id alone", async () => {
    const { timeline } = await open();
    page.world.hold = new Promise(() => {});
    sendMessage(page.app, "s-7", "hello");
    const { clientMessageId } = entries()[0]!;
    timeline.item("other", {
      turnId: "t8",
      type: "message",
      origin: "user",
      content: "hello",
      status: "complete",
    });
    await until(() => bubbles().length === 2);
    expect(entries()).toHaveLength(1); // The same words of somebody else are not this send.
    told(clientMessageId, "message");
    await until(() => entries().length === 0);
    expect(bubbles()).toEqual(["hello", "hello"]);
  });

  it.each(["turn first", "refusal first"])(
    "that its agent did not take is a failed turn only: %s",
    async (order) => {
      await open();
      let refuse = () => {};
      page.world.hold = new Promise((_resolve, reject) => {
        refuse = () => reject(Object.assign(new Error("It did not take it."), { code: "PROCESS_CRASH" }));
      });
      sendMessage(page.app, "s-7", "hello");
      const { clientMessageId } = entries()[0]!;
      if (order === "turn first") {
        told(clientMessageId, "turn");
        await until(() => entries().length === 0);
        refuse();
        await until(() => page.pipes.at(-1)!.answered("session:send"));
      } else {
        refuse();
        await until(() => entries()[0]?.state === "failed");
        told(clientMessageId, "turn");
      }
      told(clientMessageId, "message");
      await until(() => texts(page.root, ".turn-failed").length === 1 && bubbles().length === 1);
      expect(entries()).toEqual([]);
    },
  );

  it("whose answer was lost is settled by the history after a reload", async () => {
    const session = await open();
    page.world.hold = new Promise(() => {});
    sendMessage(page.app, "s-7", "hello");
    const { clientMessageId } = entries()[0]!;
    page.pipes.at(-1)!.close();
    told(clientMessageId, "turn");
    told(clientMessageId, "message");
    page.world.sent.set(clientMessageId, "t9");
    page.world.hold = undefined;
    await page.reload();
    await until(() => page.app.timelines.of("s-7").loaded.value && entries().length === 0);
    expect([...session.timeline.items.values()].filter(({ turnId }) => turnId === "t9")).toHaveLength(1);
    expect(bubbles()).toEqual(["hello"]);
  });

  it("to a session that nobody looks at leaves when the server has it", async () => {
    page = await startPage(new World("busy"));
    sendMessage(page.app, "s-8", "hello");
    await until(() => page.heard("session:send").length === 1 && entries().length === 0);
  });
});
