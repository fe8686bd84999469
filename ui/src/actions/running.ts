// What is changed in a running session.
import type { App } from "../state/app";
import { ask } from "./ask";

export const setMode = (app: App, sessionId: string, mode: string) =>
  ask(app, { type: "session:mode", sessionId, mode });
export const setModel = (app: App, sessionId: string, model: string) =>
  ask(app, { type: "session:model", sessionId, model });
export const setThinking = (app: App, sessionId: string, thinking: string) =>
  ask(app, { type: "session:thinking", sessionId, thinking });
export const reconnect = (app: App, cliType: string) => ask(app, { type: "session:reconnect", cliType });
/** The user has seen how this session ended, without opening it. */
export const dismissFailure = (app: App, sessionId: string) => ask(app, { type: "session:read", sessionId });
export const cancelTurn = (app: App, sessionId: string) => ask(app, { type: "session:cancel", sessionId });
