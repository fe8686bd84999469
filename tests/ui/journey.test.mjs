// A user's way through the product, in a real browser against the real server.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  answerable,
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

test("first run: the launch address logs in once, E1-TC-1.1b greets, a page without credential explains", async () => {
  const server = await Server.start();
  try {
    const page = await openPage(server);
    await page
      .getByRole("heading", { name: "Welcome to Liminal Builder" })
      .waitFor();
    assert.equal(new URL(page.url()).hash, "");
    await page.getByText("Demo").first().waitFor();
    await page.reload();
    await page
      .getByRole("heading", { name: "Welcome to Liminal Builder" })
      .waitFor();

    const stranger = await openPage(server, { url: server.url });
    await stranger.getByText("liminal-builder open").waitFor();
    const used = await openPage(server, { url: server.launch });
    await reads(used.getByRole("alert"), /used already/);
    assert.doesNotMatch(
      await used.getByRole("alert").textContent(),
      /liminal-builder open/,
      "the command stands above already",
    );
    await used.getByLabel("Launch address or code").fill(server.open());
    await used.getByRole("button", { name: "Enter" }).click();
    await used
      .getByRole("heading", { name: "Welcome to Liminal Builder" })
      .waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("projects: E1-TC-1.2b missing, E1-TC-1.2d duplicate, E1-TC-1.2a valid, E1-TC-1.3a comes back, E1-TC-1.3b tabs close", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "echo remember me");
    await turnEnds(page);
    await page.getByRole("button", { name: "Add project" }).first().click();
    const input = page.getByLabel("Folder on the server's machine");
    const add = page
      .locator("dialog")
      .getByRole("button", { name: "Add project" });
    await input.fill("/no/such/folder");
    await add.click();
    await page.locator("#add-problem", { hasText: /.+/ }).waitFor();
    await input.fill(`${server.project}/`);
    await add.click();
    await page.getByText("Project already added.").waitFor();
    await input.fill(`${server.home}/sec`);
    await page.locator(".offers li", { hasText: "second" }).waitFor();
    await page.keyboard.press("Escape");
    await counts(page.locator(".project"), 1);

    await page.locator(".project-head").hover();
    await page.getByRole("button", { name: "Menu of web-shop" }).click();
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    await page
      .locator("dialog")
      .getByRole("button", { name: "Remove" })
      .click();
    await page.locator(".tab").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add project" }).first().click();
    await input.fill(server.project);
    await add.click();
    await page.locator(".session-head", { hasText: "New Session" }).waitFor();
    await page.locator(".session-title", { hasText: "remember me" }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a session: E1-TC-2.2a opens, E1-TC-3.1a own words at once, E1-TC-3.2a streams, E1-TC-3.2b markdown with highlighted code, E1-TC-4.5a the title follows", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await reads(page.locator(".tab-title"), /^New Session$/);
    await page.evaluate(() => {
      window.lengths = [];
      window.ownFirst = undefined;
      const look = () => {
        const own = document.querySelector(".message.user") !== null;
        const answered = document.querySelector(".message.agent") !== null;
        if (own || answered) window.ownFirst ??= own && !answered;
        const length =
          document.querySelector(".message.agent .md")?.textContent.length ?? 0;
        if (length !== (window.lengths.at(-1) ?? 0))
          window.lengths.push(length);
        requestAnimationFrame(look);
      };
      look();
    });
    await send(page, "Explain the rounding error");
    await page
      .locator(".message.user", { hasText: "Explain the rounding error" })
      .waitFor();
    await turnEnds(page);
    assert.ok(
      await page.evaluate(() => window.ownFirst),
      "own words are there before anything of the agent",
    );
    const lengths = await page.evaluate(() => window.lengths);
    assert.ok(
      lengths.length >= 4,
      `the text should grow in steps, saw ${lengths}`,
    );
    await page.locator(".md ol > li").first().waitFor();
    await page.locator(".md table td").first().waitFor();
    await page.locator(".md code .hl-keyword").first().waitFor();
    await page
      .locator(".tab-title", { hasText: "Explain the rounding error" })
      .waitFor();
    await page
      .locator(".session-title", { hasText: "Explain the rounding error" })
      .waitFor();
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await server.stop();
  }
});

test("tools: E1-TC-3.3a running, E1-TC-3.3b folded result, a diff, a plan, E1-TC-3.4a thinking, TC-7.2b in one card each", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "use tools until told");
    const tool = page.locator(".tool", { hasText: "npm test -- pricing" });
    await tool.locator(".working[aria-label=Running]").waitFor();
    writeFileSync(join(server.project, "go-on"), "");
    await tool.locator(".state.done").waitFor();
    await turnEnds(page);
    await counts(tool, 1);
    await tool.locator(".tool-head").click();
    await tool
      .locator(".output .ansi-fg-2", { hasText: "12 passed" })
      .waitFor();
    await page.locator(".line-del", { hasText: "const b = 2" }).waitFor();
    await page.locator(".line-add", { hasText: "const b = 3" }).waitFor();
    // The turn is over: a step that it left undone is not being done.
    await page.locator(".plan-pending", { hasText: "Fix the sum" }).waitFor();
    const edges = (selector) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          return [left, right];
        });
    assert.deepEqual(
      await edges(".tool.open"),
      await edges(".plan"),
      "an open tool is as wide as the text column",
    );
    await page.locator(".thinking-head", { hasText: "Thought" }).click();
    await page
      .locator(".thinking-body", { hasText: "Looking at the test first." })
      .waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("approvals: allowed from the chat, denied from the inbox, and who decided stays", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "ask for approval");
    const card = page.locator(".approval.pending");
    await card.locator(".detail", { hasText: "rm -rf build/" }).waitFor();
    await page
      .locator(".session-row .state-label", { hasText: "needs you" })
      .waitFor();
    await until(
      async () => /^\(1\) .*Liminal Builder$/.test(await page.title()),
      "the badge in the title",
    );
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await turnEnds(page);
    await page.locator(".approval.decided.allowed").waitFor();
    await send(page, "ask for approval again or stop");
    await page.locator(".approval.pending").waitFor();
    await page.getByRole("button", { name: /^Inbox/ }).click();
    // This agent's protocol takes no words with an answer: they reach it as the next message.
    await page
      .getByLabel("Message with your answer")
      .fill("echo use the cache instead");
    await page.getByText("Sent as your next message").waitFor();
    await page
      .locator(".inbox .approval.pending")
      .getByRole("button", { name: /^Reject/ })
      .click();
    await page.getByText("Nobody waits for you.").waitFor();
    await page.locator(".session-open").first().click();
    await page.locator(".approval.decided.refused").waitFor();
    await page
      .locator(".message.agent", { hasText: "use the cache instead" })
      .waitFor();
    await counts(
      page.locator(".message.user", { hasText: "use the cache instead" }),
      1,
    );
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("approvals: no answer moves away from under the pointer that presses it", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    for (const from of [".composer textarea", ".approval .note"]) {
      await send(page, "ask for approval");
      await answerable(page);
      await page.locator(from).focus();
      const last = page.locator(".approval.pending .button.reject");
      const before = await last.boundingBox();
      await page.mouse.move(before.x + 4, before.y + before.height / 2);
      await page.mouse.down();
      assert.deepEqual(await last.boundingBox(), before);
      await page.mouse.up();
      await page.locator(".approval.pending").waitFor({ state: "detached" });
      await turnEnds(page);
    }
    await counts(page.locator(".approval.decided.allowed"), 0);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a turn: E1-TC-3.7a stop is offered, E1-TC-3.5b a message is queued, edited and removed, E1-TC-3.7b cancel keeps the part, E1-TC-3.7c then hidden", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "slow please");
    await page.locator(".message.agent", { hasText: "word3" }).waitFor();
    await page.getByRole("button", { name: "Stop (Esc)" }).waitFor();
    await send(page, "echo queued one");
    await page.locator(".queued-text", { hasText: "queued one" }).waitFor();
    await page.getByRole("button", { name: "Edit queued message" }).click();
    await page.getByRole("textbox", { name: "Edit queued message" }).waitFor();
    await page.keyboard.press("Escape"); // Leaves the field; it must not stop the turn.
    await page.locator(".queued-text", { hasText: "queued one" }).waitFor();
    await page.getByRole("button", { name: "Stop (Esc)" }).waitFor();
    await page.getByRole("button", { name: "Edit queued message" }).click();
    await page
      .getByRole("textbox", { name: "Edit queued message" })
      .fill("echo edited one");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".queued-text", { hasText: "edited one" }).waitFor();
    await page.getByRole("button", { name: "Remove queued message" }).click();
    await page.locator(".queue").waitFor({ state: "detached" });
    await page.locator(".composer textarea").focus();
    await page.keyboard.press("Escape");
    await page
      .locator(".turn-cancelled", { hasText: "Stopped by you" })
      .waitFor();
    await page.locator(".message.agent", { hasText: "word3" }).waitFor();
    await turnEnds(page);
    await counts(page.locator(".round.stop"), 0);
    await send(page, "echo still alive");
    await page.locator(".message.agent", { hasText: "still alive" }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("errors: a failed turn says why; E1-TC-5.5a a missing agent says what to do and leaves no tab", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "please fail");
    await page.locator(".turn-failed", { hasText: "overloaded" }).waitFor();
    for (let round = 0; round < 4; round++) {
      await page.getByRole("button", { name: "Retry" }).last().click();
      await until(
        async () => (await page.locator(".turn-failed").count()) > round + 1,
        "the next failure",
      );
    }
    await until(
      () =>
        page
          .locator(".chat-scroll")
          .evaluate(
            (element) =>
              element.scrollHeight - element.scrollTop - element.clientHeight <
              2,
          ),
      "the whole of the last failure in view",
    );
    await page
      .locator(".session-row .state-label", { hasText: "failed" })
      .waitFor();
    await page.getByRole("button", { name: /^Agents/ }).click();
    await page
      .locator(".agents .status-missing", { hasText: "missing" })
      .first()
      .waitFor();
    await counts(page.locator(".tab"), 1);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("search finds a word in all conversations and jumps to it; the palette finds sessions; the theme switches", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await send(page, "echo the word xylophone is rare");
    await turnEnds(page);
    await send(page, "long answer");
    await turnEnds(page);
    await typeAfter(page, "Control+Shift+F", "xylophone");
    await page.locator(".picker-list li").first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".row", { hasText: "xylophone" }).first().waitFor();
    await typeAfter(page, "Control+k", "theme dark");
    await counts(page.locator(".picker-list li"), 1);
    await page.keyboard.press("Enter");
    await until(
      async () =>
        (await page.evaluate(
          () => getComputedStyle(document.body).backgroundColor,
        )) === "rgb(22, 22, 25)",
      "the dark theme",
    );
    await page.reload();
    await page.locator(".session-row").first().waitFor();
    assert.equal(
      await page.evaluate(() => document.documentElement.dataset.theme),
      "dark",
    );
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("sessions: E1-TC-2.4a archive takes the row, E1-TC-2.4b closes the tab, un-archive brings it back; rename; @ and / complete", async () => {
  const { server, page } = await ready();
  try {
    await newSession(page);
    await page.locator(".composer textarea").fill("");
    await page.keyboard.type("look at @tot");
    await page.locator(".completion li", { hasText: "src/total.ts" }).waitFor();
    await page.keyboard.press("Tab");
    await until(
      async () =>
        (await page.locator(".composer textarea").inputValue()) ===
        "look at @src/total.ts ",
      "the completed path",
    );
    await page.locator(".composer textarea").fill("");
    await send(page, "echo to be archived");
    await turnEnds(page);
    // What an agent can be told with a slash is known once it has spoken, in the next session from the start.
    for (const offered of [1, 2]) {
      if (offered === 2) await newSession(page);
      await page.locator(".composer textarea").focus();
      await page.keyboard.type("/rev");
      await page.locator(".completion li", { hasText: "/review" }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator(".composer textarea").fill("");
    }
    await page.keyboard.press("Control+Alt+w");
    await reads(page.locator(".session-head h1"), /to be archived/);
    await page.getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.locator("dialog").getByLabel("Title").fill("A better name");
    await page.keyboard.press("Enter");
    await page
      .locator(".session-title", { hasText: "A better name" })
      .waitFor();
    await page.getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page
      .locator(".session-title", { hasText: "A better name" })
      .waitFor({ state: "detached" });
    await counts(page.locator(".tab"), 0);
    await page.getByRole("button", { name: "Archived" }).click();
    await page
      .locator(".archive")
      .getByRole("button", { name: "Bring back" })
      .click();
    await page
      .locator(".session-title", { hasText: "A better name" })
      .waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a session's link opens it in this browser and, after the login, in another; its id can be copied; a link to nothing says so", async () => {
  const { server, page } = await ready();
  try {
    // The page itself may not read the clipboard: what was copied is pasted where the user writes.
    const field = page.locator(".composer textarea");
    const choose = async (name, said) => {
      await page.getByRole("button", { name: "Session menu" }).click();
      await page.getByRole("menuitem", { name }).click();
      await page.getByText(said).waitFor();
      await field.press("Control+v");
      await until(async () => (await field.inputValue()) !== "", "a paste");
      const text = await field.inputValue();
      await field.fill("");
      return text;
    };
    await newSession(page);
    await send(page, "echo the linked one");
    await page.locator(".message.agent", { hasText: "linked one" }).waitFor();
    await turnEnds(page);
    const link = await choose("Copy link", "Link copied.");
    const id = await choose("Copy session id", "Session id copied.");
    assert.ok(id.length > 8 && decodeURIComponent(link).endsWith(id));
    await page.keyboard.press("Control+Alt+w");
    await page.getByRole("heading", { name: "Overview" }).waitFor();

    const shown = (where) =>
      where.locator(".message.agent", { hasText: "linked one" }).waitFor();
    await page.evaluate((to) => {
      location.href = to;
    }, link);
    await shown(page);
    assert.equal(new URL(page.url()).hash, "");
    const second = await openPage(server, {
      url: link,
      context: page.context(),
    });
    await shown(second);

    const stranger = await openPage(server, { url: link });
    await stranger.getByLabel("Launch address or code").fill(server.open());
    await stranger.getByRole("button", { name: "Enter" }).click();
    await shown(stranger);
    const nothing = await openPage(server, {
      url: `${server.url}#session=no-such-session`,
      context: page.context(),
    });
    await nothing
      .getByRole("heading", { name: "This session is not here" })
      .waitFor();
    assert.equal(new URL(nothing.url()).pathname, "/s/no-such-session");
    assert.deepEqual([...page.problems, ...stranger.problems], []);
  } finally {
    await server.stop();
  }
});
