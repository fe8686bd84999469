import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { rank } from "../src/completion";
import { fuzzy } from "../src/fuzzy";
import { askedDiff } from "../src/diff";
import { duration, plainLine } from "../src/format";
import { countStates, stateOf, summary } from "../src/glance";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";
import { newItems } from "../src/views/conversation/chat";
import { turnFacts } from "../src/views/conversation/items";
import { headline, type ToolCall } from "../src/views/conversation/tool_call";
import type { Turn } from "../src/wire";
import type { Row } from "../src/rows";

let page: Harness | undefined;
afterEach(() => {
  page?.close();
  page = undefined;
});
const start = async (story: string) => {
  page = await startPage(new World(story));
  return page;
};

describe("the state of a session", () => {
  it("is one word, in the order in which it concerns the user", () => {
    expect(stateOf({ activity: "needs-approval", unread: true })).toBe("needs");
    expect(stateOf({ activity: "failed", unread: true })).toBe("failed");
    expect(stateOf({ activity: "working", unread: true })).toBe("working");
    expect(stateOf({ activity: "idle", unread: true })).toBe("done");
    expect(stateOf({ activity: "idle", unread: false })).toBe("quiet");
  });

  it("is summed up without what is not there", () => {
    expect(summary({ needs: 1, failed: 0, working: 5, review: 0, done: 0, quiet: 9 })).toBe(
      "1 needs you, 5 working",
    );
    expect(summary({ needs: 2, failed: 1, working: 0, review: 0, done: 3, quiet: 0 })).toBe(
      "2 need you, 1 failed, 3 done",
    );
    expect(summary({ needs: 0, failed: 0, working: 0, review: 0, done: 0, quiet: 4 })).toBe("");
  });
});

describe("thirty sessions at a glance", () => {
  it("the overview groups all of them by state", async () => {
    const { root, app } = await start("crowd");
    await until(() => $(root, ".state-group"));
    expect(app.sessions.list.value.length).toBe(30);
    const counts = countStates(app.sessions.list.value);
    expect($(root, ".home .lead")!.textContent).toBe(`${summary(counts)}.`);
    expect($$(root, ".group-needs .card-row").length).toBe(counts.needs);
    expect($$(root, ".group-working .card-row").length).toBe(counts.working);
    await until(() => $(root, ".group-needs .card-title .muted")?.textContent);
    $(root, ".group-done .card-row")!.click();
    expect(stateOf(app.sessions.of(app.nav.tabs.value.active!)!.value)).toBe("done");
  });

  it("one press in the sidebar shows only who works, a second one all again", async () => {
    const { root, app } = await start("crowd");
    await until(() => $$(root, ".project").length === app.projects.list.value.length);
    const all = $$(root, ".session-row").length;
    const working = await until(() => $(root, ".count-working"));
    expect(working.textContent).toBe(`${countStates(app.sessions.list.value).working} working`);
    working.click();
    await until(() => $(root, ".count-working")!.getAttribute("aria-pressed") === "true");
    await until(() => $$(root, ".session-row").length === countStates(app.sessions.list.value).working);
    expect($$(root, ".session-row:not(.is-working)").length).toBe(0);
    working.click();
    await until(() => $$(root, ".session-row").length === all);
  });

  it("a filter for a state in which nobody is any more shows all", async () => {
    const { root, world } = await start("busy");
    $(root, ".count-working")!.click();
    await until(() => $$(root, ".session-row").length === 1);
    world.change(world.session("s-3"), { activity: "idle" });
    await until(() => $$(root, ".session-row").length > 4);
    expect(($(root, ".count-working") as HTMLButtonElement).disabled).toBe(true);
  });

  it("the name at the top left leads to the overview, and says so", async () => {
    const { root, app } = await start("busy");
    app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => $(root, ".chat"));
    button(root, "Liminal Builder: overview").click();
    await until(() => $(root, ".home h1"));
    expect(app.nav.tabs.value.active).toBe("s-1");
    $(root, "[role=tab]")!.click();
    await until(() => $(root, ".chat"));
  });

  it("a filter that finds nothing says so, and Escape takes it back", async () => {
    const { root } = await start("busy");
    const input = $(root, ".filter input") as HTMLInputElement;
    await type(input, "zzz");
    await until(() => $(root, ".project-list")!.textContent!.includes("No session is called “zzz”."));
    await press(input, "Escape");
    await until(() => $$(root, ".session-row").length > 4);
  });
});

