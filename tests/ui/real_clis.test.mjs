// The whole thing for real: Claude Code and Codex themselves, our scripted model on loopback, our server, a real browser.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Claude } from "../support/model/drivers.mjs";
import { startModel } from "../support/model/server.mjs";
import {
  addProject,
  closeBrowser,
  counts,
  newSession,
  openPage,
  reads,
  send,
  Server,
  turnEnds,
  until,
} from "./support.mjs";

const { LB_TEST_CLAUDE: claude, LB_TEST_CODEX_ACP: codex } = process.env;
let model;

before(async () => {
  for (const [name, path] of Object.entries({ claude, codex }))
    assert.ok(
      path && existsSync(path),
      `${name} is not installed: script/setup installs it`,
    );
  model = await startModel({ port: 0, tps: 400 });
});
after(async () => {
  await closeBrowser();
  await model?.close();
});

const quoted = JSON.stringify;

/** Both CLIs as a user would have them, with an empty home and the scripted model instead of an account. */
function agents(server) {
  const url = `http://127.0.0.1:${model.port}`;
  const codexHome = join(server.home, ".codex");
  mkdirSync(codexHome, { recursive: true });
  mkdirSync(join(server.home, "tmp"));
  writeFileSync(
    join(codexHome, "config.toml"),
    `model = "gpt-5.4"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`,
  );
  writeFileSync(join(server.project, "hello.txt"), "hello world\n");
  writeFileSync(join(server.project, "second.txt"), "second file\n");
  return `
[agents.claude-code]
protocol = "claude"
command = ${quoted(claude)}
env = { ANTHROPIC_BASE_URL = ${quoted(url)}, ANTHROPIC_API_KEY = "sk-test", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1", DISABLE_AUTOUPDATER = "1" }

[agents.codex]
protocol = "acp"
command = ${quoted(codex)}
env = { CODEX_HOME = ${quoted(codexHome)}, OPENAI_API_KEY = "sk-test", TMPDIR = ${quoted(join(server.home, "tmp"))} }
`;
}

async function start(prepare) {
  const server = await Server.start(agents);
  await prepare?.(server);
  const page = await openPage(server);
  page.setDefaultTimeout(45_000);
  await page.locator(".home h1").waitFor();
  await addProject(page, server.project);
  await page.locator(".session-head", { hasText: "New Session" }).waitFor();
  return { server, page };
}

const answers = (page) => page.locator(".message.agent .md");
const tool = (page, name) => page.locator(".tool", { hasText: name });
const footers = (page) => page.locator(".turn-footer, .turn-cancelled");

/** Opens a tool card and waits until it shows this; its body may come from the server. */
async function shows(card, pattern, ms) {
  const head = card.locator(".tool-head").first();
  if ((await head.getAttribute("aria-expanded")) !== "true") await head.click();
  await reads(card, pattern, ms);
}

test("TC-8.1a, TC-8.1b, E1-TC-2.2d: Claude streams, thinks, and shows its tools with name, arguments and result", async () => {
  const { server, page } = await start();
  try {
    await newSession(page, "Claude");
    await send(page, "[[scenario:long]][[words:300]][[tps:200]] Tell me more");
    const lengths = new Set();
    await until(
      async () => {
        if ((await answers(page).count()) > 0)
          lengths.add((await answers(page).first().textContent()).length);
        return lengths.size > 4;
      },
      "text that grows",
      45_000,
    );
    await turnEnds(page);

    await send(page, "[[scenario:tool]] Read it");
    await tool(page, "hello.txt").first().waitFor();
    await turnEnds(page);
    await shows(tool(page, "hello.txt").first(), /Read[^]*hello world/);
    await answers(page).nth(1).waitFor(); // The answer after the tool.
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await server.stop();
  }
});

test("TC-8.1c: cancel stops a running Claude turn and the session goes on", async () => {
  const { server, page } = await start();
  try {
    await newSession(page, "Claude");
    await send(page, "[[scenario:slow]] Take your time");
    await answers(page).first().waitFor();
    await page.getByRole("button", { name: "Stop (Esc)" }).click();
    await turnEnds(page);
    await page
      .locator(".turn-cancelled", { hasText: "Stopped by you" })
      .waitFor();
    await send(page, "[[scenario:echo]] still here");
    await page.locator(".message.agent", { hasText: "still here" }).waitFor();
    await turnEnds(page);
  } finally {
    await server.stop();
  }
});

