// What the eye sees: from the agent's write to the page's text, the first word of an answer, a crash; a new session.
import { quantile } from "../../tests/support/figures.mjs";
import { agentsOf } from "../../tests/support/proc.mjs";
import { eventually, Socket } from "../../tests/support/server.mjs";
import { newSession } from "../../tests/ui/support.mjs";
import { figure, series } from "./figures.mjs";
import { clockOffset, makePlace, markOf, showSession, startPage, startServer } from "./place.mjs";

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** In the page: notes when each stamp "@ns " is in the text of the last answer, when an answer has a first word, when a turn failed. */
function watchText() {
  const seen = (window.nfrSeen = { stamps: [], firsts: [], failed: [] });
  let element;
  let begun;
  let length = 0;
  let failures = document.querySelectorAll(".turn-failed").length;
  new MutationObserver(() => {
    const at = performance.now();
    const last = [...document.querySelectorAll(".message.agent")].at(-1);
    if (last !== element) {
      element = last;
      length = 0;
    }
    const text = element?.textContent ?? "";
    if (text !== "" && begun !== element) {
      begun = element;
      seen.firsts.push(at);
    }
    // A word may be cut: it is read again with its end.
    const fresh = text.slice(length);
    let end = 0;
    for (const match of fresh.matchAll(/@(\d+) /g)) {
      seen.stamps.push([match[1], at]);
      end = match.index + match[0].length;
    }
    length += end;
    const now = document.querySelectorAll(".turn-failed").length;
    if (now > failures) seen.failed.push(at);
    failures = now;
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** Sends, waits for the end, and answers [milliseconds from the stamp to the page] of every stamp of this turn. */
async function throughPage({ server, page, offset }, sessionId, content) {
  await page.evaluate(() => (window.nfrSeen.stamps = []));
  await server.deliver(sessionId, content);
  await eventually(() => server.isIdle(sessionId), "the end of the turn", 60_000);
  const expected = Number(/(?:chunks|words)=(\d+)/.exec(content)[1]);
  const stamps = await eventually(async () => {
    const list = await page.evaluate(() => window.nfrSeen.stamps);
    return list.length >= expected && list;
  }, "all of it in the page");
  return stamps.map(([stamp, at]) => at + offset - Number(BigInt(stamp)) / 1e6);
}

async function eventToPage(world, sessionId) {
  const atSocket = [];
  const socket = new Socket(world.server.port, {
    onMessage: (message) => {
      const at = nowMs();
      if (message.type === "session:append") for (const [, stamp] of message.text.matchAll(/@(\d+) /g)) atSocket.push(at - Number(BigInt(stamp)) / 1e6);
    },
  });
  await socket.open;
  socket.send({ type: "session:open", sessionId, appends: true });
  await throughPage(world, sessionId, "/load chunks=100 bytes=40 every_us=5000"); // Warm.
  atSocket.length = 0;
  const values = [];
  for (let round = 0; round < 3; ++round) values.push(...(await throughPage(world, sessionId, "/load chunks=400 bytes=40 every_us=5000")));
  socket.destroy();
  const beside = `at a WebSocket client: p50 ${quantile(atSocket, 0.5).toFixed(2)} ms, p95 ${quantile(atSocket, 0.95).toFixed(2)} ms`;
  // Two frames of the screen; and what people take for immediate.
  series({ name: "event_to_dom", what: "agent's write to the page's text", values, median: 34, p95: 100, beside });
}

async function firstWords(world, sessionId) {
  for (const rate of [5, 20, 200]) {
    const values = [];
    for (let round = 0; round < 5; ++round) values.push((await throughPage(world, sessionId, `words=${rate === 5 ? 4 : 12} rate=${rate}`))[0]);
    figure({ name: `first_word_${rate}`, what: `response start to the first word in the page at ${rate} words/s, most of 5`, value: Math.max(...values), unit: "ms", limit: 200 });
  }
}

/** The same with Claude Code itself: from the first byte of the model's answer. What the CLI needs for it is in the figure. */
async function firstWordsOfClaude(world, sessionId, answers) {
  for (const rate of [5, 20, 200]) {
    const values = [];
    for (let round = 0; round < 3; ++round) {
      await world.page.evaluate(() => (window.nfrSeen.firsts = []));
      answers.length = 0;
      const mark = `rate ${rate} round ${round}`;
      await world.server.deliver(sessionId, `[[scenario:long]][[words:${rate === 5 ? 5 : 20}]][[tps:${rate}]] ${mark}`);
      await eventually(() => world.server.isIdle(sessionId), "the end of the turn", 60_000);
      const begun = answers.find(({ prompt }) => prompt.includes(mark)).at;
      const seen = await eventually(async () => {
        const firsts = await world.page.evaluate(() => window.nfrSeen.firsts);
        return firsts.map((at) => at + world.offset - begun).find((ms) => ms > 0);
      }, "the answer in the page");
      values.push(seen);
    }
    figure({ name: `first_word_claude_${rate}`, what: `the same with Claude Code, from the model's first byte, at ${rate} words/s, most of 3`, value: Math.max(...values), unit: "ms", limit: 200 });
  }
}

/** Kills the agent of a session that works; when a client and the page say so. */
async function crash(world, { cliType, sessionId, prompt }) {
  const { server, page, offset } = world;
  let told;
  const socket = new Socket(server.port, {
    onMessage: (message) => {
      if (message.type === "session:turn" && message.sessionId === sessionId && message.payload.type === "turn_error") told?.(nowMs());
    },
  });
  await socket.open;
  socket.send({ type: "session:open", sessionId, appends: true });
  const before = await page.locator(".turn-failed").count();
  await server.deliver(sessionId, prompt);
  await page.locator(".working-line").waitFor();
  await page.evaluate(() => (window.nfrSeen.failed = []));
  const pids = agentsOf(server.child.pid, markOf(cliType));
  if (pids.length !== 1) throw new Error(`${cliType}: ${pids.length} processes instead of one`);
  const error = new Promise((done) => (told = done));
  const killed = nowMs();
  process.kill(pids[0], "SIGKILL");
  const atSocket = (await error) - killed;
  await eventually(async () => (await page.locator(".turn-failed").count()) > before, "the failure in the page");
  const atPage = (await page.evaluate(() => window.nfrSeen.failed[0])) + offset - killed;
  socket.destroy();
  return { cliType, atSocket, atPage };
}

async function newSessions(page) {
  for (const [name, title] of [["demo", "Demo"], ["claude", "Claude"], ["codex", "Codex"]]) {
    const values = [];
    for (let round = 0; round < 3; ++round) {
      await page.keyboard.press("Escape");
      const begun = performance.now();
      await newSession(page, title);
      await page.locator(".composer textarea:not([disabled])").waitFor();
      values.push(performance.now() - begun);
    }
    figure({ name: `new_session_${name}`, what: `new session with ${title}, from the click to a prompt that can be typed, most of 3`, value: Math.max(...values), unit: "ms", limit: 2000 });
  }
}

export async function live({ modelUrl, answers }) {
  const place = makePlace({ modelUrl, demoAgents: 4 });
  const server = await startServer(place);
  await server.post("/api/project/add", { path: place.shop });
  const page = await startPage(server);
  await page.evaluate(watchText);
  const { offset } = await clockOffset(page);
  const world = { server, page, offset };
  /** A session with one turn behind it, on the screen. */
  const begin = async (cliType, prompt) => {
    const { sessionId } = await server.create(place.shop, cliType);
    await server.deliver(sessionId, prompt);
    await eventually(() => server.isIdle(sessionId), "the end of the first turn", 60_000);
    await showSession(page, prompt);
    return sessionId;
  };
  await eventToPage(world, await begin("demo", "/tools 1"));
  const words = await begin("words", "words=1 rate=0");
  await firstWords(world, words);
  await server.post(`/api/session/${words}/kill`); // Each session of this agent is a process: below there shall be one.
  const claude = await begin("claude-code", "[[scenario:text]] first words");
  await firstWordsOfClaude(world, claude, answers);
  await server.post(`/api/session/${claude}/kill`);
  const crashes = [];
  const cases = [
    ...[1, 2, 3, 4].map((n) => ({ cliType: `twin-${n}`, first: `/tools ${n + 1}`, prompt: "/slow seconds=600" })),
    { cliType: "words", first: "words=2 rate=0", prompt: "words=4000 rate=20" },
    { cliType: "claude-code", first: "[[scenario:text]] crash", prompt: "[[scenario:hang]] crash" },
  ];
  for (const one of cases) {
    const sessionId = await begin(one.cliType, one.first);
    crashes.push(await crash(world, { ...one, sessionId }));
  }
  for (const [name, protocol] of Object.entries({ twin: "ACP", words: "events", claude: "Claude" })) {
    const these = crashes.filter((one) => one.cliType.startsWith(name));
    const most = (where) => Math.max(...these.map((one) => one[where]));
    figure({ name: `crash_${name}_socket`, what: `${protocol} agent killed to turn_error at a WebSocket client, most of ${these.length}`, value: most("atSocket"), unit: "ms", limit: 100 });
    figure({ name: `crash_${name}_page`, what: `${protocol} agent killed to the failure in the page, most of ${these.length}`, value: most("atPage"), unit: "ms", limit: 100 });
  }
  await newSessions(page);
  if (page.problems.length > 0) throw new Error(`the page complains: ${page.problems.join("; ")}`);
  await page.context().close();
  await server.stop();
  place.remove();
  return [place.home];
}
