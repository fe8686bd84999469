// Pictures of the page in its main states, for looking at it and for the README. Usage: node dev/screenshots.mjs [OUT_DIR] [NAME…]
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { startServer } from "./server.mjs";

const out = process.argv[2] ?? "screenshots";
const only = process.argv.slice(3);
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

const phone = { width: 390, height: 844 };

async function shot(
  name,
  {
    story = "busy",
    scheme = "light",
    size = { width: 1320, height: 860 },
    scale = 1,
    open,
    login = true,
    drawer = true,
    after,
  } = {},
) {
  if (only.length > 0 && !only.includes(name)) return;
  const server = await startServer({ story });
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: size,
    deviceScaleFactor: scale,
    reducedMotion: "reduce",
    ...(size === phone ? { isMobile: true, hasTouch: true } : {}),
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(name, "page error:", error.message));
  page.on("console", (message) => {
    if (message.type() === "error") console.error(name, "console:", message.text());
  });
  await page.goto(login ? server.launch : server.url);
  if (login) await page.locator("nav").waitFor({ state: "attached" });
  if (login && size.width < 760 && drawer)
    await page.getByRole("button", { name: "Show sidebar" }).first().click();
  if (open) {
    await page.getByRole("button", { name: open }).first().click();
    await page.locator(".chat-rows .row").first().waitFor();
  }
  if (after) await after(page, server);
  if (size.width >= 760 && name !== "scrolled") await page.mouse.move(size.width - 2, 2);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${out}/${name}.png` });
  await context.close();
  await server.stop();
  console.log(name);
}

const manyCommands = async (page) => {
  await page.locator(".composer textarea").fill("many commands");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(600);
  await page.locator(".composer textarea").pressSequentially("/");
  await page.locator(".completion").waitFor();
};
const cart = /Fix the rounding error/;
await shot("first-run", { story: "first-run" });
await shot("login", { login: false });
await shot("chat-light", { open: cart });
await shot("chat-dark", { open: cart, scheme: "dark" });
await shot("diff", {
  open: cart,
  after: async (page) => {
    await page.locator(".chat-scroll").evaluate((element) => {
      element.scrollTop = 120;
    });
  },
});
await shot("diff-dark", {
  scheme: "dark",
  open: cart,
  after: async (page) => {
    await page.locator(".chat-scroll").evaluate((element) => {
      element.scrollTop = 120;
    });
    await page.getByRole("button", { name: /Bash/ }).click();
  },
});
await shot("file-menu", {
  open: cart,
  after: async (page) => {
    await page.getByRole("button", { name: /Edit.*total.ts/ }).scrollIntoViewIfNeeded();
    await page.locator(".places .file-link").first().click();
  },
});
await shot("approval", { open: /Release build on CI/ });
await shot("approval-dark", { open: /Release build on CI/, scheme: "dark" });
const more = async (page) => {
  await page.getByRole("button", { name: /^More/ }).click();
};
await shot("approval-more", { open: /Release build on CI/, after: more });
await shot("approval-long", { story: "asked", open: /Run the long script/ });
await shot("approval-hidden", { story: "asked", open: /Show the notes/, after: more });
await shot("approval-question", { story: "asked", open: /Plan the release/, scheme: "dark" });
await shot("phone-approval-long", { size: phone, story: "asked", open: /Run the long script/ });
await shot("phone-approval-more", { size: phone, story: "asked", open: /Show the notes/, after: more });
await shot("phone-question", { size: phone, story: "asked", open: /Plan the release/ });
await shot("inbox-asked", {
  story: "asked",
  size: { width: 1320, height: 1800 },
  after: async (page) => {
    await page.getByRole("button", { name: /Inbox/ }).click();
  },
});
await shot("inbox", {
  after: async (page) => {
    await page.getByRole("button", { name: /Inbox/ }).click();
  },
});
await shot("failed", { open: /Port the mesh loader/ });
await shot("streaming", {
  open: cart,
  after: async (page) => {
    await page.locator("textarea").fill("Now fix the tests with long words");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(2600);
    await page.locator("textarea").fill("And then update the guide");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
  },
});
await shot("palette", {
  open: cart,
  after: async (page) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("se");
  },
});
await shot("search", {
  open: cart,
  after: async (page) => {
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("cents");
    await page.waitForTimeout(400);
  },
});
const newSession = async (page) => {
  await page.getByRole("button", { name: "New session in web-shop" }).first().click();
  await page.locator(".empty-session").waitFor();
};
await shot("new-session", { after: newSession });
await shot("new-session-dark", { scheme: "dark", after: newSession });
await shot("shortcuts", {
  after: async (page) => {
    await page.keyboard.press("?");
  },
});
await shot("long", { story: "long", open: cart });
await shot("offline", {
  open: cart,
  after: async (page, server) => {
    await server.stop();
    await page.waitForTimeout(700);
  },
});
await shot("overview", { story: "crowd" });
await shot("overview-dark", { story: "crowd", scheme: "dark" });
await shot("glance", {
  story: "crowd",
  open: cart,
  after: async (page) => {
    await page.getByTitle("Working: show only these").click();
  },
});
await shot("add-project", {
  after: async (page) => {
    await page.getByRole("button", { name: "Add project" }).click();
    await page.getByLabel("Folder on the server's machine").fill("/us");
  },
});
const settings = async (page) => {
  await page.getByRole("button", { name: "Settings" }).click();
  await page.locator("main.settings").waitFor();
};
await shot("settings", { open: cart, after: settings });
await shot("settings-dark", { open: cart, scheme: "dark", after: settings });
await shot("phone-settings", { size: phone, after: settings });
const audit = async (page) => {
  await settings(page);
  await page.getByRole("button", { name: "Logins and audit trail" }).click();
  await page.locator(".audit-row").first().waitFor();
};
await shot("audit", { open: cart, after: audit });
await shot("audit-dark", { open: cart, scheme: "dark", after: audit });
await shot("phone-audit", { size: phone, after: audit });
const models = async (page, server) => {
  const session = [...server.world.sessions.values()].find(({ info }) => cart.test(info.title));
  session.facts.models = Array.from({ length: 120 }, (_, index) => ({
    id: `provider-${index % 7}/model-${index}`,
    name: `Provider ${index % 7}/Model ${index} with a long name`,
  }));
  session.facts.model = session.facts.models[3].id;
  server.world.broadcast({ type: "session:facts", sessionId: session.info.sessionId, ...session.facts });
  await page.getByRole("button", { name: /^Model: / }).click();
};
await shot("models", { open: cart, after: models });
await shot("phone-models", { size: phone, open: cart, scheme: "dark", after: models });
await shot("archived", {
  after: async (page) => {
    await page.getByRole("button", { name: "Archived" }).click();
  },
});
await shot("menu", {
  open: cart,
  scheme: "dark",
  after: async (page) => {
    await page.getByRole("button", { name: "Session menu" }).click();
  },
});
await shot("scrolled", {
  story: "long",
  open: cart,
  after: async (page) => {
    await page.locator(".chat-scroll").hover();
    await page.mouse.wheel(0, -900);
    await page.locator(".to-end").waitFor();
  },
});
await shot("phone-overview", { size: phone, story: "crowd", drawer: false });
await shot("phone-inbox", {
  size: phone,
  after: async (page) => {
    await page.getByRole("button", { name: /^Inbox/ }).click();
  },
});
await shot("phone-chat", { size: phone, open: cart });
await shot("commands", { open: cart, after: manyCommands });
await shot("commands-dark", { open: cart, scheme: "dark", after: manyCommands });
await shot("phone-commands", { size: phone, open: cart, after: manyCommands });
await shot("phone-sidebar", { size: phone });
await shot("phone-new-session", { size: phone, after: newSession });
const worktrees = { story: "workspaces" };
const workspaces = async (page) => {
  await page.getByRole("button", { name: /^Workspaces/ }).click();
  await page.locator(".workspace-row").first().waitFor();
};
const dialog = (name, menu) => async (page) => {
  await workspaces(page);
  if (menu) await page.getByRole("button", { name: menu }).click();
  await page.getByRole(menu ? "menuitem" : "button", { name }).click();
  await page.locator("dialog.workspace-dialog").waitFor();
};
const landConflict = dialog("Land… faster-search");
const removeOne = dialog("Remove worktree…", "Menu of fix-rounding");
const rewindOne = async (page) => {
  await page.locator(".rewind").first().click();
  await page.locator(".change-kind").first().waitFor();
};
const inWorktree = async (page) => {
  await newSession(page);
  await page.getByRole("combobox", { name: "Where" }).selectOption("worktree");
  await page.locator(".composer textarea").fill("Fix the login redirect");
  await page.locator(".worktree-setup").waitFor();
};
const radar = async (page) => {
  await page.locator(".radar-button").click();
  await page.locator(".overlap-list").waitFor();
};
const rounding = /^Claude Code Fix rounding/;
await shot("workspaces", { ...worktrees, after: workspaces, size: { width: 1320, height: 1100 } });
await shot("workspaces-dark", { ...worktrees, after: workspaces, scheme: "dark" });
await shot("workspaces-menu", {
  ...worktrees,
  after: async (page) => {
    await workspaces(page);
    await page.getByRole("button", { name: "Menu of fix-rounding" }).click();
  },
});
await shot("phone-workspaces", { ...worktrees, size: phone, after: workspaces });
await shot("land", { ...worktrees, after: dialog("Land… fix-rounding") });
await shot("land-conflict", { ...worktrees, after: landConflict });
await shot("land-conflict-dark", { ...worktrees, scheme: "dark", after: landConflict });
await shot("phone-land-conflict", { ...worktrees, size: phone, after: landConflict });
await shot("remove-workspace", { ...worktrees, after: removeOne });
await shot("phone-remove-workspace", { ...worktrees, size: phone, after: removeOne, scheme: "dark" });
await shot("rewind", { ...worktrees, open: rounding, after: rewindOne });
await shot("rewind-dark", { ...worktrees, open: rounding, after: rewindOne, scheme: "dark" });
await shot("phone-rewind", { ...worktrees, size: phone, open: rounding, after: rewindOne });
await shot("new-worktree", { ...worktrees, after: inWorktree });
await shot("new-worktree-dark", { ...worktrees, after: inWorktree, scheme: "dark" });
await shot("phone-new-worktree", { ...worktrees, size: phone, after: inWorktree });
await shot("radar-mark", { ...worktrees, open: rounding });
await shot("radar", { ...worktrees, open: rounding, after: radar });
await shot("phone-radar-mark", { ...worktrees, size: phone, open: rounding });
await shot("phone-radar", { ...worktrees, size: phone, open: rounding, after: radar });
await shot("overview-worktrees", { ...worktrees });
await shot("setup-strip", {
  ...worktrees,
  open: /^Claude Code Port the loader/,
  after: (page) => page.getByRole("button", { name: "Cannot be rewound" }).click(),
});
/** A terminal in the workbench, with what was said in it. */
const terminal =
  (...lines) =>
  async (page) => {
    await page.keyboard.press("Control+`");
    await page.getByRole("button", { name: "New terminal" }).click();
    await page.locator(".xterm-rows").getByText("$").first().waitFor();
    for (const line of lines) {
      await page.locator(".xterm-helper-textarea").pressSequentially(line);
      await page.keyboard.press("Enter");
    }
  };
