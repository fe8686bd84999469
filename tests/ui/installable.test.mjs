// The page as an app: what a browser needs to install it, and the letters it brings along.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { closeBrowser, openPage, Server, until } from "./support.mjs";

after(closeBrowser);

const require = createRequire(
  new URL("../../ui/package.json", import.meta.url),
);
const { chromium } = require("playwright-core");

test("the browser offers to install the page and finds nothing wrong with its manifest", async () => {
  const server = await Server.start();
  const profile = mkdtempSync(join(tmpdir(), "lb-profile-"));
  // Only a profile that is kept can install anything.
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const page = await openPage(server, { context });
    await page.locator(".home h1").waitFor();
    const session = await context.newCDPSession(page);
    await until(
      async () =>
        (await session.send("Page.getInstallabilityErrors"))
          .installabilityErrors.length === 0,
      "a page that can be installed",
    );
    const { url, errors, data } = await session.send("Page.getAppManifest");
    assert.equal(url, `${server.url}manifest.webmanifest`);
    assert.deepEqual(errors, []);
    const { icons } = JSON.parse(data);
    assert.ok(icons.some(({ purpose }) => purpose === "maskable"));
    const touch = await page
      .locator('link[rel="apple-touch-icon"]')
      .getAttribute("href");
    for (const path of [touch, ...icons.map(({ src }) => src)]) {
      // A picture whose sides are what the manifest says; the size of a PNG stands at its beginning.
      const answer = await fetch(new URL(path, server.url));
      assert.equal(answer.headers.get("content-type"), "image/png", path);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const side = Number(/(\d+)\.png$/.exec(path)[1]);
      assert.deepEqual(
        [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
        [side, side],
      );
    }
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await context.close();
    await server.stop();
    rmSync(profile, { recursive: true, force: true });
  }
});

test("the page brings its letters, and nothing moves when they come", async () => {
  const server = await Server.start();
  try {
    const page = await openPage(server, { url: server.url });
    const complaints = [];
    page.on("console", (message) => {
      if (/preload/.test(message.text())) complaints.push(message.text());
    });
    await page.addInitScript(() => {
      window.shifts = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (!entry.hadRecentInput) window.shifts.push(entry.value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(server.launch);
    await page.locator(".home h1").waitFor();
    await page.reload(); // A second start has them at hand.
    await page.locator(".home h1").waitFor();
    const loaded = () =>
      page.evaluate(() =>
        [...document.fonts]
          .filter(({ status }) => status === "loaded")
          .map(({ family, style, weight }) =>
            [family.replaceAll('"', ""), style, weight].join(" "),
          ),
      );
    await until(
      async () =>
        [
          "Inter normal 400 700",
          "Inter italic 400 700",
          "JetBrains Mono normal normal",
          "JetBrains Mono normal 700",
        ].every(
          (
            (have) => (name) =>
              have.includes(name)
          )(await loaded()),
        ),
      "all four fonts",
    );
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    assert.deepEqual(complaints, []);
    assert.deepEqual(page.problems, []);
  } finally {
    await server.stop();
  }
});
