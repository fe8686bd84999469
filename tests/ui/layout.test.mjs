// How the page behaves under the hand: scrolling, tabs, phone width, keyboard only.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  addProject,
  answerable,
  browser,
  closeBrowser,
  counts,
  newSession,
  openPage,
  reads,
  ready,
  send,
  Server,
  turnEnds,
  typeAfter,
  until,
} from "./support.mjs";

after(closeBrowser);

const scrollState = (page) =>
  page.locator(".chat-scroll").evaluate((element) => ({
    top: element.scrollTop,
    fromEnd: element.scrollHeight - element.scrollTop - element.clientHeight,
  }));

/** Where the conversation stands once the wheel's movement is over: a dozen pictures in a row show it in one place. */
async function settled(page) {
  await page.locator(".chat-scroll").evaluate(
    (element) =>
      new Promise((resolve) => {
        let [top, same] = [element.scrollTop, 0];
        const look = () => {
          same = element.scrollTop === top ? same + 1 : 0;
          top = element.scrollTop;
          if (same < 12) requestAnimationFrame(look);
          else resolve();
        };
        requestAnimationFrame(look);
      }),
  );
  return scrollState(page);
}

test("scrolling: E1-TC-3.6a follows, E1-TC-3.6b pauses when the reader scrolls up and shows a button, E1-TC-3.6c the button resumes, E1-TC-3.5a the composer stays", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "long answer");
    await page
      .locator(".message.agent", { hasText: "Paragraph 30 " })
      .waitFor();
    await until(
      async () => (await scrollState(page)).fromEnd < 60,
      "following while text streams",
    );
    const box = await page.locator(".composer").boundingBox();
    await page.locator(".chat-scroll").hover();
    await page.mouse.wheel(0, -600);
    await page.getByRole("button", { name: /Newest|new below$/ }).waitFor();
    const paused = await settled(page);
    await page
      .locator(".message.agent", { hasText: "Paragraph 40 " })
      .waitFor();
    const later = await scrollState(page);
    assert.ok(
      Math.abs(later.top - paused.top) < 40,
      `the reader's place is kept: ${paused.top} then ${later.top}`,
    );
    await page.getByRole("button", { name: /Newest|new below$/ }).click();
    await until(async () => (await scrollState(page)).fromEnd < 60, "the end");
    await turnEnds(page);
    await until(
      async () => (await scrollState(page)).fromEnd < 60,
      "the end again",
    );
    await counts(page.locator(".to-end"), 0);
    const now = await page.locator(".composer").boundingBox();
    assert.equal(
      Math.round(now.y + now.height),
      Math.round(box.y + box.height),
    );
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("tabs: E1-TC-4.1a and E1-TC-4.1b open, E1-TC-4.2a scroll is kept, E1-TC-4.2b a switch takes under 100 ms, E1-TC-4.6a drag, E1-TC-4.6b and E1-TC-5.6a after a reload, E1-TC-4.4b and E1-TC-4.4c close", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "long answer");
    await turnEnds(page);
    await newSession(page);
    await send(page, "echo the second one");
    await turnEnds(page);
    await counts(page.locator(".tab"), 2);
    await page.locator(".tab").first().click();
    await page.locator(".message.agent", { hasText: "Paragraph 59" }).waitFor();
    await page.locator(".chat-scroll").hover();
    await page.mouse.wheel(0, -700);
    await page.locator(".to-end").waitFor();
    await until(
      async () => (await scrollState(page)).fromEnd > 400,
      "scrolled up",
    );
    const before = await settled(page);
    const took = await page.evaluate(async () => {
      const tabs = [...document.querySelectorAll("[role=tab]")];
      const shown = (text) =>
        new Promise((resolve) => {
          const look = () =>
            [...document.querySelectorAll(".row")].some((row) =>
              row.textContent.includes(text),
            )
              ? resolve()
              : requestAnimationFrame(look);
          look();
        });
      const times = [];
      for (let round = 0; round < 5; round++) {
        let start = performance.now();
        tabs[1].click();
        await shown("the second one");
        times.push(performance.now() - start);
        start = performance.now();
        tabs[0].click();
        await shown("long answer, with");
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[2]; // Not the fastest, but without what else the machine does.
    });
    assert.ok(took < 100, `a switch took ${took} ms`);
    await until(
      async () => Math.abs((await scrollState(page)).top - before.top) < 4,
      "the old scroll position",
    );
    await page.locator(".tab").nth(1).dragTo(page.locator(".tab").first());
    await reads(page.locator(".tab-title").first(), /the second one/);
    await page.reload();
    await page.locator(".tab").nth(1).waitFor();
    await reads(page.locator(".tab-title").first(), /the second one/);
    await reads(page.locator("[role=tab][aria-selected=true]"), /long answer/);
    await page.locator(".tab-close").nth(1).click();
    await reads(
      page.locator("[role=tab][aria-selected=true]"),
      /the second one/,
    );
    await page.locator(".tab-close").first().click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await counts(page.locator(".session-row"), 2);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("phone width: the sidebar is a drawer, nothing overflows, a message can be sent", async () => {
  const server = await Server.start();
  try {
    const page = await openPage(server, { size: { width: 390, height: 844 } });
    await page
      .getByRole("heading", { name: "Welcome to Liminal Builder" })
      .waitFor();
    await addProject(page, server.project, page.locator(".home"));
    await page.locator(".session-head", { hasText: "New Session" }).waitFor();
    await newSession(page);
    await send(page, "use tools on the phone");
    await turnEnds(page);
    await until(
      () =>
        page.evaluate(
          () => document.documentElement.scrollWidth <= window.innerWidth,
        ),
      "no sideways scrolling",
    );
    await page.getByRole("button", { name: "Show sidebar" }).click();
    await page.locator(".session-row").first().waitFor();
    await page.locator(".session-open").first().click();
    await until(
      async () => !(await page.locator(".sidebar.drawer-open").count()),
      "the drawer to close",
    );
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("on a phone everything that is touched is at least 40 pixels high and wide, in every place", async () => {
  const server = await Server.start();
  try {
    const context = await (
      await browser()
    ).newContext({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      reducedMotion: "reduce",
    });
    const page = await openPage(server, { context });
    await page
      .getByRole("heading", { name: "Welcome to Liminal Builder" })
      .waitFor();
    /** What could be pressed in the screen as it is and is too small; words inside a text are not counted. */
    const small = (where) =>
      page.evaluate((place) => {
        const scope = document.querySelector("dialog[open]") ?? document;
        return [
          ...scope.querySelectorAll(
            "button, select, textarea, a[href], input:not([type=radio], [type=checkbox], [type=file]), label:has(input)",
          ),
        ]
          .filter((element) => {
            const box = element.getBoundingClientRect();
            const seen = element.checkVisibility({
              opacityProperty: true,
              visibilityProperty: true,
            });
            const inside = box.right > 0 && box.left < innerWidth;
            const word = element.matches(".md a, .link-button, .copy, .skip");
            return (
              seen &&
              inside &&
              !word &&
              box.width > 1 &&
              (box.height < 40 || box.width < 40)
            );
          })
          .map((element) => {
            const box = element.getBoundingClientRect();
            return `${place}: ${element.className} ${element.getAttribute("aria-label") ?? element.textContent} ${Math.round(box.width)}x${Math.round(box.height)}`;
          });
      }, where);
    const found = [...(await small("first run"))];
    const look = async (where) => {
      found.push(...(await small(where)));
      if (
        await page.evaluate(
          () => document.documentElement.scrollWidth > window.innerWidth,
        )
      )
        found.push(`${where}: scrolls sideways`);
    };
    await page
      .locator(".home")
      .getByRole("button", { name: "Add project" })
      .click();
    await page.locator("dialog[open]").waitFor();
    await look("add project");
    await page
      .getByLabel("Folder on the server's machine")
      .fill(server.project);
    await page
      .locator("dialog")
      .getByRole("button", { name: "Add project" })
      .click();
    await page.locator(".session-head", { hasText: "New Session" }).waitFor();
    await newSession(page);
    await look("new session");
    await send(page, "use tools on the phone");
    await turnEnds(page);
    await look("conversation");
    await send(page, "ask for approval");
    await page.locator(".approval.pending").waitFor();
    await look("approval");
    await page.getByRole("button", { name: "Show sidebar" }).click();
    await page.locator(".session-row").first().waitFor();
    await look("drawer");
    await page.getByRole("button", { name: /^Inbox/ }).click();
    await page.locator(".inbox .approval.pending").waitFor();
    await look("inbox");
    await page.getByRole("button", { name: "Show sidebar" }).click();
    await page.getByRole("button", { name: "Settings" }).click();
    await look("settings");
    await page.getByRole("button", { name: "Logins and audit trail" }).click();
    await page.locator(".audit-row time").first().waitFor();
    await look("audit");
    assert.deepEqual(found, []);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("keyboard only: from an empty page to an answered approval", async () => {
  const server = await Server.start();
  try {
    const page = await openPage(server);
    await page
      .getByRole("heading", { name: "Welcome to Liminal Builder" })
      .waitFor();
    await typeAfter(page, "Control+k", "add project");
    await page
      .locator(".picker-list li", { hasText: /add project/i })
      .first()
      .waitFor();
    await counts(page.locator(".picker-list li"), 1);
    await typeAfter(page, "Enter", server.project);
    await page.keyboard.press("Enter");
    await page.locator(".session-head", { hasText: "New Session" }).waitFor();
    const on = (what) =>
      until(
        () => page.evaluate((is) => document.activeElement?.matches(is), what),
        `focus on ${what}`,
      );
    await on("textarea");
    for (
      let step = 0;
      step < 6 &&
      !(await page.evaluate(() =>
        document.activeElement.closest("[title=Agent]"),
      ));
      step++
    )
      await page.keyboard.press("Tab");
    await on("[title=Agent] select");
    await page.keyboard.type("scripted");
    await until(
      () => page.evaluate(() => document.activeElement.value === "scripted"),
      "the agent by its name",
    );
    for (
      let step = 0;
      step < 6 &&
      !(await page.evaluate(() => document.activeElement.matches("textarea")));
      step++
    )
      await page.keyboard.press("Shift+Tab");
    await page.locator(".composer textarea").waitFor();
    await until(
      async () =>
        page.evaluate(() => document.activeElement?.tagName === "TEXTAREA"),
      "focus on the composer",
    );
    await page.keyboard.type("ask for approval");
    await page.keyboard.press("Enter");
    await answerable(page);
    for (
      let step = 0;
      step < 40 &&
      !(await page.evaluate(() =>
        document.activeElement.textContent?.startsWith("Allow once"),
      ));
      step++
    )
      await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator(".approval.decided").waitFor();
    await turnEnds(page);
    // And without leaving the composer: what is being written stays as it is.
    await on(".composer textarea");
    await page.keyboard.type("ask for approval again");
    await page.keyboard.press("Enter");
    await answerable(page);
    await page.keyboard.type("1 more");
    await page.keyboard.press("Alt+Shift+Digit1");
    await counts(page.locator(".approval.decided.allowed"), 2);
    assert.equal(
      await page.locator(".composer textarea").inputValue(),
      "1 more",
    );
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await turnEnds(page);
    await page.keyboard.press("Control+Alt+w");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
