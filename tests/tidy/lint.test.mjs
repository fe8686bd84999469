// clang-tidy looks at every file of ours by itself, however the release compiles them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: "utf8" });

/** A development build that is configured and no more. */
function configured(t) {
  const build = mkdtempSync(join(tmpdir(), "lb-lint-"));
  t.after(() => rmSync(build, { recursive: true, force: true }));
  run("cmake", "--preset", "dev", "-B", build);
  return build;
}

test("lint looks at every source, one by one", (t) => {
  const build = configured(t);
  const looked = (...flags) => run("node", "script/tidy.mjs", build, join(build, "cache"), "--list", ...flags).trim().split("\n");
  const ours = run("git", "ls-files", "src/*.cpp").trim().split("\n").filter((file) => existsSync(join(root, file)));
  const compiled = ours.filter((file) => !file.endsWith("_impl.cpp")); // Those include a library and nothing else.
  assert.ok(compiled.length > 100);
  assert.deepEqual(looked("--all"), [...compiled].sort());
  assert.deepEqual(looked(), compiled.filter((file) => !file.endsWith("_test.cpp")).sort());
});

test("only the release compiles files together", (t) => {
  const presets = JSON.parse(readFileSync(join(root, "CMakePresets.json"), "utf8")).configurePresets;
  const together = presets.filter((preset) => preset.cacheVariables?.LB_UNITY === "ON").map((preset) => preset.name);
  assert.deepEqual(together, ["release"]);
  assert.doesNotMatch(readFileSync(join(configured(t), "compile_commands.json"), "utf8"), /Unity/);
});
