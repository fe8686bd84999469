// Terminals against the real server: programs that draw the whole screen, much output, reloads, two windows, a server that is
// killed, and output that wants out of its box.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { canary, terminal as corpus } from "../../ui/dev/corpus.mjs";
import {
  browser,
  closeBrowser,
  newSession,
  openPage,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

/** What is on the screen, line by line. */
const screen = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".xterm-rows > div")].map((row) =>
      row.textContent.trimEnd(),
    ),
  );
const shows = (page, pattern, ms) =>
  until(
    async () => pattern.test((await screen(page)).join("\n")),
    `${pattern} in the terminal`,
    ms,
  ).catch(async (error) => {
    throw new Error(`${error.message}:\n${(await screen(page)).join("\n")}`);
  });
const isFocused = (page) =>
  page.evaluate(
    () => document.activeElement?.className === "xterm-helper-textarea",
  );
async function run(page, line) {
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}

/** A session with a terminal whose shell waits. */
async function atShell(options) {
  const { server, page } = await ready(options);
  await newSession(page);
  await send(page, "echo hello");
  await turnEnds(page);
  await page.keyboard.press("Control+`");
  await newTerminal(page);
  return { server, page };
}
async function newTerminal(page) {
  await page.getByRole("button", { name: "New terminal" }).last().click();
  await until(() => isFocused(page), "the terminal to have the focus");
  await run(page, "PS1='ready> '; clear");
  await shows(page, /^ready>$/m);
}

test("a shell, an editor and a program that draws the whole screen; the size is the panel's", async () => {
  const { server, page } = await atShell();
  try {
    await run(page, "pwd; tty; echo $TERM; printf '\\e[31mred\\e[0m\\n'");
    await shows(page, new RegExp(`^${server.project}$`, "m"));
    await shows(page, /^\/dev\/pts\/\d+$/m);
    await shows(page, /^xterm-256color$/m);
    assert.equal(
      await page
        .locator(".xterm-rows .xterm-fg-1")
        .first()
        .textContent()
        .then((text) => text.trim()),
      "red",
    );

    await run(page, "vi -u NONE note.txt");
    await shows(page, /^~$/m);
    await page.keyboard.type("iwritten here");
    await page.keyboard.press("Escape"); // The shell's, not the page's.
    await run(page, ":wq");
    await shows(page, /^ready>$/m);
    assert.equal(
      readFileSync(join(server.project, "note.txt"), "utf8"),
      "written here\n",
    );

    await run(page, "top");
    await shows(page, /load average/);
    await page.keyboard.type("q");
    await run(page, "clear; stty size");
    const size = async () => {
      const [, rows, cols] = /^(\d+) (\d+)$/m.exec(
        (await screen(page)).join("\n"),
      ) ?? [null, 0, 0];
      return { rows: Number(rows), cols: Number(cols) };
    };
    const before = await until(
      async () => (await size()).rows > 0 && size(),
      "the size",
    );
    assert.equal((await screen(page)).length, before.rows);
    await page.setViewportSize({ width: 1280, height: 620 });
    await until(
      async () => (await screen(page)).length < before.rows,
      "fewer rows",
    );
    await run(page, "clear; stty size");
    await until(
      async () => (await size()).rows === (await screen(page)).length,
      "the shell to know the new size",
    );
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await server.stop();
  }
});

