// Confined sessions, asked for over HTTP of the real program, which runs as an ordinary user: what their agent sees.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually } from "../support/server.mjs";
import { asUser, says as shellSays, shellHome, startIn } from "../support/shell_agent.mjs";

let place, server;
before(async () => {
  place = shellHome();
  await start();
});
after(async () => {
  await server?.stop();
  place?.remove();
});

async function start() {
  server = await startIn(place);
}

/** How long a daemon sleeps: nobody else's does as long. */
const kNap = `${100_000 + process.pid}`;
const asleep = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${kNap}\0`;
  } catch {
    return false;
  }
};
const create = (more) => server.post("/api/session/create", { cliType: "shell", projectDir: place.project, ...more });
const info = (sessionId) => server.get(`/api/session/${sessionId}/status`);

const says = (sessionId, content) => shellSays(server, sessionId, content);

test("a confined session is one from its beginning, in every list and after a restart", async () => {
  const confined = await create({ confined: true });
  assert.equal(confined.confined, true);
  const free = await create({});
  assert.equal(free.confined, false);
  assert.equal((await create({ cliType: "walled" })).confined, true, "as the configuration says");
  assert.equal((await create({ cliType: "walled", confined: false })).confined, false);
  const ask = "echo pid $$; ls ../data | wc -l";
  assert.match(await says(confined.sessionId, "readlink /proc/1/exe || ps -o comm= 1; cat /proc/1/comm"), /lb-guardian/);
  assert.match(await says(confined.sessionId, ask), /^pid \d{1,2} 0/, "its own processes, and an empty data directory");
  assert.doesNotMatch(await says(free.sessionId, ask), / 0 *$/);

  await server.kill();
  await start();
  assert.equal((await info(confined.sessionId)).confined, true);
  assert.equal((await info(free.sessionId)).confined, false);
  assert.match(await says(confined.sessionId, ask), /^pid \d{1,2} 0/, "resumed behind the same walls");
});

test("an agent cannot add a login of its own to the grants", async () => {
  const { sessionId } = await create({ confined: true });
  const grants = join(place.home, "data/grants");
  const read = () => (existsSync(grants) ? readFileSync(grants, "utf8") : "");
  const before = read();
  await says(sessionId, "echo mine >> ../data/grants; mv ../data ../away; mkdir -p ../data; echo mine > ../data/grants");
  assert.equal(read(), before);
  assert.ok(statSync(join(place.home, "data/store.db")).size > 0, "the data directory is where it was");
});

test("an agent cannot end the server, nor outlive it", async () => {
  const { sessionId } = await create({ confined: true });
  const pid = server.child.pid;
  const said = await says(sessionId, `kill -9 ${pid} 1; setsid sh -c '(sleep ${kNap} &) >/dev/null 2>&1'; echo done`);
  assert.match(said, /done/);
  assert.equal((await server.ask("GET", "/healthz")).status, 200);
  const napping = () => readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && asleep(entry)).length;
  await eventually(() => napping() === 1, "the daemon of the agent");
  await server.kill();
  await eventually(() => napping() === 0, "its end", 5000);
  await start();
});

test("without walls the server's memory and environment are still not readable", async () => {
  const { sessionId } = await create({});
  const pid = server.child.pid;
  const said = await says(sessionId, `head -c 1 /proc/${pid}/mem; head -c 1 /proc/${pid}/environ; kill -0 ${pid} && echo there`);
  assert.equal(said.match(/Permission denied/g)?.length, 2, said);
  assert.match(said, /there/, "it is seen, and can be signalled");
});

test("agents say whether they are confined, and that nothing stands in the way", async () => {
  const { agents } = await server.get("/api/agents");
  const named = (cliType) => agents.find((agent) => agent.cliType === cliType);
  assert.equal(named("walled").confine, true);
  assert.equal(named("shell").confine, false);
  assert.equal(named("shell").confineProblem, undefined);
});

test("doctor says whether sessions can be confined, and what stands in the way", () => {
  const doctor = (...around) => {
    const [command, ...args] = [...asUser, ...around, join(place.home, "bin/liminal-builder"), "doctor"];
    const env = { PATH: process.env.PATH, HOME: place.home };
    return spawnSync(command, args, { env, encoding: "utf8", timeout: 60_000 }).stdout;
  };
  assert.match(doctor(), /^ {2}ok {2}confined +sessions can be confined: .+$/m);
  // A user namespace in which no other can be made.
  const none = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" "$@"';
  const refused = doctor("unshare", "--user", "--map-root-user", "sh", "-c", none);
  assert.match(refused, /^ {2}!! {2}confined +sessions cannot be confined here: .+; \/proc\/sys\/user\/max_user_namespaces is 0$/m);
  assert.doesNotMatch(refused, /sessions can be confined/);
});
