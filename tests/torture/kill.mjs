// The server killed (SIGKILL) at random moments under load, again and again: nothing that any client saw as complete is lost.
//
//   node tests/torture/kill.mjs [--kills 200] [--sessions 4]
//
// Before each kill prompts are sent with Idempotency-Keys, retried across kills until they are accepted; a WebSocket follows
// every session and records each form it sees as final. Afterwards the store must hold every one of them, unchanged; no
// turn may have another end than the one that was seen; no key may have sent twice. One JSON line; exit code 1 otherwise.
import { isDeepStrictEqual } from "node:util";
import { eventually, makeHome, Server, Socket, sleep } from "../support/server.mjs";

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const kills = option("kills", 200);
const sessionCount = option("sessions", 4);
const random = (n) => Math.floor(Math.random() * n);
const isFinalItem = (item) => ["complete", "error", "cancelled"].includes(item.status);
const isFinalTurn = (turn) => turn.type === "turn_complete" || turn.type === "turn_error";

const { home, project, remove } = makeHome();
const finals = new Map(); // "session item" → the form that was seen as final.
const turnEnds = new Map();
let changedFinals = 0;
let seen = 0;

function record(map, key, value) {
  const known = map.get(key);
  if (known !== undefined && !isDeepStrictEqual(known, value)) ++changedFinals;
  map.set(key, value);
  ++seen;
}

function look(message) {
  const items = message.type === "session:history" ? message.entries : message.type === "session:upsert" ? [message.payload] : [];
  const turns = message.type === "session:history" ? message.turns : message.type === "session:turn" ? [message.payload] : [];
  for (const item of items) if (isFinalItem(item)) record(finals, `${item.sessionId} ${item.itemId}`, item);
  for (const turn of turns) if (isFinalTurn(turn)) record(turnEnds, `${turn.sessionId} ${turn.turnId}`, turn);
}

/** Follows every session until the server dies. */
function follow(server, sessions) {
  const socket = new Socket(server.port, { onMessage: look });
  socket.open.then(
    () => {
      for (const sessionId of sessions) socket.send({ type: "session:open", sessionId, appends: random(2) === 0 });
    },
    () => {},
  );
  return socket;
}

let server = await Server.start({ home, args: ["--log-level", "off"] });
const sessions = [];
for (let i = 0; i < sessionCount; ++i) sessions.push((await server.create(project)).sessionId);

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
  const life = server;
  const sockets = [follow(life, sessions), follow(life, sessions)];
  const retried = [...prompts].filter(([, prompt]) => prompt.turnId === undefined || random(40) === 0).map(([key]) => key);
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
  server = await Server.start({ home, port: life.port, args: ["--log-level", "off"] });
  readyMs.push(server.readyMs);
}

// The last life: everything is tried again, the queues drain, and the whole is compared.
for (const key of prompts.keys()) await send(server, key);
for (const sessionId of sessions) {
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
let wrongEnds = 0;
let duplicates = 0;
const uses = new Map();
for (const sessionId of sessions) {
  const truth = await server.get(`/api/session/${sessionId}/timeline?since=0`);
  const items = new Map(truth.entries.map((item) => [`${sessionId} ${item.itemId}`, item]));
  const turns = new Map(truth.turns.map((turn) => [`${sessionId} ${turn.turnId}`, turn]));
  for (const [key, item] of finals) if (key.startsWith(sessionId) && !isDeepStrictEqual(items.get(key), item)) ++lost;
  for (const [key, turn] of turnEnds) if (key.startsWith(sessionId) && !isDeepStrictEqual(turns.get(key), turn)) ++wrongEnds;
  for (const item of truth.entries) {
    const key = item.origin === "user" ? / key=(\S+)$/.exec(item.content)?.[1] : undefined;
    if (key !== undefined) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
}
for (const count of uses.values()) duplicates += count - 1;
const { code } = await server.stop();
remove();

readyMs.sort((a, b) => a - b);
const result = {
  name: "torture_kill",
  kills,
  seconds: Math.round((Date.now() - started) / 1000),
  finals_seen: seen,
  prompts_accepted: accepted,
  restart_ms_median: Math.round(readyMs[readyMs.length >> 1]),
  lost,
  wrong_or_double_ends: wrongEnds + changedFinals,
  turn_ids_changed: differentTurns,
  duplicates,
  exit_code: code,
};
console.log(JSON.stringify(result));
process.exitCode = lost + wrongEnds + changedFinals + differentTurns + duplicates + code === 0 ? 0 : 1;
