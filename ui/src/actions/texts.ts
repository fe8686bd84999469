// A text that goes, or went, with a message: to be read, and to be put into the message after all.
import type { App } from "../state/app";

export const readText = (app: App, sessionId: string, attachmentId: string) =>
  app.api.text(`/api/session/${sessionId}/attachment/${attachmentId}`);

/** An attached text becomes words of the message that is being written. */
export function insertText(app: App, sessionId: string, attachmentId: string, text: string): void {
  const one = app.drafts.attachments(sessionId).find((entry) => entry.attachmentId === attachmentId);
  if (one) app.drafts.detach(sessionId, one.key);
  app.drafts.add(sessionId, text);
}
