// What moves: only what is meant to. The other tests ask the browser for stillness, and would not see it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  closeBrowser,
  newSession,
  openPage,
  addProject,
  send,
  Server,
  turnEnds,
} from "./support.mjs";

after(closeBrowser);

/** What turns on screen and is not the empty ring that says so. */
const turning = (page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll("body *")];
    const turns = all.filter(
      (element) => getComputedStyle(element).animationName === "turn",
    );
    const wrong = turns.filter(
      (element) =>
        element.className !== "working" ||
        element.childNodes.length > 0 ||
        element.offsetWidth !== element.offsetHeight,
    );
    return {
      rings: turns.length - wrong.length,
      wrong: wrong.map((element) => element.outerHTML),
    };
  });

test("while an agent works rings turn, and no word does; an alert looks like an alert, not like a footnote", async () => {
  const server = await Server.start();
  const page = await openPage(server, { motion: "no-preference" });
  try {
    await page.locator(".home h1").waitFor();
    await addProject(page, server.project);
    await newSession(page);
    await send(page, "long answer");
    await page.locator(".head-state", { hasText: "Working" }).waitFor();
    const { rings, wrong } = await turning(page);
    assert.deepEqual(wrong, []);
    assert.ok(rings >= 2, "the head and the list say who works");
    await turnEnds(page);
    const alerts = ["NOTE", "TIP"].map((name) => `> [!${name}]\n> echo`);
    await send(page, `${alerts.join("\n\n")}\n\nA word.[^1]\n\n[^1]: echo`);
    await turnEnds(page);
    const look = (name) =>
      page.locator(`.message.agent .alert.${name}`).evaluate((element) => {
        const { display, fontSize, color } = getComputedStyle(element);
        return { display, fontSize, color };
      });
    assert.deepEqual(await look("note"), await look("tip"));
    assert.equal((await look("note")).display, "block");
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
