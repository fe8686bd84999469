// docs/security.md names the test behind each claim: those tests are there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" }).trim().split("\n");
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const isTest = (file) => /_test\.cpp$|\.test\.(mjs|tsx?)$|^tests\/walls\//.test(file);
const read = (wanted) => files.filter(wanted).map((file) => readFileSync(join(root, file), "utf8")).join("\n");

test("every file that docs/security.md names is there", () => {
  const named = [...page.matchAll(/`([\w./-]+(?:\.(?:cpp|h|mjs|tsx?)|\/))`/g)].map(([, name]) => name);
  const missing = named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`) || (name.endsWith("/") && file.startsWith(name))));
  assert.ok(named.length > 20);
  assert.deepEqual(missing, []);
});

test("every number that docs/security.md gives is in the name of a test", () => {
  const tests = read(isTest);
  const numbers = [...new Set(page.match(/\bS\d+\b/g))];
  assert.ok(numbers.length > 20);
  assert.deepEqual(numbers.filter((number) => !new RegExp(`["'\`](?:S\\d+, )*${number}[,:]`).test(tests)), []);
});

test("every attack that docs/security.md names is one of tests/walls", () => {
  const attacks = read((file) => file.startsWith("tests/walls/"));
  const table = page.slice(page.indexOf("| | confined"), page.indexOf("**What stays open"));
  const named = [...table.matchAll(/(?<!\*)\*([^*|]+)\*(?!\*)/g)].map(([, name]) => name.replace(/ ?…$/, ""));
  assert.ok(named.length > 20);
  assert.deepEqual(named.filter((name) => !attacks.includes(name)), []);
});
