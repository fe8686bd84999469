// A new session in a worktree of its own: chosen where it is begun.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, $$, button, press, startPage, tick, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const begin = async (change: (world: World) => void = () => {}) => {
  const world = new World("workspaces");
  world.pace = 0;
  world.startMs = 0;
  change(world);
  page = await startPage(world);
  button(page.root, "New session in web-shop").click();
  await until(() => where());
};
const select = (label: string) =>
  $$(page.root, ".composer select").find((one) => one.getAttribute("aria-label") === label) as
    HTMLSelectElement | undefined;
const where = () => select("Where");
const choose = async (label: string, value: string) => {
  const element = await until(() => select(label));
  element.value = value;
  element.dispatchEvent(new Event("change", { bubbles: true }));
  await tick();
};
const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
const branch = () => until(() => $(page.root, ".worktree-branch input") as HTMLInputElement);
const check = (words: RegExp) =>
  $$(page.root, ".worktree-form .check")
    .find((label) => words.test(label.textContent!))
    ?.querySelector("input") as HTMLInputElement | undefined;
const created = () => page.heard("session:create").at(-1);
const send = async (text: string) => {
  await type(await compose(), text);
  await press(await compose(), "Enter");
  return until(() => created());
};

describe("where a new session works", () => {
  it("is the project's folder unless somebody says otherwise, and then nothing is asked of git", async () => {
    await begin();
    expect(where()!.value).toBe("folder");
    expect($(page.root, ".worktree-form")).toBeNull();
    expect(await send("Look around")).not.toHaveProperty("workspace");
  });

  it("can be a new worktree, on a branch that is named after the message", async () => {
    await begin();
    await choose("Where", "worktree");
    await type(await compose(), "Fix the login redirect");
    expect((await branch()).value).toBe("fix-login-redirect");
    await press(await compose(), "Enter");
    expect((await until(() => created()))["workspace"]).toEqual({ branch: "fix-login-redirect" });
    const made = await until(() =>
      [...page.world.workspaces.values()].find((one) => one.branch === "fix-login-redirect"),
    );
    await until(() => page.app.workspaces.of(made.workspaceId)?.state === "ready");
    await until(() => $(page.root, ".branch-chip")?.textContent === "fix-login-redirect → main");
  });

  it("takes the name, the base, the uncommitted changes and the agreed setup commands that were chosen", async () => {
    await begin();
    await choose("Where", "worktree");
    await type(await branch(), "my/name");
    await until(() => check(/Run these setup commands/));
    expect($(page.root, ".worktree-setup pre")!.textContent).toContain("npm run db:migrate");
    check(/Run these/)!.click();
    expect(check(/2 uncommitted changes/)!.checked).toBe(false);
    check(/2 uncommitted changes/)!.click();
    expect((await send("Anything"))["workspace"]).toEqual({
      branch: "my/name",
      carry: "uncommitted",
      setup: "setup-1",
    });
  });

  it("offers branches and tags to begin with, and brings changes along only to what is checked out", async () => {
    await begin((world) => {
      world.setups = { release: { id: "setup-2", text: "make\n" } };
    });
    await choose("Where", "worktree");
    await until(() => check(/uncommitted/));
    const from = await until(() => select("From"));
    expect([...from.options].map((option) => option.text)).toEqual([
      "main (checked out)",
      "release",
      "next",
      "fix-rounding",
      "faster-search",
      "v1.4.0 (tag)",
      "v1.3.2 (tag)",
    ]);
    check(/uncommitted/)!.click();
    check(/Run these/)!.click();
    await choose("From", "release");
    expect(check(/uncommitted/)).toBeUndefined();
    // Other commands: nobody has agreed to these.
    await until(() => $(page.root, ".worktree-setup pre")?.textContent === "make\n");
    expect(check(/Run these/)!.checked).toBe(false);
    expect((await send("Ship it"))["workspace"]).toEqual({ base: "release", branch: "ship" });
  });

  it("searches in a list of branches that is too long to look over", async () => {
    await begin((world) => {
      const { projectId } = world.projects[0]!;
      const branches = Array.from({ length: 60 }, (_, index) => `feature/number-${index}`);
      world.git.set(projectId, { ...world.git.get(projectId)!, branches });
    });
    await choose("Where", "worktree");
    const field = await until(() => $(page.root, ".worktree-form .choice-button"));
    field.click();
    const search = await until(() => $(page.root, ".choice-list input") as HTMLInputElement);
    await type(search, "number-42");
    await press(search, "Enter");
    expect((await send("Go on"))["workspace"]).toEqual({ base: "feature/number-42", branch: "go" });
  });

  it("says nothing of setup commands that were agreed to but that they run", async () => {
    await begin((world) => {
      const { projectId } = world.projects[0]!;
      const git = world.git.get(projectId)!;
      world.git.set(projectId, { ...git, setup: { ...git.setup!, confirmed: true } });
    });
    await choose("Where", "worktree");
    await until(() => $(page.root, ".worktree-note")?.textContent?.includes("you agreed to them"));
    expect($(page.root, ".worktree-setup")).toBeNull();
  });

  it("is remembered for each project, and nothing else of it is", async () => {
    await begin();
    await choose("Where", "worktree");
    await type(await branch(), "once");
    await send("First");
    await until(() => !page.app.sessions.creating.value.get(page.app.nav.session.value ?? ""));
    button(page.root, "New session in web-shop").click();
    await until(() => where()?.value === "worktree");
    await type(await compose(), "Second");
    expect((await branch()).value).toBe("second");
    await page.reload();
    button(page.root, "New session in web-shop").click();
    await until(() => where()?.value === "worktree");
    button(page.root, "New session in engine").click();
    await until(() => where()?.value === "folder");
  });

  it("is shown and cannot be chosen where there is no repository, with the reason", async () => {
    await begin();
    button(page.root, "New session in notes").click();
    const option = await until(() =>
      [...where()!.options].find(({ value, disabled }) => value === "worktree" && disabled),
    );
    expect(option.text).toBe("New worktree (not possible here: this folder is not in a git repository)");
  });

  it("keeps the words and the choices when the worktree cannot be made", async () => {
    await begin();
    await choose("Where", "worktree");
    await type(await branch(), "release");
    await send("Do it there");
    await until(() =>
      texts(page.root, ".composer-problem")[0]?.includes("There is a branch release already"),
    );
    expect((await compose()).value).toBe("Do it there");
    expect((await branch()).value).toBe("release");
  });

  it("says what is being done while the worktree is made", async () => {
    let ready = () => {};
    await begin((world) => {
      world.checkout = new Promise((resolve) => (ready = resolve));
    });
    await choose("Where", "worktree");
    await send("Slowly");
    await until(() => $(page.root, ".starting")?.textContent?.includes("Making its worktree: Checking out"));
    ready();
    await until(() => $(page.root, ".branch-chip"));
  });

  it("starts no agent ahead in a folder that the session will not work in", async () => {
    await begin();
    await choose("Where", "worktree");
    const before = page.asked.filter((path) => path.endsWith("/warm")).length;
    await choose("Agent", "codex");
    await tick();
    expect(page.asked.filter((path) => path.endsWith("/warm")).length).toBe(before);
  });
});
