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

test("thirty open sessions: every tab can be read, one key goes back and forth, and a switch takes under 100 ms", async (t) => {
  const { server, page } = await ready();
  try {
    for (let n = 0; n < 30; n++) {
      await newSession(page);
      await send(page, `echo number ${n} of thirty`);
      await until(async () => path(page).startsWith("/s/"), "the session");
    }
    await counts(page.locator(".tab"), 30);
    await turnEnds(page);
    const widths = await page
      .locator(".tab")
      .evaluateAll((tabs) =>
        tabs.map((tab) => tab.getBoundingClientRect().width),
      );
    assert.ok(Math.min(...widths) >= 140, `a tab of ${Math.min(...widths)} px`);
    const seen = await page.locator(".tab.active").evaluate((tab) => {
      const row = tab.parentElement.getBoundingClientRect();
      const box = tab.getBoundingClientRect();
      return box.left >= row.left - 1 && box.right <= row.right + 1;
    });
    assert.ok(seen, "the tab in front is in view");
    await page.getByRole("button", { name: /^30 open sessions/ }).waitFor();

    const title = page.locator(".session-head h1");
    await reads(title, /number 29 /);
    for (const other of [/number 28 /, /number 29 /]) {
      await page.keyboard.press("Control+e");
      await page.getByRole("dialog", { name: "Switch session" }).waitFor();
      await page.keyboard.press("Enter");
      await reads(title, other);
    }
    await page.keyboard.press("Control+e");
    await page.getByRole("dialog", { name: "Switch session" }).waitFor();
    await page.keyboard.type("number 7 ");
    await reads(page.locator(".picker-list li").first(), /number 7 /);
    await page.keyboard.press("Enter");
    await reads(title, /number 7 /);

    const times = await page.evaluate(async () => {
      const took = [];
      const shown = (text) =>
        new Promise((resolve) => {
          const look = () =>
            [...document.querySelectorAll(".message.user")].some((row) =>
              row.textContent.includes(text),
            )
              ? resolve()
              : requestAnimationFrame(look);
          requestAnimationFrame(look);
        });
      for (let round = 0; round < 3; round++)
        for (const tab of document.querySelectorAll("[role=tab]")) {
          const [text] = /number \d+ of thirty/.exec(tab.textContent);
          const start = performance.now();
          tab.click();
          await shown(text);
          if (round > 0) took.push(performance.now() - start);
        }
      return took.sort((a, b) => a - b);
    });
    const p95 = times[Math.floor(times.length * 0.95)];
    t.diagnostic(`p95 of ${times.length} switches: ${p95.toFixed(1)} ms`);
    // Not the p95, which is what else this machine does; script/bench ui measures that.
    const quarter = times[Math.floor(times.length / 4)];
    assert.ok(quarter < 100, `a switch took ${quarter} ms`);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("nothing moves by itself: no layout shift without a hand in a walk through everything", async () => {
  const { server, page } = await ready();
  try {
    await page.addInitScript(() => {
      window.shifts = [];
      const name = (node) =>
        node?.nodeType === 1
          ? `${node.tagName}.${node.className} ${node.textContent.slice(0, 40)}`
          : String(node?.textContent).slice(0, 40);
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (!entry.hadRecentInput)
            window.shifts.push(
              `${entry.value.toFixed(4)} ${entry.sources.map(({ node, previousRect: was, currentRect: is }) => `${name(node)} from ${was.x},${was.y} ${was.width}x${was.height} to ${is.x},${is.y} ${is.width}x${is.height}`).join(" | ")}`,
            );
      }).observe({ type: "layout-shift", buffered: true });
    });
    const found = [];
    const look = async (where) => {
      const shifts = await page.evaluate(() => window.shifts.splice(0));
      found.push(...shifts.map((shift) => `${where}: ${shift}`));
    };
    await page.reload();
    await page.locator(".empty-session").waitFor();
    await look("a new session");
    // A choice made by a script is no hand for the browser; what it moves is what was asked for.
    await newSession(page);
    await page
      .getByRole("heading", { name: "What should scripted do?" })
      .waitFor();
    await page.evaluate(
      () =>
        new Promise((done) =>
          requestAnimationFrame(() => requestAnimationFrame(done)),
        ),
    );
    await page.evaluate(() => window.shifts.splice(0));
    await send(page, "use tools");
    await turnEnds(page);
    await look("tools");
    await send(page, "ask for approval");
    await page.locator(".approval.pending").waitFor();
    await look("an approval");
    await page.getByRole("button", { name: /^Inbox/ }).click();
    await page.locator(".inbox .approval.pending").waitFor();
    await page.locator(".approval.pending .button").first().click();
    await counts(page.locator(".approval.pending"), 0);
    await look("the inbox");
    await page.keyboard.press("Control+Alt+h");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await look("the overview");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.locator(".home .composer textarea").waitFor();
    await look("the overview after a reload");
    await page.locator(".session-open").first().click();
    await turnEnds(page);
    await page.reload();
    await turnEnds(page);
    await look("a session after a reload");
    assert.deepEqual(found, []);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
