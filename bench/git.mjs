// Worktrees and checkpoints beside plain git commands, in the same run and by turns. One JSON line per figure; ends with 1 when a target
// was missed.
//
//   node bench/git.mjs [worktree] [session] [checkpoint] [streaming] [prompt] [storage] [changes] [--files 50000] [--runs 9]
//
// What is measured of a worktree and of a checkpoint is our library's whole step (bench/git_steps.cpp: make_worktree; snapshot and ref), as the
// server runs it on a worker, and git is started by the same code. Repositories are in memory (/dev/shm) unless TMPDIR names another place: a
// disk's own pace would be most of every figure. Run it when nothing else does, or with `chrt -r 10` but for `streaming`: with real-time priority
// whoever computes keeps its processor for 100 ms, and what is measured there is just that.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median, option, quantile } from "../tests/support/figures.mjs";
import { environment, eventually, makeHome, Server, sleep } from "../tests/support/server.mjs";
import { readServer, spread, tool } from "./support/reader.mjs";

if (process.env.TMPDIR === undefined && existsSync("/dev/shm")) process.env.TMPDIR = "/dev/shm";
const large = option("files", 50_000);
const runs = option("runs", 9);
const round = (value, digits = 1) => Number(value.toFixed(digits));

// --- What is measured ---------------------------------------------------------------------------

