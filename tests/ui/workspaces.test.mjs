// Ten agents in one repository, the small way: Claude Code and Codex themselves, each in a worktree of its own, in a real browser.
// What the page says is held against the files and the refs on disk.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { everything } from "../support/folder.mjs";
import { startModel } from "../support/model/server.mjs";
import {
  addProject,
  closeBrowser,
  counts,
  newSession,
  openPage,
  reads,
  send,
  Server,
  turnEnds,
  until,
} from "./support.mjs";

const { LB_TEST_CLAUDE: claude, LB_TEST_CODEX_ACP: codex } = process.env;
const quoted = JSON.stringify;
let model, requests;

before(async () => {
  for (const [name, path] of Object.entries({ claude, codex }))
    assert.ok(
      path && existsSync(path),
      `${name} is not installed: script/setup installs it`,
    );
  const folder = mkdtempSync(join(tmpdir(), "lb-model-"));
  requests = join(folder, "requests");
  model = await startModel({ tps: 0, log: requests, logBodies: true });
});
after(async () => {
  await closeBrowser();
  await model?.close();
  if (requests) rmSync(dirname(requests), { recursive: true });
});

const kLines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
const withLine = (at, text) => kLines.with(at - 1, `${text}\n`).join("");

/** A user's git: an identity, a repository with one commit, and work of their own that nobody else may touch. */
function repository({ home, project }) {
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n  name = User\n  email = user@example.org\n[init]\n  defaultBranch = main\n",
  );
  const git = gitIn(home, project);
  git("init", "--quiet");
  writeFileSync(join(project, "notes.txt"), kLines.join(""));
  writeFileSync(join(project, "mine.txt"), "as committed\n");
  writeFileSync(join(project, ".gitignore"), "node_modules/\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  writeFileSync(join(project, "mine.txt"), "put aside\n");
  git("stash", "--quiet");
  writeFileSync(join(project, "mine.txt"), "being written\r\nno end of line");
  writeFileSync(join(project, "staged.txt"), "staged\n");
  git("add", "staged.txt");
  writeFileSync(join(project, "untracked.txt"), "untracked\n");
}

const gitIn =
  (home, folder) =>
  (...args) =>
    execFileSync("git", args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" },
      encoding: "utf8",
    }).trimEnd();

/** Both CLIs as a user would have them, with the scripted model instead of an account. */
function agents(server) {
  const codexHome = join(server.home, ".codex");
  mkdirSync(codexHome, { recursive: true });
  mkdirSync(join(server.home, "tmp"));
  writeFileSync(
    join(codexHome, "config.toml"),
    `model = "gpt-5.4"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`,
  );
  repository(server);
  return `
[agents.claude-code]
protocol = "claude"
command = ${quoted(claude)}
env = { ANTHROPIC_BASE_URL = ${quoted(model.url)}, ANTHROPIC_API_KEY = "sk-test", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1", DISABLE_AUTOUPDATER = "1" }

[agents.codex]
protocol = "acp"
command = ${quoted(codex)}
env = { CODEX_HOME = ${quoted(codexHome)}, OPENAI_API_KEY = "sk-test", TMPDIR = ${quoted(join(server.home, "tmp"))} }
`;
}

/** Everything of the user's that no step but a landing may change. */
function ofTheUser({ home, project }) {
  const git = gitIn(home, project);
  return {
    head: git("symbolic-ref", "HEAD"),
    stash: git("stash", "list", "--format=%H %s"),
    status: git("status", "--porcelain"),
    staged: git("diff", "--cached", "--name-only"),
    mine: readFileSync(join(project, "mine.txt"), "latin1"),
    untracked: readFileSync(join(project, "untracked.txt"), "latin1"),
  };
}

async function start() {
  const server = await Server.start((made) => agents(made));
  const page = await openPage(server);
  await page.locator(".home h1").waitFor();
  await addProject(page, server.project);
  await page.locator(".session-head", { hasText: "New Session" }).waitFor();
  return { server, page };
}

const place = (server, name) =>
  join(server.home, ".liminal-builder/worktrees/web-shop", name);
const notes = (folder) => readFileSync(join(folder, "notes.txt"), "utf8");
const head = (page) => page.locator(".session-head");
const dialog = (page) => page.locator("dialog[open]");

/** A session in a new worktree, chosen where it begins. */
async function inWorktree(page, agent, branch) {
  await newSession(page, agent);
  await page.locator(".session [title=Where] select").selectOption("worktree");
  const name = page.getByLabel("Branch", { exact: true });
  await name.waitFor();
  if (branch !== undefined) await name.fill(branch);
}

