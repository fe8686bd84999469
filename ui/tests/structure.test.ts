// Rules of the page's structure that the compiler does not hold by itself.
import { expect, it } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const under = (folder: string) =>
  Object.entries(sources).filter(([path]) => path.startsWith(`../src/${folder}`));

it("only the parts of the state write their signals", () => {
  const others = Object.entries(sources).filter(([path]) => !path.startsWith("../src/state/"));
  expect(others.length).toBeGreaterThan(50);
  for (const [path, text] of others) {
    expect(text, path).not.toMatch(/state\/write"/);
    expect(text, path).not.toMatch(/\bapp\.[\w.]+\.value\s*=[^=]/);
  }
});

it("the state knows nothing of views, and actions nothing of commands", () => {
  for (const [path, text] of under("state/"))
    expect(text, path).not.toMatch(/from "\.\.\/(views|commands|actions)\//);
  for (const [path, text] of under("actions/"))
    expect(text, path).not.toMatch(/from "\.\.\/(views|commands)\//);
});

it("no file is longer than 300 lines", () => {
  for (const [path, text] of Object.entries(sources))
    if (path !== "../src/wire.ts") expect(text.split("\n").length, path).toBeLessThanOrEqual(301);
});
