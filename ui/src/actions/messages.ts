// What the user says to an agent: prompts and answers.
import type { App } from "../state/app";
import type { Attached } from "../state/types";
import type { Approval, ApprovalAnswer, Message } from "../wire";
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

/**
 * Answers an approval as it was shown: if it changed meanwhile, the server refuses and the new one is on screen. Gives back
 * why it was refused, for its card to say.
 */
export const answerApproval = (app: App, { sessionId, itemId, rev }: Approval, answer: ApprovalAnswer) =>
  app.link.request({ type: "session:answer", sessionId, itemId, rev, ...answer }).then(
    () => undefined,
    (error: Error) => error.message,
  );
