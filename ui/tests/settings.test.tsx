import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { openDraft } from "../src/actions/unmade";
import { showSizes } from "../src/views/theme";
import { $, $$, button, press, startPage, texts, type, until, type Harness } from "./harness";

let page: Harness;
beforeEach(() => localStorage.clear());
afterEach(() => page.close());

const start = async () => {
  page = await startPage(new World("busy"));
};
const settings = async () => {
  button(page.root, "Settings").click();
  return until(() => $(page.root, "main.settings"));
};
const choose = (select: HTMLSelectElement, value: string) => {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
};
const selectOf = (label: string, root: ParentNode = page.root) =>
  until(() => $(root, `select[aria-label="${label}"]`) as HTMLSelectElement | null);
const radio = (name: string, value: string) =>
  $(page.root, `input[name="${name}"][value="${value}"]`) as HTMLInputElement;
const openSession = async (id = "s-7") => {
  page.app.nav.navigate({ page: "session", sessionId: id });
  await until(() => page.app.timelines.of(id).loaded.value);
  return until(() => $(page.root, ".session .composer textarea") as HTMLTextAreaElement);
};

describe("settings that the server keeps", () => {
  it("the key that sends: chosen once, it holds in every window", async () => {
    await start();
    await settings();
    expect(radio("send-key", "enter").checked).toBe(true);
    radio("send-key", "ctrl-enter").click();
    await until(() => page.world.settings.sendKey === "ctrl-enter");
    await until(() => radio("send-key", "ctrl-enter").checked);
    const input = await openSession();
    await type(input, "two\nlines");
    await press(input, "Enter");
    expect(page.heard("session:send")).toEqual([]);
    await press(input, "Enter", { ctrlKey: true });
    await until(() => page.heard("session:send")[0]?.["content"] === "two\nlines");
    // Somebody chooses otherwise in another window.
    page.world.changeSettings({ sendKey: "enter" });
    await until(() => page.app.settings.values.value.sendKey === "enter");
    await type(input, "one line");
    await press(input, "Enter");
    await until(() => page.heard("session:send")[1]?.["content"] === "one line");
  });

  it("is known before the server has answered, whatever lies in the storage", async () => {
    localStorage.setItem("lb.settings", JSON.stringify({ sendKey: "ctrl-enter", defaults: [] }));
    page = await startPage(new World("busy"), { wait: false });
    expect(page.app.settings.values.value.sendKey).toBe("ctrl-enter");
    page.close();
    for (const left of [
      "{",
      "7",
      '{"sendKey":3}',
      '{"sendKey":"enter","defaults":[null]}',
      '{"defaults":{}}',
    ]) {
      localStorage.setItem("lb.settings", left);
      page = await startPage(new World("busy"), { wait: false });
      expect(page.app.settings.values.value, left).toEqual({ sendKey: "enter", defaults: [] });
      page.close();
    }
    await start();
  });

  it("agent, mode and model of new sessions: for all projects, and for one of them", async () => {
    await start();
    // What an agent offers is known from its sessions.
    await openSession("s-1");
    await until(() => page.app.prefs.known.value["claude-code"]);
    await settings();
    choose(await selectOf("Agent"), "codex");
    await until(() => page.world.settings.defaults.length === 1);
    expect(page.world.settings.defaults).toEqual([{ cliType: "codex" }]);
    const [first, second] = page.world.projects;
    choose(await selectOf("In"), first!.projectId);
    await until(() => $(page.root, ".settings")!.textContent!.includes("As in all projects."));
    choose(await selectOf("Agent"), "claude-code");
    choose(await selectOf("Permission mode"), "plan");
    await until(() => page.world.settings.defaults[1]?.mode === "plan");
    choose(await selectOf("Model"), "small");
    const own = { projectId: first!.projectId, cliType: "claude-code", mode: "plan", model: "small" };
    await until(() => page.world.settings.defaults[1]?.model === "small");
    expect(page.world.settings.defaults[1]).toEqual(own);

    const line = async (projectId: string) => {
      openDraft(page.app, projectId);
      return until(() => $(page.root, ".session .composer"));
    };
    const agent = async (projectId: string) => (await selectOf("Agent", await line(projectId))).value;
    await until(async () => (await agent(second!.projectId)) === "codex");
    await until(async () => (await agent(first!.projectId)) === "claude-code");
    const composer = await line(first!.projectId);
    expect((await selectOf("Permission mode", composer)).value).toBe("plan");
    await type(composer.querySelector("textarea")!, "hello");
    await press(composer.querySelector("textarea")!, "Enter");
    await until(() => page.heard("session:create")[0]);
    expect(page.heard("session:create")[0]).toMatchObject({
      cliType: "claude-code",
      mode: "plan",
      model: "small",
    });
  });

  it("what was chosen the last time is named, and can be forgotten; a mode that asks nothing is not kept", async () => {
    await start();
    page.app.prefs.set("known", {
      "claude-code": {
        modes: [
          { id: "plan", name: "Plan" },
          { id: "bypassPermissions", name: "Never ask" },
        ],
      },
    });
    page.app.start.setAgent("claude-code");
    page.app.start.choose("mode", "plan");
    page.app.start.next();
    expect(page.app.start.options.value.mode).toBe("plan");
    const view = await settings();
    await until(() => view.textContent?.includes("Now: Claude Code, Plan, as chosen the last time."));
    button(view, "Forget that").click();
    await until(() => view.textContent?.includes("Now: Claude Code, and the rest as it decides."));
    page.app.start.choose("mode", "bypassPermissions");
    expect(page.app.start.options.value.mode).toBe("bypassPermissions");
    page.app.start.next();
    expect(page.app.start.options.value.mode).toBeUndefined();
    page.world.agents.find(({ cliType }) => cliType === "codex")!.installed = false;
    page.app.agents.refresh();
    await until(() => !texts(page.root, 'select[aria-label="Agent"] option').includes("Codex"));
  });

  it("another agent takes no mode of the first one along; a project goes back to those of all", async () => {
    await start();
    const { projectId } = page.world.projects[0]!;
    page.world.changeSettings({ defaults: { projectId, cliType: "claude-code", mode: "plan" } });
    await until(() => page.app.settings.values.value.defaults.length === 1);
    await settings();
    choose(await selectOf("In"), projectId);
    await until(async () => (await selectOf("Agent")).value === "claude-code");
    choose(await selectOf("Agent"), "demo");
    await until(() => page.world.settings.defaults[0]?.cliType === "demo");
    expect(page.world.settings.defaults).toEqual([{ cliType: "demo", projectId }]);
    await until(() => page.app.settings.values.value.defaults[0]?.cliType === "demo");
    button(page.root, "Use those of all projects").click();
    await until(() => page.world.settings.defaults.length === 0);
  });
});

