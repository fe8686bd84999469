// bench/reader.cpp from here: a fresh process for each load, so that nobody reads with what an earlier load left in it.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { median, quantile } from "../../tests/support/figures.mjs";
import { program, token } from "../../tests/support/server.mjs";

export const tool = (name) => join(dirname(program), "bench", name);

/** Runs the reader to its end; its other lines go to `onLine`, `onReading` is called when every session has its history. */
function read(words, { onLine = () => {}, onReading = () => {} } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(tool("reader"), words.map(String), { stdio: ["ignore", "pipe", "pipe"] });
    let rest = "";
    let complaint = "";
    let result;
    child.stdout.on("data", (data) => {
      const lines = (rest + data).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.readers) result = message.readers;
        else onLine(message);
      }
    });
    child.stderr.on("data", (data) => {
      complaint += data;
      if (complaint === "reading\n") onReading();
    });
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done(result) : failed(new Error(`the reader ended with ${code}: ${complaint}`))));
  });
}

/** The sessions play `prompt` (or what somebody else sends), each followed on a socket of its own unless told otherwise; what each socket saw. */
export const readServer = (server, sessions, prompt, { appends = true, sockets = sessions.length, onReading } = {}) =>
  read(["ws", server.port, token, prompt, appends ? "appends" : "whole", sockets, ...sessions], { onReading });

/** The demo agent behind a bare relay, with `count` sessions that play `prompt`; what its one reader saw. */
export async function readRelay(place, count, prompt) {
  const child = spawn("bash", ["-c", `"$0" demo-agent | "$1"`, program, tool("relay")], {
    env: { PATH: process.env.PATH, HOME: place.home },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const port = await new Promise((done) => child.stderr.once("data", (data) => done(Number(String(data).trim()))));
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const sessions = [];
  const onLine = ({ id, result }) => {
    if (id === 0) for (let i = 1; i <= count; ++i) send({ id: i, method: "session/new", params: { cwd: place.project, mcpServers: [] } });
    else if (result.sessionId && sessions.push(result.sessionId) === count) {
      for (const [i, sessionId] of sessions.entries()) {
        send({ id: count + 1 + i, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: prompt }] } });
      }
    }
  };
  const reading = read(["relay", port, count], { onLine });
  send({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  const readers = await reading;
  child.stdin.end();
  await new Promise((done) => child.once("close", done));
  return readers;
}

/** p50 and p99 of what the readers saw, without the first `skip` chunks of each. */
export function spread(readers, skip) {
  const all = readers.flatMap((reader) => reader.latencies_us.slice(skip));
  return { chunks: all.length, p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}

/** The medians over several runs. */
export const medians = (runs) => ({ p50: median(runs.map((run) => run.p50)), p99: median(runs.map((run) => run.p99)) });
