// What sessions change, where, and who else changes the same.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, $$, button, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const start = async () => {
  page = await startPage(new World("workspaces"));
  await until(() => page.app.workspaces.known.value);
};
const row = (title: string) =>
  $$(page.root, ".session-row").find((one) => $(one, ".session-title")?.textContent === title)!;
const label = (root: ParentNode, selector: string) => $(root, selector)?.getAttribute("aria-label");

describe("what a session has changed", () => {
  it("stands on its row, on its card and in its head, with its branch", async () => {
    await start();
    const words = "3 files changed: 42 lines added, 17 deleted";
    expect($(row("Fix rounding"), ".delta")!.textContent).toBe("+42 −17");
    expect(label(row("Fix rounding"), ".delta")).toBe(words);
    expect(label(row("Fix rounding"), ".branch-mark")).toContain("on the branch fix-rounding");
    const card = $$(page.root, ".card-row").find((one) => one.textContent!.includes("Fix rounding"))!;
    expect(card.textContent).toContain("web-shop · fix-rounding");
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => $(page.root, ".head .branch-chip")?.textContent === "fix-rounding → main");
    expect(label($(page.root, ".head")!, ".delta")).toBe(words);
    button($(page.root, ".head")!, "fix-rounding → main").click();
    await until(() => $(page.root, "main.workspaces"));
  });

  it("is not mentioned where there is nothing", async () => {
    await start();
    for (const selector of [".delta", ".branch-mark", ".radar"])
      expect($(row("Profile the frame loop"), selector)).toBeNull();
  });

  it("changes while it works", async () => {
    await start();
    page.world.change(page.world.session("s-1"), { changes: { files: 1, added: 12_345, deleted: 0 } });
    await until(() => $(row("Fix rounding"), ".delta")!.textContent === "+12.3k −0");
  });
});

describe("the radar", () => {
  it("marks both sessions that change the same files, and says who the other is", async () => {
    await start();
    expect(label(row("Fix rounding"), ".radar")).toBe("Also changed by Faster search");
    expect(label(row("Faster search"), ".radar")).toBe("Also changed by Fix rounding");
    page.world.change(page.world.session("s-1"), { overlaps: ["s-2", "s-3", "s-4"] });
    await until(
      () => label(row("Fix rounding"), ".radar") === "Also changed by Release build on CI and 2 others",
    );
    page.world.change(page.world.session("s-1"), { overlaps: [] });
    await until(() => !$(row("Fix rounding"), ".radar"));
  });

  it("opens a panel with the sessions, the files and whether they merge", async () => {
    await start();
    $(row("Fix rounding"), ".radar")!.click();
    const panel = await until(() => $(page.root, "dialog .overlap-list"));
    expect(texts(panel, ".path-list code")).toEqual(["src/pricing/total.ts", "src/cart/index.ts"]);
    expect(panel.textContent).toContain("does not merge");
    expect(page.app.nav.session.value).toBeUndefined();
    button(panel, "Faster search").click();
    await until(
      () => page.app.sessions.of(page.app.nav.session.value ?? "")?.value.title === "Faster search",
    );
    expect($(page.root, "dialog")).toBeNull();
  });

  it("is reached by the keyboard from the row's menu and in the head", async () => {
    await start();
    button(row("Fix rounding"), "Menu of Fix rounding").click();
    (
      await until(() =>
        $$(row("Fix rounding"), "[role=menuitem]").find(
          (one) => one.textContent === "Also changed by others…",
        ),
      )
    ).click();
    await until(() => $(page.root, "dialog .overlap-list"));
    page.app.nav.closeDialog();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    button(
      await until(() => $(page.root, ".head:has(.radar-button)")),
      "Also changed by Faster search",
    ).click();
    await until(() => $(page.root, "dialog .overlap-list"));
  });
});

describe("files of a session with a worktree", () => {
  it("are looked for in the worktree", async () => {
    await start();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    const field = await until(() => $(page.root, ".session .composer textarea") as HTMLTextAreaElement);
    await type(field, "Look at @tot");
    const asked = await until(() => page.asked.find((path) => path.includes("/files?")));
    expect(asked).toContain("workspaceId=w-1");
    page.app.nav.navigate({ page: "session", sessionId: "s-2" });
    await until(() => page.app.timelines.of("s-2").loaded.value);
    await type($(page.root, ".composer textarea") as HTMLTextAreaElement, "Look at @tot");
    const other = await until(() => page.asked.filter((path) => path.includes("/files?"))[1]);
    expect(other).not.toContain("workspaceId");
  });

  it("are opened in an editor from the worktree", async () => {
    await start();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    const call = await until(() =>
      $$(page.root, ".chat-rows button").find((one) => /Read.*total\.ts/.test(one.textContent!)),
    );
    call.click();
    const named = await until(() => $(page.root, ".places .file-link"));
    named.dispatchEvent(new MouseEvent("click", { bubbles: true, altKey: true }));
    const menu = await until(() => $(page.root, ".place-menu"));
    const link = $$(menu, "a").find((one) => one.textContent!.includes("VS Code")) as HTMLAnchorElement;
    expect(link.href).toContain("/worktrees/shop/fix-rounding/src/pricing/total.ts");
  });
});
