// What a command is, and how one is made that is about a session, a workspace or a turn.
import type { App } from "../state/app";
import { dialogs, fetchDialogs } from "../views/later";
import type { IconName } from "../views/icons";
import type { SessionInfo, Workspace } from "../wire";

/** What a command is about: the session in front, or the one whose menu was opened; a project, a workspace, a turn. */
export interface Subject {
  sessionId?: string;
  projectId?: string;
  workspaceId?: string;
  turnId?: string;
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
export type Look = Omit<Command, "run" | "when">;

export const info = (app: App, { sessionId }: Subject): SessionInfo | undefined =>
  sessionId === undefined ? undefined : app.sessions.of(sessionId)?.peek();

/** A command about a session that the server has. */
export function ofSession(
  look: Look,
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

const workspace = (app: App, about: Subject): Workspace | undefined =>
  app.workspaces.of(about.workspaceId ?? info(app, about)?.workspaceId);

/** A command about a worktree that we made: by itself, or as that of a session. */
export function ofWorkspace(
  look: Look,
  run: (app: App, workspace: Workspace) => unknown,
  when: (workspace: Workspace) => boolean,
): Command {
  return {
    ...look,
    when: (app, about) => {
      const found = workspace(app, about);
      return found !== undefined && !found.foreign && when(found);
    },
    run: (app, about) => void run(app, workspace(app, about)!),
  };
}

type Acts = NonNullable<typeof dialogs.module.value>["acts"];
/** What is done seldom: its code comes with that of the dialogs, and is usually there. */
export function seldom(app: App, act: (acts: Acts) => unknown): void {
  const code = dialogs.module.peek();
  if (code)
    act(code.acts); // Without a pause: a browser lets nobody copy who was not just pressed.
  else void fetchDialogs(app).then((fetched) => fetched && act(fetched.acts));
}
