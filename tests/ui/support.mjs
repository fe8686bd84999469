// What every browser test needs: the real server with the scripted agent, a real browser, and words for what a user does.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const require = createRequire(
  new URL("../../ui/package.json", import.meta.url),
);
const { chromium } = require("playwright-core");
export const axeSource = require("axe-core").source;

const binary = process.env.LIMINAL_BUILDER_BIN;
export const development =
  !binary && process.env.LIMINAL_BUILDER_UI_DEV === "1";
const agent = fileURLToPath(new URL("agent.mjs", import.meta.url));

const running = new Set();

/** A server with its own home, a project directory and one extra agent. `restart` is kill -9 and a new start on the same port. */
export class Server {
  /** `more(server)` gives more lines for the configuration, once home and project exist. */
  static async start(more = () => "") {
    if (!binary && !development)
      throw new Error("LIMINAL_BUILDER_BIN must name the program to test");
    const server = new Server();
    server.home = mkdtempSync(join(tmpdir(), "lb-ui-"));
    server.project = join(server.home, "web-shop");
    mkdirSync(join(server.project, "src"), { recursive: true });
    mkdirSync(join(server.home, "second"), { recursive: true });
    writeFileSync(
      join(server.project, "src", "total.ts"),
      "export const total = 1;\n",
    );
    writeFileSync(
      join(server.project, "<img src=x onerror=hit('file')>.txt"),
      "x",
    );
    // On a busy machine a message would go without its checkpoint, and there would be nothing to rewind.
    writeFileSync(
      join(server.home, "config.toml"),
      `checkpoint_wait_ms = 20000\n[agents.scripted]\nprotocol = "acp"\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(agent)}]\n\n[agents.missing]\nprotocol = "acp"\ncommand = "no-such-agent-here"\n${more(server)}`,
    );
    running.add(server);
    await server.run(0);
    return server;
  }

