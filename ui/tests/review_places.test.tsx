// Where a reader of the changes is, and what he is told there.
import { afterEach, describe, expect, it, vi } from "vitest";
import { addComment, changeFile, putFile } from "../dev/review.mjs";
import { World } from "../dev/world.mjs";
import { reviewOf } from "../src/review/review";
import { benchOf } from "../src/state/bench";
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

describe("the place of a reader", () => {
  it("is shown in the list of files while he scrolls, and keys go on from there", async () => {
    await show();
    await loaded();
    const list = $(page.root, ".diff-scroll")!;
    const paths = review().entries.map(({ info }) => info.path);
    const here = () => texts(page.root, ".changed-file.is-here .file-path");
    review().focus.value = { path: paths[0]!, row: -1 };
    await until(() => here().join() === paths[0]);
    const index = paths.indexOf(kFile);
    list.scrollTop = review().heights.top(index) + 60;
    list.dispatchEvent(new Event("scroll"));
    await until(() => here().join() === kFile);
    expect(review().focus.value).toBeUndefined();
    await press(document.body, "k");
    expect(review().focus.value).toEqual({ path: kFile, row: -1 });
  });

  it("stays when the files are compared with something else", async () => {
    await show();
    await loaded();
    const list = $(page.root, ".diff-scroll")!;
    const top = () => review().heights.top(review().indexOf(kFile)) + 36;
    const { heights, rows } = review().entry(kFile)!;
    const row = rows.findIndex((one) => one.kind === "same" && one.newLine === 17);
    list.scrollTop = top() + heights.top(row);
    list.dispatchEvent(new Event("scroll"));
    review().focus.value = { path: kFile, row };
    changeFile(page.world, "s-1", "a/first.ts", "export {};\n");
    button(page.root, "Uncommitted").click();
    await until(() => review().body.value!.against === "head");
    await loaded();
    const entry = review().entry(kFile)!;
    const now = entry.rows.findIndex((one) => one.kind === "same" && one.newLine === 17);
    await until(() => list.scrollTop === top() + entry.heights.top(now));
    expect(list.scrollTop).toBeGreaterThan(200);
    expect(review().focus.value).toEqual({ path: kFile, row: -1 });
  });

  it("is the next or the previous change by N and P, and N begins no session there", async () => {
    await show();
    await loaded();
    const wanted = page.app.nav.dialog;
    const sessions = page.app.nav.session.value;
    review().focus.value = { path: kFile, row: -1 };
    await press(document.body, "n");
    const first = review().focus.value!;
    expect(review().entry(kFile)!.rows[first.row]!.kind).toBe("del");
    await press(document.body, "n");
    expect(review().focus.value!.row).toBeGreaterThan(first.row);
    await press(document.body, "p");
    expect(review().focus.value).toEqual(first);
    const last = review().entries.at(-1)!;
    review().focus.value = { path: last.info.path, row: last.rows.length - 1 };
    await press($(page.root, "#bench-panel")!, "n");
    expect([page.app.nav.session.value, wanted.value]).toEqual([sessions, undefined]);
  });
});

describe("what is said there", () => {
  it("names the old side, and marks what was sent about a line that is another now", async () => {
    await show("review", (world) => {
      addComment(world, "s-1", { path: kFile, side: "old", line: 12, quote: "", body: "gone?" });
      const { comment } = addComment(world, "s-1", {
        path: kFile,
        side: "new",
        oid: "before",
        line: 11,
        quote: "export function total(items: Item[]) {",
        body: "readonly?",
      });
      comment.state = "sent";
    });
    await loaded();
    const box = (words: string) => $$(page.root, ".said").find((one) => one.textContent!.includes(words));
    await until(() => box("gone?")?.textContent?.includes("draft · old line 12"));
    const past = await until(() => box("readonly?"));
    expect(past.textContent).toContain("sent · its line changed since · line 11");
    expect($(past, "blockquote")!.textContent).toContain("items: Item[]");
  });

  it("offers no second try of what is too large, and says what became of modes and links", async () => {
    await show("review", (world) => {
      putFile(world, "s-1", "a/huge.txt", "x\n", "y".repeat(9 << 20));
      const modes = ["old mode 100644", "new mode 100755"];
      putFile(world, "s-1", "a/run.sh", "echo\n", "echo\n", { modes });
      putFile(world, "s-1", "a/link", undefined, "run.sh", { modes: ["new file mode 120000"] });
    });
    const huge = await until(() => section("a/huge.txt"));
    await until(() => $(huge, ".dl-note")?.textContent === "The difference has more than 8 MiB.");
    expect(texts(huge, ".dl-note button")).toEqual([]);
    const run = await until(() => section("a/run.sh"));
    await until(() => $(run, ".dl-note")?.textContent === "Only the mode changed: now executable.");
    expect(texts(run, ".chip")).toEqual(["now executable"]);
    await until(() => texts(section("a/link"), ".chip").join() === "new,link");
  });

  it("is that a commit worked, where the base shows what was committed", async () => {
    await show();
    button(page.root, "Commit…").click();
    const dialog = await until(() => $(page.root, "dialog .commit-files")?.closest("dialog"));
    await type($(dialog, "textarea") as HTMLTextAreaElement, "All of it");
    button(dialog, "Commit 6 files").click();
    const strip = await until(() => $(page.root, ".changes .strip"));
    expect(strip.textContent).toContain("Committed 6 files on fix-rounding");
    button(strip, "Show uncommitted").click();
    await until(() => benchOf(page.app).against("s-1") === "head");
    await until(() => !$(page.root, ".changes .strip"));
  });

  it("leaves soon where it went well and offers nothing, and stays where it does", async () => {
    await show();
    vi.useFakeTimers();
    const { toasts } = page.app;
    toasts.add("info", "Copied.");
    vi.advanceTimersByTime(4000);
    expect(toasts.shown.value).toBeUndefined();
    toasts.add("info", "Discarded.", { label: "Undo", run: () => {} });
    vi.advanceTimersByTime(5000);
    expect(toasts.shown.value).toBeDefined();
    vi.useRealTimers();
  });
});
