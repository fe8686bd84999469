// Everything a user can ask the page for, once. The palette, the keys, the menus, the buttons and the sheet of keys read it.
import { openDraft } from "../actions/unmade";
import { nextQuestion } from "../actions/reading";
import { cancelTurn } from "../actions/running";
import { narrow } from "../narrow";
import type { App } from "../state/app";
import type { Theme } from "../state/types";
import type { SessionInfo } from "../wire";
import { info, seldom, type Command, type Subject } from "./command";
import type { MoreRows } from "./more_rows";
import { sessionRows } from "./session_rows";

export type { Command, Subject } from "./command";

const opens =
  (kind: "palette" | "add-project" | "search" | "shortcuts" | "messages" | "switcher") => (app: App) =>
    app.nav.openDialog({ kind });
const goes = (page: "home" | "inbox" | "workspaces" | "settings" | "audit") => (app: App) =>
  app.nav.navigate({ page });
const theme = (value: Theme, label: string): Command => ({
  label: `Theme: ${label}`,
  icon: "gear",
  run: (app) => app.prefs.set("theme", value),
});
const digit = (event: KeyboardEvent | undefined) => Number(event?.code.slice(-1));
const isWorking = ({ activity }: SessionInfo) => activity === "working" || activity === "needs-approval";

const table = {
  palette: {
    label: "Command palette",
    keys: ["Ctrl", "K"],
    run: opens("palette"),
  },
  "new-session": {
    label: "New session",
    icon: "plus",
    keys: ["Ctrl", "Alt", "N"],
    orKeys: ["N"],
    run: (app, { projectId }) => openDraft(app, projectId),
  },
  "add-project": {
    label: "Add project",
    icon: "folder",
    run: opens("add-project"),
  },
  search: {
    label: "Search all conversations",
    icon: "search",
    keys: ["Ctrl", "Shift", "F"],
    run: opens("search"),
  },
  home: {
    label: "Overview",
    icon: "list",
    keys: ["Ctrl", "Alt", "H"],
    run: goes("home"),
  },
  question: {
    label: "Go to the question that waits",
    icon: "question",
    keys: ["Ctrl", "Alt", "A"],
    run: (app) =>
      void nextQuestion(app).then((found) => {
        if (!found) app.toasts.add("info", "Nobody waits for you.");
      }),
  },
  inbox: {
    label: "Inbox",
    inPalette: "Open inbox",
    icon: "inbox",
    keys: ["Ctrl", "Alt", "I"],
    run: goes("inbox"),
  },
  workspaces: {
    label: "Workspaces",
    inPalette: "Workspaces: the worktrees of all sessions",
    icon: "branch",
    run: goes("workspaces"),
  },
  archived: {
    label: "Archived sessions",
    icon: "archive",
    run: (app) => seldom(app, (acts) => acts.showArchive(app)),
  },
  settings: { label: "Settings", icon: "gear", run: goes("settings") },
  audit: { label: "Logins and audit trail", icon: "list", run: goes("audit") },
  messages: {
    label: "Messages",
    inPalette: "Messages of this page",
    icon: "alert",
    run: opens("messages"),
  },
  shortcuts: {
    label: "This sheet",
    inPalette: "Keyboard shortcuts",
    icon: "question",
    keys: ["?"],
    run: opens("shortcuts"),
  },
  sidebar: {
    label: "Show or hide the sidebar",
    keys: ["Ctrl", "Alt", "B"],
    run: (app) =>
      narrow.matches
        ? app.nav.showDrawer(!app.nav.drawer.peek())
        : app.prefs.set("sidebarHidden", !app.prefs.sidebarHidden.peek()),
  },
  "theme-light": theme("light", "light"),
  "theme-dark": theme("dark", "dark"),
  "theme-system": theme("system", "as the system"),

  "go-to-tab": {
    label: "Tab 1 to 9 (or Alt)",
    keys: ["Ctrl", "1…9"],
    orKeys: ["Alt", "1…9"],
    run: (app, _about, event) => {
      const sessionId = app.nav.row.peek()[digit(event) - 1];
      if (sessionId) app.nav.navigate({ page: "session", sessionId });
    },
  },
  "step-tab": {
    label: "Next or previous tab",
    keys: ["Ctrl", "Alt", "→ ←"],
    run: (app, _about, event) => app.nav.step(event?.key === "ArrowLeft" ? -1 : 1),
  },
  "close-tab": {
    label: "Close tab",
    inPalette: "Close this tab",
    icon: "close",
    keys: ["Ctrl", "Alt", "W"],
    when: (_app, { sessionId }) => sessionId !== undefined,
    run: (app, { sessionId }) => app.closeTabs([sessionId!]),
  },
  switch: {
    label: "Go to another session, the last one first",
    inPalette: "Switch session",
    icon: "list",
    keys: ["Ctrl", "E"],
    run: opens("switcher"),
  },
  write: {
    label: "Write a message",
    keys: ["/"],
    run: () => document.querySelector<HTMLElement>(".composer textarea")?.focus(),
  },
  stop: {
    label: "Stop the running turn",
    icon: "stop",
    keys: ["Esc"],
    when: (app, about) => {
      const session = info(app, about);
      return session !== undefined && app.nav.session.peek() === session.sessionId && isWorking(session);
    },
    run: (app, { sessionId }) => void cancelTurn(app, sessionId!),
  },
  "step-prompt": {
    label: "Jump between your messages",
    keys: ["Alt", "↑ ↓"],
    when: (app) => app.reading.stepPrompt !== undefined,
    run: (app, _about, event) => app.reading.stepPrompt?.(event?.key === "ArrowUp" ? -1 : 1),
  },
  answer: {
    // Not Ctrl+Alt, which types braces and the like on many keyboards: nobody may answer by writing.
    label: "Answer the question on screen",
    keys: ["Alt", "Shift", "1…9"],
    run: (app, _about, event) => {
      // A key that is held must not answer the next question as well.
      if (!event?.repeat) seldom(app, (acts) => acts.answerOnScreen(app, digit(event)));
    },
  },

  ...sessionRows,

  "copy-path": {
    label: "Copy path",
    icon: "copy",
    when: (app, about) => pathOf(app, about) !== undefined,
    run: (app, about) => seldom(app, (acts) => acts.copyPath(app, pathOf(app, about)!)),
  },
  "remove-project": {
    label: "Remove project…",
    icon: "trash",
    danger: true,
    when: (app, about) => project(app, about) !== undefined,
    run: (app, about) => seldom(app, (acts) => acts.removeProject(app, project(app, about)!)),
  },
} satisfies Record<string, Command>;

