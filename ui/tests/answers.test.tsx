// Words that go with a refusal to an agent that takes none: they are the next message, whatever became of the turn.
import { afterEach, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, button, startPage, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

/** Refuses with words while a turn runs, and waits until they are queued. */
const refuse = async (words: string, show: () => void) => {
  const session = page.world.session("s-2") as unknown as { running?: string; queue: { turnId: string }[] };
  session.running = "t1";
  show();
  const card = await until(() => $(page.root, ".approval.pending"));
  await type(card.querySelector(".note")!, words);
  button(card, /^Reject/).click();
  await until(() => session.queue.length > 0 && page.app.timelines.of("s-2").loaded.value);
  /** The agent ended its turn because of the refusal. */
  return () => {
    session.running = undefined;
    for (const { turnId } of session.queue) page.world.session("s-2").timeline.turn(turnId, { held: true });
  };
};
const resumed = () => page.heard("session:queue").filter((message) => message["resume"] === true).length;

it("goes on by itself when the refusal ended the turn", async () => {
  page = await startPage(new World("busy"));
  const end = await refuse("use the cache", () =>
    page.app.nav.navigate({ page: "session", sessionId: "s-2" }),
  );
  expect(resumed()).toBe(0);
  end();
  await until(() => resumed() === 1);
  await until(() => page.root.textContent!.includes("use the cache"));
});

it("goes on from the inbox too, where the session is not open", async () => {
  page = await startPage(new World("busy"));
  const end = await refuse("use the cache", () => button(page.root, /^Inbox/).click());
  end();
  await until(() => resumed() === 1);
});

it("leaves a queue alone in which something else waits", async () => {
  page = await startPage(new World("busy"));
  page.app.nav.navigate({ page: "session", sessionId: "s-2" });
  await until(() => page.app.timelines.of("s-2").loaded.value);
  page.world.session("s-2").timeline.turn("earlier", { type: "turn_queued", content: "and then the docs" });
  const end = await refuse("use the cache", () => {});
  end();
  page.world.session("s-2").timeline.turn("earlier", { held: true });
  await until(() => page.app.timelines.of("s-2").turn("earlier")?.value.held);
  await until(() => $(page.root, ".queue header")?.textContent?.includes("Held · 2"));
  expect(resumed()).toBe(0);
});
