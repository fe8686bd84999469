// The server killed (SIGKILL) in the middle of what it does with git: making, landing, removing and restoring worktrees, rewinding.
//
//   node tests/torture/workspaces.mjs [--rounds 30] [--at-once 2] [--everything]        LB_ROUNDS: the same as --rounds
//
// Each round is one operation through the API on a repository with its user's work in it (edited, staged, stashed, unknown to git),
// cut off at a moment between its beginning and a little after its end, and a new server at once. Then every byte of the user's
// checkout, index, HEAD, stash, branches, logs and hooks must be as before (but for a landing that was completed); what git, the
// folder of worktrees and the list of workspaces know must agree; nothing of a workspace may be lost; a rewind is done or not
// begun; no lock is left, `git fsck` is content, and the same can be done then. One JSON line; exit code 1 otherwise.
// With --everything git is killed too, in the same moment: then locks of git's own may stay, which nobody can tell from one that is held.
import { statfsSync } from "node:fs";
import { flag, median, option } from "../support/figures.mjs";
import { Slot } from "./workspaces/slot.mjs";

const rounds = option("rounds", Number(process.env.LB_ROUNDS ?? 30));
const atOnce = Math.min(rounds, option("at-once", 2));
/** Until the first one is known. */
const kGuessMs = 150;

// In memory where there is room: else most moments of an operation are spent waiting for the disk, and a kill finds the same steps.
const memory = "/dev/shm";
try {
  const { bavail, bsize } = statfsSync(memory);
  if (process.env.TMPDIR === undefined && bavail * bsize > 1 << 30) process.env.TMPDIR = memory;
} catch {
  // Then on the disk.
}

/** When to kill: spread evenly over each operation, and never twice at the same moment. */
class Moments {
  constructor() {
    this.times = new Map();
    this.cuts = new Map();
    this.offset = Math.random();
  }
  of(kind) {
    const golden = 0.618033988749895;
    const part = (this.offset + this.counted(kind).kills * golden) % 1;
    return part * 1.15 * (median(this.times.get(kind) ?? []) ?? kGuessMs + 50 * this.counted(kind).in_the_middle);
  }
  took(kind, ms) {
    const times = this.times.get(kind) ?? [];
    times.push(ms);
    this.times.set(kind, times.slice(-15));
  }
  counted(kind) {
    if (!this.cuts.has(kind)) this.cuts.set(kind, { kills: 0, in_the_middle: 0 });
    return this.cuts.get(kind);
  }
  cut(kind, answered) {
    const count = this.counted(kind);
    ++count.kills;
    if (!answered) ++count.in_the_middle;
  }
}

const moments = new Moments();
const faults = {};
const fault = (kind, words) => {
  faults[kind] = (faults[kind] ?? 0) + 1;
  if (faults[kind] <= 3) console.error(`${kind}: ${words}\n`);
};
const started = Date.now();
const slots = Array.from({ length: atOnce }, (_, index) => new Slot(index, moments, fault));
for (const slot of slots) slot.everything = flag("everything");
await Promise.all(slots.map((slot) => slot.start()));
let round = 0;
let finished = 0;
await Promise.all(
  slots.map(async (slot) => {
    while (round < rounds) {
      await slot.next(++round);
      if (++finished % 50 === 0) console.error(`${finished} rounds, ${Math.round((Date.now() - started) / 1000)} s`);
    }
    await slot.stop();
  }),
);

const operations = {};
for (const [kind, count] of [...moments.cuts].sort()) operations[kind] = { ...count, usual_ms: Math.round(median(moments.times.get(kind) ?? [0])) };
console.log(JSON.stringify({ name: "torture_workspaces", rounds, seconds: Math.round((Date.now() - started) / 1000), operations, faults }));
process.exitCode = Object.keys(faults).length === 0 ? 0 : 1;
