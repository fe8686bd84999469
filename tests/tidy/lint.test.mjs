// clang-tidy looks at every file of ours by itself, however the release compiles them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ownNames } from "./own_names.mjs";

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

test("a name that a file keeps to itself is read with its namespace and its types", () => {
  const text = `namespace lb::claude {
namespace {

constexpr int kMax = 3;
struct Place {
  int at = 0;
};
template <class T>
bool fits(const T& value, std::size_t most = kMax) {
  return true;
}
asio::awaitable<void> run(std::shared_ptr<Impl> self,
                          int times) {
}

}  // namespace

void seen() {}
}`;
  assert.deepEqual(ownNames(text), ["kMax", "Place", "fits(const T&, std::size_t)", "run(std::shared_ptr<Impl>, int)"].map((name) => `lb::claude::${name}`));
});

test("files that the release compiles together keep no name twice", () => {
  const files = run("git", "ls-files", "src/*/*.cpp").trim().split("\n").filter((file) => existsSync(join(root, file)) && !file.endsWith("_test.cpp"));
  const keepers = new Map();
  for (const file of files) {
    for (const name of ownNames(readFileSync(join(root, file), "utf8"))) {
      const key = `src/${file.split("/")[1]}: ${name}`;
      keepers.set(key, [...(keepers.get(key) ?? []), file]);
    }
  }
  assert.ok(keepers.size > 400);
  const twice = [...keepers].filter(([, of]) => of.length > 1).map(([name, of]) => `${name} in ${of.join(" and ")}`);
  assert.deepEqual(twice, []);
});
