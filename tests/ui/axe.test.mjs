// What axe-core finds in every place of the page: nothing serious, light and dark, from a screen to a phone.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  axeSource,
  closeBrowser,
  newSession,
  reads,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

/** A screen, half of one, a screen at 200 %, a phone. */
const kWidths = [1280, 700, 640, 390];

/** Runs in the page. */
async function serious() {
  const { violations } = await window.axe.run(document, {
    resultTypes: ["violations"],
  });
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(
      ({ id, nodes }) =>
        `${id} ${nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message}`)
          .join(" || ")}`,
    );
}

async function pasteText(page, text) {
  await page.locator(".composer textarea").evaluate((field, pasted) => {
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
}

/** Two messages that were not sent, of a session that is not on screen. */
const leaveUnsent = (page) =>
  page.evaluate(() => {
    const entry = (content, problem) => ({
      clientMessageId: crypto.randomUUID(),
      sessionId: JSON.parse(localStorage.getItem("lb.tabs")).ids[0],
      content,
      attachments: [],
      state: "failed",
      problem,
      at: new Date().toISOString(),
    });
    localStorage.setItem(
      "lb.outbox",
      JSON.stringify([
        entry("a first message", "The agent is gone."),
        entry("another one ".repeat(60), "This message is too large."),
      ]),
    );
  });

for (const scheme of ["light", "dark"])
  test(`axe-core finds nothing serious, at any width (${scheme})`, async () => {
    const { server, page } = await ready({ scheme });
    const found = [];
    const look = async (where) => {
      for (const width of kWidths) {
        await page.setViewportSize({ width, height: 820 });
        if (!(await page.evaluate(() => "axe" in window)))
          await page.evaluate(axeSource);
        for (const problem of await page.evaluate(serious))
          found.push(`${where}, ${width} px: ${problem}`);
      }
      await page.setViewportSize({ width: 1280, height: 820 });
    };
    const closed = () =>
      until(
        async () => (await page.locator("dialog[open]").count()) === 0,
        "the dialog to close",
      );
    const inDialog = async (where, open) => {
      await open();
      await page.locator("dialog[open]").waitFor();
      await look(where);
      await page.keyboard.press("Escape");
      await closed();
    };
    try {
      await newSession(page);
      await look("the start line");
      await send(page, "use tools");
      await turnEnds(page);
      await page.locator(".tool-head").first().click();
      await page.locator(".thinking-head").first().click();
      await look("a conversation");
      await send(page, "ask for approval");
      await page.locator(".approval.pending").waitFor();
      await look("an approval");

      await newSession(page, "Demo");
      await pasteText(page, "a line of a log\n".repeat(4000));
      await page.locator(".draft-attachments .text-chip").waitFor();
      await look("a text that is about to be sent");
      await send(page, "hello");
      await turnEnds(page);
      const chip = page.locator(".message.user .text-chip");
      await inDialog("a text that was sent", () => chip.click());

      await page.getByRole("button", { name: /^Inbox/ }).click();
      await page.locator(".inbox .approval.pending").waitFor();
      await look("the inbox");
      await page.getByRole("button", { name: /^Workspaces/ }).click();
      await page.locator("main.workspaces").waitFor();
      await look("workspaces");
      await page.getByRole("button", { name: /^Agents/ }).click();
      await inDialog("the palette", () => page.keyboard.press("Control+k"));
      await inDialog("the switcher", () => page.keyboard.press("Control+e"));
      await page.getByRole("button", { name: "Settings" }).click();
      await page.locator("main.settings").waitFor();
      await look("settings");
      await page
        .getByRole("button", { name: "Logins and audit trail" })
        .click();
      await page.locator(".audit-row time").first().waitFor();
      await look("audit");

      await page.route(/\/export\?/, (route) =>
        route.fulfill({ status: 500, body: '{"message":"Not now."}' }),
      );
      await page.locator("[role=tab]").first().click();
      await page.getByRole("button", { name: "Session menu" }).click();
      await page.getByRole("menuitem", { name: "Export as Markdown" }).click();
      await page.locator(".toast.error").waitFor();
      await inDialog("messages of the page", () =>
        page.getByRole("button", { name: /^Messages/ }).click(),
      );
      await leaveUnsent(page);
      await page.goto(new URL("/overview", server.url).href);
      await reads(page.locator(".notice"), /2 messages were not sent/);
      await look("the overview");
      await inDialog("messages that were not sent", () =>
        page.getByRole("button", { name: "Show", exact: true }).click(),
      );
      assert.deepEqual(found, []);
      assert.deepEqual(page.problems, []);
    } finally {
      await server.stop();
    }
  });
