// The first look that needs no account: the demo agent inside the program shows what the product can do.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, newSession, ready, send, turnEnds } from "./support.mjs";

after(closeBrowser);

test("the demo agent's tour: thinking, plan, tools, an approval that is allowed, a real diff, a table", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page, "Demo");
    await page.getByRole("button", { name: "Show me around" }).click();
    const card = page.locator(".approval.pending");
    await card.waitFor({ timeout: 60_000 });
    await page
      .locator(".session-row .state-label", { hasText: "needs you" })
      .waitFor();
    await card.locator(".button.primary").first().click();
    await turnEnds(page);
    await page.locator(".approval.decided.allowed").waitFor();
    await page.locator(".line-add").first().waitFor();
    await page.locator(".md table td").first().waitFor();
    await page.locator(".tool").nth(1).waitFor();
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await server.stop();
  }
});

test("the demo agent can be refused, stopped and asked again", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page, "Demo");
    await send(page, "/edit");
    await page
      .locator(".approval.pending .button.reject")
      .first()
      .click({ timeout: 60_000 });
    await turnEnds(page);
    await page.locator(".approval.decided.refused").waitFor();
    await send(page, "/slow seconds=600");
    await page.locator(".working-line").waitFor();
    await page.locator(".composer textarea").focus();
    await page.keyboard.press("Escape");
    await page.locator(".turn-cancelled").waitFor();
    await send(page, "hello");
    await turnEnds(page);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
