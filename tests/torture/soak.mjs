// Hours of use in minutes: agents stream and are killed every second, readers come and go, the server is killed now and then.
//
//   node tests/torture/soak.mjs [--seconds 600]
//
// In the first half the server is killed (SIGKILL) again and again under load. The second half is one life of it under the same
// load: after a third of it to warm up, and at its end, everything rests for a moment and is counted; in between nothing may grow,
// however many sessions were used: a session that is kept costs its line in the list.
// A line of progress every 30 s on stderr, one JSON line at the end; exit code 1 when anything was lost, left behind or grew.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, option, pick, random, slope } from "../support/figures.mjs";
import { agentsOf, descriptors, leftAfter, marked, rssKb, threads, zombiesOf } from "../support/proc.mjs";
import { eventually, makeHome, program, Server, sleep } from "../support/server.mjs";
import { Witness } from "../support/witness.mjs";
import { Slot } from "./soak/slot.mjs";

const seconds = option("seconds", 600);
const kDemoAgents = 4; // Each is one process: of five kinds of agent one falls every second, each every five seconds.
const kSlotsPerAgent = 2;
/** A server under load lives this long on average. */
const kLifeMs = Math.min(20_000, (seconds * 1000) / 8);
// What may differ between two moments of rest. Memory: the allocator's own pieces, and what a session that was not deleted must have
// in memory to be listed. Descriptors: a connection that the kernel has not closed yet, one reader of the store. Threads: none.
const kGrowth = { rssKb: 8192, descriptors: 2, threads: 0, processes: 0 };
const kKbPerSession = 4;

const { home, project, remove } = makeHome();
const words = fileURLToPath(new URL("../support/events_agent.mjs", import.meta.url));
const quoted = JSON.stringify;
const demoNames = Array.from({ length: kDemoAgents }, (_, i) => `demo-${i + 1}`);
writeFileSync(
  join(home, "config.toml"),
  demoNames.map((name) => `[agents.${name}]\nprotocol = "acp"\ncommand = ${quoted(program)}\nargs = ["demo-agent"]\n`).join("\n") +
    `\n[agents.words]\nprotocol = "events"\ncommand = ${quoted(process.execPath)}\nargs = [${quoted(words)}]\n`,
);

const faults = {}; // Kind → the first few; `count` of each.
const world = {
  project,
  witness: new Witness(),
  kept: [],
  paused: false,
  stopped: false,
  tally: { turns: 0, sessions: 0, reconnects: 0, gaps: 0, backwards: 0, compared: 0, agentKills: 0, serverKills: 0, approvals: 0 },
  fault(kind, what) {
    faults[kind] ??= { count: 0, examples: [] };
    if (++faults[kind].count <= 5) faults[kind].examples.push(what);
  },
  async judge(truth) {
    const found = world.witness.compare(truth);
    for (const [kind, ids] of Object.entries(found)) for (const id of ids) world.fault(kind, `${truth.sessionId} ${id}`);
  },
};

let life = 0;
async function startServer(port) {
  ++life;
  const env = { LB_SOAK_LIFE: `${home}#${life}` };
  const server = await Server.start({ home, port, args: ["--log-level", "error", "--config", join(home, "config.toml")], env });
  /** The whole conversation, whatever happens to the server meanwhile. */
  server.timeline = (sessionId) =>
    eventually(() => server.get(`/api/session/${sessionId}/timeline?since=0`).catch(() => undefined), `the timeline of ${sessionId}`, 60_000);
  return server;
}

/** Kills the server and everything is as before, but for its agents: those are gone. */
async function nextLife() {
  const mark = `LB_SOAK_LIFE=${home}#${life}`;
  await world.server.kill();
  ++world.tally.serverKills;
  orphanChecks.push(leftAfter(mark, 10_000).then((left) => left > 0 && world.fault("orphans", `${left} of life ${mark}`)));
  world.server = Object.assign(world.server, await startServer(world.server.port));
}
const orphanChecks = [];

async function killAgents() {
  while (!world.stopped) {
    await sleep(1000);
    if (world.paused || world.stopped) continue;
    const pid = pick(agentsOf(world.server.child.pid, `LB_SOAK_LIFE=${home}#${life}`));
    if (pid === undefined) continue;
    try {
      process.kill(pid, "SIGKILL");
      ++world.tally.agentKills;
    } catch {
      // It was gone already.
    }
  }
}

/** Somebody decides what agents ask. */
async function answerQuestions() {
  while (!world.stopped) {
    await sleep(200);
    const inbox = await world.server.get("/api/inbox").catch(() => undefined);
    for (const { sessionId, item } of inbox?.items ?? []) {
      const answer = { itemId: item.itemId, optionId: pick(item.options).optionId };
      const given = await world.server.ask("POST", `/api/session/${sessionId}/answer`, answer).catch(() => undefined);
      if (given?.status === 200) ++world.tally.approvals;
    }
  }
}

const measure = () => {
  const { pid } = world.server.child;
  return {
    rssKb: rssKb(pid),
    descriptors: descriptors(pid),
    threads: threads(pid),
    processes: marked(`LB_SOAK_LIFE=${home}#${life}`).length,
    zombies: zombiesOf(pid).length,
  };
};

const awake = async () => Number(/^lb_sessions_awake (\d+)$/m.exec((await world.server.ask("GET", "/metrics")).text)?.[1] ?? 0);

