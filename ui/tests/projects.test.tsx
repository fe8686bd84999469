import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const addDialog = async () => {
  button(page.root, "Add project").click();
  const input = await until(() => $(page.root, "dialog input[type=text]") as HTMLInputElement);
  return {
    input,
    add: async (path: string) => {
      await type(input, path);
      $(page.root, "dialog form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    },
  };
};

describe("projects", () => {
  it("E1-TC-1.1a: are listed in the order they were added", async () => {
    page = await startPage(new World("busy"));
    await until(() => $$(page.root, ".project").length === 3);
    expect(texts(page.root, ".project-name")).toEqual(["web-shop", "engine", "notes"]);
  });

  it("news of one session concerns its own project only, and waits for the list of its project", async () => {
    const world = new World("busy");
    page = await startPage(world);
    const { app } = page;
    await until(() => app.sessions.listedProjects.value.size === 3);
    const [first, second] = app.projects.list.value.map(({ projectId }) => projectId);
    const before = app.sessions.byProject.value;
    const info = before.get(first!)![0]!;
    app.link.onMessage({ type: "session:info", ...info, title: "Another title" });
    expect(app.sessions.byProject.value.get(first!)![0]!.title).toBe("Another title");
    expect(app.sessions.byProject.value.get(second!)).toBe(before.get(second!));
    const known = app.sessions.ids.value;
    app.link.onMessage({
      type: "session:info",
      ...info,
      sessionId: "stranger",
      projectId: "not-listed",
      unread: true,
    });
    expect(app.sessions.ids.value).toBe(known);
    app.link.onMessage({ type: "session:info", ...info, sessionId: "fresh", unread: true });
    expect(app.sessions.ids.value).toContain("fresh");
  });

  it("a project whose folder is gone is marked in its place, and no more when it is back", async () => {
    page = await startPage(new World("busy"));
    const engine = page.world.projects[1]!;
    page.world.broadcast({ type: "project:added", project: { ...engine, missing: true } });
    const mark = await until(() => $$(page.root, ".project")[1]?.querySelector(".chip"));
    expect(mark.getAttribute("title")).toContain(engine.path);
    expect($$(page.root, ".project .chip").length).toBe(1);
    page.world.broadcast({ type: "project:added", project: engine });
    await until(() => !$(page.root, ".project .chip"));
    expect(texts(page.root, ".project-name")).toEqual(["web-shop", "engine", "notes"]);
  });

  it("the demo is one press away when there is no project yet", async () => {
    page = await startPage(new World("first-run"));
    (await until(() => button(page.root, /Try the demo/))).click();
    (await until(() => $$(page.root, ".suggestions button")[0])).click();
    await until(() => page.heard("session:create").length === 1);
    expect(page.heard("project:add")[0]!["path"]).toBe("~");
    expect(page.heard("session:create")[0]).toMatchObject({
      cliType: "demo",
      projectId: page.app.projects.list.value[0]!.projectId,
    });
    await until(() => page.heard("session:send")[0]?.["content"] === "Show me around");
  });

  it("the filter reaches many projects in turn, the first ones at once, and forgets none", async () => {
    const world = new World("first-run");
    for (let n = 0; n < 14; n++)
      world.addSession(world.addProject(`/usr/p${n}`).projectId, "codex", n % 2 === 0 ? "Even" : "Odd");
    page = await startPage(world);
    const names = () => texts(page.root, ".project-name");
    await until(() => names().length === 14);
    const input = $(page.root, ".filter input") as HTMLInputElement;
    input.value = "odd";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await until(() => !names().includes("p0"));
    expect(names()).toContain("p13");
    await until(() => names().length === 7);
    expect(names()).toEqual(["p1", "p3", "p5", "p7", "p9", "p11", "p13"]);
    await type(input, "");
    await until(() => names().length === 14);
    expect(names().at(-1)).toBe("p13");
  });

  it("the filter shows the newest matches of each project, and the others on request", async () => {
    const world = new World("first-run");
    const project = world.addProject("/usr");
    for (let n = 0; n < 30; n++) world.addSession(project.projectId, "codex", `Task ${n}`, { unread: true });
    page = await startPage(world);
    await until(() => $$(page.root, ".session-row").length === 30);
    await type($(page.root, ".filter input") as HTMLInputElement, "task");
    await until(() => $$(page.root, ".session-row").length === 8);
    ($(page.root, ".more") as HTMLElement).click();
    await until(() => $$(page.root, ".session-row").length === 30);
  });

  it("E1-TC-1.1b: the first run greets, explains, lists agents and offers to add a project", async () => {
    page = await startPage(new World("first-run"));
    await until(() => $(page.root, ".home h1"));
    expect($(page.root, ".home h1")!.textContent).toBe("Welcome to Liminal Builder");
    expect($(page.root, ".project-list")!.textContent).toContain("No projects yet.");
    expect(texts(page.root, ".agent-list .agent-name").some((name) => name.startsWith("Demo agent"))).toBe(
      true,
    );
    expect(button($(page.root, ".home")!, "Add project")).toBeTruthy();
  });

  it("E1-TC-1.2a: a valid directory appears with its sessions", async () => {
    const world = new World("first-run");
    const later = world.addProject("/usr");
    world.addSession(later.projectId, "codex", "Known from before");
    world.projects = [];
    page = await startPage(world);
    const { add } = await addDialog();
    await add("/usr");
    await until(() => texts(page.root, ".project-name").includes("usr"));
    await until(() => texts(page.root, ".session-title").includes("Known from before"));
  });

  it("E1-TC-1.2b: a missing directory says so and adds nothing", async () => {
    page = await startPage(new World("first-run"));
    const { add } = await addDialog();
    await add("/no/such/folder");
    await until(() => $(page.root, "#add-problem")!.textContent !== "");
    expect($(page.root, "#add-problem")!.textContent).toContain("/no/such/folder is not an existing folder");
    expect(page.world.projects).toEqual([]);
    expect($$(page.root, ".project").length).toBe(0);
  });

  it("E1-TC-1.2c: cancel changes nothing", async () => {
    page = await startPage(new World("first-run"));
    const { input } = await addDialog();
    await type(input, "/usr");
    button($(page.root, "dialog")!, "Cancel").click();
    await until(() => !$(page.root, "dialog"));
    expect(page.heard("project:add")).toEqual([]);
    expect($$(page.root, ".project").length).toBe(0);
  });

  it("E1-TC-1.2d: a duplicate says that it is already added", async () => {
    const world = new World("first-run");
    world.addProject("/usr");
    page = await startPage(world);
    const { add } = await addDialog();
    await add("/usr/");
    await until(() => $(page.root, "#add-problem")!.textContent === "Project already added.");
    expect(page.world.projects.length).toBe(1);
  });

  it("offers folders of the server while typing, and Tab takes one", async () => {
    page = await startPage(new World("first-run"));
    const { input } = await addDialog();
    await type(input, "/us");
    await until(() => texts(page.root, ".offers li").includes("/usr"));
    await press(input, "ArrowDown");
    await press(input, "Tab");
    expect(input.value).toBe("/usr/");
  });

  const remove = async () => {
    button(page.root, "Menu of web-shop").click();
    button(await until(() => $(page.root, ".menu-list")), "Remove project…").click();
    button(await until(() => $(page.root, "dialog")), "Remove").click();
    await until(() => !texts(page.root, ".project-name").includes("web-shop"));
  };

  it("E1-TC-1.3a: a removed project disappears, and its sessions come back when it is added again", async () => {
    const world = new World("busy");
    world.addProject("/usr");
    const made = world.addSession("p-usr", "codex", "Kept");
    page = await startPage(world);
    button(page.root, "Menu of usr").click();
    button(await until(() => $(page.root, ".menu-list")), "Remove project…").click();
    button(await until(() => $(page.root, "dialog")), "Remove").click();
    await until(() => !texts(page.root, ".session-title").includes("Kept"));
    expect(world.sessions.get(made.info.sessionId)).toBe(made);
    const { add } = await addDialog();
    await add("/usr");
    await until(() => texts(page.root, ".session-title").includes("Kept"));
  });

  it("E1-TC-1.3b: its open tabs close", async () => {
    page = await startPage(new World("busy"));
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    page.app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(() => $$(page.root, "[role=tab]").length === 2);
    await remove();
    expect(page.app.nav.tabs.value.ids).toEqual(["s-7"]);
    await until(() => $$(page.root, "[role=tab]").length === 1);
  });

  it("E1-TC-1.4a: collapsing hides the sessions but keeps the glance", async () => {
    page = await startPage(new World("busy"));
    const head = () => $$(page.root, ".project-name")[0]!;
    expect(head().getAttribute("aria-expanded")).toBe("true");
    head().click();
    await until(() => head().getAttribute("aria-expanded") === "false");
    expect($$(page.root, ".project")[0]!.querySelectorAll(".session-row").length).toBe(0);
    expect($(page.root, ".project .needs-dot")!.getAttribute("aria-label")).toBe("Someone needs you");
  });

  it("E1-TC-1.4b: what is collapsed stays so after a reload", async () => {
    page = await startPage(new World("busy"));
    $$(page.root, ".project-name")[0]!.click();
    await page.reload();
    await until(() => $$(page.root, ".project-name")[0]?.getAttribute("aria-expanded") === "false");
  });
});
