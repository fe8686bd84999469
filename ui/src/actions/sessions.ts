// What the user can do with a session or a project as a whole.
import type { App } from "../state/app";
import { sessionLink } from "../state/address";
import type { Project, SessionInfo } from "../wire";
import { ask } from "./ask";

export const renameSession = (app: App, sessionId: string, title: string) =>
  ask(app, { type: "session:rename", sessionId, title });
export const stopProcess = (app: App, sessionId: string) => ask(app, { type: "session:kill", sessionId });

export async function archiveSession(app: App, sessionId: string, archived: boolean): Promise<void> {
  if (!(await ask(app, { type: "session:archive", sessionId, archived }))) return;
  if (archived) {
    app.forgetSessions([sessionId]);
    app.toasts.add("info", "Archived.", {
      label: "Undo",
      run: () => void archiveSession(app, sessionId, false),
    });
  } else {
    app.sessions.leaveArchive(sessionId);
    for (const project of app.projects.list.peek()) void app.list(project.projectId);
  }
}

export function deleteSession(app: App, sessionId: string, title: string): void {
  app.nav.openDialog({
    kind: "confirm",
    title: `Delete “${title}”?`,
    action: "Delete",
    text: "The conversation is removed from Liminal Builder for good.",
    run: () => {
      app.sessions.deleting.add(sessionId);
      void ask(app, { type: "session:delete", sessionId }).then((done) => {
        if (done) {
          app.forgetSessions([sessionId]);
          app.outbox.takeAll(sessionId);
          app.drafts.clear(sessionId);
        }
        app.sessions.deleting.delete(sessionId);
      });
    },
  });
}

/** As the server calls the file: in the letters of the title where it has others than ASCII. */
export function fileName(disposition: string): string | undefined {
  const whole = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  return whole ? decodeURIComponent(whole) : /filename="([^"]+)"/.exec(disposition)?.[1];
}

export async function exportSession(app: App, sessionId: string, format: "md" | "json"): Promise<void> {
  try {
    const file = await app.api.file(`/api/session/${sessionId}/export?format=${format}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file.blob);
    link.download = fileName(file.disposition) ?? `conversation.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    app.toasts.report(error);
  }
}

/** Where the browser forbids copying, as on a page without TLS, the text is shown to be taken by hand. */
async function copy(app: App, what: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    app.toasts.add("info", `${what} copied.`);
  } catch {
    app.toasts.add("error", `The browser does not allow copying here. ${what}: ${text}`);
  }
}
export const copySessionLink = (app: App, sessionId: string) => copy(app, "Link", sessionLink(sessionId));
export const copySessionId = (app: App, sessionId: string) => copy(app, "Session id", sessionId);
export const copyPath = (app: App, path: string) => copy(app, "Path", path);

/** Opens an archived session for reading, without bringing it back. */
export function readArchived(app: App, info: SessionInfo): void {
  app.sessions.put(info);
  app.nav.navigate({ page: "session", sessionId: info.sessionId });
}

export async function showArchive(app: App): Promise<void> {
  app.nav.navigate({ page: "archived" });
  const lists = await Promise.all(
    app.projects.list
      .peek()
      .map(({ projectId }) =>
        app.api.call("GET /api/session/list", { projectId, archived: true }).catch(() => ({ sessions: [] })),
      ),
  );
  app.sessions.setArchived(
    lists.flatMap((list) => list.sessions).sort((a, b) => b.lastActiveAt.localeCompare(a.lastActiveAt)),
  );
}

export function removeProject(app: App, { name, projectId }: Project): void {
  app.nav.openDialog({
    kind: "confirm",
    title: `Remove ${name}?`,
    action: "Remove",
    text: "Its tabs close. No file and no conversation is deleted: add the folder again and everything is back.",
    run: () => void ask(app, { type: "project:remove", projectId }),
  });
}
