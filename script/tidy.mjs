// Runs clang-tidy on the sources of a build, remembering what was clean.
//
//   node script/tidy.mjs BUILD_DIR CACHE_DIR [--all]
//
// A file is clean for as long as its own text, the text of every header of ours that it includes
// (ninja knows them from the build), the checks and clang-tidy itself are the same.

import { spawn, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";

const [buildDir, cacheDir, ...flags] = process.argv.slice(2);
const all = flags.includes("--all");
const root = resolve(import.meta.dirname, "..");
const build = resolve(buildDir);
const extra = all
  ? ["--checks=bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-exception-escape,-bugprone-unchecked-optional-access,performance-*,-performance-enum-size,clang-analyzer-*"]
  : [];

/** Source file → the files of ours that it was made from. */
function dependencies() {
  const text = execFileSync("ninja", ["-C", build, "-t", "deps"], { encoding: "utf8", maxBuffer: 1 << 28 });
  const found = new Map();
  for (const block of text.split("\n\n")) {
    const [head, ...lines] = block.split("\n");
    if (!head?.includes("#deps")) continue;
    const files = lines.map((line) => resolve(build, line.trim())).filter((file) => file.startsWith(root + "/src/"));
    const source = files.find((file) => file.endsWith(".cpp"));
    if (source) found.set(source, files);
  }
  return found;
}

const fixed = createHash("sha256")
  .update(readFileSync(join(root, ".clang-tidy")))
  .update(execFileSync("clang-tidy-19", ["--version"]))
  .update(extra.join(" "));
const texts = new Map();
function keyOf(files) {
  const hash = fixed.copy();
  for (const file of [...new Set(files)].sort()) {
    if (!texts.has(file)) texts.set(file, readFileSync(file));
    hash.update(file.slice(root.length)).update(texts.get(file));
  }
  return hash.digest("hex");
}

function tidy(file) {
  return new Promise((done) => {
    const child = spawn("clang-tidy-19", ["-p", build, "--quiet", ...extra, file], { cwd: root });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.resume();
    child.on("close", (status) => done({ status, output }));
  });
}

mkdirSync(cacheDir, { recursive: true });
const queue = [];
for (const [source, files] of dependencies()) {
  if (source.endsWith("_test.cpp") && !all) continue;
  if (source.endsWith("/pch.cpp") || source.endsWith("_impl.cpp")) continue;
  const mark = join(cacheDir, keyOf(files));
  if (!existsSync(mark)) queue.push({ source, mark });
}
const total = queue.length;
if (total > 0) console.error(`clang-tidy: ${total} files to look at`);
let failed = 0;
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { status, output } = await tidy(next.source);
      if (status === 0) writeFileSync(next.mark, "");
      else {
        failed += 1;
        console.error(output || `clang-tidy failed on ${next.source}`);
      }
    }
  }),
);
process.exit(failed === 0 ? 0 : 1);
