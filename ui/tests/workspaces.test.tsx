// The page of all worktrees, and what can be done with them.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { addWorkspace, changeWorkspace } from "../dev/workspaces.mjs";
import { available, run } from "../src/commands/table";
import { pathOf, placeAt } from "../src/state/address";
import { $, $$, button, press, startPage, tick, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const start = async (change: (world: World) => void = () => {}) => {
  const world = new World("workspaces");
  change(world);
  page = await startPage(world);
  await until(() => page.app.workspaces.known.value);
};
const show = async (change?: (world: World) => void) => {
  await start(change);
  button(page.root, /^Workspaces/).click();
  await until(() => $(page.root, ".workspace-row"));
};
const row = (branch: string) =>
  $$(page.root, ".workspace-row").find((one) => $(one, ".workspace-name bdi")?.textContent === branch)!;
const idOf = (branch: string) =>
  [...page.world.workspaces.values()].find((one) => one.branch === branch)!.workspaceId;
const fromMenu = async (branch: string, item: string) => {
  button(row(branch), `Menu of ${branch}`).click();
  const found = await until(() => $$(row(branch), "[role=menuitem]").find((one) => one.textContent === item));
  found.click();
};
const dialog = () => until(() => $(page.root, "dialog"));

describe("the page of worktrees", () => {
  it("has an address, a row in the sidebar and a command", async () => {
    expect(pathOf({ page: "workspaces" })).toBe("/workspaces");
    expect(placeAt("/workspaces", "new:x")).toEqual({ page: "workspaces" });
    await start();
    await press(document.body, "k", { ctrlKey: true });
    const field = await until(() => $(page.root, ".palette input") as HTMLInputElement);
    await type(field, "workspaces");
    await press(field, "Enter");
    await until(() => $(page.root, "main.workspaces"));
    expect(button(page.root, /^Workspaces/).getAttribute("aria-current")).toBe("page");
  });

  it("shows them by project: branch, base, state, changes, size, age, ports and sessions", async () => {
    await show();
    expect(texts(page.root, "main h2")).toEqual(["web-shop", "engine"]);
    const one = row("fix-rounding").textContent!;
    for (const words of ["fix-rounding → main", "uncommitted changes", "3 commits ahead, 1 behind", "412 MB"])
      expect(one).toContain(words);
    for (const words of ["made 1h ago", "ports 42100–42109", "/worktrees/shop/fix-rounding", "Fix rounding"])
      expect(one).toContain(words);
    expect(row("release-on-ci").textContent).toContain("Checking out files, 61 %");
    expect(row("vulkan").textContent).toContain("could not be made");
    expect(row("vulkan").textContent).toContain("No space left on device");
    button(row("fix-rounding"), /Fix rounding/).click();
    await until(() => page.app.nav.session.value === "s-1");
  });

  it("follows what the server tells of them", async () => {
    await show();
    const { world } = page;
    const made = addWorkspace(world, world.projects[0]!.projectId, "brand-new", { state: "creating" });
    changeWorkspace(world, made, { progress: "Checking out files" });
    await until(() => row("brand-new")?.textContent?.includes("Checking out files"));
    changeWorkspace(world, made, { state: "ready", progress: undefined, missing: true });
    await until(() => row("brand-new").textContent!.includes("folder is gone"));
  });

  it("has all of them again after the link was down", async () => {
    await show();
    const { world } = page;
    addWorkspace(world, world.projects[0]!.projectId, "made-meanwhile");
    page.pipes.at(-1)!.close();
    await until(() => row("made-meanwhile"));
  });

  it("shows foreign worktrees without anything to do to them", async () => {
    await show();
    const foreign = row("hotfix");
    expect(foreign.textContent).toContain("not made here");
    expect($$(foreign, "button")).toEqual([]);
    const about = { workspaceId: idOf("hotfix") };
    for (const id of ["land", "push", "remove-workspace", "restore-workspace"] as const)
      expect(available(page.app, id, about)).toBe(false);
  });

  it("offers what nobody used for weeks, and takes none of it by itself", async () => {
    await show();
    const line = $(page.root, ".workspaces-old")!;
    expect(line.textContent).toContain("Not used for weeks: 2 worktrees, 1.2 GB.");
    button(line, "Review…").click();
    await until(() => $$(page.root, ".workspace-row").length === 2);
    button(page.root, "Show all").click();
    await until(() => row("fix-rounding"));
    expect(page.asked.some((path) => path.includes("/remove"))).toBe(false);
  });

  it("says what worktrees are for where there are none", async () => {
    page = await startPage(new World("busy"));
    button(page.root, /^Workspaces/).click();
    await until(() => $(page.root, ".inbox-empty")?.textContent?.includes("No worktrees yet"));
  });

  it("opens a worktree in an editor by its address", async () => {
    await show();
    const opened: string[] = [];
    const listener = (event: Event) => {
      const link = (event.target as Element).closest("a");
      if (link) opened.push(link.href);
      event.preventDefault();
    };
    document.addEventListener("click", listener);
    await fromMenu("fix-rounding", "Open in VS Code");
    document.removeEventListener("click", listener);
    expect(opened).toEqual(["vscode://file/home/ada/.liminal-builder/worktrees/shop/fix-rounding"]);
  });
});

describe("landing", () => {
  const land = async (branch: string, change?: (world: World) => void) => {
    await show(change);
    button(row(branch), `Land… ${branch}`).click();
    return dialog();
  };

  it("is tried without changing anything as soon as it is asked for, and again for each way", async () => {
    const open = await land("fix-rounding");
    await until(() =>
      open.textContent!.includes("No conflicts. 4 commits and 3 changed files go into main."),
    );
    expect(open.textContent).toContain("The uncommitted changes become a commit first.");
    expect(page.world.landed).toEqual([]);
    const asked = page.asked.filter((path) => path.endsWith("/land")).length;
    ($(open, "input[value=squash]") as HTMLInputElement).click();
    await until(() => open.textContent!.includes("1 commit and 3 changed files"));
    expect(page.asked.filter((path) => path.endsWith("/land")).length).toBe(asked + 1);
  });

  it("lands in the chosen way with the message, and shows what the hooks said", async () => {
    const open = await land("fix-rounding", (world) => {
      world.landing.set("w-1", { files: 3, commits: 4, said: "lint: ok\ntests: 12 passed" });
    });
    ($(open, "input[value=squash]") as HTMLInputElement).click();
    await type((await until(() => $(open, "textarea"))) as HTMLTextAreaElement, "Keep cents as integers");
    button(open, "Land in main").click();
    await until(() => $(page.root, "dialog")?.textContent?.includes("Landed in main"));
    expect(page.world.landed).toEqual([
      { workspaceId: "w-1", strategy: "squash", message: "Keep cents as integers" },
    ]);
    expect($(page.root, "dialog .said")!.textContent).toContain("12 passed");
    expect($(page.root, "dialog")!.textContent).toContain("9d3b7c1e");
    button($(page.root, "dialog")!, "Remove the worktree…").click();
    await until(() => $(page.root, "dialog")?.textContent?.includes("Remove the worktree fix-rounding?"));
  });

  it("that would conflict names the files and cannot be done; its agent can be asked to settle it", async () => {
    const open = await land("faster-search");
    await until(() => open.textContent!.includes("This does not merge into main."));
    expect(texts(open, ".path-list code")).toEqual(["src/pricing/total.ts", "src/cart/index.ts"]);
    expect(button(open, "Land in main").disabled).toBe(true);
    button(open, "Write that to its agent").click();
    const field = await until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
    await until(() => field.value.includes("Merge the branch main into this one"));
    expect(field.value).toContain("src/cart/index.ts");
    expect(page.heard("session:send")).toEqual([]);
  });

  it.each([
    ["TARGET_DIRTY", "main has uncommitted changes.", ["src/cart/index.ts"], /Commit or stash these files/],
    ["TARGET_ELSEWHERE", "main is checked out in /home/ada/other.", undefined, /Switch that checkout/],
  ])("that is refused with %s says why and what to do", async (code, message, paths, todo) => {
    const open = await land("fix-rounding", (world) => {
      world.landing.set("w-1", { refuse: { code, message, ...(paths ? { paths } : {}) } });
    });
    await until(() => open.textContent!.includes(message));
    expect(open.textContent).toMatch(todo);
    expect(open.textContent).toContain("Nothing was changed.");
    expect(texts(open, ".path-list code")).toEqual(paths ?? []);
    expect(button(open, /^Land in/).disabled).toBe(true);
  });

  it("that conflicts since it was tried says so instead of landing", async () => {
    const open = await land("fix-rounding");
    await until(() => !button(open, "Land in main").disabled);
    page.world.landing.set("w-1", { conflicts: ["src/late.ts"] });
    button(open, "Land in main").click();
    await until(() => texts(open, ".path-list code").includes("src/late.ts"));
    expect(page.world.landed).toEqual([]);
  });

  it("is in the menu and in the palette of a session that has a worktree", async () => {
    await start();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    const about = { sessionId: "s-1" };
    for (const id of ["land", "push", "pull-request", "remove-workspace"] as const)
      expect(available(page.app, id, about)).toBe(true);
    expect(available(page.app, "land", { sessionId: "s-2" })).toBe(false);
    run(page.app, "land");
    await until(() => $(page.root, "dialog")?.textContent?.includes("Land fix-rounding in main"));
  });
});

describe("pushing", () => {
  it("says where the branch is now, or why it is not there", async () => {
    await show();
    await fromMenu("fix-rounding", "Push");
    await until(() => texts(page.root, ".notice-text")[0]?.includes("Pushed fix-rounding to origin."));
    expect(page.world.pushed).toEqual([{ workspaceId: "w-1" }]);
    page.world.pushRefused = "remote: permission denied";
    await fromMenu("fix-rounding", "Push");
    await until(() => texts(page.root, ".notice-text")[0]?.includes("permission denied"));
  });

  it("can open a pull request, with words of its own or those of the session", async () => {
    await show();
    await fromMenu("fix-rounding", "Push and open pull request…");
    const open = await dialog();
    expect(($(open, "input") as HTMLInputElement).placeholder).toBe("Fix rounding");
    await type($(open, "textarea") as HTMLTextAreaElement, "Cents are integers now.");
    button(open, "Push and open").click();
    const link = await until(() => $(page.root, "dialog a") as HTMLAnchorElement);
    expect([link.href, link.rel]).toEqual(["https://example.test/pull/1", "noopener noreferrer"]);
    expect(page.world.pushed).toEqual([
      { workspaceId: "w-1", pullRequest: true, body: "Cents are integers now." },
    ]);
  });
});

describe("setup commands", () => {
  it("are read before they run", async () => {
    await show((world) => {
      const { projectId } = world.projects[1]!;
      world.git.set(projectId, {
        ...world.git.get(world.projects[0]!.projectId)!,
        setup: { id: "engine-1", text: "cmake --preset dev\n" },
      });
    });
    const name = "port-the-mesh-loader-to-cpp23-with-a-long-name";
    button(row(name), `Run setup… ${name}`).click();
    const open = await dialog();
    await until(() => $(open, "pre")?.textContent === "cmake --preset dev\n");
    expect(page.asked.some((path) => path.endsWith("/setup"))).toBe(false);
    button(open, "Run these commands").click();
    await until(() => $(page.root, "dialog") === null);
    await until(() => row(name).textContent!.includes("setup runs"));
  });

  it("that changed meanwhile are shown once more instead", async () => {
    await show((world) => {
      const { projectId } = world.projects[1]!;
      const git = world.git.get(world.projects[0]!.projectId)!;
      world.git.set(projectId, { ...git, setup: { id: "new", text: "rm -rf /\n" } });
      // Of the commit that its branch began with: what an agent made of them since is not what runs.
      world.setups = { "4f0c1d2e5a": { id: "old", text: "make\n" } };
    });
    const name = "port-the-mesh-loader-to-cpp23-with-a-long-name";
    button(row(name), `Run setup… ${name}`).click();
    const open = await dialog();
    await until(() => $(open, "pre")?.textContent === "make\n");
    page.world.setups = {};
    button(open, "Run these commands").click();
    await until(() => $(open, "pre")?.textContent === "rm -rf /\n");
    expect(open.textContent).toContain("The commands changed meanwhile. Read them once more.");
  });
});

describe("removing", () => {
  const remove = async (change?: (world: World) => void) => {
    await show(change);
    await fromMenu("fix-rounding", "Remove worktree…");
    return dialog();
  };

  it("shows what comes back and what does not before anything is removed", async () => {
    const open = await remove();
    const kept = await until(() => $(open, ".kept"));
    expect(kept.textContent).toContain("3 commits not landed and 3 commits not pushed");
    expect(kept.textContent).toContain("2 changed files and 1 new file: a snapshot keeps every byte.");
    expect(texts(kept, "code")).toEqual(["src/pricing/total.ts", "src/pricing/item.ts", "notes.md"]);
    const lost = $(open, ".lost")!;
    expect(lost.textContent).toContain("18,412 files that git ignores, 391 MB");
    expect(texts(lost, "code")).toContain("node_modules/");
    expect(page.world.workspaces.get("w-1")!.state).toBe("ready");
    button(open, "Remove worktree").click();
    await until(() => page.world.workspaces.get("w-1")!.state === "removed");
    await until(() => $(page.root, "dialog") === null);
    await until(() => row("fix-rounding").textContent!.includes("removed"));
    expect(row("fix-rounding").textContent).not.toContain("ports");
  });

  it("says of a folder that is gone what is gone with it", async () => {
    const open = await remove((world) => {
      changeWorkspace(world, world.workspaces.get("w-1")!, { missing: true });
      world.inventories.delete("w-1");
    });
    await until(() => open.textContent!.includes("Its folder is gone already, and what was not committed"));
    expect(open.textContent).not.toContain("Nothing is lost");
    button(open, "Remove worktree").click();
    await until(() => page.world.workspaces.get("w-1")!.state === "removed");
  });

  it("can be taken back at once, and later from the page", async () => {
    const open = await remove();
    button(await until(() => $(open, ".kept") && open), "Remove worktree").click();
    const notice = await until(() => $(page.root, ".notice .button"));
    expect(notice.textContent).toBe("Restore");
    notice.click();
    await until(() => row("fix-rounding").textContent!.includes("uncommitted changes"));
    button(row("try-bun"), "Restore worktree try-bun").click();
    await until(() => !row("try-bun").textContent!.includes("removed"));
  });

  it("shows everything again when something changed since it was shown", async () => {
    const open = await remove();
    await until(() => $(open, ".kept"));
    const before = page.world.inventories.get("w-1")!;
    page.world.inventories.set("w-1", {
      ...before,
      untracked: 12,
      changed: [...before.changed, "just-now.ts"],
    });
    button(open, "Remove worktree").click();
    await until(() => open.textContent!.includes("What is in it changed meanwhile."));
    expect(texts(open, ".kept code")).toContain("just-now.ts");
    expect(page.world.workspaces.get("w-1")!.state).toBe("ready");
    await until(() => !button(open, "Remove worktree").disabled);
    button(open, "Remove worktree").click();
    await until(() => page.world.workspaces.get("w-1")!.state === "removed");
  });

  it("waits for an agent that is at work in it", async () => {
    const open = await remove((world) => {
      world.inventories.set("w-1", { ...world.inventories.get("w-1")!, working: ["s-1"] });
    });
    await until(() => open.textContent!.includes("“Fix rounding” is at work in it. Stop that first."));
    expect(button(open, "Remove worktree").disabled).toBe(true);
    page.world.inventories.set("w-1", { ...page.world.inventories.get("w-1")!, working: [] });
    button(open, "Refresh").click();
    await until(() => !button(open, "Remove worktree").disabled);
  });

  it("leaves the conversation, which says that its worktree is gone and brings it back", async () => {
    await start();
    changeWorkspace(page.world, page.world.workspaces.get("w-1")!, { state: "removed" });
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    const strip = await until(() => $(page.root, ".strip"));
    expect(strip.textContent).toContain("Its worktree was removed.");
    button(strip, "Restore worktree").click();
    await until(() => $(page.root, ".strip") === null);
    await tick();
    expect(page.world.workspaces.get("w-1")!.state).toBe("ready");
  });
});
