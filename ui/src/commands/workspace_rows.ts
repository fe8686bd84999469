// What can be done with a worktree of a session.
import type { App } from "../state/app";
import type { Workspace } from "../wire";
import { ofWorkspace, seldom, type Command } from "./command";

const isThere = ({ state, missing }: Workspace) => state === "ready" && !missing;
const onBranch = (workspace: Workspace) => isThere(workspace) && workspace.branch !== undefined;
/** Lands in a branch: what was made from a tag or a commit has nowhere to go. The server knows which it is. */
const canLand = (workspace: Workspace) => onBranch(workspace) && workspace.baseRef !== undefined;

const asks =
  (kind: "land" | "pull-request" | "run-setup" | "remove-workspace") =>
  (app: App, { workspaceId }: Workspace) =>
    app.nav.openDialog({ kind, workspaceId });
const opensIn = (name: string) =>
  ofWorkspace(
    { label: `Open in ${name}`, inPalette: `Open this session's worktree in ${name}`, icon: "edit" },
    (app, { path }) => seldom(app, (acts) => acts.openFolder(path, name)),
    isThere,
  );

export const workspaceRows = {
  land: ofWorkspace(
    { label: "Land…", inPalette: "Land the branch of this session…", icon: "land" },
    asks("land"),
    canLand,
  ),
  push: ofWorkspace(
    { label: "Push", inPalette: "Push the branch of this session", icon: "send" },
    (app, workspace) => seldom(app, (acts) => acts.push(app, workspace)),
    onBranch,
  ),
  "pull-request": ofWorkspace(
    {
      label: "Push and open pull request…",
      inPalette: "Push the branch of this session and open a pull request…",
      icon: "send",
    },
    asks("pull-request"),
    onBranch,
  ),
  "open-vscode": opensIn("VS Code"),
  "open-cursor": opensIn("Cursor"),
  "open-zed": opensIn("Zed"),
  "run-setup": ofWorkspace(
    { label: "Run setup…", inPalette: "Run the setup commands of this worktree…", icon: "terminal" },
    asks("run-setup"),
    (workspace) => isThere(workspace) && ["unconfirmed", "failed"].includes(workspace.setup),
  ),
  "restore-workspace": ofWorkspace(
    { label: "Restore worktree", inPalette: "Restore the worktree of this session", icon: "retry" },
    (app, workspace) => seldom(app, (acts) => acts.restore(app, workspace)),
    ({ state, missing }) => state === "removed" || (state === "ready" && missing === true),
  ),
  "remove-workspace": ofWorkspace(
    {
      label: "Remove worktree…",
      inPalette: "Remove the worktree of this session…",
      icon: "trash",
      danger: true,
    },
    asks("remove-workspace"),
    ({ state }) => state === "ready" || state === "failed",
  ),
} satisfies Record<string, Command>;
