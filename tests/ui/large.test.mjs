// What is too large: said before it is sent, in the way of nothing, and as an attachment on its way all the same.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  closeBrowser,
  newSession,
  ready,
  reads,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

/** As a browser pastes: an event that carries the text. */
const paste = (page, text) =>
  page.locator(".composer textarea").evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    field.dispatchEvent(
      new ClipboardEvent("paste", {
        clipboardData,
        bubbles: true,
        cancelable: true,
      }),
    );
  }, text);

test("a message that an earlier page left and that no server takes ends no connection and can be removed", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "echo first");
    await turnEnds(page);
    const sessionId = await page.evaluate(
      () => JSON.parse(localStorage.getItem("lb.tabs")).active,
    );
    await page.evaluate((session) => {
      const entry = (content) => ({
        clientMessageId: crypto.randomUUID(),
        sessionId: session,
        content,
        attachments: [],
        state: "waiting",
        at: new Date().toISOString(),
      });
      const large = "x".repeat(1_040_000) + "\n".repeat(10_000);
      localStorage.setItem(
        "lb.outbox",
        JSON.stringify([entry(large), entry("echo after it")]),
      );
    }, sessionId);
    let sockets = 0;
    page.on("websocket", () => sockets++);
    await page.reload();
    const note = page.locator(".pending-note.failed");
    await reads(note, /Not sent: This message is too large/);
    await page.locator(".message.agent", { hasText: "after it" }).waitFor();
    await page.locator(".session-open").first().waitFor();
    assert.equal(sockets, 1);
    await note.getByRole("button", { name: "Remove" }).click();
    await note.waitFor({ state: "detached" });
    await page.reload();
    await turnEnds(page);
    assert.equal(sockets, 2);
    assert.equal(await note.count(), 0);
    await send(page, "echo still here");
    await page.locator(".message.agent", { hasText: "still here" }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a prompt of a million characters is stopped in the composer, where the agent takes no texts", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    let sockets = 0;
    page.on("websocket", () => sockets++);
    await page.locator(".composer textarea").fill("\u00e4".repeat(600_000));
    await reads(
      page.locator(".composer-problem"),
      /too large: it has 1\.1 MiB, and 1 MiB is the most/,
    );
    await page.keyboard.press("Enter");
    const button = page.getByRole("button", { name: "Send message" });
    assert.equal(await button.isDisabled(), true);
    // The server says so too, to whoever asks it anyway.
    await until(
      () => page.getByTitle("Attach an image").count(),
      "the agent's word that it takes no texts",
    );
    await send(page, "echo short");
    await page.locator(".message.agent", { hasText: "short" }).waitFor();
    assert.equal(sockets, 0);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a large paste goes to the agent as a text, can be read, and is in the exports", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page, "Demo");
    const line = "a line of a long log, with \u00fcmlauts\n";
    const text = line.repeat(60_000);
    await paste(page, text);
    const chip = page.locator(".draft-attachments .text-chip");
    await reads(chip, /^pasted-1\.txt2\.\d MiB · 60,000 lines$/);
    await send(page, "hello");
    await page
      .locator(".message.agent", { hasText: "pasted-1.txt (60000 lines)" })
      .waitFor();
    await turnEnds(page);
    await page.reload();
    await page.locator(".message.user .text-chip").click();
    const shown = page.locator("dialog pre");
    await shown.waitFor();
    assert.equal((await shown.textContent()).length, 200_000);
    await page.getByRole("button", { name: "Show all of it" }).click();
    await until(
      async () => (await shown.textContent()) === text,
      "the whole text",
    );
    await page.getByRole("button", { name: "Done", exact: true }).click();
    const exported = async (format) =>
      page.evaluate(async (wanted) => {
        const id = JSON.parse(localStorage.getItem("lb.tabs")).active;
        const headers = {
          Authorization: `Bearer ${localStorage.getItem("lb.token")}`,
        };
        const path = `/api/session/${id}/export?format=${wanted}`;
        return (await fetch(path, { headers })).text();
      }, format);
    assert.ok((await exported("md")).includes(`\`\`\`\n${text}\`\`\`\n`));
    const { entries, texts } = JSON.parse(await exported("json"));
    const [attached] = entries.find(
      ({ origin }) => origin === "user",
    ).attachments;
    assert.deepEqual(
      { name: attached.name, lines: attached.lines },
      { name: "pasted-1.txt", lines: 60_000 },
    );
    assert.equal(texts[attached.attachmentId], text);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
