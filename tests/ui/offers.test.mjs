// What is offered above the message: all of it can be reached and read.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { manyCommands } from "../../ui/dev/commands.mjs";
import {
  closeBrowser,
  development,
  newSession,
  openPage,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

/** Names that are cut or do not fit; the chosen one's place in the list. */
const look = (page) =>
  page.locator(".completion").evaluate((list) => {
    const frame = list.getBoundingClientRect();
    const names = [...list.querySelectorAll("bdi")];
    const chosen = list.querySelector('[aria-selected="true"]');
    const { top, bottom } = chosen.getBoundingClientRect();
    return {
      count: names.length,
      chosen: chosen.querySelector("bdi").textContent,
      inView: top >= frame.top && bottom <= frame.bottom,
      sideways: list.scrollWidth > list.clientWidth,
      cut: names
        .filter((name) => {
          const { left, right } = name.getBoundingClientRect();
          return (
            name.scrollWidth > name.clientWidth + 1 ||
            left < frame.left ||
            right > frame.right ||
            getComputedStyle(name).textOverflow === "ellipsis"
          );
        })
        .map((name) => name.textContent),
    };
  });

test("names of commands are whole, whatever their descriptions say, and the arrows reach all of them", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "many commands");
    await turnEnds(page);
    const phone = await openPage(server, {
      context: page.context(),
      url: server.url,
      size: undefined,
    });
    await phone.setViewportSize({ width: 390, height: 844 });
    await phone.locator(".composer textarea").waitFor();
    for (const one of [page, phone]) {
      await one.bringToFront();
      await one.locator(".composer textarea").click();
      await one.keyboard.type("/");
      await until(
        async () => (await look(one)).count === manyCommands.length,
        "all commands",
      );
      assert.deepEqual((await look(one)).cut, []);
      assert.equal((await look(one)).sideways, false);
      await one.keyboard.press("ArrowUp");
      assert.equal((await look(one)).chosen, `/${manyCommands[0].name}`);
      for (const _ of manyCommands) await one.keyboard.press("ArrowDown");
      const last = `/${manyCommands.at(-1).name}`;
      await until(async () => (await look(one)).chosen === last, last);
      assert.equal((await look(one)).inView, true);
      await one.keyboard.press("Escape");
      await one.locator(".composer textarea").fill("");
    }
    if (!development) {
      await page.locator(".composer textarea").fill("");
      await page.keyboard.type("@total");
      await until(
        async () => (await look(page)).chosen === "src/total.ts",
        "the file",
      );
    }
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
