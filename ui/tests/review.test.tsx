// The workbench: changes are read, commented on, committed and taken back; files are opened.
import { afterEach, describe, expect, it, vi } from "vitest";
import { changeFile, putFile } from "../dev/review.mjs";
import { World } from "../dev/world.mjs";
import { run } from "../src/commands/table";
import { reviewOf } from "../src/review/review";
import { benchOf } from "../src/state/bench";
import { commentsOf } from "../src/state/comments";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => {
  page.close();
  history.replaceState(null, "", "/");
});

const kFile = "src/pricing/total.ts";
const open = async (story = "review", change: (world: World) => void = () => {}) => {
  const world = new World(story);
  change(world);
  page = await startPage(world);
  page.app.nav.navigate({ page: "session", sessionId: "s-1" });
  await until(() => page.app.timelines.of("s-1").loaded.value);
};
const show = async (story?: string, change?: (world: World) => void) => {
  await open(story, change);
  await press(document.body, "G", { ctrlKey: true, shiftKey: true });
  await until(() => $(page.root, ".diff-file"));
};
const section = (path: string) =>
  $$(page.root, ".diff-file").find((one) => one.getAttribute("aria-label") === path)!;
const loaded = (path = kFile) => until(() => section(path) && $(section(path), ".dl") && section(path));
const review = () => reviewOf(page.app, "s-1");
const drafts = () => page.world.comments.get("s-1")!.filter(({ state }) => state === "draft");
const asked = (part: string) => page.asked.filter((path) => path.includes(part));

describe("the workbench", () => {
  it("opens and closes with one key, and is as it was left after a reload", async () => {
    await open();
    expect($(page.root, ".bench")).toBeNull();
    await press(document.body, "j", { ctrlKey: true });
    const tabs = await until(() => $(page.root, ".bench [role=tablist]"));
    expect(texts(tabs, "[role=tab]")).toEqual(["Changes6", "Files", "Terminal", "Ports"]);
    await until(() => location.search === "?changes");
    button(tabs, "Files").click();
    await until(() => location.search === "?files");
    await page.reload();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => $(page.root, ".bench [role=tab][aria-selected=true]")?.textContent === "Files");
    await press(document.body, "j", { ctrlKey: true });
    await until(() => !$(page.root, ".bench"));
    await until(() => location.search === "");
    expect(run(page.app, "workbench")).toBe(true);
    await until(() => $(page.root, ".bench"));
  });

  it("is there for sessions alone, and has a button in their head", async () => {
    await open();
    page.app.nav.navigate({ page: "home" });
    expect(run(page.app, "workbench")).toBe(false);
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    (await until(() => $(page.root, ".bench-room button"))).click();
    await until(() => $(page.root, ".bench-room button")!.getAttribute("aria-pressed") === "true");
    button($(page.root, ".bench")!, /^Close the workbench/).click();
    await until(() => !$(page.root, ".bench"));
  });

  it("is resized by keys, within limits", async () => {
    await show();
    const edge = $(page.root, ".bench-resizer")!;
    const before = benchOf(page.app).width.value;
    await press(edge, "ArrowLeft");
    expect(benchOf(page.app).width.value).toBe(before + 16);
    await press(edge, "End");
    expect(benchOf(page.app).width.value).toBe(360);
  });
});

