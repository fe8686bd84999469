// Runs the tests that CMake registered for a build and adds up their cases.
//
//   node script/run-tests.mjs BUILD_DIR RESULTS [--only LABEL] [--without LABEL] [--name NAME]...
//
// Labels: none for unit and golden tests; script for those of Node and the UI; process, e2e, browser
// and torture for the others. What has a label runs by itself. Output is shown for what failed only. Appends `NAME PASSED FAILED` lines to RESULTS.

import { execFileSync, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const [buildDir, results, ...rest] = process.argv.slice(2);
const option = (name) => rest.flatMap((word, at) => (rest[at - 1] === name ? [word] : []));
const only = option("--only");
const without = option("--without");
const names = option("--name");
const timeoutMs = 15 * 60 * 1000;

const labelsOf = (test) => test.properties?.find((property) => property.name === "LABELS")?.value ?? [];
const listed = JSON.parse(
  execFileSync("ctest", ["--test-dir", buildDir, "--show-only=json-v1"], { encoding: "utf8", maxBuffer: 1 << 26 }),
).tests.filter((test) => {
  const labels = labelsOf(test);
  if (names.length > 0 && !names.includes(test.name)) return false;
  if (without.some((label) => labels.includes(label))) return false;
  return only.length === 0 || only.some((label) => labels.includes(label));
});

/** How many cases passed and failed, from the closing lines of the runners we use. */
function count(output, status) {
  let passed = 0;
  let failed = 0;
  let known = false;
  for (const match of output.matchAll(/test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed/g)) {
    known = true;
    passed += Number(match[1]);
    failed += Number(match[2]);
  }
  const nodePass = /^(?:ℹ|#) pass (\d+)$/m.exec(output);
  const nodeFail = /^(?:ℹ|#) fail (\d+)$/m.exec(output);
  if (nodePass) {
    known = true;
    passed += Number(nodePass[1]);
    failed += Number(nodeFail?.[1] ?? 0);
  }
  const vitest = /^\s*Tests\s+(?:(\d+) failed \| )?(\d+) passed/m.exec(output.replace(/\x1b\[[0-9;]*m/g, ""));
  if (vitest) {
    known = true;
    passed += Number(vitest[2]);
    failed += Number(vitest[1] ?? 0);
  }
  if (!known) return status === 0 ? [1, 0] : [0, 1];
  if (passed + failed === 0) return [0, 1]; // A test program that ran nothing is a mistake.
  return status === 0 ? [passed, failed] : [passed, Math.max(failed, 1)];
}

function run(test) {
  return new Promise((done) => {
    const started = Date.now();
    if (!test.command) return done({ status: 127, output: "not built", seconds: 0 });
    const env = { ...process.env };
    for (const pair of test.properties?.find((p) => p.name === "ENVIRONMENT")?.value ?? []) {
      const at = pair.indexOf("=");
      env[pair.slice(0, at)] = pair.slice(at + 1);
    }
    const cwd = test.properties?.find((p) => p.name === "WORKING_DIRECTORY")?.value ?? buildDir;
    const child = spawn(test.command[0], test.command.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const chunks = [];
    child.stdout.on("data", (data) => chunks.push(data));
    child.stderr.on("data", (data) => chunks.push(data));
    const timer = setTimeout(() => {
      chunks.push(Buffer.from(`\nstopped after ${timeoutMs / 60000} minutes\n`));
      child.kill("SIGKILL");
    }, timeoutMs);
    child.on("error", (error) => {
      chunks.push(Buffer.from(String(error)));
      done({ status: 127, output: Buffer.concat(chunks).toString(), seconds: 0 });
    });
    child.on("close", (status) => {
      clearTimeout(timer);
      done({ status, output: Buffer.concat(chunks).toString(), seconds: (Date.now() - started) / 1000 });
    });
  });
}

let anyFailed = false;
async function work(queue) {
  for (let test = queue.shift(); test; test = queue.shift()) {
    const { status, output, seconds } = await run(test);
    const [passed, failed] = count(output, status);
    if (failed > 0) {
      anyFailed = true;
      console.error(`---- ${test.name} failed (status ${status}) ----\n${output.slice(-12000)}`);
    }
    console.error(`  ${failed > 0 ? "FAILED" : "ok"}  ${test.name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`);
    appendFileSync(results, `${test.name} ${passed} ${failed}\n`);
  }
}

const shared = listed.filter((test) => labelsOf(test).length === 0);
const alone = listed.filter((test) => labelsOf(test).length > 0);
await Promise.all(Array.from({ length: availableParallelism() }, () => work(shared)));
await work(alone);
process.exit(anyFailed ? 1 : 0);
