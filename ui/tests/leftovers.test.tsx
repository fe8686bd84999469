// What other visits, other versions and accidents left in the browser's storage: whatever it is, the page starts and works.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { sendMessage } from "../src/actions/messages";
import { $, button, startPage, texts, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());

/** Every key that the page keeps something under, found by looking: a new one is tested without being named here. */
async function ownKeys(): Promise<string[]> {
  page = await startPage(new World("busy"));
  page.close();
  const keys = Object.keys(localStorage).filter((key) => key !== "lb.token");
  localStorage.clear();
  expect(keys).toEqual(expect.arrayContaining(["lb.outbox", "lb.drafts", "lb.tabs", "lb.names", "lb.known"]));
  return keys;
}

/** Lists, a conversation, a dialog and a send: the page is of use. */
async function works(): Promise<void> {
  page = await startPage(new World("busy"));
  expect(page.pipes).toHaveLength(1);
  await until(() => texts(page.root, "#sidebar .session-title, .sidebar .session-title").length > 0);
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  await until(() => page.app.timelines.of("s-7").loaded.value && $(page.root, ".composer textarea"));
  page.app.nav.openDialog({ kind: "switcher" });
  await until(() => $(page.root, "dialog"));
  page.app.nav.closeDialog();
  sendMessage(page.app, "s-7", "are you there?");
  await until(() => texts(page.root, ".message.user .bubble").includes("are you there?"));
}

const waiting = (more: Record<string, unknown>) => ({
  clientMessageId: crypto.randomUUID(),
  sessionId: "s-7",
  content: "hello",
  attachments: [],
  state: "waiting",
  at: "2026-11-15T12:00:00.000Z",
  ...more,
});
const outbox = (...entries: unknown[]) => localStorage.setItem("lb.outbox", JSON.stringify(entries));

describe("the page starts and works with", () => {
  const wrong: [string, string][] = [
    ["nothing", "null"],
    ["half a value", '[{"clientMessageId":"a","sessi'],
    ["a number", "5"],
    ["a text", '"text"'],
    ["true", "true"],
    ["an empty list", "[]"],
    ["lists of nothing", "[null,[],{}]"],
    ["an empty record", "{}"],
    [
      "records of the wrong things",
      '{"a":null,"ids":[5,null,{}],"active":7,"claude":{"modes":5,"models":[5]}}',
    ],
    [
      "names of the language",
      '{"__proto__":{"title":5},"constructor":"x","ids":["__proto__"],"active":"__proto__"}',
    ],
    ["numbers beyond all screens", "1e300"],
    ["no JSON at all", "\u0000\ud800<script>"],
  ];
  it.each(wrong)("%s under every key", async (_what, text) => {
    for (const key of await ownKeys()) localStorage.setItem(key, text);
    await works();
  });

  it("storage that is full to the last byte", async () => {
    localStorage.setItem("lb.token", "token");
    outbox(waiting({ content: "x".repeat(2_000_000) }));
    let room = 4_000_000;
    for (let at = 0; room >= 1; at++)
      try {
        localStorage.setItem(`other.${at}`, "x".repeat(room));
      } catch {
        room = Math.floor(room / 2);
      }
    expect(() => localStorage.setItem("more", "more")).toThrow();
    await works();
  });
});

describe("of an outbox of another visit", () => {
  it("what is too large is set aside, and everything else is sent, over one connection", async () => {
    const large = "x".repeat(1_040_000) + "\n".repeat(20_000);
    outbox(waiting({ content: large }), waiting({ content: "after it" }), waiting({ sessionId: "s-8" }));
    page = await startPage(new World("busy"));
    page.app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(() => page.heard("session:send").length === 2 && page.app.outbox.entries.value.length === 1);
    expect(page.pipes).toHaveLength(1);
    expect(
      page
        .heard("session:send")
        .map(({ content }) => content)
        .sort(),
    ).toEqual(["after it", "hello"]);
    const note = await until(() => $(page.root, ".pending-note.failed"));
    expect(note.textContent).toMatch(
      /Not sent: This message is too large: it has 1,080,\d+ bytes, and 1,048,576/,
    );
    // A reload does not send it either, and removing it is for good.
    await page.reload();
    expect(page.heard("session:send")).toHaveLength(2);
    button(await until(() => $(page.root, ".pending-actions")), "Remove").click();
    await until(() => !$(page.root, ".pending-note"));
    expect(localStorage.getItem("lb.outbox")).toBe("[]");
  });

  it("the good messages are kept when there is rubbish between them", async () => {
    page = await startPage(new World("busy"));
    page.online.value = false;
    page.close();
    outbox(
      null,
      { clientMessageId: "half", sessionId: "s-7" },
      waiting({ content: 5 }),
      waiting({ sessionId: {} }),
      waiting({ clientMessageId: "a", attachments: [null, { attachmentId: 5 }, { attachmentId: "i" }] }),
      waiting({ clientMessageId: "a", content: "the newer one of the same" }),
      waiting({ clientMessageId: "b", state: "some day", at: 5, drops: "many" }),
      waiting({ clientMessageId: "c", state: "accepted" }),
    );
    page = await startPage(new World("busy"), { wait: false });
    const [a, b, ...more] = page.app.outbox.entries.value;
    expect(more).toEqual([]);
    expect(a).toMatchObject({ clientMessageId: "a", content: "the newer one of the same", state: "waiting" });
    // Of this one nobody knows how far it was: the user says.
    expect(b).toMatchObject({ clientMessageId: "b", state: "failed" });
    expect(b!.drops).toBeUndefined();
  });
});
