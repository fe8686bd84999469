// Nothing shown is lost: two windows, a reload in mid-turn, a killed server.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  closeBrowser,
  counts,
  development,
  newSession,
  openPage,
  reads,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);
const conversation = (page) =>
  page
    .locator(".row")
    .evaluateAll((rows) => rows.map((row) => row.textContent));

test("two windows on one session show the same, and an answer in one is seen in the other", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    const other = await openPage(server, { url: server.open() });
    await send(page, "ask for approval");
    await other.locator(".session-open").first().click();
    await other.locator(".approval.pending").waitFor();
    await other.getByRole("button", { name: /^Allow once/ }).click();
    await page.locator(".approval.decided").waitFor();
    await turnEnds(page);
    await turnEnds(other);
    await until(
      async () =>
        JSON.stringify(await conversation(page)) ===
        JSON.stringify(await conversation(other)),
      "the same conversation in both windows",
    );
    assert.deepEqual([...page.problems, ...other.problems], []);
  } finally {
    await server.stop();
  }
});

test("a reload in mid-turn: the turn goes on, E1-TC-5.6a the tab is there, E1-TC-5.6b the agent lives, nothing is missing", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "slow please");
    await page.locator(".message.agent", { hasText: "word3 " }).waitFor();
    await page.reload();
    await page.locator(".message.agent", { hasText: "word3 " }).waitFor();
    await page.locator(".working-line").waitFor();
    await page.locator(".message.agent", { hasText: "word10 " }).waitFor();
    const text = await page.locator(".message.agent").textContent();
    for (let n = 0; n <= 10; n++)
      assert.ok(text.includes(`word${n} `), `word${n} is missing`);
    await page.getByRole("button", { name: "Stop (Esc)" }).click();
    await page.locator(".turn-cancelled").waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("kill -9 of the server with the page open: it comes back, E1-TC-4.7a tabs stay, E1-TC-2.5a and E1-TC-2.5b sessions and history are there, a send meanwhile is not lost", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "echo before the fall");
    await page
      .locator(".message.agent", { hasText: "before the fall" })
      .waitFor();
    await turnEnds(page);
    const before = await conversation(page);
    await server.kill();
    await page.getByText("Not connected.").waitFor();
    await send(page, "echo written while it was down");
    await page
      .locator(".pending-note", { hasText: "Waits for the connection" })
      .waitFor();
    await server.run(server.port);
    await page.getByText("Not connected.").waitFor({ state: "detached" });
    await page
      .locator(".message.agent", { hasText: "written while it was down" })
      .waitFor({ timeout: 30_000 });
    await turnEnds(page);
    const now = await conversation(page);
    assert.deepEqual(
      now.slice(0, before.length - 1),
      before.slice(0, before.length - 1),
    );
    await counts(
      page.locator(".message.user", { hasText: "written while it was down" }),
      1,
    );
    await page.reload();
    await page
      .locator(".message.agent", { hasText: "before the fall" })
      .waitFor();
    await counts(page.locator(".tab"), 1);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("once the page is loaded everything opens without the server: palette, help, search, a new session", async () => {
  const { server, page } = await ready();
  try {
    await page.keyboard.press("Control+Alt+h");
    await page.reload();
    await page.locator(".home h1").waitFor();
    // Nobody has opened anything: what dialogs and conversations need comes by itself.
    await until(
      () =>
        page.evaluate(() =>
          ["dialogs-", "conversation-"].every((part) =>
            performance
              .getEntriesByType("resource")
              .some(
                ({ name, responseEnd }) =>
                  name.includes(part) && responseEnd > 0,
              ),
          ),
        ),
      "the parts that come later",
    );
    await server.kill();
    await page.getByText("Not connected.").waitFor();
    for (const [keys, name] of [
      ["Control+k", "Command palette"],
      ["Control+Shift+f", "Search all conversations"],
      ["?", "Keyboard shortcuts"],
    ]) {
      await page.locator(".home h1").click(); // Out of the message: there a key is a letter.
      await page.keyboard.press(keys);
      await page.getByRole("dialog", { name }).waitFor();
      await page.keyboard.press("Escape");
      await counts(page.getByRole("dialog"), 0);
    }
    await page.keyboard.press("Control+Alt+i");
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.keyboard.press("Control+Alt+n");
    await page.locator(".session-head", { hasText: "New Session" }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test(
  "kill -9 in mid-turn: what was shown stays, the turn is closed as failed, and the session goes on",
  { skip: development && "needs the real server" },
  async () => {
    const { server, page } = await ready();
    try {
      await newSession(page);
      await send(page, "slow please");
      await page.locator(".message.agent", { hasText: "word12 " }).waitFor();
      await server.restart();
      await page.locator(".turn-failed").waitFor({ timeout: 30_000 });
      await reads(page.locator(".message.agent").first(), /word0 .*word5 /);
      await send(page, "echo and on");
      await page
        .locator(".message.agent", { hasText: "and on" })
        .waitFor({ timeout: 30_000 });
      assert.deepEqual(page.problems, []);
    } finally {
      await server.stop();
    }
  },
);

test(
  "a crashed agent is shown, and E1-TC-5.2d can be brought back",
  { skip: development && "needs a real agent process" },
  async () => {
    const { server, page } = await ready();
    try {
      await newSession(page);
      await send(page, "crash now");
      await page.locator(".turn-failed").waitFor({ timeout: 30_000 });
      await until(
        async () => !(await page.locator(".composer textarea").isDisabled()),
        "the agent to be back",
        60_000,
      );
      await send(page, "echo alive again");
      await page
        .locator(".message.agent", { hasText: "alive again" })
        .waitFor({ timeout: 30_000 });
      assert.deepEqual(page.problems, []);
    } finally {
      await server.stop();
    }
  },
);

test("a page that speaks another wire than its server reloads once, keeps the draft and then says so", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await page.locator(".composer textarea").fill("half a thought");
    let loads = 0;
    page.on("load", () => loads++);
    // From now on the server says of itself that it is newer than this page.
    await page.routeWebSocket(/\/ws$/, (socket) => {
      socket.connectToServer().onMessage((text) => {
        const message = JSON.parse(text);
        if (message.type === "hello") message.wireVersion += 1;
        socket.send(JSON.stringify(message));
      });
    });
    await page.reload();
    const banner = page.locator(".banner", { hasText: "Reload the page" });
    await banner.waitFor();
    assert.equal(loads, 2, "the reload of this test, and one of the page");
    await reads(page.locator(".session-head h1"), /New Session/);
    assert.equal(
      await page.locator(".composer textarea").inputValue(),
      "half a thought",
    );
    await page.unrouteAll();
    await banner.getByRole("button", { name: "Reload the page" }).click();
    await until(async () => loads === 3, "the reload that was asked for");
    assert.equal(
      await page.locator(".composer textarea").inputValue(),
      "half a thought",
    );
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
