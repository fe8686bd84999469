// Everything a user can ask the page for, once. The palette, the keys, the menus, the buttons and the sheet of keys read it.
import { openDraft } from "../actions/unmade";
import { removeProject } from "../actions/projects";
import { nextQuestion } from "../actions/reading";
import {
  archiveSession,
  cancelTurn,
  copyPath,
  copySessionId,
  copySessionLink,
  deleteSession,
  exportSession,
  forkSession,
  showArchive,
  stopProcess,
} from "../actions/sessions";
import { narrow } from "../narrow";
import type { App } from "../state/app";
import { titleOf } from "../state/tabs";
import type { Theme } from "../state/types";
import type { IconName } from "../views/icons";
import type { SessionInfo } from "../wire";
import { answerOnScreen } from "./answer";

/** What a command is about: the session in front, or the one whose menu was opened; a project. */
export interface Subject {
  sessionId?: string;
  projectId?: string;
}

export interface Command {
  /** In menus, on buttons and on the sheet of keys. */
  label: string;
  /** Where nothing around it says what it is about; the same as `label` if left out. */
  inPalette?: string;
  /** More about it, for whoever points at it. */
  title?: string;
  icon?: IconName;
  /** "1…9", "→ ←" and "↑ ↓" are any of these; `run` looks which. Ctrl is also the command key. */
  keys?: readonly string[];
  /** Other keys for the same. */
  orKeys?: readonly string[];
  danger?: boolean;
  when?: (app: App, about: Subject) => boolean;
  run: (app: App, about: Subject, event?: KeyboardEvent) => void;
}

const info = (app: App, { sessionId }: Subject): SessionInfo | undefined =>
  sessionId === undefined ? undefined : app.sessions.of(sessionId)?.peek();

/** A command about a session that the server has. */
function ofSession(
  look: Omit<Command, "run" | "when">,
  run: (app: App, sessionId: string, info: SessionInfo) => unknown,
  when: (info: SessionInfo, app: App) => boolean = () => true,
): Command {
  return {
    ...look,
    when: (app, about) => {
      const session = info(app, about);
      return session !== undefined && when(session, app);
    },
    run: (app, about) => void run(app, about.sessionId!, info(app, about)!),
  };
}

const opens =
  (kind: "palette" | "add-project" | "search" | "shortcuts" | "messages" | "switcher") => (app: App) =>
    app.nav.openDialog({ kind });
const goes = (page: "home" | "inbox" | "settings" | "audit") => (app: App) => app.nav.navigate({ page });
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
  archived: { label: "Archived sessions", icon: "archive", run: (app) => void showArchive(app) },
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
      if (!event?.repeat) answerOnScreen(app, digit(event));
    },
  },

  rename: ofSession({ label: "Rename", inPalette: "Rename this session", icon: "edit" }, (app, sessionId) =>
    app.nav.openDialog({ kind: "rename", sessionId }),
  ),
  pin: ofSession(
    {
      label: "Pin",
      inPalette: "Pin this session",
      title: "Keeps it first in the list and among the tabs, in this browser",
      icon: "pin",
    },
    (app, id) => app.nav.pin(id, true),
    ({ sessionId }, app) => !app.nav.pinned.peek().includes(sessionId),
  ),
  unpin: ofSession(
    { label: "Unpin", inPalette: "Unpin this session", icon: "pin" },
    (app, id) => app.nav.pin(id, false),
    ({ sessionId }, app) => app.nav.pinned.peek().includes(sessionId),
  ),
  fork: ofSession({ label: "Fork", icon: "fork" }, forkSession),
  "copy-link": ofSession(
    { label: "Copy link", inPalette: "Copy link to this session", icon: "link" },
    copySessionLink,
  ),
  "copy-id": ofSession({ label: "Copy session id", icon: "copy" }, copySessionId),
  "export-md": ofSession(
    { label: "Export as Markdown", inPalette: "Export this session as Markdown", icon: "file" },
    (app, id) => exportSession(app, id, "md"),
  ),
  "export-json": ofSession({ label: "Export as JSON", icon: "file" }, (app, id) =>
    exportSession(app, id, "json"),
  ),
  "stop-process": ofSession({ label: "Stop process", icon: "stop" }, stopProcess),
  archive: ofSession(
    { label: "Archive", inPalette: "Archive this session", icon: "archive" },
    (app, id) => archiveSession(app, id, true),
    ({ archived }) => !archived,
  ),
  "bring-back": ofSession(
    { label: "Bring back", inPalette: "Bring this session back", icon: "archive" },
    (app, id) => archiveSession(app, id, false),
    ({ archived }) => archived,
  ),
  delete: ofSession({ label: "Delete…", icon: "trash", danger: true }, (app, id, session) =>
    deleteSession(app, id, titleOf(session)),
  ),

  "copy-path": {
    label: "Copy path",
    icon: "copy",
    when: aboutProject,
    run: (app, about) => void copyPath(app, project(app, about)!.path),
  },
  "remove-project": {
    label: "Remove project…",
    icon: "trash",
    danger: true,
    when: aboutProject,
    run: (app, about) => removeProject(app, project(app, about)!),
  },
} satisfies Record<string, Command>;

function project(app: App, { projectId }: Subject) {
  return projectId === undefined ? undefined : app.projects.of(projectId);
}
function aboutProject(app: App, about: Subject): boolean {
  return project(app, about) !== undefined;
}

export type CommandId = keyof typeof table;
export const commands: Readonly<Record<CommandId, Command>> = table;
export const commandIds = Object.keys(table) as CommandId[];

/** What commands are about when nobody says: the tab in front. */
export const inFront = (app: App): Subject => ({ sessionId: app.nav.tabs.peek().active });

export function available(app: App, id: CommandId, about: Subject = inFront(app)): boolean {
  return commands[id].when?.(app, about) ?? true;
}

/** Does it, if that can be done now. */
export function run(app: App, id: CommandId, about: Subject = inFront(app), event?: KeyboardEvent): boolean {
  if (!available(app, id, about)) return false;
  commands[id].run(app, about, event);
  return true;
}
