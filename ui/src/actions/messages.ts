// What the user says to an agent: prompts, what is queued, answers, pictures.
import { batch } from "@preact/signals";
import type { App } from "../state/app";
import type { Approval, ApprovalAnswer, AttachmentRef, Message } from "../wire";
import { ask } from "./ask";

export function sendMessage(
  app: App,
  sessionId: string,
  content: string,
  attachments: AttachmentRef[] = [],
  how: { steer?: boolean } = {},
): void {
  app.outbox.add(sessionId, content, attachments, how);
}

/** Sends the prompt of a failed turn again. */
export function sendAgain(app: App, sessionId: string, { content, attachments }: Message): void {
  sendMessage(
    app,
    sessionId,
    content,
    attachments?.map(({ attachmentId, name }) => ({ attachmentId, name })),
  );
}

/** Takes a message back that was not sent: its words and pictures are in the composer again. */
export function editUnsent(app: App, clientMessageId: string): void {
  const entry = app.outbox.take(clientMessageId);
  if (!entry) return;
  const { sessionId, content, attachments } = entry;
  batch(() => {
    app.drafts.add(sessionId, content);
    for (const { attachmentId, name = "image" } of attachments)
      app.drafts.addImage(sessionId, { key: crypto.randomUUID(), name, attachmentId });
    app.nav.navigate({ page: "session", sessionId });
  });
}

export const cancelTurn = (app: App, sessionId: string) => ask(app, { type: "session:cancel", sessionId });
/** `null` removes the message. */
export const editQueued = (app: App, sessionId: string, turnId: string, content: string | null) =>
  ask(app, { type: "session:queue", sessionId, turnId, content });
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

export async function attachImage(app: App, sessionId: string, file: File): Promise<void> {
  const key = crypto.randomUUID();
  app.drafts.addImage(sessionId, { key, name: file.name || "image", url: URL.createObjectURL(file) });
  try {
    const path = `/api/session/${sessionId}/attachment`;
    const { attachmentId } = await app.api.upload<{ attachmentId: string }>(path, file);
    app.drafts.changeImage(sessionId, key, { attachmentId });
  } catch (error) {
    app.drafts.changeImage(sessionId, key, { problem: (error as Error).message });
  }
}
