// The inbox is what the server says of each session; nobody asks for it.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { Inbox } from "../src/state/inbox";
import { approval } from "./data";
import { startPage, until, type Harness } from "./harness";

let page: Harness | undefined;
afterEach(() => page?.close());

const message = (sessionId: string, ...items: ReturnType<typeof approval>[]) => ({
  type: "session:inbox" as const,
  sessionId,
  title: `Title of ${sessionId}`,
  items,
});
const at = (minute: number) => ({ startedAt: `2026-11-15T12:0${minute}:00.000Z` });
const ids = (inbox: Inbox) => inbox.waiting.value.map(({ item }) => item.itemId);

describe("the inbox", () => {
  it("has what waits longest first, over all sessions, and replaces one session at a time", () => {
    const inbox = new Inbox();
    inbox.set(message("a", approval("a1", at(3)), approval("a2", at(1))));
    inbox.set(message("b", approval("b1", at(2))));
    expect(ids(inbox)).toEqual(["a2", "b1", "a1"]);
    expect(inbox.of("b")!.title).toBe("Title of b");
    inbox.set(message("a", approval("a1", at(3))));
    expect(ids(inbox)).toEqual(["b1", "a1"]);
    inbox.set(message("b"));
    expect([ids(inbox), inbox.waiting.value.length]).toEqual([["a1"], 1]);
  });

  it("keeps what is on screen over a new connection until the server has named what waits", () => {
    const inbox = new Inbox();
    inbox.set(message("a", approval("a1")));
    inbox.set(message("b", approval("b1")));
    inbox.connected();
    inbox.set(message("b", approval("b1")));
    expect(inbox.waiting.value.length).toBe(2);
    inbox.caughtUp();
    expect(ids(inbox)).toEqual(["b1"]);
  });

  it("follows the server without a question, also over a connection that was lost", async () => {
    const world = new World("busy");
    page = await startPage(world);
    const { app } = page;
    expect(app.inbox.waiting.value.length).toBe(1);
    const { timeline } = world.session("s-3");
    timeline.item("q", { ...approval("q"), sessionId: "s-3" });
    await until(() => app.inbox.waiting.value.length === 2);
    page.online.value = false;
    page.pipes.at(-1)!.close();
    await until(() => app.link.state.value.kind === "offline");
    timeline.item("q", { state: "expired", status: "cancelled" });
    page.online.value = true;
    app.link.retryNow();
    await until(() => app.inbox.waiting.value.length === 1);
    expect(page.asked.filter((path) => path.includes("inbox"))).toEqual([]);
  });

  it("forgets a session that is deleted", async () => {
    const world = new World("busy");
    page = await startPage(world);
    const { app } = page;
    const { sessionId, projectId } = world.session("s-2").info;
    world.sessions.delete(sessionId);
    await app.list(projectId);
    await until(() => app.inbox.waiting.value.length === 0);
  });
});
