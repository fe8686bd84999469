// What the user can do with a worktree: bring its work home, look into it, be rid of it, have it back.
import { WireError, type Asked } from "../api";
import { editors } from "../editors";
import type { App } from "../state/app";
import { titleOf } from "../state/tabs";
import type { Inventory, Workspace } from "../wire";

type How = Omit<Asked<"POST /api/workspace/{workspaceId}/land">, "workspaceId">;
export const land = (app: App, { workspaceId }: Workspace, how: How) =>
  app.api.call("POST /api/workspace/{workspaceId}/land", { workspaceId, ...how });

/** What its session is called, where it has one. */
export function titleIn(app: App, { sessionIds }: Workspace): string {
  const info = sessionIds.map((id) => app.sessions.of(id)?.peek()).find((found) => found);
  return info ? titleOf(info) : "";
}

export async function push(app: App, workspace: Workspace): Promise<void> {
  const { workspaceId, branch } = workspace;
  app.toasts.add("info", `Pushing ${branch}…`);
  try {
    const done = await app.api.call("POST /api/workspace/{workspaceId}/push", { workspaceId });
    app.toasts.add("info", `Pushed ${done.branch} to ${done.remote}.${done.said ? `\n${done.said}` : ""}`);
  } catch (error) {
    app.toasts.report(error, () => void push(app, workspace));
  }
}

export const openPullRequest = (
  app: App,
  { workspaceId }: Workspace,
  words: { title?: string; body?: string },
) => app.api.call("POST /api/workspace/{workspaceId}/push", { workspaceId, pullRequest: true, ...words });

/** The browser hands the address to the editor: on the machine that it runs on. */
export function openFolder(path: string, editor: string): void {
  const link = document.createElement("a");
  link.href = editors.find(({ name }) => name === editor)!.address(path, { path });
  link.rel = "noopener noreferrer";
  document.body.append(link);
  link.click();
  link.remove();
}

/** What the repository wants run in it, as it was where its branch began: the server runs no other. */
export const setupOf = async (app: App, { projectId, branch, baseOid }: Workspace) => {
  const base = baseOid ?? branch;
  const git = await app.api.call("GET /api/project/{projectId}/git", {
    projectId,
    ...(base === undefined ? {} : { base }),
  });
  return git.setup;
};
export const runSetup = (app: App, { workspaceId }: Workspace, setup: string) =>
  app.api.call("POST /api/workspace/{workspaceId}/setup", { workspaceId, setup });

export interface Shown {
  inventory: Inventory;
  hash: string;
}
/** Removes it if `confirm` is of what is in it now; else answers with that. */
export async function remove(app: App, workspace: Workspace, confirm?: string): Promise<Shown | "removed"> {
  const { workspaceId } = workspace;
  try {
    const more = confirm === undefined ? {} : { confirm };
    await app.api.call("POST /api/workspace/{workspaceId}/remove", { workspaceId, ...more });
  } catch (error) {
    const { inventory, inventoryHash } = error instanceof WireError ? error.detail : {};
    if (!inventory || inventoryHash === undefined) throw error;
    return { inventory, hash: inventoryHash };
  }
  const name = workspace.branch ?? workspace.path;
  app.toasts.add("info", `The worktree ${name} was removed. Its branch stays.`, {
    label: "Restore",
    run: () => void restore(app, workspace),
  });
  return "removed";
}

export async function restore(app: App, workspace: Workspace): Promise<void> {
  const { workspaceId } = workspace;
  try {
    const answer = await app.api.call("POST /api/workspace/{workspaceId}/restore", { workspaceId });
    app.workspaces.put(answer.workspace);
    app.toasts.add("info", `The worktree ${workspace.branch ?? workspace.path} is back.`);
  } catch (error) {
    app.toasts.report(error, () => void restore(app, workspace));
  }
}

/** Puts words into the message to a session that would settle what is in the way. Nothing is sent. */
export function askToMerge(app: App, sessionId: string, into: string, paths: readonly string[]): void {
  const files = paths.length > 0 ? ` There are conflicts in ${paths.join(", ")}.` : "";
  app.drafts.add(
    sessionId,
    `Merge the branch ${into} into this one and resolve the conflicts.${files} Then run the tests.`,
  );
  app.nav.navigate({ page: "session", sessionId });
}
