// An agent for `protocol = "events"` that says as many words as the prompt asks for, as fast as it asks for.
//
//     words=N rate=R     N words at R words a second (0: as fast as they are read); the first one at once. Each begins with "@" and
//                        the monotonic time in nanoseconds at which the response began (the first word) or the word was written.
import { createInterface } from "node:readline";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const now = () => process.hrtime.bigint();
let cancelled = false;
let count = 0;

const say = (prompt, type, fields) =>
  process.stdout.write(
    `${JSON.stringify({
      eventId: `e${++count}`,
      timestamp: new Date().toISOString(),
      turnId: prompt.turnId,
      sessionId: prompt.sessionId,
      type,
      payload: { type, ...fields },
    })}\n`,
  );

async function play(prompt) {
  const number = (name, otherwise) => Number(new RegExp(`\\b${name}=(\\d+)`).exec(prompt.content)?.[1] ?? otherwise);
  const words = number("words", 50);
  const rate = number("rate", 50);
  const itemId = `answer-${prompt.turnId}`;
  const begun = now();
  say(prompt, "response_start", { modelId: "words-1", providerId: "words" });
  say(prompt, "item_start", { itemId, itemType: "message" });
  let content = "";
  for (let i = 0; i < words && !cancelled; ++i) {
    const word = `@${i === 0 ? begun : now()} `;
    content += word;
    say(prompt, "item_delta", { itemId, deltaContent: word });
    const ahead = rate === 0 ? 0 : ((i + 1) * 1000) / rate - Number(now() - begun) / 1e6;
    if (ahead > 1 || i % 64 === 63) await sleep(Math.max(0, ahead));
  }
  if (!cancelled) say(prompt, "item_done", { itemId, finalItem: { type: "message", content, origin: "agent" } });
  say(prompt, "response_done", { status: cancelled ? "cancelled" : "completed" });
}

let turn = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "cancel") cancelled = true;
  if (message.type === "prompt")
    turn = turn.then(() => {
      cancelled = false;
      return play(message);
    });
});
