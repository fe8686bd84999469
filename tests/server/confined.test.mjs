// Confined sessions, asked for over HTTP of the real program, which runs as an ordinary user: what their agent sees.
import assert from "node:assert/strict";
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, makeHome, program, Server } from "../support/server.mjs";

/** Speaks `protocol = "events"` and answers every prompt with what a shell says to it. */
const kAgent = `#!/bin/sh
while read -r line; do
  case "$line" in *'"type":"prompt"'*) ;; *) continue ;; esac
  field() { printf '%s' "$line" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
  turn=$(field turnId); session=$(field sessionId)
  said=$(sh -c "$(field content)" 2>&1 | tr '\\n"' ' .')
  say() {
    printf '{"eventId":"%s-%s","timestamp":"2026-01-01T00:00:00.000Z","turnId":"%s","sessionId":"%s","type":"%s","payload":{"type":"%s",%s}}\\n' \\
      "$turn" "$1" "$turn" "$session" "$1" "$1" "$2"
  }
  say response_start '"modelId":"sh","providerId":"sh"'
  say item_start '"itemId":"a-'"$turn"'","itemType":"message"'
  say item_done '"itemId":"a-'"$turn"'","finalItem":{"type":"message","content":"'"$said"'","origin":"agent"}'
  say response_done '"status":"completed"'
done
`;
const kOrdinary = 54322;
const asUser = process.getuid() === 0 ? ["setpriv", `--reuid=${kOrdinary}`, `--regid=${kOrdinary}`, "--clear-groups"] : [];

let place, server;
before(async () => {
  place = makeHome();
  const own = join(place.home, "bin/liminal-builder");
  mkdirSync(dirname(own));
  copyFileSync(program, own); // Where it was built may be out of reach for others.
  writeFileSync(join(place.home, "agent.sh"), kAgent);
  const agent = join(place.home, "agent.sh");
  writeFileSync(
    join(place.home, "config.toml"),
    ["shell", "walled"].map((name) => `[agents.${name}]\nprotocol = "events"\ncommand = "${agent}"\n`).join("") + "confine = true\n",
  );
  for (const path of ["", "project", "bin", "bin/liminal-builder", "agent.sh", "config.toml"]) {
    chmodSync(join(place.home, path), 0o755);
    if (asUser.length) chownSync(join(place.home, path), kOrdinary, kOrdinary);
  }
  await start();
});
after(async () => {
  await server?.stop();
  place?.remove();
});

async function start() {
  const command = [...asUser, join(place.home, "bin/liminal-builder")];
  server = await Server.start({ home: place.home, command, args: ["--config", join(place.home, "config.toml")] });
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

/** What the agent's shell says to a command. */
async function says(sessionId, content) {
  const { turnId } = await server.post(`/api/session/${sessionId}/send`, { content });
  const entry = await eventually(async () => {
    const { entries } = await server.get(`/api/session/${sessionId}/timeline?since=0`);
    return entries.find((item) => item.turnId === turnId && item.origin === "agent" && item.status === "complete");
  }, `an answer to ${content}`);
  return entry.content;
}

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
