import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, $$, button, startPage, texts, until, type Harness } from "./harness";
import { remedyParts } from "../src/views/remedy";

let page: Harness;
afterEach(() => page.close());
const strip = () => $(page.root, ".strip");
const input = () => $(page.root, ".composer textarea") as HTMLTextAreaElement;
const open = async () => {
  page = await startPage(new World("busy"));
  page.app.nav.navigate({ page: "session", sessionId: "s-1" });
  await until(() => $(page.root, ".turn-footer"));
};

describe("agents", () => {
  it("E1-TC-5.2a: a connected agent is marked as such and nothing is locked", async () => {
    await open();
    button(page.root, /^Agents/).click();
    const row = await until(() =>
      $$(page.root, ".agents .agent-row").find((element) => element.textContent?.includes("Claude Code")),
    );
    expect(row.querySelector(".agent-state")!.textContent).toBe("connected");
    expect(row.classList.contains("status-connected")).toBe(true);
    expect(strip()).toBeNull();
    expect(input().disabled).toBe(false);
  });

  it("E1-TC-5.2b E1-TC-5.2d: a disconnected agent is marked, locks the composer of its sessions only, and can be reconnected", async () => {
    await open();
    page.world.setAgent("claude-code", "disconnected", "It ended with code 1.");
    await until(() => strip()?.textContent?.includes("Claude Code is disconnected"));
    expect(strip()!.textContent).toContain("It ended with code 1.");
    expect(input().disabled).toBe(true);
    page.app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(() => input().disabled === false);
    page.app.nav.navigate({ page: "session", sessionId: "s-1" });
    await until(() => strip());
    button(strip()!, "Reconnect").click();
    await until(() => page.heard("session:reconnect")[0]?.["cliType"] === "claude-code");
    await until(() => !strip() && !input().disabled);
  });

  it("E1-TC-5.2c: reconnecting is shown and locks", async () => {
    await open();
    page.world.setAgent("claude-code", "reconnecting");
    await until(() => strip()?.textContent?.includes("Reconnecting to Claude Code"));
    expect(input().disabled).toBe(true);
  });

  it("E1-TC-5.4a: a starting agent shows that it is launched", async () => {
    await open();
    page.world.setAgent("claude-code", "starting");
    await until(() => $(page.root, ".working-line")?.textContent?.includes("Starting Claude Code"));
    expect(input().disabled).toBe(false);
  });

  it("an agent without a login is marked, says what to do, and locks nothing", async () => {
    await open();
    const agent = page.world.agents.find(({ cliType }) => cliType === "claude-code")!;
    Object.assign(agent, {
      login: "needed",
      problem: "Claude Code is not logged in.",
      remedy: "Run `claude` in a terminal and log in with /login, then try again.",
    });
    page.world.setAgent("claude-code", "idle");
    await until(() => strip()?.textContent?.includes("Claude Code is not logged in."));
    expect(strip()!.textContent).toContain("Your next message tries again.");
    expect(input().disabled).toBe(false);
    button(page.root, /^Agents/).click();
    const row = await until(() => $(page.root, ".agents .status-logged-out"));
    expect(row.querySelector(".agent-state")!.textContent).toBe("not logged in");
    expect(row.querySelector(".remedy code")!.textContent).toBe("claude");
  });

  it("a missing login is said once: where the turn failed of it, if that was the last one", async () => {
    await open();
    const why = "Claude Code could not log in. Run `claude` in a terminal.";
    const agent = page.world.agents.find(({ cliType }) => cliType === "claude-code")!;
    Object.assign(agent, { login: "needed", problem: why, remedy: undefined });
    page.world.setAgent("claude-code", "idle");
    await until(() => strip()?.textContent?.includes("could not log in"));
    const { timeline } = page.world.session("s-1");
    timeline.turn("t9", { type: "turn_error", errorMessage: why, errorCode: "X" });
    const card = await until(() => $$(page.root, ".turn-failed").at(-1));
    await until(() => !strip());
    expect(card.textContent).not.toContain("`");
    expect(card.querySelector("code")!.textContent).toBe("claude");
  });

  it("the limits of an account are said with when they end, and those that ended are not", async () => {
    await open();
    const agent = page.world.agents.find(({ cliType }) => cliType === "claude-code")!;
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const limits = [
      { window: "five_hour", name: "5 hours", used: 0.92, resetsAt: at(1) },
      { window: "seven_day", name: "7 days", used: 0.3, resetsAt: at(-1) },
    ];
    Object.assign(agent, { limits });
    page.world.setAgent("claude-code", "connected");
    button(page.root, /^Agents/).click();
    await until(() => texts(page.root, ".agents .limits li").length === 1);
    expect(texts(page.root, ".agents .limits li")[0]).toMatch(/^5 hours: 92 % used, resets /);
    const session = page.world.session("s-1");
    Object.assign(session.facts, { limits });
    page.world.broadcast({ type: "session:facts", sessionId: "s-1", ...session.facts });
    await until(() => $(page.root, ".composer .near-limit")?.textContent?.includes("5 hours: 92 % used"));
  });

  it("an agent that is not installed is in no trouble, and how to get it is said once", async () => {
    await open();
    const agent = page.world.agents.find(({ cliType }) => cliType === "claude-code")!;
    const remedy = "Install it with: npm install -g claude";
    Object.assign(agent, { installed: false, problem: "claude was not found.", remedy });
    page.world.setAgent("claude-code", "disconnected", `Could not start Claude Code. ${remedy}`);
    await until(() => strip()?.textContent?.includes("Claude Code is not installed."));
    expect(strip()!.textContent!.match(/Install it with/g)).toHaveLength(1);
    expect(strip()!.textContent).not.toMatch(/disconnected|Reconnect/);
    expect(button(page.root, /^Agents/).textContent).not.toContain("in trouble");
    page.app.start.setAgent("claude-code");
    page.app.nav.navigate({ page: "session", sessionId: page.app.start.id.value });
    await until(() => $(page.root, ".empty-session .status-missing"));
    expect(page.root.textContent!.match(/Install it with/g)).toHaveLength(1);
    Object.assign(agent, { installed: true, problem: undefined, remedy: undefined, status: "idle" });
    button($(page.root, ".empty-session .status-missing")!, "Check again").click();
    await until(() => !$(page.root, ".status-missing") && !input().disabled);
  });

  it("a missing agent comes with its remedy", async () => {
    page = await startPage(new World("first-run"));
    await until(() => $(page.root, ".agent-list"));
    expect(
      texts(page.root, ".agent-list .status-missing .remedy").some((text) => text.includes("npm install -g")),
    ).toBe(true);
  });

  it("the command of a remedy can be copied, and only the command", async () => {
    page = await startPage(new World("first-run"));
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: async (text: string) => void copied.push(text) },
      configurable: true,
    });
    const missing = page.app.agents.list.value.find((agent) => !agent.installed)!;
    const copy = await until(() => $(page.root, `[aria-label="Copy command for ${missing.name}"]`));
    copy.click();
    await until(() => copied.length === 1);
    expect(copied[0]).toMatch(/^npm install -g \S+$/);
    expect(missing.remedy).toContain(copied[0]);
  });

  it("a remedy is divided into words and commands without losing any", () => {
    const commands = (remedy: string) =>
      remedyParts(remedy)
        .filter(({ command }) => command)
        .map(({ text }) => text);
    expect(commands("Update it with: npm install -g a@latest")).toEqual(["npm install -g a@latest"]);
    expect(commands("Run `codex login` in a terminal, or set KEY, then try again.")).toEqual(["codex login"]);
    expect(commands("Look at its log.")).toEqual([]);
    expect(commands("")).toEqual([]);
    expect(
      remedyParts("Update it with: x")
        .map(({ text }) => text)
        .join(""),
    ).toBe("Update it with: x");
  });
});

