// Reviewing: how soon the first lines of many files are there, and whether scrolling through them stutters.
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const percentile = (list, p) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];

/** From the key to the frame in which lines of the first file are on screen. */
const openChanges = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const start = performance.now();
        const key = { key: "G", ctrlKey: true, shiftKey: true, bubbles: true };
        document.dispatchEvent(new KeyboardEvent("keydown", key));
        const look = () =>
          document.querySelector(".diff-file .dl")
            ? resolve(performance.now() - start)
            : requestAnimationFrame(look);
        requestAnimationFrame(look);
      }),
  );

/** Times between frames while it is scrolled for some seconds. */
const scrolled = (page, step) =>
  page.evaluate(
    (by) =>
      new Promise((resolve) => {
        const scroller = document.querySelector(".diff-scroll");
        const times = [];
        let last = performance.now();
        const end = last + 4000;
        const next = () => {
          const now = performance.now();
          times.push(now - last);
          last = now;
          scroller.scrollTop += by;
          if (now < end) requestAnimationFrame(next);
          else resolve(times);
        };
        requestAnimationFrame(next);
      }),
    step,
  );
const perSecond = (times) => 1000 / (times.reduce((a, b) => a + b, 0) / times.length);

const toSession = async (page) => {
  await page.locator(".session-open", { hasText: "Fix the rounding" }).first().click();
  await page.locator(".chat-rows .row").first().waitFor();
};

export async function measureReview(withPage, report) {
  const firsts = [];
  for (let round = 0; round < 5; round++)
    await withPage("many-files", async (page, server) => {
      await toSession(page);
      // The code is there for all but the first visit; what is measured is the work.
      await openChanges(page);
      await page.keyboard.press("Control+J");
      await page.locator(".bench").waitFor({ state: "detached" });
      await page.goto(`${server.url}s/s-1`);
      await page.locator(".chat-rows .row").first().waitFor();
      firsts.push(await openChanges(page));
    });
  report("first lines of 5,000 changed files (median of 5)", median(firsts), "ms", 300);
  await withPage("many-files", async (page) => {
    await toSession(page);
    await openChanges(page);
    const times = await scrolled(page, 50);
    report(
      "frames per second while scrolling through 5,000 changed files",
      perSecond(times),
      "fps",
      50,
      ">=",
    );
    report("longest frame of 95 % there", percentile(times, 0.95), "ms", 34);
  });
  await withPage("huge-file", async (page) => {
    await toSession(page);
    await openChanges(page);
    // From the list: its own head is not drawn before it comes near. It starts folded.
    await page.locator(".changed-file", { hasText: "generated.ts" }).getByRole("button").click();
    const lines = page.locator('.diff-file[aria-label="src/generated.ts"] .dl-add');
    const show = page.getByRole("button", { name: "Show src/generated.ts" });
    await show.or(lines).first().waitFor();
    if (await show.isVisible()) await show.click();
    await lines.first().waitFor();
    const times = await scrolled(page, 200);
    report("frames per second while scrolling through a file of 5 MB", perSecond(times), "fps", 50, ">=");
    report("longest frame of 95 % there", percentile(times, 0.95), "ms", 34);
  });
}
