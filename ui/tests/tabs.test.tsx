import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { readArchived } from "../src/actions/sessions";
import { available, run } from "../src/commands/table";
import { $, $$, button, press, startPage, texts, until, type Harness } from "./harness";
import {
  closeTab,
  moveTab,
  namesOf,
  noTabs,
  openTab,
  renameTab,
  salvageTabs,
  type Tabs,
} from "../src/state/tabs";

const abc: Tabs = { ids: ["a", "b", "c"], active: "b" };

describe("tabs as a value", () => {
  it("E1-TC-4.1a E1-TC-4.1b: opening adds a tab and makes it active", () => {
    expect(openTab(openTab(noTabs, "a"), "b")).toEqual({ ids: ["a", "b"], active: "b" });
  });
  it("E1-TC-4.3a: opening again adds none", () => {
    expect(openTab(abc, "a")).toEqual({ ids: ["a", "b", "c"], active: "a" });
  });
  it("E1-TC-4.4b: the right neighbour becomes active, else the left", () => {
    expect(closeTab(abc, "b").active).toBe("c");
    expect(closeTab({ ...abc, active: "c" }, "c").active).toBe("b");
    expect(closeTab(abc, "a")).toEqual({ ids: ["b", "c"], active: "b" });
  });
  it("E1-TC-4.4c: after the last one none is active", () => {
    expect(closeTab({ ids: ["a"], active: "a" }, "a")).toEqual(noTabs);
  });
  it("E1-TC-4.6a: moving puts a tab at a place", () => {
    expect(moveTab(abc, "c", 0).ids).toEqual(["c", "a", "b"]);
    expect(moveTab(abc, "a", 9).ids).toEqual(["b", "c", "a"]);
  });
  it("a session that got its real id keeps its place", () => {
    expect(renameTab({ ids: ["a", "new:1"], active: "new:1" }, "new:1", "s")).toEqual({
      ids: ["a", "s"],
      active: "s",
    });
  });
  it("names are kept for what is open: news replaces them, silence does not, closing forgets", () => {
    const a = { title: "A", cliType: "codex" };
    const kept = namesOf(abc, { a, gone: a }, (id) =>
      id === "b" ? { title: "B", cliType: "demo" } : undefined,
    );
    expect(kept).toEqual({ a, b: { title: "B", cliType: "demo" } });
    expect(namesOf(abc, kept, (id) => (id === "a" ? { ...a } : undefined))).toBe(kept);
    expect(namesOf(abc, kept, () => ({ title: "C", cliType: "demo" }))["a"]!.title).toBe("C");
  });
  it("of what was stored the good ones are kept, each once", () => {
    expect([{ ids: "x" }, null, 5, []].map(salvageTabs)).toEqual([noTabs, noTabs, noTabs, noTabs]);
    expect(salvageTabs({ ids: ["a", 5, "a", "", "x".repeat(9999), "b"], active: "c" })).toEqual({
      ids: ["a", "b"],
      active: undefined,
    });
    expect(salvageTabs({ ids: ["a", "b"], active: "b" })).toEqual({ ids: ["a", "b"], active: "b" });
  });
});