describe("a hundred models", () => {
  const models = Array.from({ length: 120 }, (_, index) => ({
    id: `provider-${index % 7}/model-${index}`,
    name: `Model ${index} of provider ${index % 7}`,
  }));

  it("are searched: words find, arrows stop at the ends, Enter takes, Escape leaves it", async () => {
    await start();
    await openSession();
    const { facts } = page.world.session("s-7");
    Object.assign(facts, { models, model: models[3]!.id });
    page.world.broadcast({ type: "session:facts", sessionId: "s-7", ...facts });
    const opener = await until(() => $(page.root, '[aria-label^="Model: Model 3 "]'));
    opener.click();
    const field = await until(() => $(page.root, ".choice-list input") as HTMLInputElement);
    expect(document.activeElement).toBe(field);
    expect(texts(page.root, ".choice-list li").length).toBe(120);
    const chosen = () => texts(page.root, '.choice-list [aria-selected="true"]')[0];
    expect(chosen()).toBe(models[3]!.name);
    for (let step = 0; step < 5; step++) await press(field, "ArrowUp");
    expect(chosen()).toBe(models[0]!.name);
    await type(field, "117");
    await until(() => chosen() === models[117]!.name);
    await press(field, "Enter");
    await until(() => page.heard("session:model")[0]?.["model"] === models[117]!.id);
    await until(() => !$(page.root, ".choice-list"));

    const again = await until(() => $(page.root, '[aria-label^="Model: "]'));
    again.click();
    const second = await until(() => $(page.root, ".choice-list input") as HTMLInputElement);
    await type(second, "no such model");
    await until(() => $(page.root, ".choice-list")!.textContent!.includes("Nothing has these words."));
    await press(second, "Escape");
    await until(() => !$(page.root, ".choice-list"));
    expect(page.heard("session:model").length).toBe(1);
    expect(document.activeElement).toBe(again);
  });
});

describe("settings of this browser", () => {
  it("text size and density stay over a reload and are told to the style sheets", async () => {
    await start();
    await settings();
    radio("text-size", "large").click();
    radio("density", "compact").click();
    await page.reload();
    expect([page.app.prefs.textSize.value, page.app.prefs.density.value]).toEqual(["large", "compact"]);
    showSizes(document, page.app.prefs.textSize.value, page.app.prefs.density.value);
    expect({ ...document.documentElement.dataset }).toMatchObject({ size: "large", density: "compact" });
  });

  it("a sound when somebody is done or waits, and none while it is off", async () => {
    const tones: number[] = [];
    const param = {
      value: 0,
      setValueAtTime() {},
      linearRampToValueAtTime() {},
      exponentialRampToValueAtTime() {},
    };
    vi.stubGlobal(
      "AudioContext",
      class {
        currentTime = 0;
        destination = {};
        resume = async () => {};
        createGain = () => ({ gain: { ...param }, connect: (to: unknown) => to });
        createOscillator = () => {
          const frequency = { ...param };
          return {
            frequency,
            connect: (to: unknown) => to,
            start: () => tones.push(frequency.value),
            stop() {},
          };
        };
      },
    );
    try {
      await start();
      const session = page.world.session("s-1");
      const ends = async () => {
        page.world.change(session, { activity: "working" });
        page.world.change(session, { activity: "idle" });
        await until(() => page.app.sessions.of("s-1")?.value.activity === "idle");
      };
      await ends();
      expect(tones).toEqual([]);
      await settings();
      const box = await until(() =>
        $$(page.root, ".check").find((label) => label.textContent === "With a sound"),
      );
      box.querySelector("input")!.click();
      await until(() => tones.length === 2);
      await ends();
      await until(() => tones.length === 4);
      expect(tones[2]!).toBeLessThan(tones[3]!);
      page.world.change(session, { activity: "needs-approval" });
      await until(() => tones.length === 6);
      expect(tones[4]!).toBeGreaterThan(tones[5]!);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("the page says which version this is and where the licences are", async () => {
    await start();
    const shown = await settings();
    await until(() => shown.textContent!.includes(`Liminal Builder ${page.world.version}`));
    expect($(shown, 'a[href="/licenses.txt"]')!.textContent).toContain("Licences");
  });
});
