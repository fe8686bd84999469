import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { exportSession, fileName } from "../src/actions/sessions";
import { isTemporary } from "../src/state/temporary";
import { $, $$, button, press, startPage, tick, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
const pick = (label: string) =>
  $$(page.root, ".composer select").find(
    (element) => element.closest("label")!.title === label,
  ) as HTMLSelectElement;
const choose = async (label: string, name: RegExp) => {
  const select = await until(() => pick(label));
  select.value = [...select.options].find((option) => name.test(option.text))!.value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await tick();
};
const start = async (agent: RegExp, world = new World("busy")) => {
  world.pace = 0;
  page = await startPage(world);
  button(page.root, "New session in web-shop").click();
  await choose("Agent", agent);
};
const say = async (text: string) => {
  await type(await compose(), text);
  await press(await compose(), "Enter");
};
const rows = (project: number) => texts($$(page.root, ".project")[project]!, ".session-title");

describe("sessions", () => {
  it("E1-TC-2.1a: a row shows title, relative age and the mark of its agent", async () => {
    page = await startPage(new World("busy"));
    const row = $$(page.root, ".session-row").find((element) =>
      element.textContent?.includes("Profile the frame loop"),
    )!;
    expect(row.querySelector(".age")!.textContent).toBe("5h");
    expect(row.querySelector(".agent-mark")!.getAttribute("aria-label")).toBe("Demo agent");
  });

  it("E1-TC-2.1b: newest first; a change moves a row up with the next press or key", async () => {
    page = await startPage(new World("busy"));
    const titles = () => texts($$(page.root, ".project")[1]!, ".session-title");
    expect(titles()).toEqual([
      "Port the mesh loader to C++23",
      "Profile the frame loop",
      "Remove the old allocator",
    ]);
    page.world.change(page.world.session("s-8"), { title: "Remove it now" });
    await until(() => titles()[2] === "Remove it now");
    await press(document.body, "Escape");
    await until(() => titles()[0] === "Remove it now");
  });

  it("E1-TC-2.1c: a project without sessions says so", async () => {
    page = await startPage(new World("busy"));
    await until(() => $$(page.root, ".project")[2]!.textContent!.includes("No sessions yet."));
  });

  it("E1-TC-2.2a E1-TC-4.5b: a new session opens with its tab and its row, called New Session; its first message makes it", async () => {
    const world = new World("busy");
    world.startMs = 80;
    await start(/Claude Code/, world);
    await until(() => $(page.root, ".tab.active .tab-title")?.textContent === "New Session");
    expect(rows(0)[0]).toBe("New Session");
    expect($(page.root, ".session-head h1")!.textContent).toBe("New Session");
    expect(page.heard("session:create")).toEqual([]);
    await say("typed first");
    await until(() => $(page.root, ".starting")?.textContent?.includes("Launching Claude Code"));
    expect(rows(0)[0]).toBe("New Session");
    await say("typed early");
    await until(() => page.app.nav.tabs.value.active?.startsWith("s-"));
    expect(page.app.nav.tabs.value.ids.length).toBe(1);
    await until(() => texts(page.root, ".message.user .bubble").includes("typed first"));
    await until(() => rows(0).includes("typed first"));
    await until(() => page.heard("session:send").length === 2);
    expect(page.heard("session:send").map(({ content }) => content)).toEqual(["typed first", "typed early"]);
    expect(page.world.sessions.size).toBe(new World("busy").sessions.size + 1);
  });

  it("however often a new one is asked for, there is one that is being written, and none is made", async () => {
    await start(/Claude Code/);
    await type(await compose(), "half a thought");
    page.app.nav.navigate({ page: "session", sessionId: "s-6" });
    await until(() => $(page.root, ".session-head h1")!.textContent!.startsWith("Port the mesh"));
    await press(document.body, "n");
    await until(() => $(page.root, ".session-head h1")!.textContent === "New Session");
    expect((await compose()).value).toBe("half a thought");
    expect(page.app.nav.tabs.value.ids.length).toBe(2);
    // It is written for where one was.
    expect(rows(1)[0]).toBe("New Session");
    expect(rows(0)).not.toContain("New Session");
    await choose("Project", /notes/);
    await until(() => rows(2)[0] === "New Session");
    await page.reload();
    await until(() => page.app.nav.tabs.value.ids.length === 2 && rows(2)[0] === "New Session");
    expect((await compose()).value).toBe("half a thought");
    expect(page.heard("session:create")).toEqual([]);
  });

  it("agent, project and mode are as the last time, and go with the first message", async () => {
    await start(/Codex/);
    page.app.prefs.remember("codex", { modes: [{ id: "auto", name: "Auto" }], models: [] });
    await choose("Permission mode", /Auto/);
    await choose("Project", /engine/);
    await say("first");
    const engine = page.world.projects[1]!.projectId;
    const wanted = { cliType: "codex", projectId: engine, mode: "auto" };
    await until(() => page.heard("session:create").length === 1);
    expect(page.heard("session:create")[0]).toMatchObject(wanted);
    await page.reload();
    page.app.nav.navigate({ page: "home" });
    await say("second, from the overview");
    await until(() => page.heard("session:create").length === 2);
    expect(page.heard("session:create")[1]).toMatchObject(wanted);
    await choose("Permission mode", /Auto/).catch(() => {});
    await press(document.body, "n", { ctrlKey: true, altKey: true, code: "KeyN" });
    await choose("Permission mode", /Default mode/);
    await say("third");
    await until(() => page.heard("session:create").length === 3);
    expect(page.heard("session:create")[2]!["mode"]).toBeUndefined();
  });

  const paste = async (text: string, ...files: File[]) => {
    const clipboardData = { files, getData: () => text };
    const event = new Event("paste", { bubbles: true, cancelable: true });
    (await compose()).dispatchEvent(Object.assign(event, { clipboardData }));
  };

  it("a picture for the first message waits until its session is there", async () => {
    await start(/Claude Code/);
    await paste("", new File(["png"], "shot.png", { type: "image/png" }));
    await until(() => $(page.root, ".draft-attachments img"));
    expect(page.asked.filter((path) => path.includes("attachment"))).toEqual([]);
    await say("what is wrong here?");
    await until(() => page.heard("session:send").length === 1);
    const sent = page.heard("session:send")[0]!;
    expect(page.asked).toContain(`/api/session/${sent["sessionId"]}/attachment`);
    expect((sent["attachments"] as { name: string }[]).map(({ name }) => name)).toEqual(["shot.png"]);
  });

  it("a first message whose text the server does not take is not sent without it", async () => {
    const world = new World("busy");
    await start(/Claude Code/, world);
    await paste("long ".repeat(5000));
    await until(() => $(page.root, ".draft-attachments .text-chip"));
    world.refusesUploads = true;
    await say("what is wrong here?");
    const again = await until(() => $(page.root, ".draft-attachments .problem button"));
    expect(page.app.start.id.value).not.toBe(page.app.nav.session.value);
    expect((await compose()).value).toBe("what is wrong here?");
    expect(page.heard("session:send")).toEqual([]);
    world.refusesUploads = false;
    again.click();
    await until(() => !$(page.root, ".draft-attachments .problem"));
    await say("what is wrong here?");
    await until(() => page.heard("session:send").length === 1);
    expect(
      (page.heard("session:send")[0]!["attachments"] as { name: string }[]).map(({ name }) => name),
    ).toEqual(["pasted-1.txt"]);
  });

  it("a reload while the agent starts loses no word", async () => {
    const world = new World("busy");
    world.startMs = 60_000;
    await start(/Claude Code/, world);
    await say("sent before it was there");
    await until(() => $(page.root, ".starting"));
    await type(await compose(), "half a thought");
    await page.reload();
    expect(page.app.nav.tabs.value.ids).toEqual([]);
    expect((await compose()).value).toBe("sent before it was there\n\nhalf a thought");
    world.startMs = 0;
    button(page.root, "New session in web-shop").click();
    await until(() => $(page.root, ".session-head"));
    expect((await compose()).value).toBe("sent before it was there\n\nhalf a thought");
  });

  it("E1-TC-2.2b: offers Claude Code and Codex, and says what to do about a missing one", async () => {
    await start(/Gemini/);
    const names = [...pick("Agent").options].map((option) => option.text);
    expect(names).toEqual(expect.arrayContaining(["Claude Code", "Codex", "Gemini CLI (not installed)"]));
    await until(() => $(page.root, ".session .remedy")?.textContent?.includes("npm install"));
    expect((await compose()).disabled).toBe(true);
    await choose("Agent", /Codex/);
    await say("hello");
    await until(() => page.heard("session:create")[0]?.["cliType"] === "codex");
  });

  it("the agent is started ahead while a session is written", async () => {
    await start(/Codex/);
    await until(() => page.asked.includes("/api/agents/codex/warm"));
    expect(page.heard("session:create")).toEqual([]);
  });

  it("E1-TC-2.2c: whoever closes what was never sent has made nothing", async () => {
    await start(/Codex/);
    await type(await compose(), "never mind");
    await press(document.body, "w", { ctrlKey: true, altKey: true, code: "KeyW" });
    await until(() => $(page.root, ".home"));
    expect(page.heard("session:create")).toEqual([]);
    expect(page.app.nav.tabs.value.ids).toEqual([]);
    expect(texts(page.root, ".session-title")).not.toContain("New Session");
    expect((await compose()).value).toBe("never mind");
  });

  it.each([
    ["E1-TC-2.2d", /Claude Code/],
    ["E1-TC-2.2e", /Codex/],
  ])("%s: end to end with markdown, tools and thinking, also after the first tool", async (_id, agent) => {
    await start(agent);
    await say("fix the test");
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
      await start(/Codex/, world);
      await type(await compose(), "words I typed");
      // It went away just now: nobody could say so before.
      world.refusing.add("codex");
      world.agents[1]!.installed = installed;
      await press(await compose(), "Enter");
      const said = await until(() => $(page.root, ".composer-problem"));
      expect(said.textContent).toContain(words);
      // It is said where the words are, and only there: no tab but that of what is being written.
      expect($(page.root, ".toast")).toBeNull();
      expect(page.app.nav.tabs.value.ids).toEqual([page.app.start.id.value]);
      expect(page.app.sessions.list.value.some(({ sessionId }) => isTemporary(sessionId))).toBe(false);
      expect((await compose()).value).toBe("words I typed");
      world.agents[1]!.installed = true;
      world.refusing.clear();
      await until(() => !button(page.root, "Try again").disabled);
      button(page.root, "Try again").click();
      await until(() => page.app.nav.tabs.value.active?.startsWith("s-"));
      await until(() => texts(page.root, ".message.user .bubble").includes("words I typed"));
      expect((await compose()).value).toBe("");
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
    dialog.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await until(() => texts(page.root, ".session-title").includes("Cents, not floats"));
  });
});

describe("the file of an export", () => {
  it.each([
    ['attachment; filename="List-files.md"', "List-files.md"],
    ["attachment; filename=\"Gr-e.md\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.md", "Größe.md"],
    ["", undefined],
  ])("%s", (said, name) => expect(fileName(said)).toBe(name));

  it("is called what the server calls it", async () => {
    page = await startPage(new World("busy"));
    const saved: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push(this.download);
    });
    Object.assign(URL, { createObjectURL: () => "blob:x", revokeObjectURL: () => {} });
    try {
      await exportSession(page.app, "s-1", "md");
      expect(saved).toEqual(["Größe.md"]);
    } finally {
      click.mockRestore();
    }
  });
});
