import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { $, $$, button, press, startPage, tick, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page.close());

const walls = () =>
  $$(page.root, ".composer select").find(
    (element) => element.getAttribute("aria-label") === "Confinement",
  ) as HTMLSelectElement;
const choose = async (value: string) => {
  walls().value = value;
  walls().dispatchEvent(new Event("change", { bubbles: true }));
  await tick();
};
const begin = async (change: (world: World) => void = () => {}) => {
  const world = new World("busy");
  world.pace = 0;
  change(world);
  page = await startPage(world);
  button(page.root, "New session in web-shop").click();
  await until(() => walls());
};
const say = async (text: string) => {
  const input = await until(() => $(page.root, ".composer textarea") as HTMLTextAreaElement);
  await type(input, text);
  await press(input, "Enter");
};
const row = (title: string) =>
  $$(page.root, ".session-row").find((element) => element.textContent?.includes(title));

describe("confinement", () => {
  it("is off, says what it changes when it is switched on, and marks the session for good", async () => {
    await begin();
    expect(walls().value).toBe("free");
    expect($(page.root, ".confined-note")).toBeNull();
    await choose("confined");
    expect($(page.root, ".confined-note")!.textContent).toMatch(/no sudo.*no processes but its own/);
    await say("Look around, behind walls");
    const made = await until(() => [...page.world.sessions.values()].find(({ info }) => info.confined));
    expect(made.info.cliType).toBe("claude-code");
    const shown = await until(() => row("behind walls")?.querySelector("[aria-label=Confined]"));
    expect(shown.getAttribute("title")).toMatch(/cannot reach the server/);
    await until(() => $(page.root, ".composer [aria-label=Confined]"));
    expect(row("Profile the frame loop")!.querySelector("[aria-label=Confined]")).toBeNull();
  });

  it("is what the configuration says, until somebody says otherwise", async () => {
    await begin((world) => world.agents.forEach((agent) => Object.assign(agent, { confine: true })));
    expect(walls().value).toBe("confined");
    await choose("free");
    await say("Without walls");
    await until(() => row("Without walls"));
    expect([...page.world.sessions.values()].some(({ info }) => info.confined)).toBe(false);
  });

  it("cannot be switched on where the system does not allow it, and says why", async () => {
    const why = "a user namespace: Operation not permitted";
    await begin((world) => world.agents.forEach((agent) => Object.assign(agent, { confineProblem: why })));
    const option = [...walls().options].find(({ value }) => value === "confined")!;
    expect(option.disabled).toBe(true);
    expect(option.text).toContain(why);
  });
});
