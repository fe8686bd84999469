// The server killed (SIGKILL) at random moments under load, again and again: nothing that any client saw as complete is lost.
//
//   node tests/torture/kill.mjs [--kills 200] [--sessions 4] [--rotate 100]
//
// Before each kill prompts are sent with Idempotency-Keys, retried across kills until they are accepted; a WebSocket follows
// every session and records each form it sees as final. After `rotate` kills new sessions take over, so that a long run is not
// spent on reading long histories. In the end the store must hold every form that was seen, unchanged; no turn may have
// another end than the one that was seen; no key may have sent twice. One JSON line; exit code 1 otherwise.
import { median, option, random } from "../support/figures.mjs";
import { leftAfter } from "../support/proc.mjs";
import { eventually, makeHome, Server, Socket, sleep } from "../support/server.mjs";
import { Witness } from "../support/witness.mjs";

const kills = option("kills", 200);
const sessionCount = option("sessions", 4);
const rotate = option("rotate", 100);

const { home, project, remove } = makeHome();
const witness = new Witness();
const start = (port) => Server.start({ home, port, args: ["--log-level", "off"] });

/** Follows every session until the server dies. */
function follow(server, sessions) {
  const socket = new Socket(server.port, { onMessage: (message) => witness.look(message) });
  socket.open.then(
    () => {
      for (const sessionId of sessions) socket.send({ type: "session:open", sessionId, appends: random(2) === 0 });
    },
    () => {},
  );
  return socket;
}

let server = await start(0);
const everySession = [];
let sessions = [];
async function newSessions() {
  sessions = [];
  for (let i = 0; i < sessionCount; ++i) sessions.push((await server.create(project)).sessionId);
  everySession.push(...sessions);
}
await newSessions();

const prompts = new Map(); // Key → {sessionId, turnId?}: what was accepted, under one id for ever.
let differentTurns = 0;
let accepted = 0;
let keys = 0;

async function send(target, key) {
  const prompt = prompts.get(key);
  try {
    const answer = await target.ask(
      "POST",
      `/api/session/${prompt.sessionId}/send`,
      { content: `/load chunks=40 bytes=60 every_us=500 key=${key}` },
      { "idempotency-key": key },
    );
    if (answer.status !== 202) return;
    if (prompt.turnId === undefined) ++accepted;
    else if (prompt.turnId !== answer.body.turnId) ++differentTurns;
    prompt.turnId = answer.body.turnId;
  } catch {
    // The kill came first: the key is tried again by the next life.
  }
}

const started = Date.now();
const readyMs = [];
for (let kill = 0; kill < kills; ++kill) {
  if (kill > 0 && kill % rotate === 0) await newSessions();
  const life = server;
  const sockets = [follow(life, sessions), follow(life, sessions)];
  const retried = [...prompts]
    .filter(([, prompt]) => prompt.turnId === undefined || (sessions.includes(prompt.sessionId) && random(40) === 0))
    .map(([key]) => key);
  const fresh = Array.from({ length: 2 }, () => {
    const key = `key-${++keys}`;
    prompts.set(key, { sessionId: sessions[random(sessions.length)] });
    return key;
  });
  const sending = [...retried, ...fresh].map((key) => send(life, key));
  // A held queue (after a restart) goes on when the user says so.
  for (const sessionId of sessions) {
    sending.push(life.ask("POST", `/api/session/${sessionId}/queue`, { resume: true }).catch(() => {}));
  }
  await sleep(5 + random(random(4) === 0 ? 400 : 120));
  await life.kill();
  await Promise.all(sending);
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => socket.closed));
  server = await start(life.port);
  readyMs.push(server.readyMs);
}

// The last life: everything is tried again, the queues drain, and the whole is compared.
for (const key of prompts.keys()) await send(server, key);
for (const sessionId of everySession) {
  await eventually(
    async () => {
      await server.ask("POST", `/api/session/${sessionId}/queue`, { resume: true });
      return (await server.get(`/api/session/${sessionId}/status`)).activity !== "working";
    },
    "the end of all turns",
    120_000,
  );
}
let lost = 0;
let wrongEnds = witness.changed;
let duplicates = 0;
const uses = new Map();
for (const sessionId of everySession) {
  const truth = await server.get(`/api/session/${sessionId}/timeline?since=0`);
  const found = witness.compare(truth);
  lost += found.lost.length;
  wrongEnds += found.wrongEnds.length + found.open.length;
  for (const item of truth.entries) {
    const key = item.origin === "user" ? / key=(\S+)$/.exec(item.content)?.[1] : undefined;
    if (key !== undefined) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
}
for (const count of uses.values()) duplicates += count - 1;
const { code } = await server.stop();
const orphans = await leftAfter(`HOME=${home}`);
remove();

const result = {
  name: "torture_kill",
  kills,
  seconds: Math.round((Date.now() - started) / 1000),
  finals_seen: witness.seen,
  prompts_accepted: accepted,
  restart_ms_median: Math.round(median(readyMs)),
  lost,
  wrong_or_double_ends: wrongEnds,
  turn_ids_changed: differentTurns,
  duplicates,
  orphans,
  exit_code: code,
};
console.log(JSON.stringify(result));
process.exitCode = lost + wrongEnds + differentTurns + duplicates + orphans + code === 0 ? 0 : 1;
