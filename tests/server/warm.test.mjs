// Agents that are started before a session needs them: real processes below the real server, and what becomes of them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { eventually, makeHome, Server } from "../support/server.mjs";

/** As much of Claude Code's protocol as a session needs: it says hello, and answers a prompt. Notes the id of its process. */
const kCli = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
appendFileSync(process.env.PIDS, process.pid + "\\n");
const say = (record) => process.stdout.write(JSON.stringify(record) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { type, request_id } = JSON.parse(line);
  if (type === "control_request")
    say({ type: "control_response", response: { subtype: "success", request_id, response: { models: [], commands: [] } } });
  if (type !== "user") return;
  say({ type: "system", subtype: "init", session_id: "cli", model: "m", permissionMode: "default" });
  const content = [{ type: "text", text: "From process " + process.pid }];
  say({ type: "assistant", parent_tool_use_id: null, message: { id: "m1", model: "m", content } });
  say({ type: "result", subtype: "success", is_error: false, stop_reason: "end_turn", terminal_reason: "completed" });
}).on("close", () => process.exit(0));
`;

const homes = [];
let place, server, project;
after(() => homes.forEach((home) => home.remove()));

/** The processes that have said so; a file that was just made may still be empty. */
const pids = () => {
  const file = join(place.home, "pids");
  return existsSync(file) ? (readFileSync(file, "utf8").match(/^\d+(?=\n)/gm) ?? []).map(Number) : [];
};
const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
const claude = async () => (await server.get("/api/agents")).agents.find((agent) => agent.cliType === "claude-code");
const warm = (projectId = project.projectId) => server.post("/api/agents/claude-code/warm", { projectId });
const gauge = async () => Number(/^lb_warm_agents (\d+)$/m.exec((await server.ask("GET", "/metrics")).text)?.[1]);
const gone = (pid) => eventually(() => !alive(pid), `the end of process ${pid}`);

async function start(config = "") {
  writeFileSync(
    join(place.home, "config.toml"),
    `${config}\n[agents.claude-code]\ncommand = ${JSON.stringify(process.execPath)}\n` +
      `args = [${JSON.stringify(join(place.home, "cli.mjs"))}]\nenv = { PIDS = ${JSON.stringify(join(place.home, "pids"))} }\n`,
  );
  server = await Server.start({ home: place.home, args: ["--config", join(place.home, "config.toml")] });
  project = (await server.post("/api/project/add", { path: place.project })).project;
}

beforeEach(() => {
  homes.push((place = makeHome()));
  writeFileSync(join(place.home, "cli.mjs"), kCli);
});

test("a session takes the process that was started ahead; it is seen while it waits", async () => {
  await start();
  assert.deepEqual(await warm(), { warm: true });
  await warm();
  const isWarm = ({ warm: count, status }) => count === 1 && status === "connected";
  await eventually(async () => pids().length === 1 && isWarm(await claude()), "a warm agent");
  assert.equal(await gauge(), 1);
  const { sessionId } = await server.post("/api/session/create", { cliType: "claude-code", projectId: project.projectId, mode: "plan" });
  assert.equal((await claude()).warm, undefined);
  assert.equal(await gauge(), 0);
  await server.post(`/api/session/${sessionId}/send`, { content: "who are you?" });
  const answer = `From process ${pids()[0]}`;
  await eventually(
    async () => (await server.get(`/api/session/${sessionId}/timeline?since=0`)).entries.some((item) => item.content === answer),
    "the answer of that process",
  );
  assert.equal(pids().length, 1);
  await server.stop();
  await gone(pids()[0]);
});

test("one that dies is gone, and the next session starts its own", async () => {
  await start();
  await warm();
  const [pid] = await eventually(async () => (await claude()).status === "connected" && pids().length === 1 && pids(), "a warm agent");
  process.kill(pid, "SIGKILL");
  const isCold = ({ warm: count, status }) => count === undefined && status === "idle";
  await eventually(async () => isCold(await claude()), "the pool to notice");
  await server.create(place.project, "claude-code");
  await eventually(() => pids().length === 2, "a process of its own");
  await server.stop();
  await gone(pids()[1]);
});

test("there are never more than two, and those that are pushed out end", async () => {
  await start();
  for (const name of ["one", "two", "three"]) {
    mkdirSync(join(place.home, name));
    const { project: added } = await server.post("/api/project/add", { path: join(place.home, name) });
    await warm(added.projectId);
  }
  await eventually(() => pids().filter(alive).length === 2 && pids().length >= 2, "two that wait");
  await eventually(async () => (await claude()).warm === 2, "two that are shown");
  await server.stop();
  for (const pid of pids()) await gone(pid);
});

test("nothing is left when the server is killed", async () => {
  await start();
  await warm();
  const [pid] = await eventually(() => pids().length === 1 && pids(), "a warm agent");
  assert.ok(alive(pid));
  await server.kill();
  await gone(pid);
});

test("warm_start = false: nothing starts", async () => {
  await start("warm_start = false");
  assert.deepEqual(await warm(), { warm: false });
  await server.create(place.project, "claude-code");
  await eventually(() => pids().length > 0, "the session's process");
  assert.equal(pids().length, 1);
  await server.stop();
  await gone(pids()[0]);
});