/** Everything rests, every agent lives: what the server then has is what it keeps. */
async function countAtRest() {
  world.paused = true;
  await eventually(() => slots.every((slot) => slot.atRest), "rest", 120_000);
  for (const slot of slots) {
    let last;
    const answered = async () => {
      await slot.turn(slot.agent.kind === "demo" ? "/tools 1" : "words=1", false);
      const { turns } = await world.server.timeline(slot.sessionId);
      last = turns.find((turn) => turn.turnId === slot.accepted.at(-1).turnId);
      // Killed before it kept the session, an agent says so once and starts afresh with the next message.
      return last?.type === "turn_complete";
    };
    await eventually(answered, `an answer of ${slot.agent.cliType}`, 60_000).catch((error) => {
      throw new Error(`${error.message}; its last turn: ${JSON.stringify(last)}`);
    });
    slot.atRest = true;
  }
  // Those with a reader are awake. The index and the checkpoint follow within 2 s of the last write; connections are closed by then.
  await eventually(async () => (await awake()) <= slots.length, "sessions at rest", 60_000);
  let before;
  let calm = 0;
  await eventually(
    async () => {
      const now = measure();
      calm = before && ["descriptors", "threads", "processes"].every((name) => now[name] === before[name]) ? calm + 1 : 0;
      before = now;
      await sleep(250);
      return calm >= 8;
    },
    "the same figures for two seconds",
    60_000,
  );
  const counted = measure();
  world.paused = false;
  return counted;
}

world.server = await startServer(0);
process.once("exit", () => world.server.child.kill("SIGKILL")); // Also when this script fails; its agents follow.
const slots = [...demoNames.map((cliType) => ({ cliType, kind: "demo" })), { cliType: "words", kind: "words" }].flatMap((agent) =>
  Array.from({ length: kSlotsPerAgent }, () => new Slot(world, agent)),
);
const started = Date.now();
const elapsed = () => (Date.now() - started) / 1000;
const samples = [];
const progress = setInterval(() => {
  const { tally, witness } = world;
  process.stderr.write(
    `soak ${Math.round(elapsed())} s: ${tally.turns} turns in ${tally.sessions} sessions, ${witness.seen} final forms seen, ` +
      `${tally.agentKills} agents and ${tally.serverKills} servers killed, faults: ${Object.keys(faults).join(" ") || "none"}\n`,
  );
}, 30_000);
const sampler = setInterval(() => {
  try {
    samples.push({ at: elapsed(), ...measure() });
  } catch {
    // Between two lives.
  }
}, 1000);

let working;
const work = Promise.all([...slots.map((slot) => slot.run()), killAgents(), answerQuestions()]);
work.catch((error) => (working = error));
const holdsOn = () => {
  if (working) throw working;
};

while (elapsed() < seconds / 2) {
  await sleep(kLifeMs / 2 + random(kLifeMs));
  holdsOn();
  await nextLife();
}
await sleep((seconds * 1000) / 6);
holdsOn();
const warm = await countAtRest();
const [sessionsAtWarm, keptAtWarm] = [world.tally.sessions, world.kept.length];
const warmAt = elapsed();
await sleep(Math.max(seconds / 4, seconds - elapsed()) * 1000);
holdsOn();
const endAt = elapsed();
const end = await countAtRest();
const [sessionsAtEnd, keptAtEnd] = [world.tally.sessions, world.kept.length];
world.stopped = true;
await work;
for (const slot of slots) await slot.giveUp();
clearInterval(sampler);
clearInterval(progress);
for (const sessionId of world.kept) await world.judge(await world.server.timeline(sessionId));
await Promise.all(orphanChecks);
const { code } = await world.server.stop();
if (code !== 0) world.fault("exit_code", String(code));
const left = await leftAfter(`HOME=${home}`);
if (left > 0) world.fault("orphans", `${left} after the end`);
if (world.witness.changed > 0) world.fault("changed_finals", String(world.witness.changed));
for (const name of ["gaps", "backwards"]) if (world.tally[name] > 0) world.fault(name, String(world.tally[name]));

const under = samples.filter(({ at }) => at > warmAt + 2 && at < endAt);
const slopeKb = under.length < 2 ? 0 : slope(under.map(({ at, rssKb: y }) => ({ x: at / 60, y })));
const used = sessionsAtEnd - sessionsAtWarm;
const kept = keptAtEnd - keptAtWarm;
const allowed = { ...kGrowth, rssKb: kGrowth.rssKb + kept * kKbPerSession };
for (const [name, more] of Object.entries(allowed)) if (end[name] > warm[name] + more) world.fault("grown", `${name}: ${warm[name]} → ${end[name]}`);
if (end.zombies > 0) world.fault("zombies", String(end.zombies));

const { tally } = world;
const ok = Object.keys(faults).length === 0;
console.log(
  JSON.stringify({
    name: "soak",
    ok,
    seconds: Math.round(elapsed()),
    ...tally,
    finals_seen: world.witness.seen,
    lost: faults.lost?.count ?? 0,
    wrong_or_double_ends: (faults.wrongEnds?.count ?? 0) + (faults.open?.count ?? 0) + world.witness.changed,
    orphans: faults.orphans?.count ?? 0,
    measured_seconds: Math.round(endAt - warmAt),
    sessions_meanwhile: used,
    sessions_kept_meanwhile: kept,
    rss_kb_per_session: Number(((end.rssKb - warm.rssKb) / Math.max(1, used)).toFixed(1)),
    rss_kb_per_minute: Math.round(slopeKb),
    rss_kb_under_load: Array.from({ length: 10 }, (_, tenth) => {
      const part = under.slice((tenth * under.length) / 10, ((tenth + 1) * under.length) / 10);
      return median(part.map((sample) => sample.rssKb));
    }),
    at_rest_warm: warm,
    at_rest_end: end,
    faults,
  }),
);
remove();
process.exitCode = ok ? 0 : 1;
