import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { Toasts } from "../src/state/toasts";
import { holding } from "../src/views/sidebar/held";
import type { SessionInfo } from "../src/wire";
import { $, $$, button, press, startPage, texts, until, type Harness } from "./harness";

let page: Harness | undefined;
afterEach(() => {
  page?.close();
  page = undefined;
});
const start = async (story: string) => {
  page = await startPage(new World(story));
  return page;
};

describe("messages", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("leave by themselves, errors too, the longer ones later, and stay in the list", () => {
    vi.useFakeTimers();
    const toasts = new Toasts();
    toasts.add("error", "No.");
    vi.advanceTimersByTime(7000);
    expect(toasts.shown.value).toBeUndefined();
    toasts.add("error", "A long reason. ".repeat(40));
    vi.advanceTimersByTime(12_000);
    expect(toasts.shown.value).toBeDefined();
    vi.advanceTimersByTime(10_000);
    expect(toasts.shown.value).toBeUndefined();
    expect(toasts.kept.value.length).toBe(2);
    expect(toasts.unseen.value).toBe(2);
    toasts.look();
    expect(toasts.unseen.value).toBe(0);
  });

  it("stay as long as somebody is at them", () => {
    vi.useFakeTimers();
    const toasts = new Toasts();
    toasts.add("info", "Archived.");
    toasts.hold();
    vi.advanceTimersByTime(60_000);
    expect(toasts.shown.value?.text).toBe("Archived.");
    toasts.release();
    vi.advanceTimersByTime(8000);
    expect(toasts.shown.value).toBeUndefined();
  });

  it("are kept once for the same words, fifty at most, and what they offer is done once", () => {
    vi.useFakeTimers();
    const toasts = new Toasts();
    const run = vi.fn();
    toasts.add("error", "first", { label: "Try again", run });
    toasts.act(toasts.kept.value[0]!);
    expect(run).toHaveBeenCalledTimes(1);
    expect(toasts.kept.value[0]!.action).toBeUndefined();
    for (let n = 0; n < 60; n++) {
      toasts.add("error", `no ${n}`);
      toasts.add("error", `no ${n}`);
    }
    expect(toasts.kept.value.length).toBe(50);
    expect(new Set(toasts.kept.value.map(({ text }) => text)).size).toBe(50);
  });

  it("stand in the head, and one press opens all of them", async () => {
    const { root, app } = await start("busy");
    let tried = 0;
    expect($$(root, ".messages-button").length).toBe(0);
    app.toasts.report(new Error("The first thing went wrong."), () => tried++);
    app.toasts.report(new Error("The second thing went wrong."));
    await until(() => $(root, ".head .toast.error")?.textContent === "The second thing went wrong.");
    button(root, "Messages: 2 new").click();
    await until(() => texts(root, ".kept-messages p").length === 2);
    expect(texts(root, ".kept-messages p")[0]).toBe("The second thing went wrong.");
    await until(() => $(root, ".messages-button [aria-label=Messages]"));
    button($(root, ".kept-messages")!, "Try again").click();
    expect(tried).toBe(1);
  });

  it("say that the link is gone where they say everything else", async () => {
    const { root, pipes, online } = await start("busy");
    online.value = false;
    pipes.at(-1)!.close();
    await until(() => $(root, ".head .banner.warn")?.textContent?.includes("Not connected"));
    online.value = true;
    button(root, "Try now").click();
    await until(() => !$(root, ".head .banner"));
  });
});

describe("the sidebar", () => {
  it("has room for every state before anyone is in it", async () => {
    const { root, world } = await start("first-run");
    expect(texts(root, ".state-count")).toEqual([
      "0 need you",
      "0 failed",
      "0 working",
      "0 to review",
      "0 done",
    ]);
    expect(world.projects.length).toBe(0);
  });

  it("counts sessions in the inbox as it does in the list, however many questions one has", async () => {
    const { root, app, pipes, world } = await start("busy");
    await until(() => app.inbox.waiting.value.length === 1);
    const { sessionId, title, item } = app.inbox.waiting.value[0]!;
    const items = [item, { ...item, itemId: `${item.itemId}:2`, rev: item.rev + 1 }];
    pipes.at(-1)!.server.send(JSON.stringify({ type: "session:inbox", sessionId, title, items }));
    await until(() => app.inbox.waiting.value.length === 2);
    await until(() => $(root, ".inbox-button .badge.needs")?.textContent === "1 waiting");
    expect($(root, ".count-needs")!.textContent).toBe("1 needs you");
    expect($(root, ".inbox-button .badge.failed")!.textContent).toBe("1 failed");
    expect(document.title).toMatch(/^\(1\) /);
    expect(world.session(sessionId).info.activity).toBe("needs-approval");
  });

  it("keeps its order while a pointer or the focus is in it, and until a hand does something", async () => {
    const { root, world } = await start("busy");
    const list = $(root, ".project-list")!;
    const titles = () => texts($(root, ".project")!, ".session-title");
    /** It did something: it is the newest now, and has another title. */
    const wake = async (id: string, title: string) => {
      const place = titles().indexOf(world.session(id).info.title);
      world.change(world.session(id), { title });
      await until(() => titles().includes(title));
      return place;
    };
    const hand = () => document.body.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    list.dispatchEvent(new Event("pointerenter"));
    const place = await wake("s-5", "Woke up");
    expect(place).toBeGreaterThan(0);
    expect(titles()[place]).toBe("Woke up");
    list.dispatchEvent(new Event("pointerleave"));
    // Nobody did anything: a letter in a field is not about the list.
    await press(document.body, "x");
    expect(await wake("s-5", "Still there")).toBe(place);
    expect(titles()[place]).toBe("Still there");
    hand();
    await until(() => titles()[0] === "Still there");
    const row = $$(root, ".session-open")[1]!;
    row.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
    hand();
    const another = await wake("s-4", "Woke up too");
    expect(another).toBeGreaterThan(0);
    expect(titles()[another]).toBe("Woke up too");
    row.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
    hand();
    await until(() => titles()[0] === "Woke up too");
  });

  it("holds rows that would leave by themselves, drops those that are gone, puts new ones behind", () => {
    const info = (sessionId: string) => ({ sessionId }) as SessionInfo;
    const ids = (list: readonly SessionInfo[]) => list.map(({ sessionId }) => sessionId).join("");
    const all = ["d", "a", "b", "m", "x"].map(info);
    const shown = ["m", "d", "a"].map(info);
    expect(ids(holding(["a", "b", "gone"], shown, { all, mine: (id) => id === "m" }))).toBe("mabd");
  });
});

describe("notifications", () => {
  it("are not ticked when the browser refuses, and it says why", async () => {
    const { root, app } = await start("busy");
    let permission = "denied";
    const Fake = Object.assign(class {}, { requestPermission: async () => permission });
    Object.defineProperty(Fake, "permission", { get: () => permission });
    vi.stubGlobal("Notification", Fake);
    app.nav.navigate({ page: "settings" });
    const box = await until(() => $(root, ".check input") as HTMLInputElement);
    box.click();
    await until(() => $(root, ".check .problem"));
    expect(box.checked).toBe(false);
    permission = "granted";
    box.click();
    await until(() => app.attention.mayNotify());
    await until(() => !$(root, ".check .problem"));
    expect(box.checked).toBe(true);
    // Taken back in the browser's own settings.
    permission = "denied";
    app.nav.navigate({ page: "home" });
    await until(() => !$(root, ".check"));
    app.nav.navigate({ page: "settings" });
    expect((await until(() => $(root, ".check input") as HTMLInputElement)).checked).toBe(false);
    vi.unstubAllGlobals();
  });
});