test("a million lines end with the right one, and the page answers meanwhile", async () => {
  const { server, page } = await atShell();
  try {
    await page.evaluate(() => {
      window.slowest = 0;
      let last = performance.now();
      const frame = (now) => {
        window.slowest = Math.max(window.slowest, now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    await run(page, "clear; seq 1000000; echo all of them");
    // Another part of the page, while it draws.
    await page.locator(".composer textarea").fill("still here");
    await shows(page, /^999999\n1000000\nall of them\nready>$/m, 120_000);
    assert.equal(
      await page.locator(".composer textarea").inputValue(),
      "still here",
    );
    const slowest = await page.evaluate(() => window.slowest);
    assert.ok(slowest < 3000, `a frame took ${slowest} ms`);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("it survives a reload and is the same in two windows; the one that is used says how large it is", async () => {
  const { server, page } = await atShell();
  try {
    await run(page, "echo kept; KEPT=yes");
    await shows(page, /^kept$/m);
    await page.reload();
    await shows(page, /^kept$/m);
    await page.locator(".terminal-place").click();
    await until(() => isFocused(page), "the focus");
    await run(page, "echo still $KEPT");
    await shows(page, /^still yes$/m);

    const other = await openPage(server, {
      context: page.context(),
      url: page.url(),
    });
    await shows(other, /^still yes$/m);
    await run(page, "echo seen twice");
    await shows(other, /^seen twice$/m);
    await other.setViewportSize({ width: 1280, height: 560 });
    await other.locator(".terminal-place").click();
    await until(() => isFocused(other), "the focus in the other window");
    await run(other, "echo from there");
    await shows(page, /^from there$/m);
    await until(
      async () => (await screen(page)).length === (await screen(other)).length,
      "the same size in both windows",
    );
    await other.close();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("a server that is killed ends it cleanly, and the page says so", async () => {
  const { server, page } = await atShell();
  try {
    await run(
      page,
      "echo shell $$; sleep 1000 & echo child $!; echo last words",
    );
    await shows(page, /^last words$/m);
    const text = (await screen(page)).join("\n");
    const [, shell] = /^shell (\d+)$/m.exec(text);
    const [, child] = /^child (\d+)$/m.exec(text);
    await server.restart();
    await page
      .getByText("This terminal ended when the server restarted.")
      .waitFor();
    await shows(page, /^last words$/m);
    for (const pid of [shell, child])
      await until(() => !existsSync(`/proc/${pid}`), `${pid} to be gone`);
    await newTerminal(page);
    await run(page, "echo again");
    await shows(page, /^again$/m);
    await page.getByRole("tab", { name: /ended$/ }).click();
    await shows(page, /^last words$/m);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("nothing that is printed leaves the terminal; a link is followed only when somebody clicks and agrees", async () => {
  const { server, page } = await atShell();
  try {
    await page.evaluate(() => {
      window.hits = [];
      window.hit = (name) => window.hits.push(name);
      for (const name of ["writeText", "write", "readText", "read"])
        navigator.clipboard[name] = async () => window.hits.push(name);
    });
    const title = await page.title();
    writeFileSync(
      join(server.project, "hostile.bin"),
      `${corpus.join("\n")}\u001b]0;${"x".repeat(1_000_000)}\u0007\u0018\u001bc\nthrough it\n`,
    );
    await run(page, "cat hostile.bin");
    await shows(page, /^through it$/m, 60_000);
    await page.keyboard.press("Control+u");
    await run(page, "clear; echo the end");
    await shows(page, /^the end$/m);
    assert.deepEqual(await page.evaluate(() => window.hits), []);
    assert.equal(await page.title(), title);
    const tab = page.getByRole("tab", { name: /^Terminal|^sh|^bash/ }).last();
    assert.ok(!(await tab.getAttribute("title")).includes("\u202e"));

    const target = `${server.url}?linked`;
    const opened = [];
    page.context().on("page", (one) => opened.push(one.url()));
    await run(
      page,
      `clear; printf '\\e]8;;${target}\\e\\\\click\\e]8;;\\e\\\\\\n'; echo ${target}`,
    );
    const row = (text) =>
      page
        .locator(".xterm-rows > div", { hasText: text })
        .filter({ hasNotText: "clear" })
        .first();
    await shows(page, /^click$/m);
    const box = await row(/^click/).boundingBox();
    await page.mouse.move(box.x + 12, box.y + box.height / 2);
    await until(
      () => page.locator(".xterm-cursor-pointer").count(),
      "a link below the pointer",
    );
    assert.deepEqual(opened, []);
    await page.mouse.click(box.x + 12, box.y + box.height / 2);
    const question = page.locator("dialog", { hasText: "Open this link?" });
    await question.getByText(target).waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(opened, []);
    const plain = await row(target).boundingBox();
    await page.mouse.move(plain.x + 30, plain.y + plain.height / 2);
    await until(
      () => page.locator(".xterm-cursor-pointer").count(),
      "a link below the pointer",
    );
    await page.mouse.click(plain.x + 30, plain.y + plain.height / 2);
    await question.getByRole("button", { name: "Open in a new tab" }).click();
    await until(() => opened.length === 1, "a new tab");
    assert.deepEqual(page.problems, []);
    assert.deepEqual(
      page.foreign.filter((url) => url.includes(canary)),
      [],
    );
  } finally {
    await server.stop();
  }
});

test("on a phone it has the keys that its keyboard lacks; by keyboard there is a way out", async () => {
  const { server, page } = await atShell();
  try {
    await page.keyboard.press("Control+Shift+Period");
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("role")),
      "tab",
    );
    await page.keyboard.press("Enter");
    await until(() => isFocused(page), "the focus back in the terminal");
    await run(page, "echo for the agent");
    await shows(page, /^for the agent$/m);
    await page.keyboard.press("Control+Shift+Enter");
    await until(
      async () =>
        /^From the terminal “.+”:\n\n```\nready> echo for the agent\nfor the agent\n```$/.test(
          await page.locator(".composer textarea").inputValue(),
        ),
      "the last command in the composer",
    );
    const phone = await (
      await browser()
    ).newContext({
      storageState: await page.context().storageState(),
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    const small = await openPage(server, {
      context: phone,
      url: page.url(),
    });
    await shows(small, /for the agent/);
    await small.locator(".terminal-place").tap();
    await small.keyboard.type("sleep 1000");
    await small.keyboard.press("Enter");
    await small.getByRole("button", { name: "Ctrl with the next key" }).tap();
    await small.keyboard.type("c");
    // The shell reads keys itself once it prompts again.
    await shows(small, /\^C\n+ready>/);
    await small.getByRole("button", { name: "Up", exact: true }).tap();
    await shows(small, /\^C[^]*ready> sleep 1000/);
    await phone.close();
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
