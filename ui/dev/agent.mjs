// The scripted agent of the development server: what it does depends on words in the prompt.
import { all, ansi, payloads } from "./corpus.mjs";

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
  const stopped = () => cancelled;
  session.cancel = () => {
    cancelled = true;
    session.answered?.(undefined);
  };
  const stream = async (itemId, field, text) => {
    for (let at = 0; at < text.length && !cancelled; at += 7) {
      timeline.append(itemId, field, text.slice(at, at + 7));
      if (pace > 0) await sleep(pace);
    }
  };
  const say = async (name, text, more = async () => {}) => {
    timeline.item(id(name), { type: "message", turnId, origin: "agent", content: "" });
    await stream(id(name), "content", text);
    await more(id(name));
    timeline.item(id(name), { status: cancelled ? "cancelled" : "complete" });
  };
  if (/\bfail\b/.test(prompt)) throw new Error("The model is overloaded. Try again in a minute.");
  if (/\bhostile\b/.test(prompt)) return hostile(timeline, turnId, id);
  timeline.item(id("think"), { type: "thinking", turnId, content: "", providerId: "demo" });
  await stream(id("think"), "content", "Looking at the test first.");
  timeline.item(id("think"), { status: cancelled ? "cancelled" : "complete" });
  if (!cancelled && /\b(tools?|fix)\b/.test(prompt)) await tools(session, turnId, id, stream, stopped);
  if (!cancelled && /\bapprov/.test(prompt)) await approval(session, turnId, id, /\bscript\b/.test(prompt));
  if (!cancelled && /\bquestion/.test(prompt)) await question(session, turnId, id);
  if (cancelled) return true;
  if (/\becho\b/.test(prompt)) await say("answer", prompt);
  else if (/\bslow\b/.test(prompt))
    await say("answer", "", async (itemId) => {
      for (let n = 0; n < 2000 && !cancelled; n++) {
        timeline.append(itemId, "content", `word${n} `);
        await sleep(60);
      }
    });
  else if (/\blong\b/.test(prompt))
    await say("answer", "", async (itemId) => {
      for (let n = 0; n < 60 && !cancelled; n++)
        await stream(
          itemId,
          "content",
          `Paragraph ${n} of a long answer, with **bold** words and \`code\`.\n\n`,
        );
    });
  else await say("answer", answer);
  return cancelled;
}

async function tools({ timeline }, turnId, id, stream, stopped) {
  const tool = (name, fields) =>
    timeline.item(id(name), { type: "tool_call", turnId, callId: id(name), ...fields });
  tool("bash", { toolName: "Bash", kind: "execute", toolArguments: { command: "npm test -- pricing" } });
  await sleep(150);
  await stream(id("bash"), "toolOutput", "\u001b[32m12 passed\u001b[0m\nall good\n");
  if (stopped()) {
    tool("bash", { status: "cancelled" });
    return;
  }
  tool("bash", { status: "complete", exitCode: 0 });
  tool("edit", {
    toolName: "Edit",
    kind: "edit",
    toolArguments: { file_path: "total.ts" },
    diffs: [
      { path: "total.ts", oldText: "const a = 1;\nconst b = 2;\n", newText: "const a = 1;\nconst b = 3;\n" },
    ],
  });
  tool("edit", { status: "complete" });
  timeline.item(id("plan"), {
    type: "plan",
    turnId,
    status: "complete",
    entries: [
      { content: "Read the test", status: "completed" },
      { content: "Fix the sum", status: "in_progress" },
    ],
  });
}

async function approval(session, turnId, id, long) {
  const script = Array.from({ length: 601 }, (_, n) => (n === 300 ? "rm -rf ~/important" : `echo ${n}`));
  const command = long ? script.join("\n") : "rm -rf build/";
  session.timeline.item(id("tool"), {
    type: "tool_call",
    turnId,
    toolName: "Bash",
    kind: "execute",
    callId: id("tool"),
    toolArguments: { command },
  });
  session.timeline.item(id("approval"), {
    type: "approval",
    turnId,
    title: "Run a command in the shell",
    kind: "tool",
    toolName: "Bash",
    callId: id("tool"),
    detail: command,
    state: "pending",
    options: [
      { optionId: "once", name: "Allow once", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  });
  const given = await session.wait(id("approval"));
  const allowed = given?.optionId && given.optionId !== "no";
  session.timeline.item(id("tool"), {
    status: allowed ? "complete" : "error",
    toolOutput: allowed ? "built in 4.1 s\n" : "The user rejected this command.",
    toolOutputIsError: !allowed,
  });
}

function hostile(timeline, turnId, id) {
  const common = { turnId, status: "complete" };
  timeline.item(id("h"), { ...common, type: "message", origin: "agent", content: all.join("\n\n") });
  timeline.item(id("ht"), {
    ...common,
    type: "thinking",
    providerId: "demo",
    content: payloads.join("\n\n"),
  });
  payloads.slice(0, 6).forEach((payload, n) =>
    timeline.item(id(`h${n}`), {
      ...common,
      type: "tool_call",
      toolName: payload,
      title: payload,
      kind: "execute",
      callId: id(`h${n}`),
      toolArguments: { command: payload },
      locations: [{ path: payload }],
      toolOutput: `${ansi}\n${payload}`,
    }),
  );
  timeline.item(id("hd"), {
    ...common,
    type: "tool_call",
    toolName: "Edit",
    kind: "edit",
    callId: id("hd"),
    toolArguments: {},
    diffs: [{ path: payloads[1], oldText: payloads.join("\n"), newText: all.join("\n") }],
  });
  timeline.item(id("hp"), {
    ...common,
    type: "plan",
    entries: payloads.slice(0, 4).map((content) => ({ content, status: "pending" })),
  });
  timeline.item(id("hs"), { ...common, type: "message", origin: "system", content: payloads[1] });
  timeline.item(id("he"), { ...common, type: "message", origin: "agent", content: "the hostile end" });
  return false;
}

async function question(session, turnId, id) {
  session.timeline.item(id("question"), {
    type: "approval",
    turnId,
    title: "A question before I go on",
    kind: "question",
    state: "pending",
    options: [{ optionId: "skip", name: "Skip", kind: "reject_once" }],
    questions: [
      {
        question: "Which database should the new service use?",
        header: "Store",
        multiSelect: false,
        options: [
          { label: "SQLite", description: "One file, no server" },
          { label: "PostgreSQL", description: "Already runs in production" },
        ],
      },
    ],
  });
  await session.wait(id("question"));
}