function project(app: App, { projectId }: Subject) {
  return projectId === undefined ? undefined : app.projects.of(projectId);
}
/** Of a folder that the command is about. */
function pathOf(app: App, about: Subject): string | undefined {
  return (project(app, about) ?? app.workspaces.of(about.workspaceId))?.path;
}

export type CommandId = keyof typeof table | keyof MoreRows;
/** Those of `more_rows.ts` are there once their code is: nobody offers them before. */
export const commands = table as Partial<Record<CommandId, Command>> as Record<CommandId, Command>;
export const commandIds = Object.keys(table) as CommandId[];
export function addCommands(rows: Record<keyof MoreRows, Command>): void {
  Object.assign(commands, rows);
  commandIds.push(...(Object.keys(rows) as CommandId[]));
}

/** What commands are about when nobody says: the tab in front. */
export const inFront = (app: App): Subject => ({ sessionId: app.nav.tabs.peek().active });

export function available(app: App, id: CommandId, about: Subject = inFront(app)): boolean {
  const command: Command | undefined = commands[id];
  return command !== undefined && (command.when?.(app, about) ?? true);
}

/** Does it, if that can be done now. */
export function run(app: App, id: CommandId, about: Subject = inFront(app), event?: KeyboardEvent): boolean {
  if (!available(app, id, about)) return false;
  commands[id].run(app, about, event);
  return true;
}
