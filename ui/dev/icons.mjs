// Draws the icons of the installed page from src/icon.svg (needs Chromium). Usage: node dev/icons.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const icon = readFileSync(new URL("../src/icon.svg", import.meta.url), "utf8");
/** Systems cut these to their own shape: the ground reaches every edge, the drawing stays inside the circle that is never cut. */
const whole = icon
  .replace('rx="8"', "")
  .replace(/(<rect[^>]*>)(.*)<\/svg>/, '$1<g transform="translate(4.4 4.4) scale(.725)">$2</g></svg>');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const [name, size, svg] of [
  ["icon-180", 180, whole],
  ["icon-192", 192, icon],
  ["icon-512", 512, icon],
  ["icon-maskable-512", 512, whole],
]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`);
  const picture = await page.screenshot({ omitBackground: true });
  writeFileSync(new URL(`../public/${name}.png`, import.meta.url), picture);
  await page.close();
}
await browser.close();
