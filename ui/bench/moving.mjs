// What is felt when one goes from session to session, by the real keys and the real pointer: how long it takes until the other
// conversation is painted, and what moved without a hand. Sessions are told apart by their titles, which their last message says.

/** Runs in the page, for good: each change of the session on screen is timed from the key or press that asked for it. */
const watchSwitches = () => {
  const title = () => document.querySelector("[role=tab][aria-selected=true] .tab-title")?.textContent;
  const shows = (text) =>
    [...document.querySelectorAll(".chat-rows .message")].some((row) => row.textContent.includes(text));
  let [hand, front] = [0, title()];
  window.switches = [];
  for (const kind of ["keydown", "click"])
    addEventListener(
      kind,
      ({ timeStamp }) => {
        hand = timeStamp;
      },
      true,
    );
  // A frame that finds the words is followed by their painting, and that by the next frame.
  const look = () => {
    const now = title();
    if (now !== undefined && now !== front && shows(now)) {
      front = now;
      const start = hand;
      requestAnimationFrame((end) => {
        window.switches.push(performance.measure(`switch to ${now}`, { start, end }).duration);
      });
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

/** Runs in the page. */
const until = (done) =>
  new Promise((resolve, reject) => {
    const deadline = performance.now() + 30_000;
    const look = () => {
      if (window.switches.length === done) resolve();
      else if (performance.now() > deadline) reject(new Error(`switch ${done} was never painted`));
      else requestAnimationFrame(look);
    };
    look();
  });

const steps = {
  /** The arrow key on the row of tabs. */
  tabs: { go: (page) => page.keyboard.press("ArrowRight") },
  /** A press on a row of the list. */
  list: { go: (page, n) => page.locator(".session-row:not(.current) .session-open").nth(n).click() },
  /** Ctrl+E, up to the session that was on screen the longest ago, and from Enter on. */
  switcher: {
    async prepare(page) {
      await page.keyboard.press("Control+e");
      await page.locator(".palette [aria-selected=true]").waitFor();
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
    },
    go: (page) => page.keyboard.press("Enter"),
  },
};
export const ways = Object.keys(steps);

/** The time that the page's own thread has worked, in milliseconds: what else the machine does is not in it. */
async function ownTime(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
}

/**
 * Goes `count` times to another session in one way. Returns the milliseconds that each took, and how many of them the page
 * worked, each list beginning with the shortest.
 */
export async function goThrough(page, way, count) {
  const worked = await ownTime(page);
  const own = [];
  await page.evaluate(`window.switches ?? (${watchSwitches})()`);
  await page.evaluate(() => void window.switches.splice(0));
  if (way === "tabs") await page.locator("[role=tab][aria-selected=true]").focus();
  for (let n = 0; n < count; n++) {
    await steps[way].prepare?.(page);
    const before = await worked();
    await steps[way].go(page, n % (count - 1));
    await page.evaluate(until, n + 1);
    own.push((await worked()) - before);
  }
  const took = await page.evaluate(() => window.switches);
  return { took: took.sort((a, b) => a - b), own: own.sort((a, b) => a - b) };
}

export const p95 = (sorted) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))];

/** Runs in the page, from its beginning: what moved although nobody had touched anything. */
const watchShifts = () => {
  const name = (node) =>
    node?.nodeType === 1
      ? `${node.tagName}.${node.className} ${node.textContent.slice(0, 40)}`
      : String(node?.textContent).slice(0, 40);
  const box = ({ x, y, width, height }) => `${x},${y} ${width}x${height}`;
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput)
        window.shifts.push({
          value: entry.value,
          what: entry.sources
            .map(
              (source) =>
                `${name(source.node)} from ${box(source.previousRect)} to ${box(source.currentRect)}`,
            )
            .join(" | "),
        });
  }).observe({ type: "layout-shift", buffered: true });
};

/** From the next load of the page on. `look(where)` adds what shifted since the last look to `found`. */
export async function watchingShifts(page) {
  await page.addInitScript(watchShifts);
  const found = [];
  const look = async (where) => {
    // What is drawn by now has been told to the observer after the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    for (const { value, what } of await page.evaluate(() => window.shifts.splice(0)))
      found.push({ where, value, what });
  };
  return { look, found };
}
