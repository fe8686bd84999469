// What a kill leaves behind, and what many starts and stops cost: the long runs of tests/faults.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

const program = join(import.meta.dirname, "..", "build", "release", "tests", "faults", "fault_tests");
for (const run of [["rounds", "1000"], ["cycles", "5000"]]) {
  const { status } = spawnSync(program, run, { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
