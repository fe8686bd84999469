// Loading a Codex session of some length: ours against a bare client that does the same initialize and session/load, in turn.
import { Acp, prepareCodex } from "../../tests/support/model/drivers.mjs";
import { median } from "../../tests/support/figures.mjs";
import { eventually } from "../../tests/support/server.mjs";
import { figure, series } from "./figures.mjs";
import { codexBin, makePlace, startServer } from "./place.mjs";

const kTurns = 40;

export async function codex({ modelUrl, rounds }) {
  const origin = makePlace({ modelUrl });
  const prepare = prepareCodex("gpt-5.4");
  const client = () => new Acp({ bin: codexBin, prepare, modelUrl, home: origin.home, project: origin.shop });
  const author = client();
  await author.start();
  for (let turn = 0; turn < kTurns; ++turn) await author.prompt(`[[scenario:long]][[words:150]][[tps:0]] Turn ${turn}`);
  const { sessionId } = author;
  await author.stop();

  const [bare, ours] = [[], []];
  const homes = [origin.home];
  for (let round = 0; round <= rounds; ++round) {
    const alone = client();
    const begun = performance.now();
    await alone.load(sessionId);
    const without = performance.now() - begun;
    await alone.stop();

    // A server that has never seen the session: nothing of it is in our store.
    const place = makePlace({ modelUrl, codexEnv: prepare(origin.home, modelUrl) });
    homes.push(place.home);
    const server = await startServer(place);
    const { project } = await server.post("/api/project/add", { path: origin.shop });
    const listed = async () => (await server.get(`/api/session/list?projectId=${project.projectId}&scope=all`)).sessions.find((one) => one.cliType === "codex");
    const found = await eventually(listed, "the session in the list");
    const started = performance.now();
    await server.post(`/api/session/${found.sessionId}/load`);
    const with_ = performance.now() - started;
    const { entries } = await server.get(`/api/session/${found.sessionId}/timeline?since=0`);
    if (entries.length < 2 * kTurns) throw new Error(`only ${entries.length} entries of ${2 * kTurns} were loaded`);
    await server.stop();
    place.remove();
    if (round === 0) continue; // Files come into the cache.
    bare.push(without);
    ours.push(with_);
  }
  series({ name: "codex_load", what: `Codex: load a session of ${kTurns} turns`, values: ours, beside: `bare client: ${Math.round(median(bare))} ms` });
  figure({ name: "codex_load_ratio", what: "Codex: load, ours over the bare client (medians)", value: median(ours) / median(bare), unit: "×", limit: 1.1 });
  origin.remove();
  return homes;
}
