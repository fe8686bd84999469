// What the user says to an agent: prompts, what is queued, answers.
import { batch } from "@preact/signals";
import { WireError } from "../api";
import type { App } from "../state/app";
import type { Attached } from "../state/types";
import type { Approval, ApprovalAnswer, Message } from "../wire";
import { ask } from "./ask";
import { startSession } from "./create";

export function sendMessage(
  app: App,
  sessionId: string,
  content: string,
  attachments: Attached[] = [],
  how: { steer?: boolean } = {},
): void {
  if (app.sessions.creating.peek().get(sessionId)?.draft) void startSession(app, content);
  else app.outbox.add(sessionId, content, attachments, how);
}

/** Sends the prompt of a failed turn again. */
export function sendAgain(app: App, sessionId: string, { content, attachments }: Message): void {
  sendMessage(
    app,
    sessionId,
    content,
    attachments?.map(({ mimeType, ...rest }) => ({
      ...rest,
      kind: mimeType.startsWith("text/") ? "text" : "image",
    })),
  );
}

/** Takes a message back that was not sent: its words and what goes with them are in the composer again. */
export function editUnsent(app: App, clientMessageId: string): void {
  const entry = app.outbox.take(clientMessageId);
  if (!entry) return;
  const { sessionId, content, attachments } = entry;
  batch(() => {
    app.drafts.add(sessionId, content);
    for (const { kind = "image", name = kind, ...rest } of attachments)
      app.drafts.attach(sessionId, { key: crypto.randomUUID(), kind, name, ...rest });
    app.nav.navigate({ page: "session", sessionId });
  });
}

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

/**
 * Answers an approval as it was shown: if it changed meanwhile, the server refuses and the new one is on screen. Gives back
 * why it was refused, for its card to say.
 */
export const answerApproval = (app: App, { sessionId, itemId, rev }: Approval, answer: ApprovalAnswer) =>
  app.link.request({ type: "session:answer", sessionId, itemId, rev, ...answer }).then(
    () => undefined,
    (error: Error) => error.message,
  );
