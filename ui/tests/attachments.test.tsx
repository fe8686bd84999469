// Texts that are too long to stand in a message go with it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { attachFile } from "../src/actions/attach";
import { $, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
const start = async (world = new World("busy")) => {
  world.pace = 0;
  page = await startPage(world);
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  await until(() => page.app.timelines.of("s-7").loaded.value);
};
beforeEach(() => start());
afterEach(() => page.close());

const compose = () => until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
const paste = async (text: string, files: File[] = []): Promise<boolean> => {
  const event = new Event("paste", { bubbles: true, cancelable: true });
  Object.assign(event, {
    clipboardData: { files, getData: (kind: string) => (kind === "text/plain" ? text : "") },
  });
  (await compose()).dispatchEvent(event);
  return event.defaultPrevented;
};
const drafts = () => page.app.drafts.attachments("s-7");
const uploaded = () => until(() => drafts().length > 0 && drafts().every((one) => one.attachmentId));
const log = Array.from({ length: 2000 }, (_, line) => `line ${line}: ä`).join("\n") + "\n";
const agent = () =>
  page.world.agents.find(({ cliType }) => cliType === page.world.session("s-7").info.cliType)!;

describe("a large paste", () => {
  it("becomes a text that goes with the message, with its name, size and lines", async () => {
    expect(await paste("short")).toBe(false);
    expect(await paste(log)).toBe(true);
    await uploaded();
    const chip = await until(() => $(page.root, ".draft-attachments .text-chip"));
    expect(chip.textContent).toBe("pasted-1.txt26 KiB · 2,000 lines");
    expect((await compose()).value).toBe("");
    await type(await compose(), "What is wrong here?");
    await press(await compose(), "Enter");
    const shown = await until(() => $(page.root, ".message.user .text-chip"));
    expect(shown.textContent).toBe("pasted-1.txt26 KiB · 2,000 lines");
    expect(drafts()).toEqual([]);
    const [{ attachments }] = page.heard("session:send") as [{ attachments: { attachmentId: string }[] }];
    expect(page.world.attachments.get(attachments[0]!.attachmentId)!.content).toBe(log);
    // Pressed, it can be read.
    shown.click();
    const pre = await until(() => $(page.root, "dialog pre"));
    expect(pre.textContent).toBe(log);
    expect(texts(page.root, "dialog .modal-foot .button")).toEqual(["Done"]);
  });

  it("alone is a message too", async () => {
    await paste(log);
    await uploaded();
    await press(await compose(), "Enter");
    await until(() => $(page.root, ".message.user .text-chip"));
    expect(page.heard("session:send")[0]).toMatchObject({ content: "" });
  });

  it("can be put into the message after all, and removed", async () => {
    await paste(log);
    await paste(log);
    await uploaded();
    const names = () => texts(page.root, ".draft-attachments .text-chip-name");
    expect(names()).toEqual(["pasted-1.txt", "pasted-2.txt"]);
    button(page.root, "Remove pasted-1.txt").click();
    await until(() => names().join() === "pasted-2.txt");
    $(page.root, ".draft-attachments .text-chip")!.click();
    button(
      await until(() => $(page.root, "dialog pre") && $(page.root, "dialog")),
      "Put it into the message",
    ).click();
    await until(() => drafts().length === 0);
    expect((await compose()).value).toBe(log);
  });

  it("outlives a reload", async () => {
    await paste(log);
    await uploaded();
    await page.reload();
    const chip = await until(() => $(page.root, ".draft-attachments .text-chip"));
    expect(chip.textContent).toBe("pasted-1.txt26 KiB · 2,000 lines");
    await page.app.login.leave();
    expect(JSON.stringify({ ...localStorage })).not.toContain("pasted");
  });

  it("above the limit is refused with it, and not sent anywhere", async () => {
    await paste("x".repeat(6 << 20));
    const problem = await until(() => $(page.root, ".draft-attachments .problem"));
    expect(problem.textContent).toContain("This text is too large: it has 6.0 MiB, and 5 MiB is the most.");
    expect(page.asked.filter((path) => path.includes("attachment"))).toEqual([]);
    await press(await compose(), "Enter");
    expect(page.heard("session:send")).toEqual([]);
  });

  it("that the network lost can be tried again", async () => {
    const http = page.world.http.bind(page.world);
    page.world.http = () => Promise.reject(Object.assign(new Error("No."), { status: 503, code: "BUSY" }));
    await paste(log);
    const problem = await until(() => $(page.root, ".draft-attachments .problem"));
    expect(problem.textContent).toContain("No.");
    page.world.http = http;
    button(problem, "Try again").click();
    await uploaded();
    expect($(page.root, ".draft-attachments .problem")).toBeNull();
  });
});

describe("an agent that takes no texts", () => {
  beforeEach(async () => {
    page.close();
    const world = new World("busy");
    for (const one of world.agents) one.takesText = false;
    await start(world);
    expect(agent().takesText).toBe(false);
  });

  it("gets a large paste as words, up to the limit that is named before sending", async () => {
    expect(await paste(log)).toBe(false);
    await type(await compose(), "x".repeat(2 << 20));
    const problem = await until(() => $(page.root, ".composer-problem"));
    expect(problem.textContent).toContain("it has 2.0 MiB, and 1 MiB is the most");
    expect(problem.querySelector("button")).toBeNull();
    expect(button(page.root, "Send message").disabled).toBe(true);
  });

  it("is offered no text file", async () => {
    expect($(page.root, ".composer input[type=file]")!.getAttribute("accept")).toContain("image/png");
    await attachFile(page.app, "s-7", new File(["words"], "notes.md"));
    const problem = await until(() => $(page.root, ".draft-attachments .problem"));
    expect(problem.textContent).toContain(
      "This agent takes no attached texts. A message may have 1 MiB at most.",
    );
    expect(page.asked.filter((path) => path.includes("attachment"))).toEqual([]);
  });
});

describe("words that became too many", () => {
  it("are attached with one press", async () => {
    const words = "x".repeat(2 << 20);
    await type(await compose(), words);
    button(await until(() => $(page.root, ".composer-problem")), "Attach it as text").click();
    await uploaded();
    expect((await compose()).value).toBe("");
    expect($(page.root, ".composer-problem")).toBeNull();
    expect(drafts()).toMatchObject([{ name: "pasted-1.txt", bytes: 2 << 20, lines: 1 }]);
  });

  it("of a message that was set aside come back with everything", async () => {
    page.app.outbox.add("s-7", "", [{ attachmentId: "a b", name: "x" }]);
    await until(() => page.app.outbox.entries.value.length === 0);
    page.online.value = false;
    page.pipes.at(-1)!.close();
    await until(() => page.app.link.state.value.kind === "offline");
    page.app.outbox.add("s-7", "", [
      { attachmentId: "a1", name: "build.log", kind: "text", bytes: 3000, lines: 7 },
    ]);
    await until(() => $(page.root, ".pending-note"));
    expect(texts(page.root, ".message.user .bubble").at(-1)).toBe("build.log3 KiB · 7 lines");
    button(page.root, "Edit").click();
    const chip = await until(() => $(page.root, ".draft-attachments .text-chip"));
    expect(chip.textContent).toBe("build.log3 KiB · 7 lines");
  });
});

describe("a file", () => {
  it("of text is attached by its name, an image as an image, and anything else is refused", async () => {
    await paste("", [
      new File(["# Notes\n"], "notes.md", { type: "text/markdown" }),
      new File([new Uint8Array([0x89, 0x50])], "shot.png", { type: "image/png" }),
      new File([new Uint8Array([0xff, 0xfe, 0x00])], "program"),
      new File([], "nothing.txt"),
    ]);
    await until(() => drafts().length === 4 && drafts().every((one) => one.attachmentId ?? one.problem));
    const by = Object.fromEntries(drafts().map((one) => [one.name, one]));
    expect(by["notes.md"]).toMatchObject({
      kind: "text",
      bytes: 8,
      lines: 1,
      attachmentId: expect.any(String),
    });
    expect(by["shot.png"]).toMatchObject({ kind: "image", attachmentId: expect.any(String) });
    expect(by["program"]!.problem).toBe("program is neither an image nor text in UTF-8.");
    expect(by["nothing.txt"]!.problem).toBe("There is nothing in it.");
  });
});