describe("failures in the inbox", () => {
  const inbox = async () => {
    const harness = await start("busy");
    harness.app.nav.navigate({ page: "inbox" });
    await until(() => $(harness.root, ".failed-item"));
    return harness;
  };

  it("say why, and can be tried again in place", async () => {
    const { root, heard } = await inbox();
    await until(() => $(root, ".failed-why")!.textContent!.includes("overloaded (529)"));
    button($(root, ".failed-item")!, /Retry/).click();
    await until(() => heard("session:send")[0]?.["content"] === "Port src/mesh/loader.c to C++23.");
    await until(() => !$(root, ".failed-item"));
  });

  it("can be dismissed; the list still says failed", async () => {
    const { root, app } = await inbox();
    button($(root, ".failed-item")!, "Dismiss").click();
    await until(() => !$(root, ".failed-item"));
    expect(app.sessions.failed.value).toEqual([]);
    expect(texts(root, ".state-label.failed")).toEqual(["failed"]);
  });

  it("can be dismissed all at once", async () => {
    const { root, app } = await start("crowd");
    app.nav.navigate({ page: "inbox" });
    await until(() => $$(root, ".failed-item").length === 3);
    button(root, "Dismiss all").click();
    await until(() => $$(root, ".failed-item").length === 0);
  });
});

describe("going to what waits", () => {
  it("Ctrl+Alt+A opens the question and puts the focus on its first answer", async () => {
    const { root, app } = await start("busy");
    await until(() => app.inbox.waiting.value.length === 1);
    await press(document.body, "a", { ctrlKey: true, altKey: true, code: "KeyA" });
    await until(() => app.nav.tabs.value.active === "s-2");
    await until(() => document.activeElement?.textContent?.startsWith("Allow once"));
    await press(document.activeElement!, "2");
    await until(() => $(root, ".approval.decided"));
  });

  it("Alt and the arrows jump between own messages from anywhere", async () => {
    const { root, app, world } = await start("busy");
    const { timeline } = world.session("s-7");
    for (let n = 0; n < 20; n++) {
      const fields = { type: "message", turnId: `t${n}`, status: "complete" };
      timeline.item(`t${n}:user`, { ...fields, origin: "user", content: `Question ${n}` });
      timeline.item(`t${n}:a`, { ...fields, origin: "agent", content: "An answer.\n\n".repeat(40) });
    }
    app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(() => $(root, ".chat-rows .row"));
    await press($(root, ".composer textarea")!, "ArrowUp", { altKey: true });
    await until(() => $(root, ".to-end"));
    button(root, "Your message after (Alt+↓)").click();
    button(root, /Newest|new below$/).click();
    await until(() => !$(root, ".to-end"));
  });
});

describe("the number of new things", () => {
  const rows = (...keys: string[]): Row[] =>
    keys.map((key) =>
      key.startsWith("turn") ? { kind: "turn", key, turnId: key } : { kind: "item", key, itemId: key },
    );

  it("counts what came after the reader left, not older pages and not ends of turns", () => {
    expect(newItems(rows("a", "b"), "b")).toBe(0);
    expect(newItems(rows("a", "b", "c", "turn:1", "d"), "b")).toBe(2);
    expect(newItems(rows("x", "y", "z", "a", "b"), "b")).toBe(0);
    expect(newItems(rows("c", "d"), "b")).toBe(0);
    expect(newItems(rows("c"), "")).toBe(1);
  });
});

describe("what is asked", () => {
  const edit = { file_path: "a.ts", old_string: "one", new_string: "two" };

  it("shows an edit as a diff", () => {
    expect(askedDiff(edit)).toEqual({ path: "a.ts", oldText: "one", newText: "two" });
    expect(askedDiff({ file_path: "a.ts", content: "all" })).toEqual({ path: "a.ts", newText: "all" });
  });

  it("hides nothing: with any other argument it stays as it came", () => {
    expect(askedDiff({ ...edit, replace_all: true })).toBeUndefined();
    expect(askedDiff({ ...edit, mode: "force" })).toBeUndefined();
    expect(askedDiff({ command: "rm -rf /" })).toBeUndefined();
    expect(askedDiff(undefined)).toBeUndefined();
  });

  it("an approval of an edit shows the lines that would change", async () => {
    const { root, app, world } = await start("busy");
    world.session("s-2").timeline.item("t1:approval", {
      detail: JSON.stringify(edit),
      toolName: "Edit",
      toolArguments: edit,
    });
    app.nav.navigate({ page: "session", sessionId: "s-2" });
    await until(() => $(root, ".approval.pending .line-del"));
    expect($(root, ".approval.pending .line-add .text")!.textContent).toBe("two");
    expect($(root, ".approval.pending pre")).toBeNull();
  });
});

