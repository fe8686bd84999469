// What a kill leaves behind, and what many starts and stops cost: the long runs of tests/faults and tests/walls.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

const tests = join(import.meta.dirname, "..", "build", "release", "tests");
const faults = join(tests, "faults", "fault_tests");
const walls = join(tests, "walls", "wall_tests");
for (const [program, ...run] of [
  [faults, "rounds", "1000"],
  [faults, "cycles", "5000"],
  [walls, "rounds", "300"],
]) {
  const { status } = spawnSync(program, run, { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
