// How soon the first words of an answer are seen: the real Claude Code, our scripted model at 5, 20 and 200 words/s, the real server, one
// WebSocket reader. Counted from the CLI's first text delta (a pipe around the CLI notes when it passes) and from the model's first one.
// One JSON line per pace; the target is 200 ms from the CLI's delta.
//
//   node bench/first_text.mjs [TURNS]     LB_TEST_CLAUDE names the CLI (script/setup --print-clis)
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually, makeHome, Server, Socket } from "../tests/support/server.mjs";
import { startModel } from "../tests/support/model/server.mjs";

const kTargetMs = 200;
const kWords = 12;
const kDelta = '"text_delta"';
/** CLOCK_MONOTONIC: the same in every process. */
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Runs the CLI and writes down when a chunk with a text delta came out of it, then passes it on. */
function passOn([notes, command, ...args]) {
  const cli = spawn(command, args, { stdio: ["inherit", "pipe", "inherit"] });
  cli.stdout.on("data", (data) => {
    const at = nowMs();
    process.stdout.write(data);
    if (data.includes(kDelta)) appendFileSync(notes, `${at}\n`);
  });
  cli.on("close", (code) => process.exit(code ?? 1));
}

/** The model behind a relay that notes when the first text delta of an answer passes. */
async function notedModel(onDelta) {
  const model = await startModel({});
  const { hostname, port } = new URL(model.url);
  const relay = http.createServer((request, response) => {
    const { method, url: path, headers } = request;
    const up = http.request({ host: hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.on("data", (data) => {
        if (data.includes(kDelta)) onDelta();
        response.write(data);
      });
      answer.on("end", () => response.end());
    });
    up.on("error", () => response.destroy());
    request.pipe(up);
  });
  await new Promise((done) => relay.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${relay.address().port}`,
    async close() {
      relay.closeAllConnections();
      relay.close();
      await model.close();
    },
  };
}

function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (q) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] * 10) / 10;
  return { median: at(0.5), p95: at(0.95), max: at(1) };
}

async function measure(turns) {
  const cli = process.env.LB_TEST_CLAUDE;
  if (!cli) throw new Error('LB_TEST_CLAUDE is not set: eval "$(script/setup --print-clis)"');
  const place = makeHome();
  const notes = join(place.home, "deltas");
  const seen = { model: undefined, reader: undefined };
  const model = await notedModel(() => (seen.model ??= nowMs()));
  const env = {
    CLAUDE_CONFIG_DIR: join(place.home, ".claude"),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "sk-test",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  writeFileSync(
    join(place.home, "config.toml"),
    `[agents.claude-code]\ncommand = ${JSON.stringify(process.execPath)}\n` +
      `args = ${JSON.stringify([fileURLToPath(import.meta.url), "--pass-on", notes, cli])}\n` +
      `env = { ${Object.entries(env)
        .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
        .join(", ")} }\n`,
  );
  const server = await Server.start({
    home: place.home,
    args: ["--log-level", "warn", "--config", join(place.home, "config.toml")],
  });
  try {
    const { sessionId } = await server.create(place.project, "claude-code");
    const ended = new Set();
    const socket = new Socket(server.port, {
      onMessage: (message) => {
        const { payload } = message;
        const text =
          message.type === "session:append" ||
          (message.type === "session:upsert" && payload.type === "message" && payload.origin === "agent" && payload.content !== "");
        if (text) seen.reader ??= nowMs();
        if (message.type === "session:turn" && payload.endedAt) ended.add(payload.turnId);
      },
    });
    await socket.open;
    socket.send({ type: "session:open", sessionId, appends: true });
    for (const pace of [5, 20, 200]) {
      const fromCli = [];
      const fromModel = [];
      for (let turn = 0; turn < turns; ++turn) {
        writeFileSync(notes, "");
        seen.model = seen.reader = undefined;
        const content = `[[scenario:long]] [[words:${kWords}]] [[tps:${pace}]] turn ${turn}`;
        const { turnId } = await server.post(`/api/session/${sessionId}/send`, { content });
        await eventually(() => ended.has(turnId), `the end of a turn at ${pace} words/s`, 60_000);
        const cliAt = Number(readFileSync(notes, "utf8").split("\n")[0]);
        fromCli.push(seen.reader - cliAt);
        fromModel.push(seen.reader - seen.model);
      }
      const from_cli_delta_ms = summary(fromCli);
      const within = from_cli_delta_ms.median <= kTargetMs; // The rest is as much the machine's as ours.
      const from_model_delta_ms = summary(fromModel);
      console.log(
        JSON.stringify({ name: "first_text", words_per_s: pace, turns, from_cli_delta_ms, from_model_delta_ms, target_ms: kTargetMs, within }),
      );
      if (!within) process.exitCode = 1;
    }
    socket.destroy();
  } finally {
    await server.stop();
    await model.close();
    place.remove();
  }
}

if (process.argv[2] === "--pass-on") passOn(process.argv.slice(3));
else await measure(Number(process.argv[2] ?? 10));
