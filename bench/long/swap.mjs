// S21 for as long as the table of threats asks: a folder of a project is swapped for a link to another one while the project is read. One JSON
// line; ends with 1 when a file from outside was ever seen.
//
//   node bench/long/swap.mjs [--seconds 60]
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { option } from "../../tests/support/figures.mjs";
import { program } from "../../tests/support/server.mjs";

const { status, stdout, stderr } = spawnSync(join(dirname(program), "src", "test_session"), ["--test-case=S21*"], {
  env: { ...process.env, LIMINAL_BUILDER_RACE_SECONDS: String(option("seconds", 60)) },
  encoding: "utf8",
});
const line = stdout?.split("\n").find((one) => one.startsWith("{"));
if (!line) throw new Error(`the race did not run: ${stdout}${stderr}`);
const met = status === 0;
console.log(JSON.stringify({ name: "project_files_race", ...JSON.parse(line), target: "leaks = 0", met }));
if (!met) process.exitCode = 1;
