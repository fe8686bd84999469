// Runs clang-tidy on every source by itself, remembering what was clean.
//
//   node script/tidy.mjs BUILD_DIR CACHE_DIR [--all] [--list]
//
// BUILD_DIR says how each file is compiled, one by one: the development build, not the release,
// which compiles the files of a folder together. A file is clean for as long as its own text, the
// text of every header of ours that it includes, the checks and clang-tidy itself are the same.
// --all: the tests too, with the analyzer and the slow checks. --list: only which files.

import { spawn, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

const [buildDir, cacheDir, ...flags] = process.argv.slice(2);
const all = flags.includes("--all");
const root = resolve(import.meta.dirname, "..");
const build = resolve(buildDir);
const extra = all
  ? ["--checks=bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-exception-escape,-bugprone-unchecked-optional-access,performance-*,-performance-enum-size,clang-analyzer-*"]
  : [];

/** What is ours and compiled: without the tests, and without what only includes a library. */
const sources = JSON.parse(readFileSync(join(build, "compile_commands.json"), "utf8"))
  .map((entry) => resolve(entry.directory, entry.file))
  .filter((file) => file.startsWith(join(root, "src/")))
  .filter((file) => all || !file.endsWith("_test.cpp"))
  .filter((file) => !file.endsWith("_impl.cpp"));
const unique = [...new Set(sources)].sort();
if (flags.includes("--list")) {
  // Until it is read: what a full pipe still holds back would go with the process.
  const list = unique.map((file) => `${relative(root, file)}\n`).join("");
  await new Promise((written) => process.stdout.write(list, written));
  process.exit(0);
}

const texts = new Map();
const textOf = (file) => {
  if (!texts.has(file)) texts.set(file, readFileSync(file, "utf8"));
  return texts.get(file);
};

/** The file and every header of ours that it includes, directly or not. */
function madeFrom(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of textOf(file).matchAll(/^#include "([^"]+)"/gm)) {
    const header = [join(root, "src", name), join(root, name), join(dirname(file), name)].find(existsSync);
    if (header) madeFrom(header, found);
  }
  return found;
}

const fixed = createHash("sha256")
  .update(readFileSync(join(root, ".clang-tidy")))
  .update(execFileSync("clang-tidy-19", ["--version"]))
  .update(extra.join(" "));
function keyOf(files) {
  const hash = fixed.copy();
  for (const file of [...files].sort()) hash.update(file.slice(root.length)).update(textOf(file));
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
const queue = unique
  .map((source) => ({ source, mark: join(cacheDir, keyOf(madeFrom(source))) }))
  .filter(({ mark }) => !existsSync(mark));
if (queue.length > 0) console.error(`clang-tidy: ${queue.length} of ${unique.length} files to look at`);
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