/** Says yes to whatever the agent asks until the turn has ended. */
async function sayYes(page) {
  const yes = page.locator(".approval.pending .button.primary").first();
  let over = false;
  const ended = turnEnds(page).finally(() => (over = true));
  await Promise.all([
    ended,
    until(
      async () => {
        if (over) return true;
        if ((await yes.count()) > 0)
          await yes.click({ timeout: 2000 }).catch(() => {});
        return over;
      },
      "the end of the turn",
      90_000,
    ),
  ]);
}

const bash = (command) =>
  `[[call:Bash ${quoted({ command, description: "Change the notes" })}]]`;
const patch = (from, to) =>
  `[[call:apply_patch *** Begin Patch\n*** Update File: notes.txt\n@@\n-${from}\n+${to}\n*** End Patch\n]]`;

/** The dialog that opens, once it says this. */
async function says(page, pattern) {
  await dialog(page).waitFor();
  await reads(dialog(page), pattern);
  return dialog(page);
}

test("three sessions in three worktrees change one file: the radar sees it, two land, the third is told before it lands", async () => {
  const { server, page } = await start();
  try {
    const git = gitIn(server.home, server.project);
    const begin = git("rev-parse", "HEAD");
    const mine = ofTheUser(server);

    await inWorktree(page, "Claude", "top");
    await send(
      page,
      `Change the top\n${bash("sed -i 's/^line 3$/line 3 by Claude/' notes.txt")}`,
    );
    await sayYes(page);
    assert.equal(notes(place(server, "top")), withLine(3, "line 3 by Claude"));
    await reads(head(page), /top → main/);
    await reads(head(page), /\+1 −1/);
    await counts(page.locator(".radar, .radar-button"), 0);

    await inWorktree(page, "Codex"); // Its branch is named after the message.
    await send(page, `Change the end\n${patch("line 27", "line 27 by Codex")}`);
    await sayYes(page);
    assert.equal(
      notes(place(server, "change-end")),
      withLine(27, "line 27 by Codex"),
    );
    await reads(head(page), /change-end → main/);
    await reads(head(page), /Also changed by Change the top/);

    await inWorktree(page, "Claude", "other");
    await send(
      page,
      `Another top\n${bash("sed -i 's/^line 3$/line three/' notes.txt")}`,
    );
    await sayYes(page);
    assert.equal(notes(place(server, "other")), withLine(3, "line three"));
    assert.deepEqual(ofTheUser(server), mine);
    assert.equal(git("rev-parse", "main"), begin);
    assert.equal(notes(server.project), kLines.join(""));

    // The radar: on every row and card, and in the head, which opens who and what.
    await counts(page.locator(".session-row .radar"), 3);
    await counts(page.locator(".session-row .delta"), 3);
    await page.locator(".radar-button").click();
    const radar = await says(page, /notes\.txt[^]*notes\.txt/);
    const named = (title) =>
      radar.locator(".overlap-list > li", { hasText: title });
    await reads(named("Change the top"), /does not merge[^]*notes\.txt/);
    await reads(named("Change the end"), /merges so far[^]*notes\.txt/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Liminal Builder" }).first().click();
    await counts(page.locator(".card-row .radar"), 3);
    await counts(page.locator(".card-row .delta"), 3);

    // The first lands by a merge, from the page of all worktrees.
    await page.getByRole("button", { name: /^Workspaces/ }).click();
    await counts(page.locator(".workspace-row"), 3);
    await page.getByRole("button", { name: "Land… top" }).click();
    let land = await says(
      page,
      /No conflicts\. 1 commit and 1 changed file go into main/,
    );
    assert.equal(git("rev-parse", "main"), begin);
    await land.getByLabel("Message of the commit").fill("The top, by Claude");
    await land.getByRole("button", { name: "Land in main" }).click();
    await says(
      page,
      /Landed in main[^]*1 file changed in main, now at [0-9a-f]{8}/,
    );
    await page.getByRole("button", { name: "Done", exact: true }).click();
    assert.equal(git("log", "--format=%s", "-1", "main"), "The top, by Claude");
    assert.equal(git("rev-parse", "main^"), begin);
    assert.equal(notes(server.project), withLine(3, "line 3 by Claude"));
    assert.deepEqual(ofTheUser(server), mine);
    // What has landed is no change any more, and in nobody's way.
    await counts(page.locator(".session-row .delta"), 2);

    // The second lands as one commit, from the menu of its row.
    const row = page.locator(".session-row", { hasText: "Change the end" });
    await row.hover();
    await row.getByRole("button", { name: /^Menu of/ }).click();
    await page.getByRole("menuitem", { name: "Land…" }).click();
    land = dialog(page);
    await land.getByLabel("Squash").check();
    await says(page, /No conflicts\. 1 commit and 1 changed file go into main/);
    await land.getByRole("button", { name: "Land in main" }).click();
    await says(page, /Landed in main/);
    await page.getByRole("button", { name: "Done", exact: true }).click();
    assert.equal(
      git("rev-list", "--count", "--first-parent", `${begin}..main`),
      "2",
    );
    assert.equal(git("log", "--format=%P", "-1", "main").split(" ").length, 1);
    const both = withLine(3, "line 3 by Claude").replace(
      "line 27\n",
      "line 27 by Codex\n",
    );
    assert.equal(notes(server.project), both);
    assert.deepEqual(ofTheUser(server), mine);

    // The third sees the conflict before anything is done.
    const landed = git("rev-parse", "main");
    await page.getByRole("button", { name: "Land… other" }).click();
    for (const how of ["Merge", "Squash", "Rebase"]) {
      await dialog(page).getByLabel(how).check();
      land = await says(
        page,
        /This does not merge into main\. Nothing was changed[^]*notes\.txt/,
      );
      assert.equal(
        await land.getByRole("button", { name: /^Land in/ }).isEnabled(),
        false,
      );
    }
    assert.equal(git("rev-parse", "main"), landed);
    assert.equal(git("rev-parse", "other"), begin);
    assert.equal(notes(place(server, "other")), withLine(3, "line three"));
    assert.deepEqual(ofTheUser(server), mine);
    await land.getByRole("button", { name: "Write that to its agent" }).click();
    await until(
      async () =>
        /Merge the branch main.*notes\.txt/.test(
          await page.locator(".composer textarea").inputValue(),
        ),
      "words for the agent",
    );
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await server.stop();
  }
});

function rewinds(name, walk) {
  test(name, async () => {
    const { server, page } = await start();
    try {
      await walk(server, page);
    } finally {
      await server.stop();
    }
  });
}

rewinds(
  "Codex: a turn is rewound, files only, and the rewind is undone",
  async (server, page) => {
    await inWorktree(page, "Codex", "work");
    const folder = place(server, "work");
    await send(page, `The first\n${patch("line 5", "line five")}`);
    await sayYes(page);
    await send(page, `The second\n${patch("line 20", "line twenty")}`);
    await page.locator(".message.user", { hasText: "The second" }).waitFor();
    await sayYes(page);
    const both = withLine(5, "line five").replace("line 20\n", "line twenty\n");
    assert.equal(notes(folder), both);
    await page.getByRole("button", { name: "Rewind…" }).first().click();
    const rewind = await says(
      page,
      /changes back[^]*notes\.txt[^]*Files only: this agent cannot go back/,
    );
    assert.equal(notes(folder), both);
    await rewind.getByRole("button", { name: "Rewind", exact: true }).click();
    await page.locator(".toast", { hasText: "Rewound 1 file." }).waitFor();
    assert.equal(notes(folder), withLine(20, "line twenty"));
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await until(() => notes(folder) === both, "the files as they were");
    assert.deepEqual(page.problems, []);
  },
);

rewinds(
  "Claude: a turn rewound with the conversation is a fork whose model never heard of it; a removed worktree comes back",
  async (server, page) => {
    const mine = ofTheUser(server);
    await inWorktree(page, "Claude", "work");
    const folder = place(server, "work");
    await send(
      page,
      `The first\n${bash("sed -i 's/^line 5$/line five/' notes.txt")}`,
    );
    await sayYes(page);
    const after = everything(folder);
    await send(
      page,
      `Secret of the second turn\n${bash("sed -i 's/^line 20$/line twenty/' notes.txt; mkdir made; echo new > made/new.txt; rm mine.txt")}`,
    );
    await page.locator(".message.user", { hasText: "The first" }).waitFor();
    await page.locator(".message.user", { hasText: "second turn" }).waitFor();
    await sayYes(page);
    const changed = everything(folder);
    assert.ok(
      existsSync(join(folder, "made/new.txt")) &&
        !existsSync(join(folder, "mine.txt")),
    );
    // Somebody else works there too: what they did stays, also in a file of the turn.
    writeFileSync(
      join(folder, "notes.txt"),
      notes(folder).replace("line 30\n", "line 30, by hand\n"),
    );
    writeFileSync(join(folder, "by-hand.txt"), "by hand\n");

    await page.getByRole("button", { name: "Rewind…" }).last().click();
    const rewind = await says(page, /comes back[^]*mine\.txt/);
    for (const words of [
      /is removed[^]*made\/new\.txt/,
      /changes back[^]*notes\.txt/,
      /What was changed since stays/,
    ])
      await reads(rewind, words);
    await rewind.getByLabel("Conversation").check();
    await rewind.getByRole("button", { name: "Rewind", exact: true }).click();
    await page
      .locator(".toast", {
        hasText: "Rewound 3 files. This is a fork that ends before that turn.",
      })
      .waitFor();
    const rewound = {
      ...after,
      "notes.txt": after["notes.txt"].replace(
        "line 30\n",
        "line 30, by hand\n",
      ),
      "by-hand.txt": "100644 by hand\n",
    };
    assert.deepEqual(everything(folder), rewound);

    // The fork has the words ready; others are sent, and the model is asked without what was rewound.
    const field = page.locator(".composer textarea");
    await until(
      async () => /^Secret of the second turn/.test(await field.inputValue()),
      "the message again",
    );
    await counts(page.locator(".message.user", { hasText: "The first" }), 1);
    await counts(page.locator(".message.user", { hasText: "Secret" }), 0);
    await send(page, "[[scenario:echo]] Another way");
    await page.locator(".message.agent", { hasText: "Another way" }).waitFor();
    await turnEnds(page);
    const asked = readFileSync(requests, "utf8")
      .split("\n")
      .filter((line) => line.includes("Another way"))
      .at(-1);
    assert.match(asked, /The first/);
    assert.doesNotMatch(asked, /Secret of the second turn/);
    // The same changes seen twice are nobody's conflict.
    await reads(head(page), /\+\d+ −\d+/);
    await counts(page.locator(".session-row .delta"), 2);
    await counts(page.locator(".radar, .radar-button"), 0);

    // Undo brings the files of the turn back, beside what was done by hand.
    await page
      .locator(".toast", { hasText: "Rewound" })
      .getByRole("button", { name: "Undo" })
      .click();
    const undone = {
      ...changed,
      "notes.txt": changed["notes.txt"].replace(
        "line 30\n",
        "line 30, by hand\n",
      ),
      "by-hand.txt": "100644 by hand\n",
    };
    await until(
      () => isDeepStrictEqual(everything(folder), undone),
      "the files of the turn",
    );

    // Removed, with what would be lost said first, and restored.
    symlinkSync("notes.txt", join(folder, "link"));
    writeFileSync(join(folder, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(
      join(folder, "bytes \u00e4\n.bin"),
      Buffer.from([0, 255, 13, 10, 0]),
    );
    mkdirSync(join(folder, "node_modules"));
    writeFileSync(join(folder, "node_modules/dep.js"), "ignored\n");
    const full = everything(folder);
    await page.getByRole("button", { name: /^Workspaces/ }).click();
    await page.getByRole("button", { name: "Menu of work" }).click();
    await page.getByRole("menuitem", { name: "Remove worktree…" }).click();
    const remove = await says(
      page,
      /Comes back with Restore[^]*2 changed files and 5 new files/,
    );
    await reads(
      remove,
      /Is gone for good[^]*1 file that git ignores[^]*node_modules/,
    );
    assert.ok(existsSync(folder));
    await remove.getByRole("button", { name: "Remove worktree" }).click();
    await until(() => !existsSync(folder), "the end of the folder");
    await page.locator(".workspace-row.is-removed").waitFor();
    const git = gitIn(server.home, server.project);
    assert.match(git("for-each-ref", "refs/liminal/ws"), /tree/);
    assert.ok(git("rev-parse", "--verify", "refs/heads/work"));
    await page.locator(".workspace-session").first().click();
    await page
      .locator(".strip", { hasText: "Its worktree was removed" })
      .getByRole("button", { name: "Restore worktree" })
      .click();
    await until(() => existsSync(folder), "the folder");
    await counts(
      page.locator(".strip", { hasText: "Its worktree was removed" }),
      0,
    );
    assert.deepEqual(everything(folder), full);
    await reads(head(page), /work → main/);
    assert.deepEqual(ofTheUser(server), mine);
    assert.deepEqual(page.problems, []);
  },
);
