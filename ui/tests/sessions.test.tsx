import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { fileName } from "../src/actions/sessions";
import { $, $$, button, press, startPage, tick, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const start = async (agent: RegExp, world = new World("busy")) => {
  world.pace = 0;
  page = await startPage(world);
  button(page.root, "New session in web-shop").click();
  const dialog = await until(() => $(page.root, "dialog"));
  const option = $$(dialog, ".agent-option").find((label) => agent.test(label.textContent ?? ""))!;
  option.querySelector("input")!.click();
  await tick();
  return dialog;
};
const submit = (dialog: Element) =>
  dialog.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);

describe("sessions", () => {
  it("E1-TC-2.1a: a row shows title, relative age and the mark of its agent", async () => {
    page = await startPage(new World("busy"));
    const row = $$(page.root, ".session-row").find((element) =>
      element.textContent?.includes("Profile the frame loop"),
    )!;
    expect(row.querySelector(".age")!.textContent).toBe("5h");
    expect(row.querySelector(".agent-mark")!.getAttribute("aria-label")).toBe("Demo agent");
  });

  it("E1-TC-2.1b: newest first, and a change moves a row up", async () => {
    page = await startPage(new World("busy"));
    const titles = () => texts($$(page.root, ".project")[1]!, ".session-title");
    expect(titles()).toEqual([
      "Port the mesh loader to C++23",
      "Profile the frame loop",
      "Remove the old allocator",
    ]);
    page.world.change(page.world.session("s-8"), { title: "Remove it now" });
    await until(() => titles()[0] === "Remove it now");
  });

  it("E1-TC-2.1c: a project without sessions says so", async () => {
    page = await startPage(new World("busy"));
    await until(() => $$(page.root, ".project")[2]!.textContent!.includes("No sessions yet."));
  });

  it("E1-TC-2.2a: a new session opens with its tab and its row, and can be typed into while the agent starts", async () => {
    const world = new World("busy");
    world.startMs = 80;
    submit(await start(/Claude Code/, world));
    await until(() => $(page.root, ".tab.active"));
    expect($(page.root, ".starting")!.textContent).toContain("Launching Claude Code");
    await type(await compose(), "typed early");
    await press(await compose(), "Enter");
    await until(() => page.app.nav.tabs.value.active?.startsWith("s-"));
    await until(() => texts(page.root, ".message.user .bubble").includes("typed early"));
    await until(() => texts($$(page.root, ".project")[0]!, ".session-title").includes("typed early"));
  });

  it("a reload while the agent starts loses no word", async () => {
    const world = new World("busy");
    world.startMs = 60_000;
    submit(await start(/Claude Code/, world));
    await type(await compose(), "sent before it was there");
    await press(await compose(), "Enter");
    await type(await compose(), "half a thought");
    await page.reload();
    expect(page.app.nav.tabs.value.ids).toEqual([]);
    world.startMs = 0;
    button(page.root, "New session in web-shop").click();
    submit(await until(() => $(page.root, "dialog")));
    await until(
      () =>
        ($(page.root, ".composer textarea") as HTMLTextAreaElement | null)?.value ===
        "sent before it was there\n\nhalf a thought",
    );
  });

  it("E1-TC-2.2b: offers Claude Code and Codex, and says what to do about a missing one", async () => {
    const dialog = await start(/Codex/);
    const labels = texts(dialog, ".agent-option");
    expect(labels.some((label) => label.includes("Claude Code"))).toBe(true);
    expect(labels.some((label) => label.includes("Codex"))).toBe(true);
    expect(labels.find((label) => label.includes("Gemini"))).toContain("npm install");
    submit(dialog);
    await until(() => page.heard("session:create")[0]?.["cliType"] === "codex");
  });

  it("the agent is started ahead while a session is set up, and is shown as ready", async () => {
    const dialog = await start(/Codex/);
    const option = () => texts(dialog, ".agent-option").find((label) => label.includes("Codex"));
    await until(() => option()?.includes("ready to start"));
    expect(texts(dialog, ".agent-option").find((label) => label.includes("Gemini"))).not.toContain("ready");
    button(dialog, "Cancel").click();
    await until(() => !$(page.root, "dialog"));
    expect(page.heard("session:create")).toEqual([]);
  });

  it("E1-TC-2.2c: cancel makes nothing", async () => {
    const dialog = await start(/Codex/);
    button(dialog, "Cancel").click();
    await until(() => !$(page.root, "dialog"));
    expect(page.heard("session:create")).toEqual([]);
    expect(page.app.nav.tabs.value.ids).toEqual([]);
  });

  it.each([
    ["E1-TC-2.2d", /Claude Code/],
    ["E1-TC-2.2e", /Codex/],
  ])("%s: end to end with markdown, tools and thinking, also after the first tool", async (_id, agent) => {
    submit(await start(agent));
    await until(() => page.app.nav.tabs.value.active?.startsWith("s-"));
    await type(await compose(), "fix the test");
    await press(await compose(), "Enter");
    await until(() => $(page.root, ".turn-footer"), "the end of the turn");
    const kinds = $$(page.root, ".row > *").map((element) => element.classList[0]);
    expect(kinds).toEqual(["message", "thinking", "tool", "tool", "plan", "message", "turn-footer"]);
    await until(() => $(page.root, ".message.agent .md ol > li"));
    await until(() => $(page.root, ".message.agent .md table td"));
  });

  it.each([
    ["E1-TC-2.2f E1-TC-5.5a", false, "Could not start Codex. Check that it's installed."],
    ["E1-TC-5.5b", true, "Could not connect to Codex"],
  ])(
    "%s: a failure says so, offers a retry, and leaves neither tab nor row",
    async (_id, installed, words) => {
      const world = new World("busy");
      const dialog = await start(/Codex/, world);
      world.agents[1]!.installed = installed;
      world.refusing.add("codex");
      submit(dialog);
      await type(await compose(), "words I typed");
      await until(() => $(page.root, ".toast.error"));
      expect($(page.root, ".toast.error")!.textContent).toContain(words);
      expect(page.app.nav.tabs.value.ids).toEqual([]);
      expect(texts(page.root, ".session-title")).not.toContain("New Session");
      world.agents[1]!.installed = true;
      world.refusing.clear();
      button($(page.root, ".toast")!, "Try again").click();
      await until(() => page.app.nav.tabs.value.active?.startsWith("s-"));
      expect((await compose()).value).toBe("words I typed");
    },
  );

  it("E1-TC-2.3a: opening shows the whole history in order, tools and thinking included", async () => {
    page = await startPage(new World("busy"));
    button(page.root, /Fix the rounding error/).click();
    await until(() => $(page.root, ".turn-footer"));
    const kinds = $$(page.root, ".row > *").map((element) => element.classList[0]);
    expect(kinds).toEqual([
      "message",
      "thinking",
      "message",
      "tool",
      "tool",
      "tool",
      "tool",
      "tool",
      "approval",
      "plan",
      "message",
      "turn-footer",
    ]);
  });

  it("E1-TC-2.3b E1-TC-4.3a E1-TC-4.3b: a session that has a tab gets no second one", async () => {
    page = await startPage(new World("busy"));
    button(page.root, /Fix the rounding error/).click();
    button(page.root, /Profile the frame loop/).click();
    await until(() => $$(page.root, "[role=tab]").length === 2);
    button(page.root, /Fix the rounding error/).click();
    await tick();
    expect($$(page.root, "[role=tab]").length).toBe(2);
    expect($(page.root, "[role=tab][aria-selected=true]")!.textContent).toContain("Fix the rounding error");
  });

  it("E1-TC-2.4a E1-TC-2.4b: archiving takes the row away and closes the tab; it can be undone", async () => {
    page = await startPage(new World("busy"));
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    button(await until(() => $(page.root, ".session-head .menu")), "Session menu").click();
    button(await until(() => $(page.root, ".session-head .menu-list")), "Archive").click();
    await until(() => !texts(page.root, ".session-title").includes("Fix the rounding error in the cart"));
    expect(page.app.nav.tabs.value.ids).toEqual([]);
    button(await until(() => $(page.root, ".toast")), "Undo").click();
    await until(() => texts(page.root, ".session-title").includes("Fix the rounding error in the cart"));
  });

  it("E1-TC-2.4c: sessions made outside are shown and marked, archived ones stay hidden but can be found", async () => {
    page = await startPage(new World("busy"));
    const outside = $$(page.root, ".session-row").find((row) =>
      row.textContent?.includes("Set up CI pipeline"),
    )!;
    expect(outside.querySelector(".outside")!.getAttribute("title")).toBe("Started outside Liminal Builder");
    expect(texts(page.root, ".session-title")).not.toContain("An old experiment");
    button(page.root, "Archived").click();
    await until(() => $(page.root, ".archive .card-list")?.textContent?.includes("An old experiment"));
    button($(page.root, ".archive")!, "Bring back").click();
    await until(() => texts(page.root, ".session-title").includes("An old experiment"));
  });

  it("E1-TC-2.5a E1-TC-2.5b: after a restart sessions are listed again, archived ones are not, and history loads", async () => {
    page = await startPage(new World("busy"));
    await page.reload();
    await until(() => texts(page.root, ".session-title").includes("Remove the old allocator"));
    expect(texts(page.root, ".session-title")).not.toContain("An old experiment");
    button(page.root, /Fix the rounding error/).click();
    await until(() => $(page.root, ".turn-footer"));
  });

  it("filters over all projects", async () => {
    page = await startPage(new World("busy"));
    await type($(page.root, ".filter input") as HTMLInputElement, "alloc");
    expect(texts(page.root, ".session-title")).toEqual(["Remove the old allocator"]);
  });

  it("renames", async () => {
    page = await startPage(new World("busy"));
    page.app.nav.openDialog({ kind: "rename", sessionId: "s-1" });
    const dialog = await until(() => $(page.root, "dialog"));
    await type(dialog.querySelector("input")!, "Cents, not floats");
    submit(dialog);
    await until(() => texts(page.root, ".session-title").includes("Cents, not floats"));
  });
});

describe("the file of an export", () => {
  it.each([
    ["-rf / is what I typed", "rf-is-what-I-typed"],
    ["../../.ssh/config", "ssh-config"],
    ["Größe der Tabs?", "Größe-der-Tabs"],
    ["", "conversation"],
    ["?!", "conversation"],
    ["x".repeat(100), "x".repeat(60)],
  ])("%s", (title, name) => expect(fileName(title)).toBe(name));
});