describe("finding", () => {
  it("the palette finds the user's own messages of the session on screen and goes there", async () => {
    const { root, app } = await start("busy");
    app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => $(root, ".turn-footer"));
    await press(document.body, "k", { ctrlKey: true });
    await type(await until(() => $(root, ".palette input") as HTMLInputElement), "off by one cent");
    expect(texts(root, ".pick-detail")[0]).toMatch(/^your message/);
    await press($(root, ".palette input")!, "Enter");
    await until(() => $(root, ".row.found .message.user"));
  });

  it("the title of the page says who waits, what ended unseen, and what is on screen", async () => {
    const { app, world } = await start("busy");
    await until(() => document.title === "(1) Liminal Builder");
    app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => document.title === "(1) Fix the rounding error in the cart · Liminal Builder");
    const waiting = world.session("s-2");
    waiting.timeline.item(app.inbox.of("s-2")!.item.itemId, { state: "expired", status: "cancelled" });
    world.change(waiting, { activity: "idle" });
    await until(() => document.title.startsWith("• Fix"));
    for (const { info } of world.sessions.values())
      if (info.unread) world.change(world.session(info.sessionId), { unread: false });
    await until(() => document.title === "Fix the rounding error in the cart · Liminal Builder");
    app.nav.navigate({ page: "inbox" });
    await until(() => document.title === "Liminal Builder");
  });

  it("takes parts of words and first letters, not letters strewn anywhere", () => {
    expect(fuzzy("se", "Port the mesh loader")).toBeUndefined();
    expect(fuzzy("mesh load", "Port the mesh loader")).toBeDefined();
    expect(fuzzy("pml", "Port the mesh loader")).toBeDefined();
    expect(fuzzy("adpro", "Add project")).toBeDefined();
    expect(rank("set", ["Reset", "Set up CI", "A set of things"], (text) => text)).toEqual([
      "Set up CI",
      "A set of things",
      "Reset",
    ]);
  });

  it("shows a piece of markdown as one line of words", () => {
    expect(plainLine("## Title\n**bold** and `code`")).toBe("Title bold and code");
    expect(plainLine("| a | b |\n|---|--:|\n| 1 | 2 |")).toBe("a · b · 1 · 2");
    expect(plainLine("see [the guide](https://example.com) ```ts\nlet a")).toBe("see the guide let a");
  });

  it("says round times without zeros", () => {
    expect(duration(60_000)).toBe("1 min");
    expect(duration(61_000)).toBe("1 min 1 s");
    expect(duration(3_600_000)).toBe("1 h");
  });
});

describe("what a tool did", () => {
  const call = (fields: Record<string, unknown>) =>
    headline({ type: "tool_call", toolName: "Tool", ...fields } as unknown as ToolCall, "/home/ada/shop");

  it("is told without the project's folder and without the shell around a command", () => {
    expect(call({ toolArguments: { file_path: "/home/ada/shop/src/a.ts" } }).what).toBe("src/a.ts");
    expect(call({ toolArguments: { file_path: "/home/ada/shopping/a.ts" } }).what).toBe(
      "/home/ada/shopping/a.ts",
    );
    expect(call({ toolArguments: { command: ["/bin/bash", "-lc", "cat a.txt"] } }).what).toBe("cat a.txt");
    expect(call({ toolArguments: { command: ["bash", "run.sh", "-c"] } }).what).toBe("bash run.sh -c");
    expect(call({ toolArguments: { command: ["rm", "a b", "it's"] } }).what).toBe("rm 'a b' 'it'\\''s'");
    const path = "/home/ada/shop/src/a.ts";
    expect(call({ title: path, toolArguments: { file_path: path } })).toEqual({
      verb: "Tool",
      what: "src/a.ts",
    });
    expect(call({ title: `Read ${path}`, toolArguments: { file_path: path } })).toEqual({
      verb: "Read src/a.ts",
      what: "",
    });
  });

  it("a cancelled turn says so once", () => {
    const turn = { type: "turn_complete", status: "cancelled", finishReason: "aborted_tools", modelId: "m" };
    expect(turnFacts(turn as unknown as Turn)).toEqual(["m"]);
    expect(
      turnFacts({ ...turn, status: "completed", finishReason: "max_tokens" } as unknown as Turn),
    ).toEqual(["m", "max tokens"]);
  });
});

