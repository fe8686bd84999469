// An agent for the browser tests: speaks ACP on stdio and does what words in the prompt say. Keeps nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { all, ansi, payloads } from "../../ui/dev/corpus.mjs";
import { manyCommands } from "../../ui/dev/commands.mjs";
import { answer } from "../../ui/dev/agent.mjs";

let nextId = 1;
const waiting = new Map();
const cancelled = new Set();
const write = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) => {
  const id = nextId++;
  write({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask before acting" },
    { id: "plan", name: "Plan only" },
  ],
};
const sessions = new Map();

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true },
    },
    agentInfo: { name: "scripted", version: "1.0.0" },
    authMethods: [],
  }),
  "session/new": ({ cwd }) => {
    const sessionId = `scripted-${process.pid}-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd });
    setTimeout(
      () =>
        !sessions.get(sessionId).talkative && // It may have been spoken to before.
        update(sessionId, {
          sessionUpdate: "available_commands_update",
          availableCommands: [
            { name: "review", description: "Review the current changes" },
            { name: "compact", description: "Summarise the conversation" },
          ],
        }),
      20,
    );
    return { sessionId, modes };
  },
  "session/load": ({ sessionId, cwd }) => {
    sessions.set(sessionId, { cwd });
    return { modes };
  },
  "session/set_mode": ({ sessionId, modeId }) => {
    update(sessionId, {
      sessionUpdate: "current_mode_update",
      currentModeId: modeId,
    });
    return {};
  },
  "session/prompt": async ({ sessionId, prompt }) => {
    cancelled.delete(sessionId);
    const text = prompt
      .filter((block) => block.type === "text")
      .map((block) => block.text)
      .join("\n");
    return { stopReason: await play(sessionId, text) };
  },
};

function update(sessionId, body) {
  write({ method: "session/update", params: { sessionId, update: body } });
}
const text = (value) => ({ type: "text", text: value });

async function play(sessionId, prompt) {
  const stopped = () => cancelled.has(sessionId);
  const say = async (value, pace = 8) => {
    for (let at = 0; at < value.length && !stopped(); at += 16) {
      update(sessionId, {
        sessionUpdate: "agent_message_chunk",
        content: text(value.slice(at, at + 16)),
      });
      if (pace > 0) await sleep(pace);
    }
  };
  if (/\bcrash\b/.test(prompt)) process.exit(3);
  if (/\bfail\b/.test(prompt))
    throw { code: -32603, message: "The model is overloaded." };
  if (/\bhostile\b/.test(prompt)) return hostile(sessionId, say);
  update(sessionId, {
    sessionUpdate: "agent_thought_chunk",
    content: text("Looking at the test first."),
  });
  if (/\bmany commands\b/.test(prompt)) {
    sessions.get(sessionId).talkative = true;
    update(sessionId, {
      sessionUpdate: "available_commands_update",
      availableCommands: manyCommands,
    });
  }
  if (/\btools?\b/.test(prompt))
    await tools(sessionId, stopped, /\buntil told\b/.test(prompt));
  if (/\bapprov/.test(prompt) && !stopped()) {
    const allowed = await approval(
      sessionId,
      /\bscript\b/.test(prompt) ? script : "rm -rf build/",
    );
    // As Codex does: a refusal ends the turn.
    if (!allowed && /\bor stop\b/.test(prompt)) return "cancelled";
  }
  if (/\blong\b/.test(prompt))
    for (let n = 0; n < 60 && !stopped(); n++)
      await say(
        `Paragraph ${n} of a long answer, with **bold** words and \`code\`.\n\n`,
        4,
      );
  else if (/\bslow\b/.test(prompt))
    for (let n = 0; n < 2000 && !stopped(); n++) {
      await say(`word${n} `);
      await sleep(60);
    }
  else if (/\becho\b/.test(prompt)) await say(prompt, 0);
  else await say(answer, 25);
  return stopped() ? "cancelled" : "end_turn";
}