const listening = async (page, server) => {
  const [sessionId] = [...server.world.sessions.keys()];
  const port = (port, address, program, more) => ({ port, address, pid: 4000 + port, program, ...more });
  server.world.ports = [
    port(3000, "127.0.0.1", "node", { sessionId }),
    port(5173, "0.0.0.0", "vite", { sessionId }),
    port(8080, "127.0.0.1", "opencode", { cliType: "opencode" }),
  ];
  await page.keyboard.press("Control+Alt+p");
  await page.getByRole("link", { name: "localhost:3000" }).waitFor();
};
const wide = { size: { width: 1440, height: 860 }, open: cart };
const said = terminal("npm test", "colours");
await shot("terminal", { ...wide, after: said });
await shot("terminal-dark", { ...wide, after: said, scheme: "dark" });
await shot("terminal-full", { ...wide, after: terminal("full") });
await shot("terminal-ended", { ...wide, after: terminal("npm test", "exit 1"), scheme: "dark" });
await shot("terminal-empty", { ...wide, after: (page) => page.keyboard.press("Control+`") });
await shot("terminal-menu", {
  ...wide,
  after: async (page) => {
    await said(page);
    await page.getByRole("button", { name: "Terminal menu" }).click();
  },
});
await shot("phone-terminal", { size: phone, open: cart, after: said });
await shot("phone-terminal-dark", { size: phone, open: cart, after: said, scheme: "dark" });
await shot("ports", { ...wide, after: listening });
await shot("phone-ports", { size: phone, open: cart, after: listening, scheme: "dark" });
/** What a session changed, in the workbench. */
const changes = async (page) => {
  await page.getByRole("button", { name: "Workbench" }).first().waitFor();
  await page.keyboard.press("Control+Shift+G");
  await page.locator(".diff-row").first().waitFor();
  await page.locator(".changed-file", { hasText: "pricing/total.ts" }).getByRole("button").first().click();
  await page.locator(".said").first().waitFor();
};
const review = { ...wide, story: "review" };
await shot("workbench", { ...review, after: changes });
await shot("workbench-dark", { ...review, after: changes, scheme: "dark" });
await shot("workbench-narrow", { ...review, size: { width: 1000, height: 860 }, after: changes });
await shot("phone-workbench", { ...review, size: phone, after: changes });
await shot("commit", {
  ...review,
  after: async (page) => {
    await changes(page);
    await page.getByRole("button", { name: "Commit…" }).click();
  },
});
/** A window of 1280 pixels at 200 %, and half a screen. */
const narrow = {
  zoom: { size: { width: 640, height: 430 }, scale: 2 },
  half: { size: { width: 700, height: 860 } },
};
for (const [name, how] of Object.entries(narrow))
  for (const scheme of ["light", "dark"]) {
    const ending = scheme === "dark" ? "-dark" : "";
    const look = (place, more) => shot(`${name}-${place}${ending}`, { ...how, scheme, ...more });
    await look("chat", { open: cart });
    await look("approval", { open: /Release build on CI/ });
    await look("new-session", { after: newSession });
    await look("settings", { after: settings });
    await look("overview", { story: "crowd", drawer: false });
  }
await shot("phone-approval", { size: phone, open: /Release build on CI/, scheme: "dark" });
await browser.close();
