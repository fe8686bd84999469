// What a tab costs that streams for a long time. Nobody is attached to the page while it works: the tools of the browser keep
// things themselves, and a collection that is forced every few seconds hides what a user's tab really takes.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { WebSocket } from "ws";
import { answer } from "../dev/agent.mjs";
import { startServer } from "../dev/server.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A Chromium of our own, that goes on when nobody is connected to it. */
async function startBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "lb-bench-"));
  const child = spawn(
    process.env.CHROMIUM ?? "/usr/bin/chromium",
    [
      "--headless",
      "--no-sandbox",
      "--no-first-run",
      "--remote-debugging-port=0",
      "--window-size=1320,860",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const address = await new Promise((resolve, reject) => {
    let said = "";
    child.once("exit", () => reject(new Error(`Chromium ended: ${said}`)));
    child.stderr.on("data", (data) => {
      said += data;
      const found = /listening on (ws:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
  });
  const stop = async () => {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    await asking(address, (ask) => ask("Browser.close"));
    await gone;
    // Its helpers may write a moment longer than it lives.
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  return { address, stop };
}

/** Asks the browser, and its page when `use` says so, then leaves it alone again. */
async function asking(address, use) {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const waiting = new Map();
  let last = 0;
  socket.on("message", (data) => {
    const { id, result, error } = JSON.parse(data);
    if (id === undefined) return;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  });
  const ask = (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    });
  const page = async () => {
    const { targetInfos } = await ask("Target.getTargets");
    const { targetId } = targetInfos.find(({ type, url }) => type === "page" && url.startsWith("http"));
    const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
    return (method, params) => ask(method, params, sessionId);
  };
  try {
    return await use(ask, page);
  } finally {
    socket.close();
  }
}

/** What a process has in memory for itself, in MB: without the browser's program, which is there once for all tabs. */
const resident = (pid) =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1000;

/** Processor time that a process has used. */
const ticks = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
};

/** What the page holds: everything that can be thrown away was, and the system has it back. */
async function held(address, pid, world) {
  while ([...world.connections].some(({ ws }) => ws.bufferedAmount > 0)) await pause(50);
  const counted = await asking(address, async (_ask, attach) => {
    const page = await attach();
    const idle = "new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))";
    await page("Runtime.evaluate", { expression: `${idle}.then(() => 0)`, awaitPromise: true });
    for (let round = 0; round < 3; round++) await page("HeapProfiler.collectGarbage");
    const { nodes, jsEventListeners } = await page("Memory.getDOMCounters");
    const { usedSize } = await page("Runtime.getHeapUsage");
    return { nodes, listeners: jsEventListeners, heap: usedSize / 1e6 };
  });
  // Memory goes back in the background: until it has not become less for two seconds.
  let least = resident(pid);
  for (let quiet = 0, rounds = 0; quiet < 8 && rounds < 60; rounds++, quiet++) {
    await pause(250);
    const now = resident(pid);
    if (now < least) [least, quiet] = [now, 0];
  }
  return { ...counted, held: least };
}

/**
 * The pace of what streams: bytes of text at a time, the pause after each, tools per turn, and the pause after each of those.
 * An agent as fast as the fastest models, 200 words/s, that runs two commands a second after each answer; or a flood, a
 * hundred times as much as any agent, which shows what is kept by its sheer number.
 */
const paces = {
  agent: { bytes: 60, afterText: 50, tools: 10, afterTool: 500 },
  flood: { bytes: 200, afterText: 5, tools: 30, afterTool: 0 },
};

/** One turn: 12 KB of text, then outputs of 20 KB. */
async function turn(session, turnId, pace) {
  const { timeline } = session;
  const text = answer.repeat(10);
  timeline.turn(turnId, { type: "turn_started", startedAt: new Date().toISOString() });
  timeline.item(`${turnId}:a`, { type: "message", turnId, origin: "agent", content: "" });
  for (let at = 0; at < 12_000; at += pace.bytes) {
    timeline.append(`${turnId}:a`, "content", text.slice(at, at + pace.bytes));
    await pause(pace.afterText);
  }
  timeline.item(`${turnId}:a`, { status: "complete" });
  for (let tool = 0; tool < pace.tools; tool++) {
    timeline.item(`${turnId}:t${tool}`, {
      type: "tool_call",
      turnId,
      toolName: "Bash",
      kind: "execute",
      callId: `${turnId}:t${tool}`,
      toolArguments: { command: "make" },
      toolOutput: "x".repeat(20_000),
      status: "complete",
    });
    await pause(pace.afterTool);
  }
  timeline.turn(turnId, {
    type: "turn_complete",
    status: "completed",
    endedAt: new Date().toISOString(),
  });
}

/** Growth per minute by least squares. */
export function slope(samples, name) {
  const mean = (key) => samples.reduce((sum, one) => sum + one[key], 0) / samples.length;
  const [x, y] = [mean("minutes"), mean(name)];
  const over = samples.reduce((sum, one) => sum + (one.minutes - x) * (one[name] - y), 0);
  const under = samples.reduce((sum, one) => sum + (one.minutes - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

export async function measureMemory(minutes, report, paceName = "agent") {
  const pace = paces[paceName];
  const server = await startServer({ story: "busy" });
  const { address, stop } = await startBrowser();
  const visitor = await chromium.connectOverCDP(address);
  const page = await visitor.contexts()[0].newPage();
  await page.goto(server.launch);
  await page
    .getByRole("button", { name: /Profile the frame loop/ })
    .first()
    .click();
  await page.locator(".composer textarea").waitFor();
  await visitor.close(); // Only leaves: the page stays.
  const session = server.world.session("s-7");
  const start = Date.now();
  const since = () => (Date.now() - start) / 60_000;
  const every = Math.min(1, minutes / 4);
  const samples = [];
  const sample = async () => {
    const one = { minutes: since(), ...(await held(address, pid, server.world)) };
    samples.push(one);
    console.error(
      `${one.minutes.toFixed(1)} min: heap ${one.heap.toFixed(1)} MB, tab ${one.held.toFixed(0)} MB, ${one.nodes} nodes, ${one.listeners} listeners`,
    );
  };
  // The page is the renderer that works for the first turn; the browser's own surfaces have renderers too.
  const renderers = await asking(address, async (ask) => {
    const { processInfo } = await ask("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => ({ id, cpu: ticks(id) }));
  });
  await turn(session, "first", pace);
  const worked = ({ id, cpu }) => ticks(id) - cpu;
  const pid = renderers.sort((a, b) => worked(b) - worked(a))[0].id;
  let [most, next, turns] = [0, every, 1];
  while (since() < minutes || samples.length === 0) {
    await turn(session, `m${turns++}`, pace);
    most = Math.max(most, resident(pid));
    if (since() < next) continue;
    await sample();
    next = since() + every;
  }
  await stop();
  await server.stop();

  const of = (name) => samples.map((one) => one[name]);
  report(
    `heap the page holds over ${minutes} min of streaming (${paceName}), at most`,
    Math.max(...of("heap")),
    "MB",
    60,
  );
  report("memory the tab holds, at most", Math.max(...of("held")), "MB", 400);
  // Between two collections of its own: how long the browser lets rubbish lie is its decision.
  report("memory of the tab between collections, at most", most, "MB", 800);
  // The page keeps a window of entries and drops the rest in steps: few samples are a guess at one tooth of the saw.
  if (minutes >= 15) {
    const settled = samples.slice(2);
    report("heap the page holds, growth", slope(settled, "heap"), "MB/min", 0.2);
    report("memory the tab holds, growth", slope(settled, "held"), "MB/min", 2);
    report("DOM nodes, growth", slope(settled, "nodes"), "per min", 50);
  }
  console.error(`${turns} turns, ${most.toFixed(0)} MB at most between collections`);
}