describe("changes", () => {
  it("list all files and show their lines, words and kinds", async () => {
    await show();
    expect(texts(page.root, ".changed-file .file-path")).toContain(kFile);
    expect($(page.root, ".changes-bar")!.textContent).toContain("0 of 6 viewed");
    const file = await loaded();
    expect(texts(file, ".dl-add .dl-text")).toContain(
      "export function total(items: readonly Item[]): Cents {",
    );
    await until(() => texts(file, ".dl-add mark").includes("Cents"));
    expect(texts(section("docs/old-prices.md"), ".chip")).toEqual(["deleted"]);
    expect(section("assets/icon.png").querySelectorAll("figure").length).toBe(2);
    expect($(section("src/cart/index.ts"), ".unread-dot")!.getAttribute("aria-label")).toContain("Changed");
    expect(section("src/pricing/money.ts").textContent).toContain("Renamed, with the same content");
  });

  it("say what to do when there are none, too many, or no answer", async () => {
    await show("review", (world) => {
      world.mostChanged = 3;
    });
    expect($(page.root, ".strip.warn")!.textContent).toContain("Only the first 3 of 6 files");
    page.close();
    await open("busy");
    benchOf(page.app).show("changes");
    await until(() => $(page.root, ".bench-empty")?.textContent?.startsWith("No changes yet."));
    benchOf(page.app).compare("s-1", "nothing");
    await until(() => $(page.root, ".changes [role=alert]")?.textContent?.includes("nothing"));
    benchOf(page.app).compare("s-1", "base");
    await until(() => !$(page.root, ".changes [role=alert]"));
  });

  it("are compared with what was chosen, also with a turn from the conversation", async () => {
    await show();
    button(page.root, "Uncommitted").click();
    await until(() => asked("against=head").length > 0);
    const turnId = [...page.world.session("s-1").timeline.turns.keys()].at(-1)!;
    page.world.session("s-1").timeline.turn(turnId, { checkpoint: "made" });
    (await until(() => $(page.root, ".turn-changes"))).click();
    await until(() => asked(`against=turn%3A${turnId}`).length > 0);
    await until(() => button(page.root, "Last turn").getAttribute("aria-pressed") === "true");
  });

  it("come by themselves while the agent works, and what is typed and seen stays", async () => {
    await show();
    await loaded();
    const before = asked("/changes").length;
    button(section(kFile), "Comment on line 11").click();
    const field = await until(() => $(page.root, ".said.writing textarea") as HTMLTextAreaElement);
    await type(field, "half a thought");
    changeFile(page.world, "s-1", "src/new.ts", "export {};\n");
    await until(() => texts(page.root, ".changed-file .file-path").includes("src/new.ts"));
    expect(asked("/changes").length).toBe(before + 1);
    expect($(page.root, ".said.writing textarea")).toBe(field);
    expect(field.value).toBe("half a thought");
    expect(asked("/diff").filter((path) => path.includes("total.ts") && !path.includes("test")).length).toBe(
      1,
    );
  });

  it("open what is folded, with the file as it was asked for, once", async () => {
    await show();
    const file = await loaded();
    const gap = () => $$(file, ".dl-gap button");
    expect(gap()[0]!.textContent).toContain("7 unchanged lines");
    gap()[0]!.click();
    await until(() => texts(file, ".dl-text").includes('export const currency = "EUR";'));
    gap()[0]!.click();
    await until(() =>
      texts(file, ".dl-text").includes("export const step10 = (value: number) => value + 10;"),
    );
    const whole = asked("/file?").filter((path) => path.includes("total.ts"));
    expect(whole.length).toBe(1);
    expect(whole[0]).toContain(`oid=${review().body.value!.oid}`);
  });

  it("cut long lines, and show them whole", async () => {
    await show("review", (world) => putFile(world, "s-1", "a/long.txt", "x\n", `${"y".repeat(5000)}\n`));
    const file = await loaded("a/long.txt");
    expect($(file, ".dl-add .dl-text")!.textContent!.length).toBeLessThan(600);
    button(file, /^show 4,500 more/).click();
    await until(() => $(file, ".dl-add .dl-text")!.textContent!.length >= 5000);
    button(file, "show less").click();
    await until(() => $(file, ".dl-add .dl-text")!.textContent!.length < 600);
  });

  it("stand side by side, and as a tree", async () => {
    await show();
    await loaded();
    button(page.root, "Split").click();
    await until(() => $(section(kFile), ".dl-pair"));
    button(page.root, "Show the files as a tree").click();
    await until(() => texts(page.root, ".changed-folder bdi").includes("src"));
    await page.reload();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => $(page.root, ".dl-pair"));
  });

  it("are marked as viewed, which folds them until they change", async () => {
    await show();
    const file = await loaded();
    $(file, "input[type=checkbox]")!.click();
    await until(() => !$(section(kFile), ".dl"));
    await until(() => asked("/viewed").length === 1);
    expect($(page.root, ".changes-bar")!.textContent).toContain("1 of 6 viewed");
    changeFile(page.world, "s-1", kFile, "export {};\n");
    await until(() => $(section(kFile), ".dl"));
    expect($(section(kFile), ".unread-dot")).not.toBeNull();
    button(page.root, "Done reviewing").click();
    await until(() => texts(page.root, ".changes-foot button:disabled").includes("Reviewed"));
    expect(page.world.session("s-1").info.needsReview).toBe(false);
  });
});

