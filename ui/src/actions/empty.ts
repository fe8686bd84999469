// Sessions that nobody ever said anything in.
import { emptyOnes } from "../glance";
import type { App } from "../state/app";

/** Deletes sessions in which nothing was ever said. The server is asked about each: a title alone does not tell. */
export async function removeEmpty(app: App, ids: readonly string[]): Promise<void> {
  const removed: string[] = [];
  for (const sessionId of ids) {
    try {
      const said = await app.api.call("GET /api/session/{sessionId}/timeline", { sessionId, tail: 1 });
      if (said.entries.length + said.turns.length > 0) continue;
      app.sessions.deleting.add(sessionId);
      await app.link.request({ type: "session:delete", sessionId });
      removed.push(sessionId);
    } catch (error) {
      app.toasts.report(error);
      break;
    } finally {
      app.sessions.deleting.delete(sessionId);
    }
  }
  app.forgetSessions(removed);
  if (removed.length > 0) app.toasts.add("info", `${emptyOnes(removed.length)} removed.`);
}
