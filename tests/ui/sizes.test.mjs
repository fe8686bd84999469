// How much script goes over the wire before something is seen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { budgets, sizes } from "../../ui/bench/sizes.mjs";

const ui = fileURLToPath(new URL("../../ui", import.meta.url));

test("the parts of the page are within their budgets", () => {
  // A build of its own: others may be making ui/dist at this moment.
  const dist = mkdtempSync(join(tmpdir(), "lb-dist-"));
  try {
    execFileSync(
      "npx",
      ["vite", "build", "--logLevel", "error", "--outDir", dist],
      { cwd: ui },
    );
    const found = sizes(pathToFileURL(`${dist}/`));
    for (const [part, most] of Object.entries(budgets)) {
      assert.ok(found[part] > 1, `${part} is missing`);
      assert.ok(
        found[part] <= most,
        `${part}: ${found[part].toFixed(1)} kB of ${most}`,
      );
    }
  } finally {
    rmSync(dist, { recursive: true });
  }
});
