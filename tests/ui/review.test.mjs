// A review in a real browser: what an agent did is read, commented on, committed and taken back. What the page says is held
// against the files and the repository on disk.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  addProject,
  axeSource,
  closeBrowser,
  counts,
  development,
  newSession,
  openPage,
  reads,
  send,
  Server,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

/** An agent that does what stands behind "run:", and repeats anything else. */
const kAgent = `#!${process.execPath}
const { execSync } = require("node:child_process");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { type, turnId, sessionId, content = "" } = JSON.parse(line);
  if (type !== "prompt") return;
  const say = (kind, payload) =>
    console.log(JSON.stringify({ eventId: turnId + kind, timestamp: "2026-01-01T00:00:00.000Z", turnId, sessionId, type: kind, payload: { type: kind, ...payload } }));
  say("response_start", { modelId: "sh", providerId: "sh" });
  if (content.startsWith("run:")) execSync(content.slice(4));
  const itemId = "a-" + turnId;
  say("item_start", { itemId, itemType: "message" });
  say("item_done", { itemId, finalItem: { type: "message", content: "Heard: " + content, origin: "agent" } });
  say("response_done", { status: "completed" });
});
`;
const kLines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`);

const gitIn =
  ({ home, project }) =>
  (...args) =>
    execFileSync("git", args, {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" },
      encoding: "utf8",
    }).trimEnd();

/** A project under git, an agent, and a session whose first turn changed three files. */
async function reviewed(options) {
  const server = await Server.start((made) => {
    const agent = join(made.home, "agent.cjs");
    writeFileSync(agent, kAgent);
    chmodSync(agent, 0o755);
    writeFileSync(
      join(made.home, ".gitconfig"),
      "[user]\n  name = User\n  email = user@example.org\n[init]\n  defaultBranch = main\n",
    );
    const git = gitIn(made);
    git("init", "--quiet");
    writeFileSync(join(made.project, "notes.txt"), kLines.join(""));
    git("add", "--all");
    git("commit", "--quiet", "--message", "Begin");
    return `\n[agents.shell]\nprotocol = "events"\ncommand = ${JSON.stringify(agent)}\n`;
  });
  const page = await openPage(server, options);
  await page.locator(".home h1").waitFor();
  await addProject(page, server.project);
  await page.locator(".session-head", { hasText: "New Session" }).waitFor();
  await newSession(page, "shell");
  await send(
    page,
    "run: sed -i 's/^line 3$/line three/; s/^line 40$/line forty/' notes.txt; echo 'export const two = 2;' > src/two.ts; echo 'export const total = 2;' > src/total.ts",
  );
  await turnEnds(page);
  await page.keyboard.press("Control+Shift+G");
  await file(page, "notes.txt").locator(".dl-add").first().waitFor();
  return { server, page };
}

const file = (page, path) =>
  page.locator(`.diff-file[aria-label=${JSON.stringify(path)}]`);
const line = (page, text) =>
  page.locator(".diff-row", { hasText: text }).first();
const prompts = (page) => page.locator(".message.user");

/** A comment on the line with this text, by its number. */
async function comment(page, path, number, words) {
  await file(page, path)
    .getByRole("button", { name: `Comment on line ${number}`, exact: true })
    .click();
  await page.locator(".said.writing textarea").fill(words);
  await page.keyboard.press("Control+Enter");
  await page.locator(".said.is-draft", { hasText: words }).waitFor();
}

test(
  "a review: files by key, three comments that outlive a reload, sent once, and one whose line is gone",
  { skip: development && "needs files of its own" },
  async () => {
    const { server, page } = await reviewed({
      size: { width: 1500, height: 900 },
    });
    await reads(page.locator(".changes-bar"), /0 of 3 viewed/);
    await page.locator(".bench-panel").focus();
    for (const path of ["notes.txt", "src/total.ts", "src/two.ts"]) {
      await page.keyboard.press("j");
      await until(
        () =>
          page.evaluate(
            (wanted) =>
              document.activeElement
                ?.closest(".diff-file")
                ?.getAttribute("aria-label") === wanted,
            path,
          ),
        `the focus on ${path}`,
      );
    }
    await page.keyboard.press("v");
    await reads(page.locator(".changes-bar"), /1 of 3 viewed/);

    await comment(page, "notes.txt", 3, "Why words?");
    await comment(page, "notes.txt", 40, "Here too");
    await comment(page, "src/total.ts", 1, "Two of what?");
    await page.reload();
    await counts(page.locator(".said.is-draft"), 3);
    await reads(page.locator(".changes-bar"), /1 of 3 viewed/);

    const second = await openPage(server, {
      url: server.open(),
      size: { width: 1500, height: 900 },
    });
    await second.locator(".session-open").first().click();
    await second.keyboard.press("Control+Shift+G");
    await counts(second.locator(".said.is-draft"), 3);
    // A line that the agent changes meanwhile takes its comment's place away, in both windows.
    writeFileSync(
      join(server.project, "notes.txt"),
      readFileSync(join(server.project, "notes.txt"), "utf8").replace(
        "line forty",
        "line 4 0",
      ),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    for (const one of [page, second])
      await one.locator(".said.is-outdated", { hasText: "Here too" }).waitFor();

    await page
      .locator(".composer textarea[placeholder$='or send 3 comments']")
      .waitFor();
    const before = await prompts(page).count();
    await page.getByRole("button", { name: "Send 3 comments" }).click();
    await counts(second.locator(".said.is-sent"), 3);
    await turnEnds(page);
    assert.equal(await prompts(page).count(), before + 1);
    const answer = page.locator(".message.agent").last();
    for (const words of [/Why words\?/, /Two of what\?/, /notes\.txt/])
      await reads(answer, words);
    await page
      .locator(".said.is-sent")
      .first()
      .getByRole("button", { name: "Resolve" })
      .click();
    await counts(second.locator(".said.is-resolved"), 1);
    assert.deepEqual([page.problems, second.problems], [[], []]);
    assert.deepEqual(page.foreign, []);
    await second.context().close();
    await page.context().close();
    await server.stop();
  },
);

test(
  "changes are committed, discarded and brought back, and files are read",
  { skip: development && "needs files of its own" },
  async () => {
    const { server, page } = await reviewed({
      size: { width: 1500, height: 900 },
    });
    const git = gitIn(server);
    const notes = () => readFileSync(join(server.project, "notes.txt"), "utf8");

    // One change of two, and back.
    await line(page, "line forty").hover();
    await file(page, "notes.txt")
      .getByRole("button", { name: /^Discard this change at line 40/ })
      .click();
    await page
      .locator("dialog[open]")
      .getByRole("button", { name: "Discard" })
      .click();
    await until(() => /^line 40$/m.test(notes()), "the change to be gone");
    assert.match(notes(), /^line three$/m);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await until(() => /^line forty$/m.test(notes()), "the change to be back");

    // A file that was not there before.
    await file(page, "src/two.ts")
      .getByRole("button", { name: "Menu of src/two.ts" })
      .click();
    await page.getByRole("menuitem", { name: "Discard changes…" }).click();
    await reads(page.locator("dialog[open]"), /src\/two\.ts is removed/);
    await page
      .locator("dialog[open]")
      .getByRole("button", { name: "Discard" })
      .click();
    await until(
      () => !existsSync(join(server.project, "src/two.ts")),
      "the file to be gone",
    );
    await counts(file(page, "src/two.ts"), 0);

    // A commit of one file of two.
    await page.getByRole("button", { name: "Commit…" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByLabel("Message").fill("Notes in words");
    await dialog.locator(".check", { hasText: "src/total.ts" }).click();
    await dialog.getByRole("button", { name: "Commit 1 file" }).click();
    await until(
      () => git("log", "-1", "--format=%s") === "Notes in words",
      "the commit",
    );
    assert.equal(git("show", "--format=", "--name-only", "HEAD"), "notes.txt");
    await page
      .getByRole("button", { name: "Uncommitted", exact: true })
      .click();
    await counts(file(page, "notes.txt"), 0);
    await file(page, "src/total.ts").waitFor();

    // The viewer, at a line, by its address.
    await page.keyboard.press("Control+p");
    await page.locator("dialog[open] input").fill("notes.txt:40");
    await counts(page.locator(".picker-list [role=option]"), 1);
    await page.keyboard.press("Enter");
    await reads(page.locator(".file-line.is-here"), /line forty/);
    await page.reload();
    await reads(page.locator(".file-line.is-here"), /line forty/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.stop();
  },
);

test(
  "one run of a hunk is discarded, C follows the pointer, a rename is committed with both names",
  { skip: development && "needs files of its own" },
  async () => {
    const { server, page } = await reviewed({
      size: { width: 1440, height: 900 },
    });
    const git = gitIn(server);
    const notes = () => readFileSync(join(server.project, "notes.txt"), "utf8");
    assert.equal((await page.locator(".changes-bar").boundingBox()).height, 45);
    const long = `src/${"a_long_folder/".repeat(8)}and_a_long_name_of_a_file.test.ts`;
    await send(
      page,
      `run: sed -i 's/^line 6$/line six\\nand more/' notes.txt; mkdir -p $(dirname ${long}); git checkout src/total.ts; git mv src/total.ts ${long}`,
    );
    await turnEnds(page);
    await line(page, "and more").waitFor();

    // A pointer moves the place of the keys.
    await page.locator(".bench-panel").focus();
    await page.keyboard.press("j");
    await line(page, "line six").locator(".dl-text").click();
    await page.keyboard.press("c");
    await page
      .locator(".said.writing")
      .getByLabel("Comment on line 6", { exact: true })
      .waitFor();
    await page.keyboard.press("Escape");

    await line(page, "line 6").hover();
    await file(page, "notes.txt")
      .getByRole("button", { name: "Discard this change at lines 6–7…" })
      .click();
    await reads(
      page.locator("dialog[open]"),
      /removes 2 added lines, restores 1 deleted line\./,
    );
    await page
      .locator("dialog[open]")
      .getByRole("button", { name: "Discard" })
      .click();
    await until(() => /^line 6$/m.test(notes()), "the change to be gone");
    assert.match(notes(), /^line three$/m);
    assert.doesNotMatch(notes(), /and more/);
    // What is said covers neither the name of the session nor what stands in its head.
    const [head, toast] = [
      await page.locator(".session-head").boundingBox(),
      await page.locator(".toast").boundingBox(),
    ];
    assert.ok(toast.y >= head.y + head.height);

    await page.getByRole("button", { name: "Commit…" }).click();
    const dialog = page.locator("dialog[open]");
    await reads(
      dialog.locator(".check", { hasText: "and_a_long_name" }),
      /renamed/,
    );
    assert.deepEqual(
      await dialog.evaluate((box) =>
        [box, ...box.querySelectorAll(".commit-files, form")]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ className }) => className),
      ),
      [],
    );
    await dialog.getByLabel("Message").fill("All of it");
    await dialog.getByRole("button", { name: "Commit 3 files" }).click();
    await until(
      () => git("status", "--porcelain") === "",
      "everything to be committed",
    );
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.stop();
  },
);

test(
  "on a phone the workbench is a page, from which Back leads to the conversation; nothing of it is out of reach",
  { skip: development && "needs files of its own" },
  async () => {
    const { server, page } = await reviewed({
      size: { width: 1500, height: 900 },
    });
    await page.keyboard.press("Control+j");
    await counts(page.locator(".bench"), 0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".bench-room button").click();
    await file(page, "notes.txt").locator(".dl-add").first().waitFor();
    const { width, height } = await page.locator(".bench").boundingBox();
    assert.deepEqual([width, height], [390, 844]);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth),
      390,
    );
    await page.goBack();
    await counts(page.locator(".bench"), 0);
    await page.locator(".composer textarea").waitFor();

    await page.setViewportSize({ width: 1000, height: 800 });
    await page.keyboard.press("Control+j");
    await file(page, "notes.txt").locator(".dl-add").first().waitFor();
    await page.evaluate(axeSource);
    const found = await page.evaluate(
      async () => (await globalThis.axe.run(".bench")).violations,
    );
    assert.deepEqual(
      found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      [],
    );
    await page.context().close();
    await server.stop();
  },
);
