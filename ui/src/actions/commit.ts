// Committing what an agent did.
import type { Answered } from "../api";
import type { App } from "../state/app";

/** Throws what the server says; git's words where a hook refuses. */
export const commit = (
  app: App,
  sessionId: string,
  paths: string[],
  message: string,
): Promise<Answered<"POST /api/session/{sessionId}/commit">> =>
  app.api.call("POST /api/session/{sessionId}/commit", { sessionId, paths, message });
