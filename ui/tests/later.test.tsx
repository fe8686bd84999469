// Parts of the page that come after the first picture.
import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { conversation, dialogs, Later } from "../src/views/later";
import { $, press, startPage, tick, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());

describe("a part that comes later", () => {
  it("is fetched once, however often it is asked for", async () => {
    const fetch = vi.fn(async () => "code");
    const part = new Later(fetch);
    await Promise.all([part.load(), part.load()]);
    await part.load();
    expect(part.module.value).toBe("code");
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("that cannot be fetched says so and is tried again when it is asked for again", async () => {
    const fetch = vi.fn(async () => "code").mockRejectedValueOnce(new Error("gone"));
    const part = new Later(fetch);
    await part.load();
    expect([part.module.value, part.failed.value]).toEqual([undefined, true]);
    await part.load();
    expect([part.module.value, part.failed.value]).toEqual(["code", false]);
  });

  it("a conversation waits for its code, and says so when that cannot be fetched", async () => {
    page = await startPage(new World("busy"));
    const kept = conversation.module.peek();
    conversation.module.value = undefined;
    try {
      page.app.nav.navigate({ page: "session", sessionId: "s-1" });
      await until(() => $(page.root, "#main [role=status]")?.textContent?.includes("Loading"));
      conversation.failed.value = true;
      const alert = await until(() => $(page.root, "#main [role=alert]"));
      expect(alert.textContent).toBe(" This page did not load completely.Reload the page");
    } finally {
      conversation.failed.value = false;
      conversation.module.value = kept;
    }
    await until(() => $(page.root, ".session .composer"));
  });

  it("a dialog that cannot be fetched gives the keyboard back and offers a reload", async () => {
    page = await startPage(new World("busy"));
    const kept = dialogs.module.peek();
    const load = vi.spyOn(dialogs, "load").mockImplementation(async () => {
      dialogs.failed.value = true;
    });
    dialogs.module.value = undefined;
    try {
      await press(document.body, "k", { ctrlKey: true });
      await until(() => $(page.root, ".toast.error")?.textContent?.includes("could not be loaded"));
      expect(page.app.nav.dialog.value).toBeUndefined();
    } finally {
      load.mockRestore();
      dialogs.failed.value = false;
      dialogs.module.value = kept;
    }
    await press(document.body, "k", { ctrlKey: true });
    await tick();
    expect($(page.root, "dialog.palette")).not.toBeNull();
  });
});
