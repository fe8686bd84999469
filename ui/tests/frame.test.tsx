// The focus, the door, what is kept and what goes: small promises of the frame around conversations.
import { afterEach, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { $, button, press, startPage, tick, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());
const start = async () => {
  page = await startPage(new World("busy"));
};
const composer = () => $(page.root, ".composer textarea") as HTMLTextAreaElement;

it("a new session has the focus where one writes, also when it was open already", async () => {
  await start();
  const plus = () => button(page.root, /^New session in /);
  for (let time = 0; time < 2; time++) {
    plus().focus();
    plus().click();
    await until(() => page.app.nav.session.value !== undefined && document.activeElement === composer());
  }
});

it("a refused attachment keeps the message from being sent without it", async () => {
  await start();
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  await until(() => page.app.timelines.of("s-7").loaded.value && composer());
  page.app.drafts.attach("s-7", { key: "k", kind: "text", name: "big.log", problem: "This is too large." });
  await type(composer(), "look at this");
  await press(composer(), "Enter");
  const send = () => button(page.root, "Send message");
  expect([send().disabled, composer().value]).toEqual([true, "look at this"]);
  expect($(page.root, ".composer-problem")!.textContent).toContain("Remove what could not be attached");
  expect(page.heard("session:send")).toEqual([]);
  // The button is on what it removes, and not at the end of the reason.
  expect(button(page.root, "Remove big.log").closest(".draft-one")!.textContent).not.toContain("too large");
  button(page.root, "Remove big.log").click();
  await until(() => !send().disabled);
  expect($(page.root, ".composer-problem")).toBeNull();
});

it("logging out asks before it deletes what was not sent, and the door says what happened", async () => {
  await start();
  page.app.drafts.set("s-7", "half a thought");
  page.app.nav.navigate({ page: "settings" });
  const leave = () => button(page.root, "Log this browser out");
  await until(() => page.root.textContent!.includes("Log this browser out"));
  leave().click();
  const dialog = await until(() => $(page.root, "dialog"));
  expect(dialog.textContent).toContain("This deletes a draft, here only.");
  expect(page.asked).not.toContain("/api/auth/logout");
  button(dialog, "Log out").click();
  await until(() => $(page.root, ".login"));
  expect($(page.root, ".login h1")!.textContent).toBe("You are logged out");
  expect(page.app.drafts.begun).toBe(0);

  // At the door the code can be written at once, and no key opens what is behind it.
  await until(() => document.activeElement === $(page.root, ".login input"));
  await press(document.body, "k", { ctrlKey: true });
  expect(page.app.nav.dialog.value).toBeUndefined();
});

it("logging out with nothing to lose asks nothing", async () => {
  await start();
  page.app.nav.navigate({ page: "settings" });
  await until(() => page.root.textContent!.includes("Log this browser out"));
  button(page.root, "Log this browser out").click();
  await until(() => $(page.root, ".login"));
});

it("a tab that is pinned moves to the front and stays in view; the menu says where pins are kept", async () => {
  await start();
  for (const sessionId of ["s-1", "s-3", "s-7"]) page.app.nav.navigate({ page: "session", sessionId });
  await until(() => $(page.root, ".tab.active"));
  await tick();
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  button(page.root, "Session menu").click();
  const pin = await until(() => $(page.root, ".head [role=menuitem][title*=browser]"));
  expect(pin.textContent).toBe("Pin");
  pin.click();
  await until(() => scrolled.mock.contexts.some((tab) => (tab as Element).matches(".tab.active")));
  expect(page.app.nav.row.value[0]).toBe("s-7");
  scrolled.mockRestore();
});

/** What another window of this browser keeps, as this one hears of it. */
function elsewhere(key: string, change: Record<string, unknown>): void {
  const oldValue = localStorage.getItem(key);
  const kept = { ...(JSON.parse(oldValue ?? "{}") as object), ...change };
  const newValue = JSON.stringify(kept);
  localStorage.setItem(key, newValue);
  dispatchEvent(new StorageEvent("storage", { key, oldValue, newValue }));
}
const keptDrafts = () => JSON.parse(localStorage.getItem("lb.drafts")!) as Record<string, string>;

it("two windows write one draft, and neither takes away what the other wrote elsewhere", async () => {
  await start();
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  await until(() => composer());
  await type(composer(), "one");
  // Written where this window did not hear of it yet.
  localStorage.setItem("lb.drafts", JSON.stringify({ ...keptDrafts(), "s-6": "theirs" }));
  await type(composer(), "one and");
  expect(keptDrafts()).toMatchObject({ "s-6": "theirs", "s-7": "one and" });
  elsewhere("lb.drafts", { "s-7": "one and two" });
  await until(() => composer().value === "one and two");
  // Sent there: it is not here to be sent again.
  elsewhere("lb.drafts", { "s-7": undefined });
  await until(() => composer().value === "");
  expect(keptDrafts()).toEqual({ "s-6": "theirs" });
});

it("a draft that another window did not know is not replaced by its own", async () => {
  await start();
  page.app.drafts.set("s-7", "mine");
  const heard = (oldValue: string, newValue: string) =>
    dispatchEvent(new StorageEvent("storage", { key: "lb.drafts", oldValue, newValue }));
  // It was cleared there before this window wrote the same words, and this one hears of it only now.
  heard('{"s-7":"mine"}', "{}");
  expect(page.app.drafts.texts.value["s-7"]).toBe("mine");
  localStorage.setItem("lb.drafts", '{"s-7":"theirs"}');
  heard('{"s-7":"older"}', '{"s-7":"theirs"}');
  expect(page.app.drafts.texts.value["s-7"]).toBe("mine");
});