test("an approval in the browser decides what Claude does: rejected nothing runs, allowed it runs", async () => {
  const { server, page } = await start();
  try {
    await newSession(page, "Claude");
    const made = join(server.project, "made-by-permission");
    await send(page, "[[scenario:permission]] Do it");
    const ask = page.locator(".approval.pending");
    await ask.waitFor();
    await ask.locator(".button.reject").first().click();
    await turnEnds(page);
    assert.equal(existsSync(made), false);
    await page.locator(".approval.decided").waitFor();

    await send(page, "[[scenario:permission]] Do it now");
    await ask.waitFor();
    await ask.locator(".button.primary").click();
    await turnEnds(page);
    assert.equal(existsSync(made), true);
  } finally {
    await server.stop();
  }
});

test("TC-8.2a, TC-8.2b, E1-TC-2.2e: Codex streams and shows its tools with name, arguments and result", async () => {
  const { server, page } = await start();
  try {
    await newSession(page, "Codex");
    await send(page, "[[scenario:long]][[words:200]][[tps:200]] Tell me more");
    await answers(page).first().waitFor();
    await turnEnds(page);
    await reads(answers(page).first(), /[^]{300}/);
    // On a busy machine Codex itself ends a turn without the result of a quick command, now and then, when the model
    // answers faster than any real one: each further try has a slower model. Earlier cards may have left the page.
    let complete = false;
    for (let attempt = 0; attempt < 5 && !complete; attempt++) {
      await send(
        page,
        `[[delay:${400 * attempt}]] [[scenario:tool]] Read it, try ${attempt}`,
      );
      await page
        .locator(".message.user", { hasText: `try ${attempt}` })
        .waitFor();
      await turnEnds(page);
      const card = page.locator(".tool").last();
      await shows(card, /hello\.txt/);
      complete = await shows(card, /hello world/, 3000).then(
        () => true,
        () => false,
      );
    }
    assert.ok(complete, "no result of five commands was shown");
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});

test("TC-8.3a: a Claude tab and a Codex tab side by side keep their conversations, also over a reload and a killed server", async () => {
  const { server, page } = await start();
  try {
    await newSession(page, "Claude");
    await send(page, "[[scenario:echo]] words for Claude");
    await page
      .locator(".message.agent", { hasText: "words for Claude" })
      .waitFor();
    await turnEnds(page);
    await newSession(page, "Codex");
    await send(page, "[[scenario:echo]] words for Codex");
    await page
      .locator(".message.agent", { hasText: "words for Codex" })
      .waitFor();
    await turnEnds(page);

    const showsOnly = async (wanted, other) => {
      await page.locator(".tab", { hasText: wanted }).click();
      await page.locator(".message.agent", { hasText: wanted }).waitFor();
      await counts(page.locator(".message.agent", { hasText: other }), 0);
    };
    await showsOnly("words for Claude", "words for Codex");
    await showsOnly("words for Codex", "words for Claude");
    await page.reload();
    await showsOnly("words for Claude", "words for Codex");
    await server.restart();
    await showsOnly("words for Codex", "words for Claude");
    // Both agents were killed with the server: the next prompt brings them back with what they knew.
    for (const name of ["Claude", "Codex"]) {
      await page.locator(".tab", { hasText: `words for ${name}` }).click();
      const before = await footers(page).count();
      await send(page, `[[scenario:echo]] more for ${name}`);
      await page
        .locator(".message.agent", { hasText: `more for ${name}` })
        .waitFor();
      await until(
        async () => (await footers(page).count()) > before,
        "the turn's end",
        45_000,
      );
    }
  } finally {
    await server.stop();
  }
});

test("TC-8.3b: a session made in the terminal by the CLI itself opens with its whole history and goes on", async () => {
  const { server, page } = await start(async ({ home, project }) => {
    const terminal = new Claude({
      bin: claude,
      modelUrl: `http://127.0.0.1:${model.port}`,
      home,
      project,
    });
    await terminal.prompt("[[scenario:tool]] read it in the terminal");
    await terminal.prompt("[[scenario:echo]] and the second turn");
    await terminal.stop();
  });
  try {
    await page.keyboard.press("Escape");
    await page
      .locator(".session-title", { hasText: "read it in the terminal" })
      .first()
      .click();
    await page
      .locator(".message.user", { hasText: "read it in the terminal" })
      .waitFor();
    await page
      .locator(".message.agent", { hasText: "and the second turn" })
      .waitFor();
    await shows(tool(page, "hello.txt").first(), /hello world/);
    await send(page, "[[scenario:echo]] a third one from the browser");
    await page
      .locator(".message.agent", { hasText: "a third one from the browser" })
      .waitFor();
    await turnEnds(page);
  } finally {
    await server.stop();
  }
});
