// Measures the page in headless Chromium against the development server and compares with the budgets.
// Usage: node bench/run.mjs [--minutes N] [--only many|review|stream|terminal|memory] [--pace agent|flood] [--json]
// Terminals are measured with the real server: LIMINAL_BUILDER_BIN names it; without it they are left out.
import { chromium } from "playwright-core";
import { startServer } from "../dev/server.mjs";
import { answer } from "../dev/agent.mjs";
import { budgets, sizes } from "./sizes.mjs";
import { measureMemory } from "./memory.mjs";
import { measureReview } from "./review.mjs";
import { measureTerminal } from "./terminal.mjs";
import { goThrough, p95, watchingShifts, ways } from "./moving.mjs";

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const minutes = Number(option("minutes", 1));
const only = option("only", "");
const results = [];
const report = (name, value, unit, budget, better = "<=") => {
  const ok = better === "<=" ? value <= budget : value >= budget;
  const rounded = Number(value.toFixed(2));
  results.push(ok);
  if (process.argv.includes("--json"))
    console.log(
      JSON.stringify({ bench: "ui", name, value: rounded, unit, budget: `${better} ${budget}`, ok }),
    );
  else console.log(`${ok ? "ok  " : "MISS"} ${name}: ${rounded} ${unit} (budget ${better} ${budget})`);
};

const size = sizes(new URL("../dist/", import.meta.url));
report("initial JavaScript, gzip", size.first, "kB", budgets.first);
report("JavaScript until a conversation is shown, gzip", size.conversation, "kB", budgets.conversation);
report("JavaScript of formulas, on demand, gzip", size.math, "kB", budgets.math);
report("JavaScript and styles of terminals, on demand, gzip", size.terminal, "kB", budgets.terminal);
report("fonts, all of them", size.fonts, "kB", budgets.fonts);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"],
});
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const percentile = (list, p) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];

async function withPage(story, use) {
  const server = await startServer({ story });
  const page = await (await browser.newContext({ viewport: { width: 1320, height: 860 } })).newPage();
  await page.goto(server.launch);
  await page.locator(".session-row").first().waitFor();
  await use(page, server);
  await page.context().close();
  await server.stop();
}

/** From the click to the frame in which the last row of the conversation is on screen. */
const openSession = (page, title, last) =>
  page.evaluate(
    ([wanted, text]) =>
      new Promise((resolve) => {
        const row = [...document.querySelectorAll(".session-open")].find((button) =>
          button.textContent.includes(wanted),
        );
        const start = performance.now();
        row.click();
        const look = () =>
          [...document.querySelectorAll(".chat-rows .row")].some((element) =>
            element.textContent.includes(text),
          )
            ? resolve(performance.now() - start)
            : requestAnimationFrame(look);
        requestAnimationFrame(look);
      }),
    [title, last],
  );

/** From the shortcut to the frame in which the palette has the focus: its code is there by then, if only just. */
const palette = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const start = performance.now();
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }));
        const look = () =>
          document.activeElement?.matches("dialog input")
            ? resolve(performance.now() - start)
            : requestAnimationFrame(look);
        requestAnimationFrame(look);
      }),
  );

const firsts = [];
for (let round = 0; round < (only ? 0 : 5); round++)
  await withPage("long", async (page) => {
    firsts.push(await palette(page));
  });
if (!only) report("open the command palette for the first time (median of 5)", median(firsts), "ms", 100);

const opens = [];
for (let round = 0; round < (only ? 0 : 5); round++)
  await withPage("long", async (page) => {
    opens.push(await openSession(page, "Fix the rounding", "Part 19999"));
  });
if (!only) report("open a session of 20,000 items (median of 5)", median(opens), "ms", 300);

if (!only)
  await withPage("long", async (page) => {
    await openSession(page, "Fix the rounding", "Part 19999");
    await openSession(page, "Port the mesh", "Port src/mesh");
    const switches = [];
    for (let round = 0; round < 10; round++) {
      switches.push(await openSession(page, "Fix the rounding", "Part 19999"));
      switches.push(await openSession(page, "Port the mesh", "Port src/mesh"));
    }
    report("switch between two open tabs (p95 of 20)", percentile(switches, 0.95), "ms", 100);
    await openSession(page, "Fix the rounding", "Part 19999");
    const frames = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const scroller = document.querySelector(".chat-scroll");
          scroller.dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
          const times = [];
          let last = performance.now();
          const end = last + 5000;
          const step = () => {
            const now = performance.now();
            times.push(now - last);
            last = now;
            scroller.scrollTop -= 50;
            if (now < end) requestAnimationFrame(step);
            else resolve(times);
          };
          requestAnimationFrame(step);
        }),
    );
    report(
      "frames per second while scrolling up through history",
      1000 / (frames.reduce((a, b) => a + b, 0) / frames.length),
      "fps",
      50,
      ">=",
    );
    report("longest frame of 95 % while scrolling", percentile(frames, 0.95), "ms", 34);
  });