/** `held`: the first one runs until a file `go-on` is in the project, so that a test can look at it while it runs. */
async function tools(sessionId, stopped, held) {
  const id = `call-${nextId++}`;
  update(sessionId, {
    sessionUpdate: "tool_call",
    toolCallId: id,
    title: "npm test -- pricing",
    kind: "execute",
    status: "in_progress",
    rawInput: { command: "npm test -- pricing" },
  });
  do await sleep(150);
  while (
    held &&
    !stopped() &&
    !existsSync(join(sessions.get(sessionId).cwd, "go-on"))
  );
  if (stopped()) return;
  update(sessionId, {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    status: "completed",
    content: [
      {
        type: "content",
        content: text("\u001b[32m12 passed\u001b[0m\nall good\n"),
      },
    ],
  });
  const edit = `call-${nextId++}`;
  update(sessionId, {
    sessionUpdate: "tool_call",
    toolCallId: edit,
    title: "Edit total.ts",
    kind: "edit",
    status: "in_progress",
    locations: [{ path: "total.ts" }],
  });
  update(sessionId, {
    sessionUpdate: "tool_call_update",
    toolCallId: edit,
    status: "completed",
    content: [
      {
        type: "diff",
        path: "total.ts",
        oldText: "const a = 1;\nconst b = 2;\n",
        newText: "const a = 1;\nconst b = 3;\n",
      },
    ],
  });
  update(sessionId, {
    sessionUpdate: "plan",
    entries: [
      { content: "Read the test", status: "completed", priority: "high" },
      { content: "Fix the sum", status: "in_progress", priority: "high" },
    ],
  });
}

/** Long enough that something could hide in its middle. */
const script = Array.from({ length: 601 }, (_, n) =>
  n === 300 ? "rm -rf ~/important" : `echo ${n}`,
).join("\n");

async function approval(sessionId, command) {
  const id = `call-${nextId++}`;
  const toolCall = {
    toolCallId: id,
    title: command,
    kind: "execute",
    status: "pending",
    rawInput: { command },
  };
  update(sessionId, { sessionUpdate: "tool_call", ...toolCall });
  const { outcome } = await ask("session/request_permission", {
    sessionId,
    toolCall,
    options: [
      { optionId: "allow", name: "Allow once", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ],
  });
  const allowed =
    outcome?.outcome === "selected" && outcome.optionId !== "reject";
  update(sessionId, {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    status: allowed ? "completed" : "failed",
    content: [
      {
        type: "content",
        content: text(allowed ? "removed build/" : "The user said no."),
      },
    ],
  });
  return allowed;
}

async function hostile(sessionId, say) {
  for (const payload of all) await say(`${payload}\n\n`, 0);
  update(sessionId, {
    sessionUpdate: "agent_thought_chunk",
    content: text(payloads.join("\n\n")),
  });
  payloads.slice(0, 6).forEach((payload, n) => {
    update(sessionId, {
      sessionUpdate: "tool_call",
      toolCallId: `h${n}-${nextId++}`,
      title: payload,
      kind: "execute",
      status: "completed",
      rawInput: { command: payload },
      locations: [{ path: payload }],
      content: [{ type: "content", content: text(`${ansi}\n${payload}`) }],
    });
  });
  update(sessionId, {
    sessionUpdate: "tool_call",
    toolCallId: `d-${nextId++}`,
    title: "Edit",
    kind: "edit",
    status: "completed",
    content: [
      {
        type: "diff",
        path: payloads[1],
        oldText: payloads.join("\n"),
        newText: all.join("\n"),
      },
    ],
  });
  update(sessionId, {
    sessionUpdate: "plan",
    entries: payloads
      .slice(0, 4)
      .map((content) => ({ content, status: "pending", priority: "low" })),
  });
  await say("the hostile end", 0);
  return "end_turn";
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const message = JSON.parse(line);
    if (message.method === "session/cancel") {
      cancelled.add(message.params.sessionId);
      return;
    }
    if (message.method === undefined) {
      waiting.get(message.id)?.(message.result ?? {});
      waiting.delete(message.id);
      return;
    }
    if (message.id === undefined) return;
    const method = methods[message.method];
    if (!method) {
      write({
        id: message.id,
        error: { code: -32601, message: `no method ${message.method}` },
      });
      return;
    }
    try {
      write({ id: message.id, result: await method(message.params) });
    } catch (error) {
      write({
        id: message.id,
        error: {
          code: error.code ?? -32603,
          message: error.message ?? String(error),
        },
      });
    }
  })
  .on("close", () => process.exit(0));
