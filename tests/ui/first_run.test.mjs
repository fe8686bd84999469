// The shortest way in: from an empty page to a conversation with one press.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { after, test } from "node:test";
import {
  Server,
  closeBrowser,
  development,
  openPage,
  send,
  turnEnds,
} from "./support.mjs";

after(closeBrowser);

test("the demo is one press from the welcome, in the home folder, which it does not touch", async () => {
  const server = await Server.start();
  try {
    const page = await openPage(server);
    // What it remembers of its own sessions is in ~/.local, as with any program.
    const shown = () =>
      readdirSync(server.home).filter((name) => !name.startsWith("."));
    const before = shown();
    await page.getByRole("button", { name: "Try the demo" }).click();
    await page.getByRole("button", { name: "Show me around" }).waitFor();
    if (!development)
      await page
        .locator(".project-name", { hasText: basename(server.home) })
        .waitFor();
    await send(page, "hello");
    await turnEnds(page);
    await page.locator(".message.agent").first().waitFor();
    assert.deepEqual(shown(), before);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await server.stop();
  }
});
