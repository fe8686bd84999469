// A terminal in the page, with the real server: how much it draws, how soon a key is seen. Both as a user has it: through a
// pty, the server, a socket and the browser. LIMINAL_BUILDER_BIN names the program.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeBrowser, newSession, ready, send, turnEnds, until } from "../../tests/ui/support.mjs";

const kMegabytes = 30;
const kKeys = 200;
const kSessions = 10;
/** Enough that all of them still stream when the last key is pressed. */
const kTurns = 15;

/** As a compiler says it: colours, paths, lines of different lengths. */
function log(bytes) {
  const lines = [];
  for (let at = 0, size = 0; size < bytes; at++) {
    const line = `\u001b[2m[${at}]\u001b[0m \u001b[38;2;${at % 255};120;90mCompiling\u001b[0m src/part_${at % 997}.cpp \u001b[1;32mok\u001b[0m ${"x".repeat(at % 50)}\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join("");
}

const ask = (page, path, body) =>
  page.evaluate(
    async ([to, said]) => {
      const response = await fetch(to, {
        method: said ? "POST" : "GET",
        headers: {
          Authorization: `Bearer ${localStorage.getItem("lb.token")}`,
          "Content-Type": "application/json",
        },
        ...(said ? { body: JSON.stringify(said) } : {}),
      });
      if (!response.ok) throw new Error(`${to}: ${await response.text()}`);
      return response.json();
    },
    [path, body],
  );

/** In the page: when a key went down, when its letter was in the terminal's buffer, when it was drawn, and frames between. */
function watch() {
  const seen = { keys: [], buffered: [], drawn: [], frames: [], longest: 0 };
  let waiting;
  let frame = 0;
  let last = performance.now();
  const tick = (now) => {
    frame++;
    seen.longest = Math.max(seen.longest, now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.bench = seen;
  window.addEventListener(
    "keydown",
    ({ key }) => {
      if (key.length === 1) waiting = { key, at: performance.now() };
    },
    true,
  );
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(url, protocols) {
      super(url, protocols);
      if (!/\/api\/terminal\//.test(url)) return;
      // After the page's own listener: it writes, the emulator parses in its next task, and then comes ours.
      setTimeout(() =>
        this.addEventListener("message", ({ data }) => {
          if (typeof data === "string" || !waiting || waiting.buffered) return;
          const now = waiting;
          setTimeout(() => {
            now.buffered = performance.now();
            now.frame = frame;
          });
        }),
      );
    }
  };
  new MutationObserver(() => {
    const cursor = document.querySelector(".xterm-rows .xterm-cursor")?.closest("div");
    if (!waiting?.buffered || !cursor?.textContent.trimEnd().endsWith(waiting.key)) return;
    seen.buffered.push(waiting.buffered - waiting.at);
    seen.drawn.push(performance.now() - waiting.at);
    seen.frames.push(frame - waiting.frame);
    waiting = undefined;
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

const screen = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".xterm-rows > div")].map((row) => row.textContent.trimEnd()).join("\n"),
  );
const percentile = (list, p) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];

async function run(page, line, ends) {
  await page.keyboard.type(line);
  const start = performance.now();
  await page.keyboard.press("Enter");
  await until(async () => ends.test(await screen(page)), `${ends}`, 300_000);
  return performance.now() - start;
}

async function streaming(page) {
  const { projects } = await ask(page, "/api/project/list");
  for (let n = 0; n < kSessions; n++) {
    const { sessionId } = await ask(page, "/api/session/create", {
      cliType: "scripted",
      projectId: projects[0].projectId,
    });
    for (let turn = 0; turn < kTurns; turn++)
      await ask(page, `/api/session/${sessionId}/send`, { content: "a long answer" });
  }
  return async () => {
    const { sessions } = await ask(page, `/api/session/list?projectId=${projects[0].projectId}`);
    return sessions.filter(({ activity }) => activity === "working").length;
  };
}

export async function measureTerminal(report) {
  const { server, page } = await ready();
  try {
    await page.addInitScript(watch);
    await newSession(page);
    await send(page, "echo hello");
    await turnEnds(page);
    await page.reload();
    await page.getByRole("button", { name: /^Workbench/ }).waitFor(); // With it comes the key.
    await page.keyboard.press("Control+`");
    await page.getByRole("button", { name: "New terminal" }).last().click();
    await until(
      () => page.evaluate(() => document.activeElement?.className === "xterm-helper-textarea"),
      "the terminal",
    );
    await run(page, "PS1='ready> '; clear", /^ready>$/m);
    const text = log(kMegabytes * 1e6);
    writeFileSync(join(server.project, "build.log"), text);
    await page.evaluate(() => (window.bench.longest = 0));
    const ms = await run(page, "cat build.log; echo all-$((40+2))", /^all-42$/m);
    report("terminal: drawn of a coloured log", Buffer.byteLength(text) / 1000 / ms, "MB/s", 5, ">=");
    report("terminal: longest frame meanwhile", await page.evaluate(() => window.bench.longest), "ms", 200);

    await run(page, "clear", /^ready>$/m);
    const working = await streaming(page);
    await page.locator(".terminal-place").click();
    for (let n = 0; n < kKeys; n++) {
      if (n % 20 === 0) await page.keyboard.press("Control+u");
      await page.keyboard.press("abcdefghijklmnopqrst"[n % 20]);
      const count = n + 1;
      await until(
        async () => (await page.evaluate(() => window.bench.drawn.length)) >= count,
        `key ${count} to be drawn`,
      );
    }
    const left = await working();
    if (left < kSessions) throw new Error(`only ${left} sessions streamed to the end`);
    const seen = await page.evaluate(() => window.bench);
    const of = `(${kSessions} sessions stream, p95 of ${kKeys})`;
    report(`terminal: key to the terminal's buffer ${of}`, percentile(seen.buffered, 0.95), "ms", 20);
    report(`terminal: frames from there until it is drawn ${of}`, percentile(seen.frames, 0.95), "frames", 2);
    report(`terminal: key until it is drawn ${of}`, percentile(seen.drawn, 0.95), "ms", 20 + 34);
  } finally {
    await server.stop();
    await closeBrowser();
  }
}
