// One place in the soak: a session at a time with its readers. After some turns the session is compared with everything that was
// seen of it, given up, and a new one takes the place.
import { isDeepStrictEqual } from "node:util";
import { pick, random } from "../../support/figures.mjs";
import { Follower, kinds } from "../../support/follower.mjs";
import { eventually, sleep } from "../../support/server.mjs";

/** A session's conversation in the test: some 300 KB, so that memory comes to rest within a minute. */
const kTurnsPerSession = 30;
const kReaders = 3;
/** The server may be down, and an agent that was killed comes back after 1, 2, 4 … s. */
const kPatienceMs = 90_000;

const prompts = {
  demo: () => pick([`/load chunks=100 bytes=80 every_us=${pick([500, 2000, 5000])}`, "/load chunks=400 bytes=20 every_us=0", "/tools 5", "/approve 1"]),
  words: () => `words=${pick([20, 100])} rate=${pick([100, 400])}`,
};

/** The first entry that a reader knows otherwise than the store. */
function difference({ replica, events, appends }, items, turns) {
  for (const [known, truth] of [[replica.items, items], [replica.turns, turns]]) {
    for (const id of new Set([...known.keys(), ...truth.keys()])) {
      if (!isDeepStrictEqual(known.get(id), truth.get(id))) return { events, appends, known: known.get(id), truth: truth.get(id) };
    }
  }
  return { events, appends };
}

export class Slot {
  /** `world`: {server, witness, project, tally, paused, stopped}; `agent`: {cliType, kind}. */
  constructor(world, agent) {
    Object.assign(this, { world, agent, turns: 0, accepted: [], followers: [], running: Promise.resolve() });
  }

  /** Turn after turn until the world stops; rests while it is paused. */
  async run() {
    while (!this.world.stopped) {
      if (this.world.paused) {
        await this.rest();
        await eventually(() => !this.world.paused || this.world.stopped, "the end of the pause", 600_000);
        continue;
      }
      if (this.sessionId === undefined || this.turns >= kTurnsPerSession) await this.renew();
      this.follow();
      await this.turn(prompts[this.agent.kind](), random(10) === 0);
    }
    await this.rest();
  }

  follow() {
    if (this.reading) return;
    this.reading = true;
    this.running = Promise.all(this.followers.map((follower) => follower.run(() => !this.reading)));
  }

  /** The readers leave; what they know stays with them. */
  async rest() {
    this.reading = false;
    for (const follower of this.followers) follower.connection?.destroy();
    await this.running;
    this.atRest = true;
  }

  async turn(content, cancelled) {
    this.atRest = false;
    const { server, tally } = this.world;
    const turnId = await server.deliver(this.sessionId, content, kPatienceMs);
    this.accepted.push({ turnId, content, cancelled, serverKills: tally.serverKills, agentKills: tally.agentKills, at: new Date().toISOString() });
    ++this.turns;
    ++tally.turns;
    if (cancelled) {
      await sleep(random(200));
      await server.ask("POST", `/api/session/${this.sessionId}/cancel`, {}).catch(() => {});
    }
    await this.idle();
  }

  /** Nothing runs. After a restart the queue is held until the user lets it go on. */
  async idle() {
    const { server } = this.world;
    let tries = 0;
    await eventually(
      async () => {
        if (await server.isIdle(this.sessionId)) return true;
        if (++tries % 10 === 0) await server.ask("POST", `/api/session/${this.sessionId}/queue`, { resume: true }).catch(() => {});
        await sleep(100);
        return false;
      },
      `the end of the turns of ${this.agent.cliType}`,
      kPatienceMs,
    );
  }

  async renew() {
    if (this.sessionId !== undefined) await this.giveUp();
    const { server, project, witness } = this.world;
    const made = await eventually(() => server.create(project, this.agent.cliType).catch(() => undefined), "a new session", kPatienceMs);
    this.sessionId = made.sessionId;
    this.turns = 0;
    this.accepted = [];
    this.followers = Array.from({ length: kReaders }, () => new Follower(server, this.sessionId, { ...pick(kinds), honest: true }, (message) => witness.look(message)));
    ++this.world.tally.sessions;
  }

  /** Compares, and then deletes the session or ends its agent and keeps it for the last comparison. */
  async giveUp() {
    const { server, tally, kept } = this.world;
    await this.rest();
    await this.idle();
    await this.compare();
    const what = random(2) === 0 ? "delete" : "kill";
    const done = async () => {
      const answer = await server.ask("POST", `/api/session/${this.sessionId}/${what}`).catch(() => undefined);
      return answer !== undefined && [200, 404].includes(answer.status); // 404: deleted before the answer was lost.
    };
    await eventually(done, `to ${what} a session`, kPatienceMs);
    if (what === "kill") kept.push(this.sessionId);
    for (const { replica, reconnects } of this.followers) {
      tally.gaps += replica.gaps;
      tally.backwards += replica.backwards;
      tally.reconnects += reconnects;
    }
    this.sessionId = undefined;
  }

  /** What was seen is in the store, every accepted prompt has one end, and every reader knows what the store knows. */
  async compare() {
    const { server, tally } = this.world;
    const truth = await server.timeline(this.sessionId);
    await this.world.judge(truth);
    const items = new Map(truth.entries.map((entry) => [entry.itemId, entry]));
    const turns = new Map(truth.turns.map((entry) => [entry.turnId, entry]));
    for (const [at, prompt] of this.accepted.entries()) {
      if (turns.has(prompt.turnId)) continue;
      const said = items.get(`${prompt.turnId}:user`);
      const before = turns.get(this.accepted[at - 1]?.turnId);
      this.world.fault("unknown_turns", { agent: this.agent.cliType, ...prompt, said, before, next: this.accepted[at + 1] });
    }
    const last = Math.max(0, ...[...items.values(), ...turns.values()].map((entry) => entry.rev));
    for (const follower of this.followers) {
      await eventually(async () => (await follower.catchUp(last, 5000), follower.replica.cursor >= last), "a reader to catch up", kPatienceMs);
      if (isDeepStrictEqual(follower.replica.items, items) && isDeepStrictEqual(follower.replica.turns, turns)) ++tally.compared;
      else this.world.fault("different", { sessionId: this.sessionId, ...difference(follower, items, turns) });
    }
  }
}