describe("the rhythm of a review", () => {
  it("is J and K for files, with Shift for changes, arrows for lines", async () => {
    await show();
    await loaded();
    const paths = review().entries.map(({ info }) => info.path);
    const key = (name: string, more = {}) => press(document.activeElement!, name, more);
    await key("j");
    expect(review().focus.value).toEqual({ path: paths[0], row: -1 });
    await key("j");
    await key("j");
    expect(review().focus.value).toEqual({ path: paths[2], row: -1 });
    await until(() => document.activeElement?.matches(".diff-file-head"));
    await key("k");
    expect(review().focus.value?.path).toBe(paths[1]);
    await key("ArrowDown");
    expect(review().focus.value).toEqual({ path: paths[1], row: 0 });
    await until(() => document.activeElement?.matches(".diff-row.focused"));
    await key("J", { shiftKey: true });
    const focus = review().focus.value!;
    expect(focus.path).toBe(paths[2]);
    expect(review().entry(focus.path)!.rows[focus.row]!.kind).toBe("del");
    await key("ArrowUp");
    expect(review().focus.value).toEqual({ path: focus.path, row: focus.row - 1 });
  });

  it("goes on from where the pointer was", async () => {
    await show();
    const file = await loaded();
    review().focus.value = { path: "docs/old-prices.md", row: -1 };
    const line = $$(file, ".diff-row").find((row) => row.textContent!.includes("readonly Item[]"))!;
    line.focus();
    await press(line, "c");
    await until(() => $(page.root, ".said.writing textarea"));
    expect(commentsOf(page.app).writingOf("s-1")).toMatchObject([{ path: kFile, side: "new", line: 11 }]);
    await press($(page.root, ".said.writing textarea")!, "Escape");
    $(file, ".diff-file-head")!.focus();
    expect(review().focus.value).toEqual({ path: kFile, row: -1 });
  });

  it("is C for the first changed line where a file has the focus", async () => {
    await show();
    await loaded();
    review().focus.value = { path: kFile, row: -1 };
    await press(document.body, "c");
    await until(() => $(page.root, ".said.writing textarea"));
    const [writing] = commentsOf(page.app).writingOf("s-1");
    const first = review()
      .entry(kFile)!
      .rows.find((row) => row.kind === "del" || row.kind === "add");
    expect(writing!.quote).toBe((first as { text: string }).text);
  });

  it("is C for a comment and V for viewed, and nothing of it while somebody writes", async () => {
    await show();
    await loaded();
    review().focus.value = { path: kFile, row: 4 };
    await press(document.body, "c");
    const field = await until(() => $(page.root, ".said.writing textarea") as HTMLTextAreaElement);
    await until(() => document.activeElement === field);
    await press(field, "j");
    await press(field, "v");
    expect(review().focus.value).toEqual({ path: kFile, row: 4 });
    await press(field, "Escape");
    await until(() => !$(page.root, ".said.writing"));
    await press(document.body, "v");
    await until(() => review().entry(kFile)!.info.viewed);
    expect(review().focus.value!.path).toBe("test/total.test.ts");
  });
});

