// What is approved is seen: in a real browser, with real sizes.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  answerable,
  closeBrowser,
  counts,
  newSession,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

for (const size of [
  { width: 1280, height: 820 },
  { width: 390, height: 844 },
]) {
  test(`a long command is shown whole before it is allowed, at ${size.width} pixels`, async () => {
    const { server, page } = await ready({ size });
    try {
      await newSession(page);
      await send(page, "ask for approval of a script");
      const card = page.locator(".approval.pending");
      await card.locator(".detail-more", { hasText: "601 lines" }).waitFor();
      const allow = card.getByRole("button", { name: /^Allow once/ });
      // A press scrolls to the button first: where it is then counts.
      await allow.scrollIntoViewIfNeeded();
      const before = await allow.boundingBox();
      await allow.dblclick();
      await card.locator(".look-first").waitFor();
      await counts(page.locator(".approval.decided"), 0);
      // All of it takes its room: whoever presses Allow came past every line.
      const box = await card.locator(".detail").boundingBox();
      assert.ok(box.height > 601 * 15, `${box.height} pixels for 601 lines`);
      const scrolls = await card
        .locator(".detail")
        .evaluate((element) => element.scrollHeight - element.clientHeight);
      assert.ok(scrolls <= 1, `${scrolls} pixels of it are out of sight`);
      const there = await page.evaluate(
        ({ x, y }) =>
          (document.elementFromPoint(x, y)?.closest("[data-answer]") ??
            null) !== null,
        { x: before.x + 8, y: before.y + 8 },
      );
      assert.equal(there, false, "the button is still under the pointer");
      await allow.scrollIntoViewIfNeeded();
      await allow.click();
      await page.locator(".approval.decided.allowed").waitFor();
      await turnEnds(page);
      assert.deepEqual(page.problems, []);
    } finally {
      await server.stop();
    }
  });
}

test("the menu of answers lies above everything and within the window", async () => {
  const { server, page } = await ready({ size: { width: 390, height: 500 } });
  try {
    await newSession(page);
    await send(page, "ask for approval");
    await page
      .locator(".approval.pending")
      .getByRole("button", { name: /^More/ })
      .click();
    const menu = page.locator(".popup");
    const inside = () =>
      menu.evaluate((element) => {
        const { top, left, right, bottom } = element.getBoundingClientRect();
        const on = document.elementFromPoint((left + right) / 2, bottom - 12);
        return (
          top >= 0 &&
          left >= 0 &&
          right <= innerWidth &&
          bottom <= innerHeight &&
          element.contains(on)
        );
      });
    await until(inside, "the menu to lie within the window");
    await page.keyboard.press("Escape");
    await counts(menu, 0);
    await counts(page.locator(".approval.pending"), 1);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("the conversation and the composer stand on one line, with and without a scrollbar", async () => {
  for (const width of [1280, 900]) {
    const { server, page } = await ready({ size: { width, height: 700 } });
    try {
      await newSession(page);
      const edges = (selector) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => {
            const { left, right } = element.getBoundingClientRect();
            return [Math.round(left), Math.round(right)];
          });
      await send(page, "echo short");
      await turnEnds(page);
      assert.deepEqual(
        await edges(".row > .message.agent"),
        await edges(".composer"),
      );
      await send(page, "long answer");
      await turnEnds(page);
      assert.deepEqual(
        await edges(".row > .message.agent"),
        await edges(".composer"),
      );
      assert.deepEqual(page.problems, []);
    } finally {
      await server.stop();
    }
  }
});

test("who stands at the end is not sent to the newest, however the end came there", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "ask for approval");
    await page.locator(".approval.pending").waitFor();
    // Going to a question in a conversation that fits the screen leaves nothing below.
    await page.getByRole("button", { name: "Waiting for your answer" }).click();
    await page.locator(".row.found").waitFor();
    await answerable(page);
    await counts(page.locator(".to-end"), 0);
    await page.keyboard.press("2");
    await turnEnds(page);
    await counts(page.locator(".to-end"), 0);
    // A refusal is no failure.
    await page.locator(".tool .state[title=Rejected]").waitFor();
    await counts(page.locator(".tool .state.failed"), 0);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
