// Where the gates are measured: a home, the scripted model, a server with the real CLIs and the agents of the tests, a browser page.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeEnvironment, makeWorkspace, prepareCodex } from "../../tests/support/model/drivers.mjs";
import { program, Server } from "../../tests/support/server.mjs";
import { openPage } from "../../tests/ui/support.mjs";

export const { LB_TEST_CLAUDE: claudeBin, LB_TEST_CODEX_ACP: codexBin } = process.env;
export const wordsAgent = fileURLToPath(new URL("../../tests/support/events_agent.mjs", import.meta.url));
const quoted = JSON.stringify;

/** What the processes of one agent have in their environment. */
export const markOf = (cliType) => `LB_NFR_AGENT=${cliType}`;

const agentLines = (name, protocol, command, args, env) =>
  `[agents.${name}]\nprotocol = "${protocol}"\ncommand = ${quoted(command)}\nargs = ${quoted(args)}\n` +
  `env = { ${Object.entries({ ...env, LB_NFR_AGENT: name }).map(([key, value]) => `${key} = ${quoted(value)}`).join(", ")} }\n\n`;

/** A home with a project `web-shop`, and a configuration with both CLIs on `modelUrl`; `codexHome` as another home has it, if given. */
export function makePlace({ modelUrl, codexEnv, demoAgents = 0 } = {}) {
  const workspace = makeWorkspace();
  const { home } = workspace;
  const shop = join(home, "web-shop");
  mkdirSync(shop);
  writeFileSync(join(shop, "hello.txt"), "hello world\n");
  let config = agentLines("words", "events", process.execPath, [wordsAgent], {});
  for (let i = 1; i <= demoAgents; ++i) config += agentLines(`twin-${i}`, "acp", program, ["demo-agent"], {});
  if (modelUrl) {
    config += agentLines("claude-code", "claude", claudeBin, [], claudeEnvironment(modelUrl));
    config += agentLines("codex", "acp", codexBin, [], codexEnv ?? prepareCodex("gpt-5.4")(home, modelUrl));
  }
  writeFileSync(join(home, "config.toml"), config);
  return { ...workspace, shop };
}

/** The built program in `place`. */
export async function startServer(place) {
  const { LIMINAL_BUILDER_UI_ROOT: page } = process.env; // While working on the page.
  const args = ["--log-level", "error", "--config", join(place.home, "config.toml"), ...(page ? ["--ui-root", page] : [])];
  const server = await Server.start({ home: place.home, args });
  server.launch = /http\S+$/.exec(server.readyLine)[0];
  server.url = server.launch.replace(/#.*/, "");
  return server;
}

/** A page of `server`, logged in. */
export async function startPage(server) {
  const page = await openPage(server);
  page.setDefaultTimeout(60_000);
  await page.locator("main, .home").first().waitFor();
  return page;
}

/** Opens a session in the page from its list. */
export async function showSession(page, title) {
  await page.locator(".session-open", { hasText: title }).first().click();
  await page.locator(".composer textarea").waitFor();
}

/**
 * The page's clock on ours: add it to `performance.now()` of the page to get milliseconds of CLOCK_MONOTONIC. From the tightest of
 * many questions and answers, so it is off by less than half of that one's time.
 */
export async function clockOffset(page) {
  let best = { took: Infinity };
  for (let i = 0; i < 60; ++i) {
    const before = Number(process.hrtime.bigint()) / 1e6;
    const there = await page.evaluate(() => performance.now());
    const after = Number(process.hrtime.bigint()) / 1e6;
    if (after - before < best.took) best = { took: after - before, offset: (before + after) / 2 - there };
  }
  return best;
}