/** Thirty open sessions, each with an answer of some length and a last message that says its title. */
async function openMany(page, server) {
  for (const [id, { info, timeline }] of server.world.sessions) {
    if (info.archived) continue;
    const fields = { type: "message", turnId: `last-${id}`, status: "complete" };
    timeline.item(`last-${id}:a`, { ...fields, origin: "agent", content: `${answer}\n\n`.repeat(8) });
    timeline.item(`last-${id}:u`, { ...fields, origin: "user", content: info.title });
  }
  const ids = [...server.world.sessions.values()].flatMap(({ info }) =>
    info.archived ? [] : [info.sessionId],
  );
  await page.evaluate(
    (all) => localStorage.setItem("lb.tabs", JSON.stringify({ ids: all, active: all[0] })),
    ids,
  );
  await page.goto(`${server.url}s/${ids[0]}`);
  await page.locator(".chat-rows .message.user").first().waitFor();
  for (const more of await page.getByRole("button", { name: /^Show \d+ more/ }).all()) await more.click();
  return ids.length;
}
if (!only || only === "many")
  await withPage("crowd", async (page, server) => {
    const { look, found } = await watchingShifts(page);
    const count = await openMany(page, server);
    for (const way of ways) {
      const first = await goThrough(page, way, count);
      const second = await goThrough(page, way, count);
      const took = [...first.took, ...second.took].sort((a, b) => a - b);
      report(`switch between ${count} open sessions by ${way} (p95 of ${took.length})`, p95(took), "ms", 100);
    }
    await look("many sessions");
    report("layout shifts without a hand meanwhile", found.length, "", 0);
  });

if (!only || only === "review") await measureReview(withPage, report);

/** Script time between two frames, from Chromium's own trace: time of the thread, so that other load on the machine does not count. */
async function tracedScript(page, work) {
  const client = await page.context().newCDPSession(page);
  const events = [];
  client.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const done = new Promise((resolve) => client.once("Tracing.tracingComplete", resolve));
  await client.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["devtools.timeline", "v8", "disabled-by-default-devtools.timeline"] },
  });
  await work();
  await client.send("Tracing.end");
  await done;
  const script = events
    .filter(
      (event) =>
        event.ph === "X" &&
        [
          "FunctionCall",
          "FireAnimationFrame",
          "TimerFire",
          "RunMicrotasks",
          "EvaluateScript",
          "MinorGC",
          "MajorGC",
        ].includes(event.name),
    )
    .sort((a, b) => a.ts - b.ts);
  const main = Object.entries(
    script.reduce((sums, event) => ({ ...sums, [event.tid]: (sums[event.tid] ?? 0) + event.dur }), {}),
  ).sort((a, b) => b[1] - a[1])[0][0];
  const frames = events
    .filter((event) => event.name === "FireAnimationFrame" && String(event.tid) === main)
    .map((event) => event.ts)
    .sort((a, b) => a - b);
  const spent = new Array(frames.length).fill(0);
  let end = 0;
  let frame = 0;
  for (const event of script) {
    if (String(event.tid) !== main) continue;
    if (event.ts < end) continue; // Inside of one that was counted.
    end = event.ts + event.dur;
    while (frame + 1 < frames.length && frames[frame + 1] <= event.ts) frame++;
    spent[frame] += (event.tdur ?? event.dur) / 1000;
  }
  return spent.filter((ms) => ms > 0.05);
}

if (!only || only === "stream")
  await withPage("busy", async (page, server) => {
    const session = server.world.session("s-7");
    await page
      .getByRole("button", { name: /Profile the frame loop/ })
      .first()
      .click();
    await page.locator(".composer textarea").waitFor();
    let text = "";
    while (text.length < 100_000) text += `## Part ${text.length}\n\n${answer}\n`;
    session.timeline.turn("bench", { type: "turn_started", startedAt: new Date().toISOString() });
    session.timeline.item("bench:a", { type: "message", turnId: "bench", origin: "agent", content: "" });
    await page.locator(".message.agent").waitFor({ state: "attached" });
    const spent = await tracedScript(page, async () => {
      for (let at = 0; at < text.length; at += 64) {
        session.timeline.append("bench:a", "content", text.slice(at, at + 64));
        if ((at / 64) % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 6));
      }
      await page.waitForTimeout(300);
    });
    session.timeline.item("bench:a", { status: "complete" });
    report("script per frame while 100 KB stream in (p95)", percentile(spent, 0.95), "ms", 8);
    report("script per frame while 100 KB stream in (longest)", Math.max(...spent), "ms", 50);
    report("script per frame while 100 KB stream in (median)", median(spent), "ms", 4);
  });

if (process.env.LIMINAL_BUILDER_BIN && (!only || only === "terminal")) await measureTerminal(report);
if (!only || only === "memory") await measureMemory(minutes, report, option("pace", "agent"));

await browser.close();
process.exitCode = results.every(Boolean) ? 0 : 1;