  async run(port) {
    if (development) return this.runDevelopment(port);
    const env = { PATH: process.env.PATH, HOME: this.home, LANG: "C.UTF-8" };
    this.child = spawn(
      binary,
      [
        "serve",
        "--no-open",
        "--port",
        String(port),
        "--data-dir",
        join(this.home, "data"),
        "--config",
        join(this.home, "config.toml"),
        ...(process.env.LIMINAL_BUILDER_UI_ROOT
          ? ["--ui-root", process.env.LIMINAL_BUILDER_UI_ROOT]
          : []),
        "--log-level",
        "warn",
      ],
      { env, stdio: ["ignore", "pipe", "pipe"] },
    );
    this.log = "";
    this.child.stderr.on("data", (data) => {
      this.log += data;
    });
    const ready = await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the server did not become ready: ${this.log}`)),
        20_000,
      );
      createInterface({ input: this.child.stdout }).once("line", (line) => {
        clearTimeout(timer);
        resolve(line);
      });
      this.child.once("exit", (code) => {
        clearTimeout(timer);
        reject(new Error(`the server ended with ${code}: ${this.log}`));
      });
    });
    this.launch = /(http\S+)$/.exec(ready)[1];
    this.url = this.launch.replace(/#.*/, "");
    this.port = Number(new URL(this.url).port);
  }

  /** Without a program: the page's own development server, for working on the page and on these tests. */
  async runDevelopment(port) {
    const { startServer } = await import("../../ui/dev/server.mjs");
    this.dev = await startServer({
      port,
      story: "test",
      ...(this.dev ? { world: this.dev.world } : {}),
    });
    this.launch = this.dev.launch;
    this.url = this.dev.url;
    this.port = Number(new URL(this.url).port);
  }

  /** A fresh launch address, as `liminal-builder open` prints it. */
  open() {
    if (development) return this.dev.open();
    const output = execFileSync(
      binary,
      ["open", "--no-open", "--data-dir", join(this.home, "data")],
      { env: { PATH: process.env.PATH, HOME: this.home }, encoding: "utf8" },
    );
    return /http\S+/.exec(output)[0];
  }

  async kill() {
    if (development) return this.dev.stop();
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await gone;
  }
  async restart() {
    await this.kill();
    await this.run(this.port);
  }
  async stop() {
    running.delete(this);
    if (development) await this.dev.stop();
    else if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((resolve) => this.child.once("exit", resolve));
      this.child.kill("SIGTERM");
      await gone;
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

let shared;
export async function browser() {
  shared ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
    ignoreDefaultArgs: ["--hide-scrollbars"], // They take room, as they do for users.
  });
  return shared;
}
/** At the end of a file: the browser, and servers of tests that failed before they could stop theirs. */
export async function closeBrowser() {
  await shared?.close();
  shared = undefined;
  for (const server of running) await server.stop();
}

/** A page that fails the test when script of the page fails or when anything asks another host. */
export async function openPage(
  server,
  {
    context,
    url,
    size = { width: 1280, height: 820 },
    scheme = "light",
    motion = "reduce",
  } = {},
) {
  const within =
    context ??
    (await (
      await browser()
    ).newContext({
      viewport: size,
      colorScheme: scheme,
      reducedMotion: motion,
    }));
  const page = await within.newPage();
  page.setDefaultTimeout(45_000);
  page.problems = [];
  page.foreign = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => {
    if (
      message.type() === "error" &&
      /Content Security Policy|TrustedHTML|Trusted Type/.test(message.text())
    )
      page.problems.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && host !== new URL(server.url).host)
      page.foreign.push(request.url());
  });
  await page.goto(url ?? server.launch);
  return page;
}

/** `from` is where the button is pressed: on a phone the sidebar's is out of sight. */
export async function addProject(page, path, from = page) {
  await from.getByRole("button", { name: "Add project" }).first().click();
  await page.getByLabel("Folder on the server's machine").fill(path);
  await page
    .locator("dialog")
    .getByRole("button", { name: "Add project" })
    .click();
}

/** Opens what is written next, for this agent. Its first message makes the session. */
export async function newSession(page, agentName = "scripted") {
  if (new URL(page.url()).pathname !== "/new")
    await page
      .getByRole("button", { name: /^New session in web-shop/ })
      .first()
      .click();
  const agents = page.locator(".session [title=Agent] select");
  const wanted = agents.locator("option", { hasText: agentName }).first();
  await wanted.waitFor({ state: "attached" });
  await agents.selectOption(await wanted.evaluate(({ value }) => value));
}

/** Returns when the page has taken the message: what is asked of it next is about this message, not the one before. */
export async function send(page, text) {
  const field = page.locator(".composer textarea");
  await field.fill(text);
  await page.keyboard.press("Enter");
  await until(
    async () => (await field.inputValue()) === "",
    "the message to be taken",
  );
}

/** A shortcut that opens something to type into: types once the focus is there. */
export async function typeAfter(page, shortcut, text) {
  const focused = () =>
    page.evaluate(() => {
      const on = document.activeElement;
      return on?.closest("dialog") && /^(INPUT|TEXTAREA)$/.test(on.tagName);
    });
  await page.keyboard.press(shortcut);
  await until(focused, "a field to type into");
  await page.keyboard.type(text);
}

/** Waits until there are `count` of them. */
export const counts = (locator, count) =>
  until(
    async () => (await locator.count()) === count,
    `${count} of ${locator}`,
  );

/** Waits until what the element shows matches. */
export const reads = (locator, pattern, ms) =>
  until(
    async () => pattern.test(await locator.textContent()),
    `${pattern} in ${locator}`,
    ms,
  );

/** The turn ended: nothing is on its way, nobody works, and the last row is the end of a turn. */
export async function turnEnds(page) {
  await until(
    () =>
      page.evaluate(() => {
        const rows = [...document.querySelectorAll(".row")];
        const busy = document.querySelector(
          ".working-line, .pending-note:not(.failed)",
        );
        return (
          !busy &&
          rows.at(-1)?.querySelector(".turn-footer") !== null &&
          rows.length > 0
        );
      }),
    "the end of the turn",
    90_000,
  );
}

/** What has just appeared takes no answer for a moment: a press after that is meant. */
export const answerable = (page) =>
  until(
    async () =>
      (await page.locator(".approval.pending .button").count()) > 0 &&
      (await page.locator(".approval [aria-disabled=true]").count()) === 0,
    "a question that can be answered",
  );

/** A server with one project and a page that is logged in. */
export async function ready(options) {
  const server = await Server.start();
  const page = await openPage(server, options);
  await page.locator(".home h1").waitFor();
  await addProject(page, server.project);
  await page.locator(".session-head", { hasText: "New Session" }).waitFor();
  return { server, page };
}

/** Polls with a deadline. */
export async function until(condition, what, ms = 45_000) {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
