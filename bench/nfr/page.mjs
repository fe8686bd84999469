// Twenty projects with fifty sessions each: the page opens, scrolls and filters without a frame that is felt.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../../tests/support/figures.mjs";
import { eventually } from "../../tests/support/server.mjs";
import { browser } from "../../tests/ui/support.mjs";
import { figure } from "./figures.mjs";
import { makePlace, startServer } from "./place.mjs";

const kProjects = 20;
const kSessions = 50;

/** In every page from its first line on: when each frame came, and the longest task. */
function watchFrames() {
  window.nfrFrames = [];
  window.nfrTasks = [];
  const step = (at) => {
    window.nfrFrames.push(at);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.nfrTasks.push(entry.duration);
  }).observe({ type: "longtask", buffered: true });
}

const gaps = (frames) => frames.slice(1).map((at, i) => at - frames[i]);

/** The longest time between two frames while `work` runs, and the 95th percentile. */
async function frames(page, work) {
  await page.evaluate(() => (window.nfrFrames.length = 0));
  await work();
  const list = gaps(await page.evaluate(() => window.nfrFrames));
  return { longest: Math.max(...list), p95: quantile(list, 0.95) };
}

async function fill(server, home) {
  for (let p = 0; p < kProjects; ++p) {
    const path = join(home, `project-${p}`);
    mkdirSync(path);
    await server.post("/api/project/add", { path });
    const made = await Promise.all(Array.from({ length: kSessions }, () => server.create(path)));
    await Promise.all(
      made.map(async ({ sessionId }, i) => {
        await server.deliver(sessionId, `/tools 1 of task ${i} in project ${p}`);
        await eventually(() => server.isIdle(sessionId), "the end of the turn", 60_000);
        if (i % 10 !== 0) await server.post(`/api/session/${sessionId}/read`);
      }),
    );
  }
}

export async function page() {
  const place = makePlace();
  const filling = await startServer(place);
  await fill(filling, place.home);
  await filling.stop();
  const server = await startServer(place);
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 820 } });
  const tab = await context.newPage();
  await tab.addInitScript(watchFrames);
  await tab.goto(server.launch);
  const rows = () => tab.locator(".session-row").count();
  await eventually(async () => (await rows()) >= kProjects, "the sessions in the list", 60_000);
  await tab.reload(); // Logged in: what a user's reload costs.
  const filter = tab.getByLabel("Filter sessions");
  await filter.waitFor();
  const interactive = await tab.evaluate(
    (least) =>
      new Promise((done) => {
        const look = () => (document.querySelectorAll(".session-row").length >= least ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look));
        look();
      }),
    kProjects,
  );
  let calm = -1;
  await eventually(async () => {
    const now = await rows();
    const same = now === calm;
    calm = now;
    return same;
  }, "a list at rest");
  const opening = await tab.evaluate(() => ({ frames: window.nfrFrames, tasks: window.nfrTasks }));
  figure({ name: "page_interactive", what: `${kProjects} projects × ${kSessions} sessions: from the reload to the list on the screen (${calm} rows)`, value: interactive, unit: "ms", limit: 1000 });
  figure({ name: "page_opening_frame", what: "longest frame while it opens", value: Math.max(...gaps(opening.frames)), unit: "ms", limit: 200, beside: `longest task ${Math.round(Math.max(0, ...opening.tasks))} ms` });

  const scrolled = await frames(tab, () =>
    tab.evaluate(
      () =>
        new Promise((done) => {
          const list = [...document.querySelectorAll("aside *, nav *")].find((one) => one.scrollHeight > one.clientHeight + 100 && getComputedStyle(one).overflowY !== "visible");
          if (!list) throw new Error("nothing to scroll");
          const end = performance.now() + 3000;
          const step = () => {
            list.scrollTop += 40;
            if (performance.now() < end) requestAnimationFrame(step);
            else done();
          };
          step();
        }),
    ),
  );
  figure({ name: "page_scroll_frame", what: "frames while the list scrolls for 3 s, p95", value: scrolled.p95, unit: "ms", limit: 34, beside: `longest ${Math.round(scrolled.longest)} ms` });

  await filter.focus();
  await tab.evaluate(() => {
    window.nfrTyped = [];
    addEventListener("input", (event) => {
      const at = event.timeStamp;
      // Behind the frame that shows it: a task after the next frame's callback.
      requestAnimationFrame(() => setTimeout(() => window.nfrTyped.push(performance.now() - at)));
    }, true);
  });
  const typing = await frames(tab, async () => {
    for (const text of ["task 17", "project 3", "no such thing"]) {
      await filter.pressSequentially(text, { delay: 60 });
      await filter.fill("");
    }
  });
  const typed = await tab.evaluate(() => window.nfrTyped);
  figure({ name: "page_filter", what: `a key in the filter to the frame that shows it, p95 of ${typed.length}`, value: quantile(typed, 0.95), unit: "ms", limit: 100, beside: `median ${quantile(typed, 0.5).toFixed(1)} ms` });
  figure({ name: "page_filter_frame", what: "longest frame while typing into the filter", value: typing.longest, unit: "ms", limit: 100 });
  await context.close();
  await server.stop();
  place.remove();
  return [place.home];
}
