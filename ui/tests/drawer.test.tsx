// The sidebar where it lies above the conversation.
import { afterEach, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { narrow } from "../src/narrow";
import { $, button, press, startPage, tick, until, type Harness } from "./harness";

let page: Harness | undefined;
const width = narrow as { matches: boolean };
afterEach(() => {
  width.matches = false;
  page?.close();
  page = undefined;
});

it("Escape closes the drawer and stops nobody; the focus goes in and comes back", async () => {
  width.matches = true;
  page = await startPage(new World("busy"));
  const { app, root, heard } = page;
  app.nav.navigate({ page: "session", sessionId: "s-3" });
  await until(() => $(root, ".session-head .head-state.is-working"));
  const show = button(root, "Show sidebar");
  const hide = button(root, "Hide sidebar");
  const opened = async () => {
    show.focus();
    show.click();
    await until(() => document.activeElement === hide);
  };
  for (const from of [() => document.body, () => hide, () => $(root, ".filter input")!]) {
    await opened();
    const element = from();
    element.focus();
    await press(element, "Escape");
    expect(app.nav.drawer.value).toBe(false);
    await until(() => document.activeElement === show);
  }

  // What is written in it is cleared first, as at any time.
  await opened();
  const filter = $(root, ".filter input") as HTMLInputElement;
  filter.value = "mesh";
  filter.dispatchEvent(new Event("input", { bubbles: true }));
  await tick();
  await press(filter, "Escape");
  expect(app.nav.drawer.value).toBe(true);
  // From the composer, which is behind it, no turn is stopped either.
  const field = await until(() => $(root, ".composer textarea"));
  field.focus();
  await press(field, "Escape");
  expect(app.nav.drawer.value).toBe(false);
  expect(document.activeElement).toBe(field);
  expect(heard("session:cancel")).toEqual([]);

  await press(field, "Escape");
  await until(() => heard("session:cancel").length === 1);
});

it("its key hides the sidebar of a wide window and shows it again; nothing opens that is not seen", async () => {
  page = await startPage(new World("busy"));
  const { app, root } = page;
  const toggle = () => press(document.body, "b", { ctrlKey: true, altKey: true, code: "KeyB" });
  const hidden = () => $(root, ".app")!.classList.contains("no-sidebar");
  await toggle();
  expect([hidden(), app.nav.drawer.value]).toEqual([true, false]);
  await page.reload();
  expect($(page.root, ".app")!.classList.contains("no-sidebar")).toBe(true);
  button(page.root, "Show sidebar").click();
  await until(() => !$(page!.root, ".app")!.classList.contains("no-sidebar"));
  expect(page.app.nav.drawer.value).toBe(false);
  expect($(page.root, ".scrim")).toBeNull();
});

it("a drawer closes when its window has become wide", async () => {
  width.matches = true;
  page = await startPage(new World("busy"));
  button(page.root, "Show sidebar").click();
  await until(() => $(page!.root, ".scrim"));
  width.matches = false;
  narrow.dispatchEvent(new Event("change"));
  await until(() => !$(page!.root, ".scrim"));
});
