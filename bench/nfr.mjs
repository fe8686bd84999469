// The non-functional gates, each with the limit it has to keep and what was measured beside it in the same run.
//
//   node bench/nfr.mjs [--table] [--only NAME,…] [--rounds 10]     of: claude codex live idle page
//
// One JSON line per figure; --table prints the rows of docs/benchmarks.md at the end. Exit code 1 when a limit was missed.
import { existsSync } from "node:fs";
import { flag, option } from "../tests/support/figures.mjs";
import { startModel } from "../tests/support/model/server.mjs";
import { leftAfter } from "../tests/support/proc.mjs";
import { closeBrowser } from "../tests/ui/support.mjs";
import { claude } from "./nfr/claude.mjs";
import { codex } from "./nfr/codex.mjs";
import { allHold, figure, table } from "./nfr/figures.mjs";
import { idle } from "./nfr/idle.mjs";
import { live } from "./nfr/live.mjs";
import { page } from "./nfr/page.mjs";
import { claudeBin, codexBin } from "./nfr/place.mjs";

for (const path of [claudeBin, codexBin]) {
  if (!path || !existsSync(path)) throw new Error("Claude Code and Codex are needed: script/setup installs them, script/bench says where they are");
}
const only = process.argv[process.argv.indexOf("--only") + 1]?.split(",");
const rounds = option("rounds", 10);
const answers = []; // When the model began to answer what.
const model = await startModel({ port: 0, tps: 400, onAnswer: (prompt) => answers.push({ prompt, at: Number(process.hrtime.bigint()) / 1e6 }) });
const homes = [];
for (const [name, part] of Object.entries({ claude, codex, live, idle, page })) {
  if (flag("only") && !only.includes(name)) continue;
  const begun = performance.now();
  homes.push(...(await part({ modelUrl: model.url, answers, rounds })));
  process.stderr.write(`${name}: ${Math.round((performance.now() - begun) / 1000)} s\n`);
}
await closeBrowser();
await model.close();
let left = 0;
for (const home of homes) left += await leftAfter(`HOME=${home}`);
figure({ name: "orphans", what: "processes left behind by all of this", value: left, unit: "", limit: 0 });
if (flag("table")) console.log(table());
process.exitCode = allHold() ? 0 : 1;
