import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** What `liminal-builder --licenses` prints, for whoever has only the page. */
const licences = () =>
  ["copyright", "apache-2.0.txt"].map((name) => readFileSync(`../packaging/${name}`, "utf8")).join("\n");

/**
 * What xterm.js is changed in while it is built. It makes <style> elements and style attributes, which the page's policy
 * forbids: it gets style sheets of the document and rules of elements instead. And the contrast of inverse letters is taken
 * from the colours that they have. The version is pinned; should another one look different, nothing is built.
 */
function forThisPage(code: string): string {
  const adopted = fileURLToPath(new URL("src/views/terminal/adopted_style.ts", import.meta.url));
  const replaced = (text: string, times: number, pattern: RegExp, by: string): string => {
    const found = [...text.matchAll(pattern)].length;
    if (found !== times)
      throw new Error(`xterm.js has ${pattern} ${found} times, not ${times}: see forThisPage`);
    return text.replace(pattern, by);
  };
  let changed = replaced(code, 3, /([\w.]+)\.createElement\("style"\)/g, "lbAdoptedStyle($1)");
  changed = replaced(
    changed,
    1,
    /(\w+)\.setAttribute\("style",`\$\{\1\.getAttribute\("style"\)\|\|""\}\$\{(\w+)\};`\)/g,
    '$1.style.cssText+=$2+";"',
  );
  changed = replaced(
    changed,
    1,
    /(_applyMinimumContrast\(\w+,\w+,)(\w+)\.foreground((?:,\w+){3}\)\|\|)(\w+)(?=&&\w+\.push\(`xterm-fg-\$\{257\}`\))/g,
    "$1($4?$2.background:$2.foreground)$3$4",
  );
  replaced(changed, 0, /setAttribute\("style"/g, "");
  return `import { adoptedStyle as lbAdoptedStyle } from ${JSON.stringify(adopted)};\n${changed}`;
}

// The page is served by the C++ program from memory: hashed names, no inline script or style, no other host.
export default defineConfig({
  base: "/",
  plugins: [
    {
      name: "xterm-for-this-page",
      transform: (code, id) =>
        /@xterm\/xterm\/lib\/xterm\.mjs$/.test(id) ? { code: forThisPage(code), map: null } : undefined,
    },
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
