// From asking to Claude's first token, and how much of it is ours: the same CLI driven directly over stdio, in turn, in the same run.
import { Claude } from "../../tests/support/model/drivers.mjs";
import { Socket } from "../../tests/support/server.mjs";
import { randomUUID } from "node:crypto";
import { median } from "../../tests/support/figures.mjs";
import { figure, series } from "./figures.mjs";
import { claudeBin, makePlace, startServer } from "./place.mjs";

const kPrompt = "[[scenario:text]] Hello";
const isToken = (message) => message.type === "stream_event" && message.event.type === "content_block_delta" && message.event.delta.type === "text_delta";
const kinds = ["cold", "second", "resume"];

/** The bare CLI: three times from the start of what a client has to do to the first token. */
async function bare(place, modelUrl) {
  const took = {};
  let first;
  const cli = (args) => new Claude({ bin: claudeBin, modelUrl, home: place.home, project: place.shop, args, watch: (message) => isToken(message) && first?.() });
  const timed = async (kind, begin) => {
    const started = performance.now();
    const seen = new Promise((done) => (first = () => done(performance.now() - started)));
    const client = begin();
    const end = client.prompt(kPrompt);
    took[kind] = await seen;
    await end;
    return client;
  };
  const id = randomUUID();
  const client = await timed("cold", () => cli([`--session-id=${id}`]));
  await timed("second", () => client);
  await client.stop();
  const again = await timed("resume", () => cli([`--resume=${id}`]));
  await again.stop();
  return took;
}

/** The same through the server, as one WebSocket client sees it. */
async function ours(server, place) {
  const took = {};
  let first;
  let ended;
  const socket = new Socket(server.port, {
    onMessage: (message) => {
      const text = message.type === "session:append" ? message.text : message.type === "session:upsert" && message.payload.origin === "agent" ? message.payload.content : "";
      if (text) first?.();
      if (message.type === "session:turn" && ["turn_complete", "turn_error"].includes(message.payload.type)) ended?.(message.payload.type);
    },
  });
  await socket.open;
  const timed = async (kind, begin) => {
    const started = performance.now();
    const seen = new Promise((done) => (first = () => done(performance.now() - started)));
    const over = new Promise((done) => (ended = done));
    await begin();
    took[kind] = await seen;
    first = undefined;
    if ((await over) !== "turn_complete") throw new Error(`claude, ${kind}: the turn failed`);
  };
  let sessionId;
  const send = () => server.post(`/api/session/${sessionId}/send`, { content: kPrompt });
  await timed("cold", async () => {
    ({ sessionId } = await server.create(place.shop, "claude-code"));
    socket.send({ type: "session:open", sessionId, appends: true });
    await send();
  });
  await timed("second", send);
  await server.post(`/api/session/${sessionId}/kill`);
  await timed("resume", send);
  await server.post(`/api/session/${sessionId}/kill`);
  socket.destroy();
  return took;
}

export async function claude({ modelUrl, rounds }) {
  const alone = makePlace({ modelUrl });
  const place = makePlace({ modelUrl });
  const server = await startServer(place);
  const [without, with_] = [[], []];
  for (let round = 0; round <= rounds; ++round) {
    // Now the one first, now the other: what is left of the one before disturbs both alike.
    const early = round % 2 === 0 ? await bare(alone, modelUrl) : undefined;
    const mine = await ours(server, place);
    const theirs = early ?? (await bare(alone, modelUrl));
    if (round === 0) continue; // The first start in a new home writes it.
    without.push(theirs);
    with_.push(mine);
  }
  await server.stop();
  for (const kind of kinds) {
    const words = { cold: "Claude: create to first token", second: "Claude: second prompt to first token", resume: "Claude: resume to first token" }[kind];
    const here = with_.map((one) => one[kind]);
    const there = without.map((one) => one[kind]);
    series({ name: `claude_${kind}`, what: words, values: here, beside: `bare CLI: ${Math.round(median(there))} ms` });
    const share = median(here) - median(there);
    // Ours: a guardian's process, a handshake, two writes to disk, one request more, and a text that waits up to 50 ms for its next
    // words. The limit is what people take for immediate.
    figure({ name: `claude_${kind}_ours`, what: `${words}: our share of the median`, value: share, unit: "ms", limit: 100 });
  }
  alone.remove();
  place.remove();
  return [alone.home, place.home];
}
