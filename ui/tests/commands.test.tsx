// The table of commands, and the places that read it.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { matches } from "../src/commands/keys";
import { available, commandIds, commands, run } from "../src/commands/table";
import { sheet } from "../src/views/dialogs/shortcuts";
import { $, $$, button, press, startPage, texts, until, type Harness } from "./harness";

let page: Harness | undefined;
afterEach(() => page?.close());

const key = (key: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, ...more });

describe("keys", () => {
  it("every key of a command is on the sheet, once, and no two commands have the same", () => {
    const onSheet = Object.values(sheet).flat();
    const withKeys = commandIds.filter((id) => commands[id].keys);
    expect(onSheet.filter((entry) => typeof entry === "string").sort()).toEqual(withKeys.sort());
    const chords = withKeys.flatMap((id) => [commands[id].keys, commands[id].orKeys].filter(Boolean));
    expect(new Set(chords.map((keys) => keys!.join("+"))).size).toBe(chords.length);
  });

  it("exactly the named keys match", () => {
    expect(matches(["Ctrl", "K"], key("k", { ctrlKey: true }))).toBe(true);
    expect(matches(["Ctrl", "K"], key("k", { metaKey: true }))).toBe(true);
    expect(matches(["Ctrl", "K"], key("K", { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(matches(["Ctrl", "K"], key("k", { ctrlKey: true, altKey: true }))).toBe(false);
    expect(matches(["Ctrl", "K"], key("k"))).toBe(false);
  });

  it("with Alt a letter is found by its place, whatever it types there", () => {
    const event = key("˜", { ctrlKey: true, altKey: true, code: "KeyN" });
    expect(matches(["Ctrl", "Alt", "N"], event)).toBe(true);
  });

  it("AltGr and a digit type a sign and do nothing else", () => {
    const brace = key("{", { ctrlKey: true, altKey: true, code: "Digit7" });
    expect(commandIds.some((id) => commands[id].keys && matches(commands[id].keys!, brace))).toBe(false);
  });

  it("a sign is text while somebody types", () => {
    const field = document.createElement("textarea");
    let heard: KeyboardEvent | undefined;
    field.addEventListener("keydown", (event) => (heard = event));
    field.dispatchEvent(key("?", { shiftKey: true }));
    expect(matches(["?"], heard!)).toBe(false);
    document.body.addEventListener("keydown", (event) => (heard = event), { once: true });
    document.body.dispatchEvent(key("?", { shiftKey: true }));
    expect(matches(["?"], heard!)).toBe(true);
  });
});

describe("places", () => {
  it("a session's menu has what fits its state", async () => {
    page = await startPage(new World("busy"));
    const { app, root, world } = page;
    app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => $(root, ".session-head .menu"));
    button($(root, ".session-head")!, "Session menu").click();
    await until(() => $(root, "[role=menuitem]"));
    expect(texts(root, "[role=menuitem]")).toContain("Archive");
    expect(texts(root, "[role=menuitem]")).not.toContain("Bring back");
    expect($$(root, "[role=menuitem]").at(-1)!.className).toBe("danger");
    const about = { sessionId: "s-1" };
    app.sessions.put({ ...world.session("s-1").info, archived: true });
    expect([available(app, "archive", about), available(app, "bring-back", about)]).toEqual([false, true]);
  });

  it("what cannot be done now is neither offered nor done", async () => {
    page = await startPage(new World("busy"));
    const { app, root } = page;
    expect(run(app, "rename")).toBe(false);
    expect(app.nav.dialog.value).toBeUndefined();
    await press(document.body, "k", { ctrlKey: true });
    await until(() => $(root, ".palette"));
    expect(texts(root, ".pick-label")).not.toContain("Rename this session");
    app.nav.closeDialog();
    app.nav.navigate({ page: "session", sessionId: "s-1" });
    await press(document.body, "k", { ctrlKey: true });
    await until(() => texts(root, ".pick-label").includes("Rename this session"));
    expect(texts(root, ".pick-label")).toContain("Open inbox");
  });
});
