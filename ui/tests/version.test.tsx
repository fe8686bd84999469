// A page that speaks another wire than its server reloads itself: once, and without losing a word.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { sendMessage } from "../src/actions/messages";
import { isWriting } from "../src/state/version";
import { WIRE_VERSION } from "../src/wire";
import { $, startPage, type, until, type Harness } from "./harness";

let page: Harness;
beforeEach(() => sessionStorage.clear());
afterEach(() => page?.close());

async function open() {
  page = await startPage(new World("busy"));
  page.app.nav.navigate({ page: "session", sessionId: "s-7" });
  return until(() => $(page.root, ".session .composer textarea") as HTMLTextAreaElement);
}
/** The server goes away and another one comes back in its place. */
async function update(change: (world: World) => void, meanwhile = () => {}) {
  page.online.value = false;
  page.pipes.at(-1)!.close();
  await until(() => page.app.link.state.value.kind === "offline");
  meanwhile();
  change(page.world);
  page.online.value = true;
  page.app.link.retryNow();
  await until(() => page.app.link.state.value.kind === "online");
}
const banner = () => $(page.root, ".banner")?.textContent ?? "";

describe("a page older than its server", () => {
  it("reloads itself once; drafts and sends on their way are there afterwards", async () => {
    await type(await open(), "half a thought");
    await update(
      (world) => (world.wireVersion = WIRE_VERSION + 1),
      () => sendMessage(page.app, "s-7", "do not lose me"),
    );
    await until(() => page.reloads === 1);
    expect(page.heard("session:send")).toEqual([]); // Not by a page that does not know the language.
    page.world.wireVersion = WIRE_VERSION; // As the new page has it.
    await page.reload();
    await until(() => page.heard("session:send").length === 1);
    expect(page.heard("session:send")[0]).toMatchObject({ content: "do not lose me" });
    expect(($(page.root, ".composer textarea") as HTMLTextAreaElement).value).toBe("half a thought");
    expect([page.reloads, banner()]).toEqual([1, ""]);
  });

  it("that is still older after a reload says so and works on", async () => {
    await open();
    await update((world) => (world.wireVersion = WIRE_VERSION + 1));
    await until(() => page.reloads === 1);
    await page.reload();
    await until(() => banner().includes("Reload the page"));
    expect(page.reloads).toBe(1);
    await update(() => {});
    expect(page.reloads).toBe(1);
    await update((world) => (world.wireVersion = WIRE_VERSION + 2));
    await until(() => page.reloads === 2); // Another server: perhaps it helps now.
  });

  it("leaves it to the user while something is written that nobody keeps", async () => {
    await open();
    page.app.drafts.attach("s-7", { key: "k", kind: "image", name: "a.png", url: "blob:a" });
    await update((world) => (world.wireVersion = WIRE_VERSION + 1));
    await until(() => banner().includes("Reload the page"));
    expect(page.reloads).toBe(0);
  });
});

it("only what a field has that is not the message itself would be lost", () => {
  document.body.innerHTML = `<input id="a" value="note"><input id="b"><form class="composer"><textarea id="c">x</textarea></form>`;
  const is = (id: string) => isWriting(document.getElementById(id));
  expect([is("a"), is("b"), is("c"), isWriting(document.body), isWriting(null)]).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
