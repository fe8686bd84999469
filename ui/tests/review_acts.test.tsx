// What is done with changes: they are committed, and taken back.
import { afterEach, describe, expect, it } from "vitest";
import { changeFile, fileNow, putFile } from "../dev/review.mjs";
import { World } from "../dev/world.mjs";
import { reviewOf } from "../src/review/review";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => {
  page.close();
  history.replaceState(null, "", "/");
});

const kFile = "src/pricing/total.ts";
const show = async (story = "review", change: (world: World) => void = () => {}) => {
  const world = new World(story);
  change(world);
  page = await startPage(world);
  page.app.nav.navigate({ page: "session", sessionId: "s-1" });
  await until(() => page.app.timelines.of("s-1").loaded.value);
  await press(document.body, "G", { ctrlKey: true, shiftKey: true });
  await until(() => $(page.root, ".diff-file"));
};
const section = (path: string) =>
  $$(page.root, ".diff-file").find((one) => one.getAttribute("aria-label") === path)!;
const loaded = (path = kFile) => until(() => section(path) && $(section(path), ".dl") && section(path));
const review = () => reviewOf(page.app, "s-1");

describe("acting on changes", () => {
  it("commits what was chosen, and says what git says", async () => {
    await show("review", (world) => {
      world.commitRefused = "pre-commit: lint failed in total.ts";
    });
    button(page.root, "Commit…").click();
    const dialog = await until(() => $(page.root, "dialog .commit-files")?.closest("dialog"));
    const field = $(dialog, "textarea") as HTMLTextAreaElement;
    const renamed = $$(dialog, ".check").find((one) => one.textContent!.includes("money.ts"))!;
    expect(renamed.textContent).toMatch(/from .*renamed/);
    $$(dialog, ".check input")[0]!.click();
    await type(field, "Cents, not floats");
    button(dialog, "Commit 5 files").click();
    await until(() => $(dialog, ".said-words")?.textContent === "pre-commit: lint failed in total.ts");
    page.world.commitRefused = undefined;
    button(dialog, "Commit 5 files").click();
    await until(() => page.world.committed.length === 1);
    expect(page.world.committed[0]!.message).toBe("Cents, not floats");
    expect(page.world.committed[0]!.paths).not.toContain("assets/icon.png");
    // A rename is both of its names.
    expect(page.world.committed[0]!.paths).toEqual(
      expect.arrayContaining(["src/money.ts", "src/pricing/money.ts"]),
    );
    await until(() => !$(page.root, "dialog"));
  });

  it("asks the agent for the words of a commit", async () => {
    await show();
    button(page.root, "Commit…").click();
    const dialog = await until(() => $(page.root, "dialog .commit-files")?.closest("dialog"));
    button(dialog, "Ask Claude Code to write it").click();
    await until(() => page.heard("session:send").length === 1);
    expect(page.heard("session:send")[0]!["content"]).toContain("Write a commit message");
  });

  it("takes back one run of lines, as its button says, and leaves the others of its hunk", async () => {
    const before = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`);
    const now = before.with(3, "four\n").with(5, "six\nand more\n").toSpliced(7, 1);
    const now8 = before.with(3, "four\n").toSpliced(7, 1).join("");
    await show("review", (world) => putFile(world, "s-1", "a/runs.txt", before.join(""), now.join("")));
    const file = await loaded("a/runs.txt");
    expect($$(file, ".change-undo").map((one) => one.getAttribute("aria-label"))).toEqual([
      "Discard this change at line 4…",
      "Discard this change at lines 6–7…",
      "Discard this change at old line 8…",
    ]);
    button(file, "Discard this change at lines 6–7…").click();
    const dialog = await until(() => $(page.root, "dialog"));
    expect(dialog.textContent).toContain("removes 2 added lines, restores 1 deleted line.");
    button(dialog, "Discard").click();
    await until(() => fileNow(page.world, "s-1", "a/runs.txt") === now8);
    await until(() => page.app.toasts.shown.value?.text === "Discarded: a/runs.txt, lines 6–7.");
    page.app.toasts.act(page.app.toasts.shown.value!);
    await until(() => page.app.toasts.shown.value?.text === "Brought back: a/runs.txt, lines 6–7.");
  });

  it("takes nothing back by the lines of a file that has changed since the question", async () => {
    await show();
    await loaded();
    button(section(kFile), /^Discard this change at lines 11–12/).click();
    const dialog = await until(() => $(page.root, "dialog"));
    const asked = review().body.value!.oid;
    changeFile(page.world, "s-1", kFile, "// first\nexport {};\n");
    await until(() => review().body.value!.oid !== asked);
    button(dialog, "Discard").click();
    await until(() => page.app.toasts.shown.value?.kind === "error");
    expect(page.world.discarded).toEqual([]);
  });

  it("takes back a change and a file after a question, and undoes it", async () => {
    await show();
    await loaded();
    button(section(kFile), /^Discard this change at lines 11–12/).click();
    let dialog = await until(() => $(page.root, "dialog"));
    expect(dialog.textContent).toMatch(/lines 11–12: removes 2 added lines, restores 2 deleted lines\./);
    button(dialog, "Discard").click();
    await until(() => page.world.discarded.length === 1);
    await until(() => !texts(section(kFile), ".dl-add .dl-text").some((line) => line.includes("readonly")));
    page.app.toasts.act(await until(() => page.app.toasts.shown.value));
    await until(() => texts(section(kFile), ".dl-add .dl-text").some((line) => line.includes("readonly")));
    button(section("test/total.test.ts"), "Menu of test/total.test.ts").click();
    const item = await until(() =>
      $$(page.root, "[role=menuitem]").find((one) => one.textContent!.includes("Discard changes")),
    );
    item.click();
    dialog = await until(() => $(page.root, "dialog"));
    expect(dialog.textContent).toContain("test/total.test.ts is removed");
    button(dialog, "Discard").click();
    await until(() => !section("test/total.test.ts"));
  });
});