describe("connection", () => {
  it("comes back by itself and asks only for what changed", async () => {
    await open();
    page.pipes.at(-1)!.close();
    page.world.session("s-1").timeline.item("late", {
      turnId: "t9",
      type: "message",
      origin: "agent",
      content: "while you were away",
      status: "complete",
    });
    await until(() => texts(page.root, ".message.agent .md").includes("while you were away"));
    const again = page
      .heard("session:open")
      .filter((message) => message["sessionId"] === "s-1")
      .at(-1)!;
    expect(again["since"]).toBeGreaterThan(0);
    expect(again["epoch"]).toBe(page.world.epoch);
  });

  it("another store is taken as a whole", async () => {
    await open();
    page.world.epoch = "another";
    page.pipes.at(-1)!.close();
    await until(() => page.app.timelines.of("s-1").epoch === "another");
    expect(
      page
        .heard("session:open")
        .filter((message) => message["sessionId"] === "s-1")
        .at(-1)!["since"],
    ).toBeUndefined();
  });

  it("a new version of the server asks for a reload", async () => {
    await open();
    page.world.version = "0.2.0";
    page.pipes.at(-1)!.close();
    await until(() => $(page.root, ".banner")?.textContent?.includes("The server was updated."));
  });

  it("a lost credential explains how to get in", async () => {
    await open();
    page.pipes.at(-1)!.close(4401);
    await until(() => $(page.root, ".login pre")?.textContent === "liminal-builder open");
  });

  it("text that is missing between is asked for again", async () => {
    await open();
    const { timeline } = page.world.session("s-1");
    timeline.item("g", { turnId: "t9", type: "message", origin: "agent", content: "abc" });
    await until(() => page.app.timelines.of("s-1").item("g"));
    page.app.link.onMessage({
      type: "session:append",
      sessionId: "s-1",
      rev: timeline.rev + 5,
      itemId: "g",
      field: "content",
      from: 99,
      text: "x",
    });
    await until(
      () => page.heard("session:open").filter((message) => message["sessionId"] === "s-1").length === 2,
    );
  });
});
