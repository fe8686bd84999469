// An agent that is a shell, below a server that runs as an ordinary user: for tests of what an agent can do on the machine.
import { chownSync, chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, makeHome, program, Server } from "./server.mjs";

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
/** What goes before a command that is to run as that user. */
export const asUser = process.getuid() === 0 ? ["setpriv", `--reuid=${kOrdinary}`, `--regid=${kOrdinary}`, "--clear-groups"] : [];

/** Everything below it belongs to that user. */
function give(path) {
  if (!asUser.length) return;
  chownSync(path, kOrdinary, kOrdinary);
  for (const one of readdirSync(path, { recursive: true })) chownSync(join(path, one), kOrdinary, kOrdinary);
}

/** A home with the program and the agent: as `shell`, and as `walled`, whose sessions are confined unless somebody says otherwise. */
export function shellHome() {
  const place = makeHome();
  mkdirSync(join(place.home, "bin"));
  copyFileSync(program, join(place.home, "bin/liminal-builder")); // Where it was built may be out of reach for others.
  const agent = join(place.home, "agent.sh");
  writeFileSync(agent, kAgent);
  writeFileSync(
    join(place.home, "config.toml"),
    ["shell", "walled"].map((name) => `[agents.${name}]\nprotocol = "events"\ncommand = "${agent}"\n`).join("") + "confine = true\n",
  );
  for (const path of ["", "project", "bin", "bin/liminal-builder", "agent.sh", "config.toml"]) chmodSync(join(place.home, path), 0o755);
  give(place.home);
  return place;
}

export function startIn({ home }, env = {}) {
  const command = [...asUser, join(home, "bin/liminal-builder")];
  return Server.start({ home, command, env, args: ["--config", join(home, "config.toml")] });
}

/** What the agent's shell says to a command. */
export async function says(server, sessionId, content) {
  const { turnId } = await server.post(`/api/session/${sessionId}/send`, { content });
  return answerTo(server, sessionId, turnId);
}

export async function answerTo(server, sessionId, turnId) {
  const entry = await eventually(async () => {
    const { entries } = await server.get(`/api/session/${sessionId}/timeline?since=0`);
    return entries.find((item) => item.turnId === turnId && item.origin === "agent" && item.status === "complete");
  }, `an answer to turn ${turnId}`);
  return entry.content;
}
