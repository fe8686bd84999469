import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** What `liminal-builder --licenses` prints, for whoever has only the page. */
const licences = () =>
  ["copyright", "apache-2.0.txt"].map((name) => readFileSync(`../packaging/${name}`, "utf8")).join("\n");

// The page is served by the C++ program from memory: hashed names, no inline script or style, no other host.
export default defineConfig({
  base: "/",
  plugins: [
    {
      name: "licences",
      generateBundle() {
        this.emitFile({ type: "asset", fileName: "licenses.txt", source: licences() });
      },
    },
  ],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false, // Each part that comes later is one file: there is nothing to fetch beside it.
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        // Else the bundler's own helpers are put there, and the conversation waits for the languages.
        codeSplitting: { groups: [{ name: "languages", test: /highlight\.js|markdown.languages/ }] },
      },
    },
  },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 60_000, // A busy machine is no failure.
  },
});
