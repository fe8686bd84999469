// Messages that cannot be sent: said before, set aside after, and never in the way of anything else.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { sendMessage } from "../src/actions/messages";
import { promptProblem, usualLimits } from "../src/size";
import { $, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
beforeEach(async () => {
  page = await startPage(new World("busy"));
  await open("s-7");
});
afterEach(() => page.close());

const open = async (id: string) => {
  page.app.nav.navigate({ page: "session", sessionId: id });
  await until(() => page.app.timelines.of(id).loaded.value);
};
const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
const entries = () => page.app.outbox.entries.value;
const bubbles = () => texts(page.root, ".message.user .bubble");
/** A server that ends the connection whenever it is sent this. */
const endOn = (content: string, code: number) => {
  const handle = page.world.handle.bind(page.world);
  page.world.handle = (connection, message) => {
    if (message["type"] !== "session:send" || message["content"] !== content)
      return handle(connection, message);
    page.pipes.at(-1)!.close(code);
    return new Promise(() => {});
  };
  return () => {
    page.world.handle = handle;
  };
};

describe("the size of a message", () => {
  it("is known before it is sent", () => {
    const limits = { ...usualLimits, messageBytes: 100_000, promptBytes: 50_000 };
    expect(promptProblem("x".repeat(50_000), limits)).toBeUndefined();
    expect(promptProblem("x".repeat(50_001), limits)).toContain("it has 50,001 bytes, and 50,000 bytes are");
    expect(promptProblem("ä".repeat(25_001), limits)).toContain("50,002 bytes");
    expect(promptProblem("x".repeat(500_000), limits)).toContain("it has 488 KiB, and 49 KiB is the most");
    // Few bytes that are many in JSON.
    expect(promptProblem("\u0001".repeat(17_000), limits)).toContain("too large");
    expect(promptProblem("\n".repeat(47_000), limits)).toBeUndefined();
  });

  it("stops it in the composer, with its words still there", async () => {
    await type(await compose(), "x".repeat((1 << 20) + 1));
    const problem = await until(() => $(page.root, ".composer-problem"));
    expect(problem.textContent).toContain(
      "too large: it has 1,048,577 bytes, and 1,048,576 bytes are the most",
    );
    expect(button(page.root, "Send message").disabled).toBe(true);
    await press(await compose(), "Enter");
    expect(entries()).toEqual([]);
    expect(page.heard("session:send")).toEqual([]);
    await type(await compose(), "short");
    await until(() => !$(page.root, ".composer-problem"));
    await press(await compose(), "Enter");
    await until(() => bubbles().includes("short"));
  });

  it("holds for everything that is asked: what is too large is refused and not sent", async () => {
    const request = { type: "session:rename", sessionId: "s-7", title: "x".repeat(1 << 20) } as const;
    await expect(page.app.link.request(request)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(page.heard("session:rename")).toEqual([]);
    expect(page.app.link.state.value.kind).toBe("online");
  });
});

describe("a message that the server refuses", () => {
  it("says why, can be tried again, and does not hold up the next one", async () => {
    const handle = page.world.handle.bind(page.world);
    page.world.handle = (connection, message) =>
      message["content"] === "no"
        ? Promise.reject(Object.assign(new Error("It is too large."), { code: "TOO_LARGE" }))
        : handle(connection, message);
    sendMessage(page.app, "s-7", "no");
    sendMessage(page.app, "s-7", "yes");
    await until(() => bubbles().includes("yes") && $(page.root, ".pending-note.failed"));
    expect($(page.root, ".pending-note.failed")!.textContent).toContain("Not sent: It is too large.");
    page.world.handle = handle;
    button(page.root, "Try again").click();
    await until(() => !$(page.root, ".pending-note") && bubbles().includes("no"));
  });
});

describe("a message with which the connection ends", () => {
  it("is set aside the second time, with the reason, and the page goes on", async () => {
    const healthy = endOn("poison", 1009);
    sendMessage(page.app, "s-7", "poison");
    sendMessage(page.app, "s-7", "after it");
    const note = await until(() => $(page.root, ".pending-note.failed"));
    expect(note.textContent).toContain(
      "The connection ended twice while this message was being sent (code 1009)",
    );
    await until(() => entries().length === 1 && bubbles().includes("after it"));
    expect(page.heard("session:send").filter(({ content }) => content === "poison")).toHaveLength(2);
    expect(page.pipes).toHaveLength(3);
    // It stays aside over a reload and is sent when the user says so, with a clean slate.
    await page.reload();
    await open("s-7");
    healthy();
    const again = endOn("poison", 1009);
    button(await until(() => $(page.root, ".pending-actions")), "Try again").click();
    await until(() => entries()[0]?.drops === 1);
    again();
    await until(() => entries().length === 0 && bubbles().includes("poison"));
  });

  it("is not blamed when the server said goodbye", async () => {
    const healthy = endOn("patience", 1001);
    sendMessage(page.app, "s-7", "patience");
    await until(() => page.heard("session:send").length >= 3);
    expect(entries()[0]!.state).toBe("waiting");
    healthy();
    await until(() => entries().length === 0);
  });
});

describe("a message that waits", () => {
  beforeEach(async () => {
    page.online.value = false;
    page.pipes.at(-1)!.close();
    await until(() => page.app.link.state.value.kind === "offline");
  });

  it("can be removed", async () => {
    sendMessage(page.app, "s-7", "never mind");
    expect((await until(() => $(page.root, ".pending-note"))).textContent).toContain(
      "Waits for the connection",
    );
    button(page.root, "Remove").click();
    await until(() => !bubbles().includes("never mind"));
    expect(entries()).toEqual([]);
  });

  it("can be edited: its words and pictures are in the composer again, behind what stands there", async () => {
    await type(await compose(), "And this.");
    page.app.outbox.add("s-7", "Do that.", [{ attachmentId: "a", name: "shot.png" }]);
    await until(() => $(page.root, ".pending-note"));
    button(page.root, "Edit").click();
    await until(() => !$(page.root, ".pending-note"));
    expect((await compose()).value).toBe("And this.\n\nDo that.");
    expect(document.activeElement).toBe(await compose());
    await until(() => texts(page.root, ".draft-attachments .chip").includes("shot.png"));
    button(page.root, "Send message").click();
    expect(entries()).toMatchObject([
      { content: "And this.\n\nDo that.", attachments: [{ attachmentId: "a", name: "shot.png" }] },
    ]);
  });

  it("is removed, changed and added in every window of the browser", () => {
    sendMessage(page.app, "s-7", "one");
    const [one] = entries();
    const other = { ...one!, clientMessageId: "other", content: "of another window" };
    const tell = (before: unknown, after: unknown) =>
      dispatchEvent(
        new StorageEvent("storage", {
          key: "lb.outbox",
          oldValue: JSON.stringify(before),
          newValue: JSON.stringify(after),
        }),
      );
    tell([one], [one, other]);
    expect(entries().map(({ content }) => content)).toEqual(["one", "of another window"]);
    // What this window just added is not in what the other one wrote before it heard of it.
    sendMessage(page.app, "s-7", "two");
    tell([one, other], [{ ...one, state: "failed", problem: "No." }]);
    expect(entries().map(({ content, state }) => [content, state])).toEqual([
      ["one", "failed"],
      ["two", "waiting"],
    ]);
  });
});

describe("messages that were set aside elsewhere", () => {
  it("are a note on every page, and a list with what can be done", async () => {
    page.close();
    const kept = (id: string, sessionId: string, content: string) => ({
      clientMessageId: id,
      sessionId,
      content,
      attachments: [],
      state: "failed",
      problem: "Too large.",
      at: new Date().toISOString(),
    });
    localStorage.setItem(
      "lb.outbox",
      JSON.stringify([kept("a", "s-8", "first"), kept("b", "gone", "second"), kept("c", "s-8", "third")]),
    );
    page = await startPage(new World("busy"));
    const banner = await until(() => $(page.root, ".banner"));
    expect(banner.textContent).toContain("3 messages were not sent.");
    button(banner, "Show").click();
    const list = await until(() => $(page.root, "dialog.unsent"));
    expect(texts(list, ".unsent-text")).toEqual(["first", "second", "third"]);
    const [first, gone] = [...list.querySelectorAll("li")];
    expect(gone!.textContent).toContain("A session that no longer exists");
    expect(texts(gone!, ".unsent-actions .button")).toEqual(["Remove"]);
    button(gone!, "Remove").click();
    button(first!, "Try again").click();
    await until(() => page.heard("session:send").length === 1 && texts(list, "li").length === 1);
    button(list, "Edit").click();
    await until(() => !$(page.root, "dialog.unsent") && !$(page.root, ".banner"));
    expect((await compose()).value).toBe("third");
    expect(entries()).toEqual([]);
  });

  it("leave with a session that the user deletes", async () => {
    page.online.value = false;
    page.app.outbox.add("s-8", "for a session that goes", []);
    page.app.drafts.set("s-8", "half a thought");
    page.app.nav.closeTabs(["s-8"]);
    const { deleteSession } = await import("../src/actions/sessions");
    deleteSession(page.app, "s-8", "It");
    button(await until(() => $(page.root, "dialog")), "Delete").click();
    await until(() => entries().length === 0 && page.app.drafts.texts.value["s-8"] === undefined);
  });
});

describe("logging out", () => {
  const leaveSomething = async () => {
    page.app.drafts.set("s-7", "half a thought");
    page.app.outbox.add("new:later", "half a message", []);
    await until(() => localStorage.getItem("lb.names")!.includes(page.world.session("s-7").info.title));
    expect(localStorage.getItem("lb.drafts")).toContain("half a thought");
    expect(localStorage.getItem("lb.outbox")).toContain("half a message");
  };
  const nothingLeft = () => {
    const all = JSON.stringify({ ...localStorage });
    expect(all).not.toContain("half a");
    for (const { info } of page.world.sessions.values())
      if (info.title !== "") expect(all).not.toContain(info.title);
    expect(document.title).not.toContain(page.world.session("s-7").info.title);
  };

  it("leaves no titles, drafts and messages behind", async () => {
    await leaveSomething();
    await page.app.login.leave();
    await until(() => $(page.root, ".login"));
    nothingLeft();
    expect(localStorage.getItem("lb.token")).toBeNull();
  });

  it("in another window does the same here", async () => {
    await leaveSomething();
    dispatchEvent(new StorageEvent("storage", { key: "lb.outbox", oldValue: "[]", newValue: null }));
    nothingLeft();
  });

  it("by the server keeps what was written", async () => {
    await leaveSomething();
    page.app.login.end();
    expect(localStorage.getItem("lb.drafts")).toContain("half a thought");
    expect(localStorage.getItem("lb.outbox")).toContain("half a message");
  });
});
