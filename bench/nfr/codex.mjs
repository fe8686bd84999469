// Loading a Codex session of some length: ours against a bare client that does the same initialize and session/load, in turn.
// Both clocks start before the agent's process and stop when the client knows that the session is loaded; ours has stored it then.
import { Acp, prepareCodex } from "../../tests/support/model/drivers.mjs";
import { median } from "../../tests/support/figures.mjs";
import { eventually } from "../../tests/support/server.mjs";
import { figure, series } from "./figures.mjs";
import { codexBin, makePlace, startServer } from "./place.mjs";

const kTurns = 40;
const kRoundsLeast = 20; // A difference of a few milliseconds is looked for.

export async function codex({ modelUrl, rounds }) {
  const origin = makePlace({ modelUrl });
  const codexEnv = prepareCodex("gpt-5.4")(origin.home, modelUrl);
  const client = () => new Acp({ bin: codexBin, prepare: () => codexEnv, modelUrl, home: origin.home, project: origin.shop });
  const author = client();
  await author.start();
  for (let turn = 0; turn < kTurns; ++turn) await author.prompt(`[[scenario:long]][[words:150]][[tps:0]] Turn ${turn}`);
  const { sessionId } = author;
  await author.stop();

  const homes = [origin.home];
  const withoutUs = async () => {
    const begun = performance.now();
    const alone = client();
    await alone.load(sessionId);
    const took = performance.now() - begun;
    await alone.stop();
    return took;
  };
  // A server that has never seen the session: nothing of it is in our store.
  const withUs = async () => {
    const place = makePlace({ modelUrl, codexEnv });
    homes.push(place.home);
    const server = await startServer(place);
    const { project } = await server.post("/api/project/add", { path: origin.shop });
    const listed = async () => (await server.get(`/api/session/list?projectId=${project.projectId}&scope=all`)).sessions.find((one) => one.cliType === "codex");
    const found = await eventually(listed, "the session in the list");
    const begun = performance.now();
    await server.post(`/api/session/${found.sessionId}/load`);
    const took = performance.now() - begun;
    const { entries } = await server.get(`/api/session/${found.sessionId}/timeline?since=0`);
    if (entries.length < 2 * kTurns) throw new Error(`only ${entries.length} entries of ${2 * kTurns} were loaded`);
    await server.stop();
    place.remove();
    return took;
  };

  const [bare, ours] = [[], []];
  for (let round = 0; round <= Math.max(rounds, kRoundsLeast); ++round) {
    const first = round % 2 === 0; // Who goes first changes: what one leaves in the caches serves the other.
    const before = first ? await withoutUs() : undefined;
    const with_ = await withUs();
    const without = before ?? (await withoutUs());
    if (round === 0) continue; // Files come into the cache.
    bare.push(without);
    ours.push(with_);
  }
  series({ name: "codex_load", what: `Codex: load a session of ${kTurns} turns`, values: ours, beside: `bare client: ${Math.round(median(bare))} ms` });
  figure({ name: "codex_load_ratio", what: "Codex: load, ours over the bare client (medians)", value: median(ours) / median(bare), unit: "×", limit: 1.1 });
  origin.remove();
  return homes;
}