describe("comments", () => {
  const begin = async (line: number, words: string) => {
    button(section(kFile), `Comment on line ${line}`).click();
    const field = await until(() => $(page.root, ".said.writing textarea") as HTMLTextAreaElement);
    await type(field, words);
    return field;
  };

  it("are drafts at the server, changed, taken away, and seen in every window", async () => {
    await show();
    await loaded();
    await until(() =>
      texts(page.root, ".said p").includes("What about refunds? They are negative: add a test."),
    );
    const field = await begin(11, "Why readonly?");
    await press(field, "Enter", { ctrlKey: true });
    await until(() => drafts().length === 2);
    expect(drafts()[1]).toMatchObject({ path: kFile, side: "new", line: 11, body: "Why readonly?" });
    expect(drafts()[1]!.quote).toBe("export function total(items: readonly Item[]): Cents {");
    await until(() => button(page.root, "Send 2 comments"));
    const box = $$(page.root, ".said").find((one) => one.textContent!.includes("Why readonly?"))!;
    button(box, "Edit").click();
    const again = await until(() => $(page.root, ".said.writing textarea") as HTMLTextAreaElement);
    expect(again.value).toBe("Why readonly?");
    await type(again, "Why readonly here?");
    button(page.root, "Comment").click();
    await until(() => drafts()[1]!.body === "Why readonly here?");
    // Another window takes it away.
    const { commentId } = drafts()[1]!;
    page.world.comments.set("s-1", drafts().slice(0, 1));
    page.world.broadcast({ type: "comment:removed", sessionId: "s-1", commentId });
    await until(() => $$(page.root, ".said").length === 1);
  });

  it("that are being typed outlive a reload", async () => {
    await show();
    await loaded();
    await begin(11, "not yet");
    await page.reload();
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(
      () => ($(page.root, ".said.writing textarea") as HTMLTextAreaElement | null)?.value === "not yet",
    );
  });

  it("are sent once, whatever happens on the way; the message box offers it", async () => {
    await show();
    await loaded();
    const box = await until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
    await until(() => box.placeholder.endsWith("or send 1 comment"));
    const send = vi.spyOn(page.app.api, "call");
    const keys = () =>
      send.mock.calls
        .filter(([address]) => address.endsWith("review/send"))
        .map(([, body]) => (body as { idempotencyKey: string }).idempotencyKey);
    send.mockImplementationOnce(async () => {
      throw new Error("The server does not answer.");
    });
    button(page.root, "Send 1 comment").click();
    await until(() => page.app.toasts.shown.value?.text === "The server does not answer.");
    button(page.root, "Send 1 comment").click();
    await until(() => $(page.root, ".said.is-sent"));
    expect(new Set(keys()).size).toBe(1);
    expect(page.world.sent.size).toBe(1);
    await until(() => !page.root.querySelector(".changes-foot .primary"));
    button($(page.root, ".said.is-sent")!, "Resolve").click();
    await until(() => $(page.root, ".said.is-resolved"));
  });

  it("whose line is gone are marked, with what it was, at the top of their file", async () => {
    await show();
    await loaded();
    changeFile(page.world, "s-1", kFile, "export const total = 1;\n");
    const box = await until(() => $(section(kFile), ".said.is-outdated"));
    expect($(box, "blockquote")!.textContent).toContain("items.reduce");
    expect(box.textContent).toContain("its line changed since");
    changeFile(page.world, "s-1", kFile, undefined);
    await until(() => section(kFile).textContent!.includes("deleted"));
    expect(button(page.root, "Send 1 comment").disabled).toBe(false);
  });

  it("on a plan go with its answer", async () => {
    await open();
    const { timeline } = page.world.session("s-1");
    timeline.item("plan", {
      type: "approval",
      turnId: "t",
      kind: "plan",
      title: "The plan",
      detail: "1. Read it\n2. Change it",
      state: "pending",
      options: [
        { optionId: "yes", name: "Go on", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    button(await until(() => $(page.root, ".plan-comment")?.parentElement), /^Comment on lines/).click();
    await until(() => $(page.root, ".plan-lines"));
    button(page.root, "Comment on line 2 of the plan").click();
    const field = await until(() => $(page.root, ".plan-lines textarea") as HTMLTextAreaElement);
    await type(field, "Not that file");
    await press(field, "Enter", { ctrlKey: true });
    await until(() => page.world.comments.get("s-1")!.some(({ itemId }) => itemId === "plan"));
    expect(page.world.comments.get("s-1")!.at(-1)).toMatchObject({ line: 2, quote: "2. Change it" });
    expect(commentsOf(page.app).drafts("s-1")).toBe(1);
  });
});

describe("files", () => {
  it("are opened by a part of their name, at a line, and have an address", async () => {
    await open();
    await press(document.body, "p", { ctrlKey: true });
    const field = await until(() => $(page.root, ".palette input") as HTMLInputElement);
    await type(field, "pricing/total.ts:11");
    await until(() => texts(page.root, ".pick-label").length === 1);
    await press(field, "Enter");
    const line = await until(() => $(page.root, ".file-line.is-here"));
    expect(line.textContent).toContain("export function total");
    expect(location.search).toBe("?files=src/pricing/total.ts%3A11");
    $(page.root, ".file-line a")!.click();
    await until(() => location.search === "?files=src/pricing/total.ts%3A1");
  });

  it("that cannot be shown say why; what hides in a name is seen", async () => {
    await open("review", (world) => {
      putFile(world, "s-1", "a\u202eb.bin", undefined, new Uint8Array([0, 1, 2]));
    });
    const bench = benchOf(page.app);
    bench.look("s-1", { path: "no/such.ts" });
    bench.show("files");
    await until(() => $(page.root, ".file-view [role=alert]")?.textContent?.includes("no such file"));
    bench.look("s-1", { path: "a\u202eb.bin" });
    await until(() => $(page.root, ".file-view")?.textContent?.includes("A binary file"));
    expect($(page.root, ".file-head .file-path")!.textContent).toBe("a\\u202eb.bin");
  });

  it("that an answer names open here, at their line", async () => {
    await open();
    const content = "See [it](src/pricing/total.ts#L3).";
    const item = { turnId: "t", type: "message", origin: "agent", content, status: "complete" };
    page.world.session("s-1").timeline.item("m", item);
    const link = await until(() => $(page.root, '.md [data-path="src/pricing/total.ts"][data-line="3"]'));
    link.click();
    await until(() => $(page.root, ".file-line.is-here")?.textContent?.startsWith("3"));
    expect($(page.root, ".popup")).toBeNull();
  });
});