/** bench/git_steps.cpp, with a home of its own. Each call answers with its milliseconds. */
class Steps {
  constructor(home) {
    this.child = spawn(tool("git_steps"), [], { env: environment(home, { GIT_CONFIG_NOSYSTEM: "1" }), stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async run(...words) {
    this.child.stdin.write(`${words.join("\t")}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`git_steps ended at: ${words.join(" ")}`);
    return Number(value);
  }
  git(folder, ...words) {
    return this.run("git", folder, ...words);
  }
  end() {
    this.child.stdin.end();
  }
}

const nameOf = (i) => `d${Math.floor(i / 1000)}/s${Math.floor(i / 50) % 20}/file_${i}.txt`;
const text = "some line of text\n".repeat(20);

/** A repository of so many files of 370 bytes, in folders of 50, all in one pack. */
async function repository(steps, root, count) {
  mkdirSync(root, { recursive: true });
  const made = new Set();
  for (let i = 0; i < count; ++i) {
    const path = join(root, nameOf(i));
    if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    made.add(dirname(path));
    writeFileSync(path, `${text}${i}\n`);
  }
  await steps.git(root, "init", "-q", "-b", "main");
  for (const [key, value] of [["user.name", "Bench"], ["user.email", "bench@localhost"], ["gc.auto", "0"]]) await steps.git(root, "config", key, value);
  await steps.git(root, "add", "-A");
  await steps.git(root, "commit", "-q", "-m", "first");
  await steps.git(root, "gc", "-q");
  await steps.git(root, "status", "--porcelain");
}

let version = 0;
/** So many files, spread over all of them, get other bytes. */
function change(root, files, count) {
  ++version;
  for (let i = 0; i < count; ++i) writeFileSync(join(root, nameOf(Math.floor((i * files) / count) + (version % 50))), `${text}${version} ${i}\n`);
}

let missed = false;
function figure(fields) {
  const { met } = fields;
  missed ||= met === false;
  console.log(JSON.stringify({ ...fields, load: loadavg().map((one) => round(one)) }));
}

/** A place with repositories in it; gone afterwards. */
async function at(work) {
  const place = makeHome();
  const steps = new Steps(place.home);
  try {
    await work(place, steps);
  } finally {
    steps.end();
    place.remove();
  }
}

// --- The figures --------------------------------------------------------------------------------

async function worktree() {
  for (const files of [1000, large]) {
    await at(async ({ home }, steps) => {
      const root = join(home, "project");
      await repository(steps, root, files);
      await steps.run("repository", root);
      const ours = [];
      const plain = [];
      const forget = async (path, branch) => {
        await steps.git(root, "worktree", "remove", "--force", path);
        await steps.git(root, "branch", "-q", "-D", branch);
      };
      const times = files > 10_000 ? Math.max(5, Math.ceil(runs / 2)) : runs * 3;
      const one = async (list, measure, path, branch) => {
        execFileSync("sync", ["-f", home]); // Nobody pays for what another has left to be written.
        list.push(await measure());
        await forget(path, branch);
      };
      for (let run = 0; run < times; ++run) {
        const [path, other] = [join(home, `ours-${run}`), join(home, `plain-${run}`)];
        const turns = [
          () => one(ours, () => steps.run("worktree", path, "ours", join(home, "keep")), path, "ours"),
          () => one(plain, () => steps.git(root, "worktree", "add", "-q", "-b", "plain", other), other, "plain"),
        ];
        for (const turn of run % 2 === 0 ? turns : turns.reverse()) await turn();
        rmSync(join(home, "keep"), { recursive: true, force: true });
      }
      const ratio = median(ours) / median(plain);
      const spreads = { ours_ms_runs: ours.map((ms) => round(ms)), git_ms_runs: plain.map((ms) => round(ms)) };
      const best = round(Math.min(...ours) / Math.min(...plain), 2);
      figure({ name: "git_worktree", files, runs: times, ours_ms: round(median(ours)), git_worktree_add_ms: round(median(plain)), ratio: round(ratio, 2), ratio_of_the_shortest: best, target: "ratio <= 1.2", met: ratio <= 1.2, ...spreads });
    });
  }
}

/** What a worktree adds to making a session, as a program that asks the server sees it: everything, with what is decided and stored before. */
async function session() {
  await at(async ({ home }, steps) => {
    const root = join(home, "project");
    await repository(steps, root, 1000);
    const server = await Server.start({ home, args: ["--log-level", "warn"] });
    const ms = { plain: [], worktree: [] };
    const one = async (name, workspace) => {
      const began = performance.now();
      const { workspaceId } = await server.post("/api/session/create", { cliType: "demo", projectDir: root, workspace });
      ms[name].push(performance.now() - began);
      await sleep(100); // Its first snapshot.
      if (!workspaceId) return;
      const path = `/api/workspace/${workspaceId}/remove`;
      await server.post(path, { confirm: (await server.ask("POST", path, {})).body.inventoryHash });
    };
    for (let run = 0; run < runs * 2; ++run) {
      await one("plain");
      await one("worktree", {});
    }
    await server.stop();
    figure({ name: "git_session_with_worktree", files: 1000, runs: runs * 2, with_ms: round(median(ms.worktree)), without_ms: round(median(ms.plain)) });
  });
}

async function checkpoint() {
  await at(async ({ home }, steps) => {
    const root = join(home, "project");
    await repository(steps, root, large);
    await steps.run("open", root, join(home, "keep"));
    const first = await steps.run("checkpoint", "first");
    const ours = [];
    const status = [];
    for (let run = 0; run < runs * 2; ++run) {
      const turns = [
        async () => ours.push(await steps.run("checkpoint", `n${run}`)),
        async () => status.push(await steps.git(root, "status", "--porcelain")),
      ];
      for (const turn of run % 2 === 0 ? turns : turns.reverse()) {
        change(root, large, 10);
        await turn();
      }
    }
    const ratio = median(ours) / median(status);
    figure({ name: "git_checkpoint", files: large, changed: 10, runs: ours.length, ours_ms: round(median(ours)), git_status_ms: round(median(status)), ratio: round(ratio, 2), first_ms: round(first), target: "ratio <= 2", met: ratio <= 2, ours_ms_runs: ours.map((ms) => round(ms)), git_status_ms_runs: status.map((ms) => round(ms)) });
  });
}

/** Text of five sessions that have nothing to do with the repository, while another session has turns there: with checkpoints, without them,
 *  without turns at all, and while somebody runs `git status` there instead. The turns are the same with and without: what they cost is not a
 *  checkpoint's. */
async function streaming() {
  await at(async ({ home }, steps) => {
    const sides = [];
    for (const checkpoints of [true, false]) {
      const own = join(home, String(checkpoints));
      const [root, other] = [join(own, "large"), join(own, "other")];
      await repository(steps, root, large);
      mkdirSync(other);
      const config = join(own, "config.toml");
      writeFileSync(config, `checkpoints = ${checkpoints}\n`);
      const server = await Server.start({ home: own, args: ["--log-level", "warn", "--config", config] });
      const streams = [];
      for (let i = 0; i < 5; ++i) streams.push((await server.create(other)).sessionId);
      sides.push({ server, root, streams, sessionId: (await server.create(root)).sessionId });
    }
    const [on, off] = sides;
    const made = async () => Number(/^lb_checkpoints_total (\d+)/m.exec((await on.server.ask("GET", "/metrics")).text)?.[1] ?? 0);
    let going = false;
    // As fast as two checkpoints of 50,000 files go one after the other, or nearly.
    const turns = async ({ server, root, sessionId }) => {
      while (going) {
        change(root, large, 10);
        await server.deliver(sessionId, "/load chunks=1 bytes=10 every_us=1");
        await sleep(170);
      }
      await eventually(() => server.isIdle(sessionId), "the end of the turns");
    };
    const status = async ({ root }) => {
      while (going) {
        change(root, large, 10);
        await steps.git(root, "status", "--porcelain");
        await sleep(5);
      }
    };
    const loads = { alone: [off, async () => {}], git_status: [off, status], turns: [off, turns], checkpoints: [on, turns] };
    const found = Object.fromEntries(Object.keys(loads).map((name) => [name, []]));
    const before = await made();
    for (let run = 0; run < Math.max(3, Math.ceil(runs / 2)); ++run) {
      for (const [name, [side, beside]] of Object.entries(loads)) {
        going = true;
        const doing = beside(side);
        const seen = spread(await readServer(side.server, side.streams, "/load chunks=1500 bytes=60 every_us=2000 apart=1"), 50);
        going = false;
        await doing;
        found[name].push(seen);
      }
    }
    const checkpoints = (await made()) - before;
    for (const { server } of sides) await server.stop();
    const of = (name, what) => median(found[name].map((one) => one[what]));
    const all = (name, what) => found[name].map((one) => one[what]);
    const figures = Object.fromEntries(Object.keys(loads).flatMap((name) => ["p50", "p99"].map((what) => [`${what}_${name}_us`, of(name, what)])));
    const [p50, p99] = [of("checkpoints", "p50"), of("checkpoints", "p99")];
    const met = p50 <= Math.max(1.5 * of("turns", "p50"), ...all("turns", "p50")) && p99 <= of("turns", "p99") + 4000;
    figure({
      name: "git_streaming", files: large, sessions: on.streams.length, checkpoints, ...figures, target: "beside the same turns without: p50 <= 1.5, p99 <= + 4000 (a tick of the kernel)", met,
      p50_us_runs: all("checkpoints", "p50"), p50_turns_us_runs: all("turns", "p50"), p99_us_runs: all("checkpoints", "p99"), p99_turns_us_runs: all("turns", "p99"),
    });
  });
}

/** From asking until the agent has read the prompt: it writes down when. */
async function prompt() {
  const agent = fileURLToPath(new URL("../tests/support/events_agent.mjs", import.meta.url));
  const files = 1000;
  await at(async ({ home }, steps) => {
    const sides = [];
    for (const checkpoints of [true, false]) {
      const own = join(home, String(checkpoints));
      const root = join(own, "project");
      await repository(steps, root, files);
      const config = join(own, "config.toml");
      writeFileSync(config, `checkpoints = ${checkpoints}\n[agents.words]\nprotocol = "events"\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(agent)}]\n`);
      const server = await Server.start({ home: own, args: ["--log-level", "warn", "--config", config] });
      sides.push({ server, root, ms: [], sessionId: (await server.create(root, "words")).sessionId });
    }
    const one = async ({ server, root, sessionId }) => {
      change(root, files, 3);
      const asked = process.hrtime.bigint();
      const { turnId } = await server.post(`/api/session/${sessionId}/send`, { content: "words=1 rate=0" });
      await eventually(() => server.isIdle(sessionId), "the end of the turn");
      const { entries } = await server.get(`/api/session/${sessionId}/timeline?tail=3`);
      const said = entries.find((item) => item.turnId === turnId && item.origin === "agent");
      await sleep(80); // The files after the turn are looked at, too.
      return Number(BigInt(/@(\d+)/.exec(said.content)[1]) - asked) / 1e6;
    };
    for (const side of sides) for (let warm = 0; warm < 3; ++warm) await one(side);
    for (let run = 0; run < runs * 5; ++run) for (const side of run % 2 === 0 ? sides : [...sides].reverse()) side.ms.push(await one(side));
    const [on, off] = sides;
    const more = median(on.ms) - median(off.ms);
    figure({ name: "git_prompt_to_stdin", files, runs: on.ms.length, on_ms: round(median(on.ms)), off_ms: round(median(off.ms)), on_p99_ms: round(quantile(on.ms, 0.99)), off_p99_ms: round(quantile(off.ms, 0.99)), more_ms: round(more), target: "more_ms <= 30", met: more <= 30 });
    for (const { server } of sides) await server.stop();
  });
}

/** What 1,000 checkpoints of 3 changed files each leave in the repository. */
async function storage() {
  const count = 1000;
  const files = 1000;
  await at(async ({ home }, steps) => {
    const root = join(home, "project");
    await repository(steps, root, files);
    const dir = join(root, ".git");
    const size = () => {
      const all = readdirSync(dir, { recursive: true }).map((name) => lstatSync(join(dir, name)));
      const loose = readdirSync(join(dir, "objects")).filter((name) => name.length === 2).reduce((sum, name) => sum + readdirSync(join(dir, "objects", name)).length, 0);
      return { bytes: all.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0), disk: all.reduce((sum, one) => sum + one.blocks * 512, 0), loose };
    };
    await steps.run("open", root, join(home, "keep"));
    await steps.run("checkpoint", "first");
    const before = size();
    const took = [];
    for (let i = 0; i < count; ++i) {
      change(root, files, 3);
      took.push(await steps.run("checkpoint", `t${i}/b`));
    }
    const after = size();
    const gc = await steps.git(root, "gc", "-q");
    const packed = size();
    const refs = execFileSync("git", ["for-each-ref", "--format=%(refname)", "refs/liminal"], { cwd: root, encoding: "utf8" }).trim().split("\n").length;
    const mb = (bytes) => round(bytes / 1e6, 2);
    figure({
      name: "git_storage", checkpoints: count, files, changed: 3, added_mb: mb(after.bytes - before.bytes), added_on_disk_mb: mb(after.disk - before.disk), loose_objects: after.loose - before.loose, refs,
      after_gc_added_mb: mb(packed.bytes - before.bytes), after_gc_loose_objects: packed.loose, gc_ms: round(gc), checkpoint_ms: round(median(took)), checkpoint_last_100_ms: round(median(took.slice(-100))),
    });
  });
}

/** What a review of 5,000 changed files costs beyond the snapshot: the list with renames and counted lines, against the first checkpoint (as in a
 *  workspace) and against HEAD, where git is asked what it calls changed. And all of it, with the snapshot, as a program that asks the server sees it. */
async function changes() {
  const [files, changed] = [20_000, 5000];
  await at(async ({ home }, steps) => {
    const root = join(home, "project");
    await repository(steps, root, files);
    await steps.run("open", root, join(home, "keep"));
    await steps.run("checkpoint", "first");
    change(root, files, changed);
    await steps.run("checkpoint", "last");
    const server = await Server.start({ home, args: ["--log-level", "warn"] });
    const { sessionId } = await server.create(root);
    const ms = { first: [], head: [], asked: [] };
    for (let run = 0; run < runs; ++run) {
      for (const name of ["first", "head"]) ms[name].push(await steps.run("changes", name));
      const began = performance.now();
      const { count } = await server.get(`/api/session/${sessionId}/changes`);
      ms.asked.push(performance.now() - began);
      if (count !== changed) throw new Error(`${count} files changed`);
    }
    await server.stop();
    const [first, head] = [median(ms.first), median(ms.head)];
    figure({
      name: "git_changes", files, changed, runs, first_ms: round(first), head_ms: round(head), asked_ms: round(median(ms.asked)), target: "first_ms, head_ms <= 200", met: Math.max(first, head) <= 200,
      first_ms_runs: ms.first.map((one) => round(one)), head_ms_runs: ms.head.map((one) => round(one)), asked_ms_runs: ms.asked.map((one) => round(one)),
    });
  });
}

const figures = { worktree, session, checkpoint, streaming, prompt, storage, changes };
const named = process.argv.slice(2).filter((word) => word in figures);
for (const name of named.length > 0 ? named : Object.keys(figures)) await figures[name]();
if (missed) process.exitCode = 1;
