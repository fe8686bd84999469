// The scripted agent of the development server: what it does depends on words in the prompt.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const answer = `The failing test is a **rounding** problem, not a race. Here is what happens:

1. \`total()\` adds prices as floats.
2. Two of them end in \`.005\`, so the sum depends on their order.
3. The test compares with \`==\`.

| case | before | after |
|---|--:|--:|
| one item | 10.00 | 10.00 |
| two items | 10.01 | 10.00 |
| refund | -0.01 | 0.00 |

The fix keeps cents as integers:

\`\`\`ts
export function total(items: readonly Item[]): Cents {
  // Integers cannot lose a cent, whatever the order.
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
\`\`\`

- [x] change \`total\`
- [x] change its callers
- [ ] update the [pricing guide](https://example.com/docs/pricing)

> Nothing else in the module used the float version.
`;

export async function play(session, turnId, prompt, { pace = 12 } = {}) {
  const { timeline } = session;
  const id = (name) => `${turnId}:${name}`;
  let cancelled = false;
  session.cancel = () => { cancelled = true; session.answered?.(undefined); };
  const stream = async (itemId, field, text) => {
    for (let at = 0; at < text.length && !cancelled; at += 7) { timeline.append(itemId, field, text.slice(at, at + 7)); if (pace > 0) await sleep(pace); }
  };
  const say = async (name, text) => {
    timeline.item(id(name), { type: "message", turnId, origin: "agent", content: "" });
    await stream(id(name), "content", text);
    timeline.item(id(name), { status: cancelled ? "cancelled" : "complete" });
  };
  if (/fail/.test(prompt)) throw new Error("The model is overloaded. Try again in a minute.");
  timeline.item(id("think"), { type: "thinking", turnId, content: "", providerId: "demo" });
  await stream(id("think"), "content", "The user wants the pricing test fixed. Let me look at the test first, then at `total`.");
  timeline.item(id("think"), { status: cancelled ? "cancelled" : "complete" });
  if (!cancelled && /tool|test|fix/.test(prompt)) await tools(session, turnId, id, stream, () => cancelled);
  if (!cancelled && /approv|delete|run/.test(prompt)) await approval(session, turnId, id);
  if (!cancelled && /question/.test(prompt)) await question(session, turnId, id);
  if (!cancelled) await say("answer", /long/.test(prompt) ? `${answer}\n\n`.repeat(12) : answer);
  return cancelled;
}

async function tools({ timeline }, turnId, id, stream, stopped) {
  const tool = (name, fields) => timeline.item(id(name), { type: "tool_call", turnId, callId: id(name), ...fields });
  tool("read", { toolName: "Read", kind: "read", toolArguments: { file_path: "src/pricing/total.ts" }, locations: [{ path: "src/pricing/total.ts", line: 1 }] });
  await sleep(120);
  tool("read", { status: "complete", toolOutput: "export function total(items: Item[]): number {\n  return items.reduce((sum, item) => sum + item.price * item.count, 0);\n}\n" });
  tool("bash", { toolName: "Bash", kind: "execute", toolArguments: { command: "npm test -- pricing" } });
  await stream(id("bash"), "toolOutput", "\u001b[1m RUN \u001b[0m pricing\n \u001b[31m✗\u001b[39m total > sums cents \u001b[2m3 ms\u001b[22m\n   expected \u001b[32m10\u001b[39m, got \u001b[31m10.010000000000002\u001b[39m\n\n\u001b[31m1 failed\u001b[39m, \u001b[32m11 passed\u001b[39m\n");
  if (stopped()) { tool("bash", { status: "cancelled" }); return; }
  tool("bash", { status: "complete", exitCode: 1, toolOutputIsError: true });
  tool("edit", { toolName: "Edit", kind: "edit", toolArguments: { file_path: "src/pricing/total.ts" }, diffs: [{ path: "src/pricing/total.ts",
    oldText: "import type { Item } from \"./item\";\n\n/** What the customer pays. */\nexport function total(items: Item[]): number {\n  return items.reduce((sum, item) => sum + item.price * item.count, 0);\n}\n",
    newText: "import type { Cents, Item } from \"./item\";\n\n/** What the customer pays. */\nexport function total(items: readonly Item[]): Cents {\n  // Integers cannot lose a cent, whatever the order.\n  return items.reduce((sum, item) => sum + item.cents * item.count, 0);\n}\n" }] });
  await sleep(60);
  tool("edit", { status: "complete" });
  timeline.item(id("plan"), { type: "plan", turnId, status: "complete", entries: [
    { content: "Find why the sum is off by a cent", status: "completed" }, { content: "Keep prices as integer cents", status: "in_progress" }, { content: "Run the whole test suite", status: "pending" }] });
}

async function approval(session, turnId, id) {
  const command = "rm -rf build/ && npm run build -- --release";
  session.timeline.item(id("tool"), { type: "tool_call", turnId, toolName: "Bash", kind: "execute", callId: id("tool"), toolArguments: { command } });
  session.timeline.item(id("approval"), { type: "approval", turnId, title: "Run a command in the shell", kind: "tool", toolName: "Bash", callId: id("tool"), detail: command, state: "pending",
    options: [{ optionId: "once", name: "Allow once", kind: "allow_once" }, { optionId: "always", name: "Always allow npm run build", kind: "allow_always" }, { optionId: "no", name: "Reject", kind: "reject_once" }] });
  const given = await session.wait(id("approval"));
  const allowed = given?.optionId && given.optionId !== "no";
  session.timeline.item(id("tool"), { status: allowed ? "complete" : "error", toolOutput: allowed ? "built in 4.1 s\n" : "The user rejected this command.", toolOutputIsError: !allowed });
}

async function question(session, turnId, id) {
  session.timeline.item(id("question"), { type: "approval", turnId, title: "A question before I go on", kind: "question", state: "pending", options: [{ optionId: "skip", name: "Skip", kind: "reject_once" }],
    questions: [{ question: "Which database should the new service use?", header: "Store", multiSelect: false, options: [{ label: "SQLite", description: "One file, no server" }, { label: "PostgreSQL", description: "Already runs in production" }] }] });
  await session.wait(id("question"));
}
