// Messages that wait for the running turn.
import { WireError } from "../api";
import type { App } from "../state/app";
import { ask } from "./ask";

/** `null` removes the message. */
export const editQueued = (app: App, sessionId: string, turnId: string, content: string | null) =>
  ask(app, { type: "session:queue", sessionId, turnId, content });
/** Only what is attached is left of it; where nothing is, the server refuses. */
export const emptyQueued = (app: App, sessionId: string, turnId: string) =>
  app.link.request({ type: "session:queue", sessionId, turnId, content: "" }).then(
    () => true,
    (error: Error) => {
      const bare = error instanceof WireError && error.code === "INVALID_REQUEST";
      const words = "Nothing is attached to this message: it needs words. It can be removed instead.";
      app.toasts.add("error", bare ? words : error.message);
      return false;
    },
  );
export const resumeQueue = (app: App, sessionId: string) =>
  ask(app, { type: "session:queue", sessionId, resume: true });
