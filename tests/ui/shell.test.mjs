// The frame of the page: addresses and history, messages, the list, starting a session, moving between many.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  closeBrowser,
  newSession,
  openPage,
  reads,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

const path = (page) => new URL(page.url()).pathname;
const at = (page, wanted) =>
  until(async () => path(page) === wanted, `the address ${wanted}`);

test("addresses: each place has one, a reload lands there, Back and Forward lead along, and a launch code is in no entry", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "echo the first one");
    await turnEnds(page);
    await until(async () => path(page).startsWith("/s/"), "a session's path");
    const first = path(page);
    await page.getByRole("button", { name: /^Inbox/ }).click();
    await at(page, "/inbox");
    await page.reload();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.keyboard.press("Control+Alt+h");
    await at(page, "/overview");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goBack();
    await at(page, "/inbox");
    await page.goBack();
    await at(page, first);
    await reads(page.locator(".session-head h1"), /the first one/);
    await page.reload();
    await reads(page.locator(".session-head h1"), /the first one/);
    await page.goForward();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    const entries = () =>
      page.evaluate(() => navigation.entries().map((entry) => entry.url));
    assert.ok((await entries()).length >= 3);
    assert.deepEqual(
      (await entries()).filter((url) => /code=/.test(url)),
      [],
    );

    // A launch address opened where one is logged in already, and a link of the old form.
    await page.goto(server.open());
    await at(page, first);
    await page.goto(`${server.url}#session=${first.slice(3)}`);
    await at(page, first);
    await reads(page.locator(".session-head h1"), /the first one/);
    await page.evaluate(() => {
      location.hash = "code=used-up";
    });
    await until(() => page.evaluate(() => location.hash === ""), "no code");
    assert.deepEqual(
      (await entries()).filter((url) => /code=|session=/.test(url)),
      [],
    );

    // Whoever has no key sees the door, whatever the address, and the place behind it afterwards.
    const stranger = await openPage(server, {
      url: new URL(first, server.url).href,
    });
    await stranger.getByLabel("Launch address or code").fill(server.open());
    await stranger.getByRole("button", { name: "Enter" }).click();
    await reads(stranger.locator(".session-head h1"), /the first one/);
    assert.equal(path(stranger), first);
    assert.deepEqual([...page.problems, ...stranger.problems], []);
  } finally {
    await server.stop();
  }
});