let page: Harness;
describe("tabs on the page", () => {
  afterEach(() => page.close());
  const titles = () => texts(page.root, ".tab-title");

  it("E1-TC-4.4a: closing keeps the session", async () => {
    page = await startPage(new World("busy"));
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    button(await until(() => $(page.root, ".tab")), /^Close Fix/).click();
    await until(() => !$(page.root, ".tab"));
    expect(texts(page.root, ".session-title")).toContain("Fix the rounding error in the cart");
    expect($(page.root, ".home h1")!.textContent).toBe("Overview");
  });

  it("a session that another window deletes closes its tab here and says so", async () => {
    page = await startPage(new World("busy"));
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => page.app.timelines.of("s-1").loaded.value);
    const gone = {
      type: "error",
      code: "SESSION_NOT_FOUND",
      message: "This session was deleted.",
      sessionId: "s-1",
    };
    page.pipes.at(-1)!.server.send(JSON.stringify(gone));
    await until(() => titles().length === 0);
    expect(texts(page.root, ".session-title")).not.toContain("Fix the rounding error in the cart");
    expect(page.root.textContent).toContain("no longer exists");
  });

  it("E1-TC-4.5a E1-TC-4.5b: a tab says New Session until it has a title, follows it, and shows its agent", async () => {
    page = await startPage(new World("busy"));
    const session = page.world.addSession(page.world.projects[0]!.projectId, "codex", "");
    page.world.change(session, {});
    page.app.nav.navigate({ page: "session", sessionId: session.info.sessionId });
    await until(() => titles()[0] === "New Session");
    page.world.change(session, { title: "Rewrite the parser" });
    await until(() => titles()[0] === "Rewrite the parser");
    expect($(page.root, ".tab .agent-mark")!.getAttribute("aria-label")).toBe("Codex");
  });

  it("E1-TC-4.6a: tabs are ordered by dragging and by keyboard", async () => {
    page = await startPage(new World("busy"));
    ["s-1", "s-6", "s-7"].forEach((id) => page.app.nav.navigate({ page: "session", sessionId: id }));
    await until(() => $$(page.root, ".tab").length === 3);
    const [first, , last] = $$(page.root, ".tab");
    last!.dispatchEvent(new Event("dragstart", { bubbles: true }));
    first!.dispatchEvent(new Event("drop", { bubbles: true, cancelable: true }));
    await until(() => page.app.nav.tabs.value.ids.join() === "s-7,s-1,s-6");
    await press($$(page.root, "[role=tab]")[0]!, "ArrowRight", { ctrlKey: true, shiftKey: true });
    expect(page.app.nav.tabs.value.ids.join()).toBe("s-1,s-7,s-6");
    await press($$(page.root, "[role=tab]")[1]!, "Delete");
    expect(page.app.nav.tabs.value.ids.join()).toBe("s-1,s-6");
  });

  it("E1-TC-4.6b E1-TC-4.7a E1-TC-5.6a: order and the active tab come back after a reload", async () => {
    page = await startPage(new World("busy"));
    ["s-7", "s-1", "s-6"].forEach((id) => page.app.nav.navigate({ page: "session", sessionId: id }));
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await page.reload();
    await until(() => titles().length === 3);
    expect(page.app.nav.tabs.value).toEqual({ ids: ["s-7", "s-1", "s-6"], active: "s-1" });
    await until(() => $(page.root, ".turn-footer"));
    expect(page.heard("session:open").filter((message) => message["sessionId"] === "s-7").length).toBe(1);
  });

  it("after a reload a tab has its last known title and agent before the server has said anything", async () => {
    page = await startPage(new World("busy"));
    ["s-1", "s-6"].forEach((id) => page.app.nav.navigate({ page: "session", sessionId: id }));
    await until(() => titles().length === 2);
    const before = titles();
    const marks = () => $$(page.root, ".tab .agent-mark").map((mark) => mark.className);
    const marked = marks();
    page.online.value = false;
    const back = page.reload();
    await until(() => titles().length === 2);
    expect(page.app.sessions.ids.value).toEqual([]);
    expect(titles()).toEqual(before);
    expect(marks()).toEqual(marked);
    expect($(page.root, ".session-head h1")!.textContent).toBe(before[1]);
    expect(document.title).toContain(before[1]);
    page.online.value = true;
    await back;
    expect(titles()).toEqual(before);
  });

  it("a tab nobody knows anything of is called nothing rather than something wrong", async () => {
    page = await startPage(new World("busy"));
    ["s-1", "s-6"].forEach((id) => page.app.nav.navigate({ page: "session", sessionId: id }));
    await until(() => titles().length === 2);
    localStorage.removeItem("lb.names");
    page.online.value = false;
    const back = page.reload();
    await until(() => $$(page.root, ".tab").length === 2);
    expect(titles()).toEqual(["", ""]);
    expect(page.root.textContent).not.toContain("New Session");
    page.online.value = true;
    await back;
    await until(() => titles()[1] !== "");
  });

  it("an archived session in a tab is itself again after a reload", async () => {
    page = await startPage(new World("busy"));
    const session = page.world.session("s-1");
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    page.world.change(session, { archived: true });
    await until(() => titles().length === 0);
    readArchived(page.app, session.info);
    await until(() => titles().length === 1);
    await page.reload();
    await until(() => $(page.root, ".session-head .chip")?.textContent === "archived");
    expect(titles()).toEqual([session.info.title]);
  });

  it("a pinned tab stands first, in the row and in the list, until it is unpinned", async () => {
    page = await startPage(new World("busy"));
    ["s-1", "s-6", "s-7"].forEach((id) => page.app.nav.navigate({ page: "session", sessionId: id }));
    await until(() => titles().length === 3);
    const before = titles();
    run(page.app, "pin", { sessionId: "s-7" });
    await until(() => titles()[0] === before[2]);
    expect(texts($(page.root, ".project.pinned")!, ".session-title")).toEqual([before[2]]);
    expect(texts($$(page.root, ".project")[2]!, ".session-title")).not.toContain(before[2]);
    await press(document.body, "1", { altKey: true, code: "Digit1" });
    expect(page.app.nav.session.value).toBe("s-7");
    await press(document.body, "ArrowRight", { ctrlKey: true, altKey: true });
    expect(page.app.nav.session.value).toBe("s-1");
    await page.reload();
    await until(() => titles()[0] === before[2]);
    run(page.app, "unpin", { sessionId: "s-7" });
    await until(() => !$(page.root, ".project.pinned"));
    expect(available(page.app, "unpin", { sessionId: "s-7" })).toBe(false);
  });

  it("Ctrl+E offers the sessions in the order in which they were on screen, the last one chosen", async () => {
    page = await startPage(new World("crowd"));
    const ids = page.app.sessions.list.value.slice(0, 4).map(({ sessionId }) => sessionId);
    ids.forEach((id) => page.app.nav.navigate({ page: "session", sessionId: id }));
    const open = async () => {
      await press(document.body, "e", { ctrlKey: true });
      return until(() => $(page.root, ".palette input") as HTMLInputElement);
    };
    const chosen = () => page.app.nav.session.value;
    await press(await open(), "Enter");
    expect(chosen()).toBe(ids[2]);
    await press(await open(), "Enter");
    expect(chosen()).toBe(ids[3]);
    const input = await open();
    await press(input, "e", { ctrlKey: true });
    await press(input, "e", { ctrlKey: true });
    await press(input, "e", { ctrlKey: true, shiftKey: true });
    await press(input, "Enter");
    expect(chosen()).toBe(ids[1]);
    expect($$(page.root, ".picker-list li").length).toBe(0);
    await open();
    expect($$(page.root, ".picker-list li").length).toBe(30);
  });

  it("shows who works, needs, failed and is unread", async () => {
    page = await startPage(new World("busy"));
    ["s-2", "s-3", "s-4", "s-6", "s-7"].forEach((id) =>
      page.app.nav.navigate({ page: "session", sessionId: id }),
    );
    await until(() => $$(page.root, ".tab").length === 5);
    expect(
      $$(page.root, ".tab").map((tab) =>
        tab.querySelector("[role=img]:not(.agent-mark)")?.getAttribute("aria-label"),
      ),
    ).toEqual(["Needs you", "Working", undefined, "Failed", undefined]);
  });
});
