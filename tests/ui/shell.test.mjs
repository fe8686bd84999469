// The frame of the page: addresses and history, messages, the list, starting a session, moving between many.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  closeBrowser,
  counts,
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

test("a message covers no control at any width, leaves by itself and can be read again", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "echo something");
    await turnEnds(page);
    await page.route(/\/export\?/, (route) =>
      route.fulfill({
        status: 500,
        body: JSON.stringify({
          code: "INTERNAL",
          message: "This could not be exported, for a long reason. ".repeat(4),
        }),
      }),
    );
    for (const width of [1280, 700, 390]) {
      await page.setViewportSize({ width, height: 820 });
      await page.getByRole("button", { name: "Session menu" }).click();
      await page.getByRole("menuitem", { name: "Export as Markdown" }).click();
      const notice = page.locator(".toast.error");
      await notice.waitFor();
      const covered = await notice.evaluate((toast) => {
        const over = toast.getBoundingClientRect();
        return [
          ...document.querySelectorAll(
            "button, a[href], select, input, textarea, [role=tab]",
          ),
        ]
          .filter((control) => !toast.contains(control))
          .filter((control) =>
            control.checkVisibility({ visibilityProperty: true }),
          )
          .filter((control) => {
            const box = control.getBoundingClientRect();
            return (
              box.width > 1 &&
              box.left < over.right - 1 &&
              box.right > over.left + 1 &&
              box.top < over.bottom - 1 &&
              box.bottom > over.top + 1
            );
          })
          .map(
            (control) =>
              control.getAttribute("aria-label") ?? control.textContent,
          );
      });
      assert.deepEqual(covered, [], `at ${width}`);
      if (width === 390) await notice.waitFor({ state: "detached" });
      else await notice.getByRole("button", { name: "Dismiss" }).click();
    }
    await page.getByRole("button", { name: /^Messages/ }).click();
    await page
      .locator(".kept-messages", { hasText: "for a long reason" })
      .waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a session is started by typing: one key, the words, Enter; before that there is none", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    const asked = [];
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        const { type } = JSON.parse(payload);
        if (type === "session:create" || type === "session:send")
          asked.push(type);
      }),
    );
    await page.reload();
    const field = page.locator(".composer textarea");
    await field.waitFor();
    await page.keyboard.press("Control+Alt+h");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    // Where something is being written a letter is a letter; elsewhere it is a key.
    await page.locator(".brand-name").click();
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("n");
    await at(page, "/new");
    await until(
      () => page.evaluate(() => document.activeElement?.tagName === "TEXTAREA"),
      "the focus",
    );
    await page.keyboard.type("echo begun by typing");
    assert.deepEqual(asked, []);
    await page.keyboard.press("Enter");
    await turnEnds(page);
    assert.deepEqual(asked, ["session:create", "session:send"]);
    await reads(page.locator(".session-head h1"), /begun by typing/);
    await counts(page.locator(".session-row"), 1);
    await counts(page.locator(".tab"), 1);

    // From the overview with no key at all, with the same agent in the same project.
    await page.keyboard.press("Control+Alt+h");
    await page.locator(".home .composer textarea").waitFor();
    await until(
      () => page.evaluate(() => document.activeElement?.tagName === "TEXTAREA"),
      "the focus",
    );
    await page.keyboard.type("echo the second one");
    await page.keyboard.press("Enter");
    await turnEnds(page);
    await counts(page.locator(".session-row"), 2);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("the drawer of a narrow window: Escape closes it and nothing else, and the focus goes in and comes back", async () => {
  const { server, page } = await ready({ size: { width: 700, height: 800 } });
  try {
    await newSession(page);
    await send(page, "long answer");
    await page.locator(".head-state", { hasText: "Working" }).waitFor();
    const focused = (name) =>
      until(
        () =>
          page.evaluate(
            (wanted) => document.activeElement?.ariaLabel === wanted,
            name,
          ),
        `the focus on ${name}`,
      );
    await page.getByRole("button", { name: "Show sidebar" }).click();
    await focused("Hide sidebar");
    await page.keyboard.press("Escape");
    await counts(page.locator(".scrim"), 0);
    await focused("Show sidebar");
    await turnEnds(page);
    await counts(
      page.locator(".message.agent", { hasText: "Paragraph 40 " }),
      1,
    );
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
