// Going back to before a turn, and saying a message again in other words.
import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { available, run } from "../src/commands/table";
import { $, $$, button, press, startPage, tick, texts, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const good = {
  changes: [
    { path: "src/pricing/total.ts", kind: "modified" as const },
    { path: "src/pricing/legacy.ts", kind: "added" as const },
    { path: "src/pricing/cents.ts", kind: "deleted" as const },
  ],
};

const open = async (change: (world: World) => void = () => {}) => {
  const world = new World("workspaces");
  world.pace = 0;
  world.rewinds.set("t1", good);
  change(world);
  page = await startPage(world);
  page.app.nav.navigate({ page: "session", sessionId: "s-1" });
  await until(() => $(page.root, ".turn-footer"));
};
const ask = async (change?: (world: World) => void) => {
  await open(change);
  button($(page.root, ".turn-footer")!, "Rewind…").click();
  const dialog = await until(() => $(page.root, "dialog"));
  await until(() => $(dialog, ".rewind-choice") ?? $(dialog, ".problem"));
  return dialog;
};
const box = (dialog: HTMLElement, at: number) => $$(dialog, ".rewind-choice input")[at] as HTMLInputElement;
const files = (dialog: HTMLElement) => box(dialog, 0);
const conversation = (dialog: HTMLElement) => box(dialog, 1);

describe("rewinding", () => {
  it("is offered at the end of a turn that has a checkpoint, and in the palette for the last one", async () => {
    await open();
    expect(available(page.app, "rewind")).toBe(true);
    await press(document.body, "k", { ctrlKey: true });
    const field = await until(() => $(page.root, ".palette input") as HTMLInputElement);
    await type(field, "rewind");
    await press(field, "Enter");
    await until(() => $(page.root, "dialog")?.textContent?.includes("Rewind this turn"));
    expect($(page.root, ".rewind-prompt")!.textContent).toContain("The pricing test fails since yesterday");
  });

  it("is not offered while the turn goes on, nor for one without a checkpoint", async () => {
    await open((world) => world.session("s-1").timeline.turn("t1", { checkpoint: undefined }));
    expect(texts(page.root, ".turn-footer")[0]).not.toContain("Rewind");
    expect(available(page.app, "rewind")).toBe(false);
    page.world.session("s-1").timeline.turn("t1", { type: "turn_started", checkpoint: "made" });
    await tick();
    expect(available(page.app, "rewind")).toBe(false);
  });

  it("a turn without a checkpoint says why, quietly and only to whoever asks", async () => {
    await open((world) =>
      world.session("s-1").timeline.turn("t1", {
        checkpoint: "none",
        checkpointProblem: "It took longer than 200 ms.",
      }),
    );
    const footer = $(page.root, ".turn-footer")!;
    expect(footer.textContent).not.toContain("200 ms");
    expect($(footer, "[role=alert]")).toBeNull();
    button(footer, "Cannot be rewound").click();
    await until(() => footer.textContent!.includes("It took longer than 200 ms."));
  });

  it("shows what would happen to each file, and changes nothing by that", async () => {
    const dialog = await ask();
    expect(texts(dialog, ".path-list li")).toEqual([
      "changes backsrc/pricing/total.ts",
      "comes backsrc/pricing/legacy.ts",
      "is removedsrc/pricing/cents.ts",
    ]);
    expect([files(dialog).checked, conversation(dialog).checked]).toEqual([true, false]);
    button(dialog, "Cancel").click();
    await until(() => $(page.root, "dialog") === null);
    expect(page.world.rewound).toEqual([]);
  });

  it("takes the files back, and can itself be undone and done again", async () => {
    const dialog = await ask();
    button(dialog, "Rewind").click();
    await until(() => $(page.root, "dialog") === null);
    expect(page.world.rewound).toEqual([{ turnId: "t1", files: true, conversation: false }]);
    await until(() => texts(page.root, ".notice-text")[0]?.includes("Rewound 3 files."));
    button($(page.root, ".notice")!, "Undo").click();
    await until(() => texts(page.root, ".notice-text")[0]?.includes("The rewind was undone: 1 file."));
    expect(page.world.rewound.at(-1)).toEqual({ undoId: "undo-1" });
    button($(page.root, ".notice")!, "Undo").click();
    await until(() => page.world.rewound.length === 3);
    expect(page.app.nav.session.value).toBe("s-1");
  });

  it("an undo that would overwrite something says which file", async () => {
    const dialog = await ask();
    button(dialog, "Rewind").click();
    page.world.undoConflicts = ["src/pricing/total.ts"];
    button(await until(() => $(page.root, ".notice:has(.button)")), "Undo").click();
    await until(() => texts(page.root, ".notice.error")[0]?.includes("src/pricing/total.ts"));
  });

  it("names what was changed again since before anything is written, and does nothing then", async () => {
    const dialog = await ask((world) =>
      world.rewinds.set("t1", { ...good, conflicts: ["src/pricing/total.ts"] }),
    );
    expect(texts(dialog, ".verdict code")).toEqual(["src/pricing/total.ts"]);
    expect(dialog.textContent).toContain("Changed again since, at the same place:");
    expect(button(dialog, "Rewind").disabled).toBe(true);
    files(dialog).click();
    conversation(dialog).click();
    await until(() => !button(dialog, "Rewind").disabled);
  });

  it("that conflicts since it was looked at says so instead of writing", async () => {
    const dialog = await ask();
    page.world.rewinds.set("t1", { ...good, conflicts: ["src/late.ts"] });
    button(dialog, "Rewind").click();
    await until(() => texts(dialog, ".verdict code").includes("src/late.ts"));
    expect(button(dialog, "Rewind").disabled).toBe(true);
    expect(page.world.rewound).toEqual([]);
  });

  it("leaves what was changed while others worked in the same folder, and says so", async () => {
    const dialog = await ask((world) => world.rewinds.set("t1", { ...good, shared: ["package-lock.json"] }));
    expect($(dialog, ".rewind-shared")!.textContent).toContain(
      "Changed while other sessions worked in the same folder: left as they are.",
    );
    expect(texts(dialog, ".rewind-shared code")).toEqual(["package-lock.json"]);
    expect(button(dialog, "Rewind").disabled).toBe(false);
  });

  it("says that an agent cannot go back in its conversation before anything is done", async () => {
    const dialog = await ask((world) => world.rewinds.set("t1", { ...good, conversation: false }));
    expect(dialog.textContent).toContain("Files only: this agent cannot go back in its conversation.");
    expect(conversation(dialog).disabled).toBe(true);
  });

  it("of the conversation opens a fork that ends before the turn, with the message ready to be changed", async () => {
    const dialog = await ask();
    conversation(dialog).click();
    await tick();
    button(dialog, "Rewind").click();
    await until(() => page.app.nav.session.value !== "s-1");
    const fork = page.app.nav.session.value!;
    expect(page.world.rewound).toEqual([{ turnId: "t1", files: true, conversation: true }]);
    expect(page.world.session(fork).timeline.items.size).toBe(0);
    const field = await until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
    await until(() => field.value.startsWith("The pricing test fails"));
    button(await until(() => $(page.root, ".notice:has(.button)")), "Undo").click();
    await until(() => page.asked.includes("/api/session/s-1/rewind/undo"));
  });

  it("that cannot be looked at says why", async () => {
    await open();
    page.world.session("s-1").timeline.turns.get("t1")!.checkpoint = "none";
    button($(page.root, ".turn-footer")!, "Rewind…").click();
    await until(() => $(page.root, "dialog .problem")?.textContent === "This turn has no checkpoint.");
    expect(button($(page.root, "dialog")!, "Rewind").disabled).toBe(true);
  });
});

describe("editing an earlier message", () => {
  it("forks before it and puts its words into the composer of the fork", async () => {
    await open();
    button($(page.root, ".message.user")!, "Edit and send again").click();
    await until(() => page.app.nav.session.value !== "s-1");
    expect(page.heard("session:fork").at(-1)).toMatchObject({ sessionId: "s-1", before: "t1" });
    const field = await until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
    await until(() => field.value.includes("Please keep the public API."));
    expect(page.heard("session:send")).toEqual([]);
  });

  it("takes what was attached along", async () => {
    await open((world) => {
      world.attachments.set("a1", { type: "text/plain", content: "a\nb\n" });
      world.session("s-1").timeline.item("t1:user", {
        attachments: [{ attachmentId: "a1", name: "log.txt", mimeType: "text/plain", bytes: 4, lines: 2 }],
      });
    });
    run(page.app, "edit-again");
    await until(() => page.app.nav.session.value !== "s-1");
    const chip = await until(() => $(page.root, ".draft-attachments .text-chip"));
    expect(chip.textContent).toContain("log.txt");
    const fork = page.app.nav.session.value!;
    await until(() => page.app.drafts.attachments(fork)[0]?.attachmentId);
    expect(page.world.attachments.get(page.app.drafts.attachments(fork)[0]!.attachmentId!)?.content).toBe(
      "a\nb\n",
    );
  });

  it("says clearly when the agent cannot do that", async () => {
    await open((world) => Object.assign(world.session("s-1").info, { cliType: "codex" }));
    button($(page.root, ".message.user")!, "Edit and send again").click();
    await until(() => texts(page.root, ".notice.error")[0]?.includes("Codex cannot fork a session."));
    expect(page.app.nav.session.value).toBe("s-1");
  });

  it("is not offered for what was said into a running turn", async () => {
    await open((world) =>
      world.session("s-1").timeline.item("steered:user", {
        type: "message",
        turnId: "t1",
        origin: "user",
        content: "And faster",
        status: "complete",
      }),
    );
    const message = await until(() =>
      $$(page.root, ".message.user").find((one) => one.textContent!.includes("And faster")),
    );
    expect(() => button(message, "Edit and send again")).toThrow();
  });
});