describe("what a turn cost", () => {
  it("is told as far as it can be told, and not when it cost nothing", () => {
    expect(
      turnFacts({
        type: "turn_complete",
        startedAt: "2026-11-16T12:00:00Z",
        endedAt: "2026-11-16T12:02:00Z",
        waitedMs: 90_000,
      } as unknown as Turn),
    ).toEqual(["30 s", "waited 1 min 30 s for you"]);
    const facts = (costUsd: number) => turnFacts({ type: "turn_complete", costUsd } as unknown as Turn);
    expect(facts(0)).toEqual([]);
    expect(facts(0.00001)).toEqual(["< $0.0001"]);
    expect(facts(0.0042)).toEqual(["$0.0042"]);
    expect(facts(1.239)).toEqual(["$1.24"]);
  });
});

describe("an empty session", () => {
  it("offers ways to begin that are not sent before the user says so", async () => {
    const { root, app, heard } = await start("busy");
    app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(() => $(root, ".empty-session"));
    expect(texts(root, ".suggestions .button")[0]).toBe("Show me around");
    app.nav.navigate({ page: "session", sessionId: "s-8" });
    const first = await until(() =>
      $$(root, ".suggestions .button").find((b) => b.textContent!.startsWith("Explain")),
    );
    first.click();
    await until(() => ($(root, ".composer textarea") as HTMLTextAreaElement).value.startsWith("Explain"));
    expect(heard("session:send")).toEqual([]);
  });
});

describe("sessions in which nothing was ever said", () => {
  const left = async () => {
    const world = new World("busy");
    const { projectId } = world.projects[0]!;
    for (let n = 0; n < 3; n++) world.addSession(projectId, "codex", "");
    // Without a title, but something was said in it.
    const said = world.addSession(projectId, "codex", "", { sessionId: "s-said" });
    said.timeline.item("t1:user", { type: "message", turnId: "t1", origin: "user", content: "an image" });
    page = await startPage(world);
    await until(() => $(page!.root, ".empty-sessions"));
    return page;
  };
  const rows = () => texts($(page!.root, ".project")!, ".session-title");

  it("are one line in the list, not rows, nor in the overview and the switcher", async () => {
    const { root, app } = await left();
    expect(texts(root, ".empty-sessions .more")).toEqual(["4 empty sessions"]);
    expect(rows()).not.toContain("New Session");
    expect($(root, ".home")!.textContent).not.toContain("New Session");
    expect(texts(root, ".link-button.more")).not.toContain("Show 4 more");
    app.nav.openDialog({ kind: "switcher" });
    await until(() => $$(root, ".picker-list li").length > 0);
    expect(texts(root, ".pick-label")).not.toContain("New Session");
    app.nav.closeDialog();
    $(root, ".empty-sessions .more")!.click();
    await until(() => rows().filter((title) => title === "New Session").length === 4);
  });

  it("stand there by themselves while they are open, or something is being written in them", async () => {
    const { root, app, world } = await left();
    const [first, second] = [...world.sessions.keys()].slice(-4) as [string, string];
    app.nav.navigate({ page: "session", sessionId: first });
    await until(() => rows().filter((title) => title === "New Session").length === 1);
    app.drafts.set(second, "half a thought");
    await until(() => texts(root, ".empty-sessions .more")[0] === "2 empty sessions");
  });

  it("are removed by one press, and none in which something was said", async () => {
    const { root, world, heard } = await left();
    button(root, "Remove 4 empty sessions").click();
    await until(() => $(root, ".toast")?.textContent?.includes("3 empty sessions removed."));
    expect(heard("session:delete").length).toBe(3);
    expect(world.sessions.has("s-said")).toBe(true);
    expect(texts(root, ".empty-sessions .more")).toEqual(["1 empty session"]);
  });
});
