// What goes with a message.
import type { App } from "../state/app";
import { isTemporary } from "../state/temporary";
import type { Attached, DraftAttachment } from "../state/types";

/** Whether the agent of a session takes texts beside the message. One that has not said so yet is asked by sending. */
export function takesText(app: App, sessionId: string): boolean {
  const cliType = app.sessions.nameOf(sessionId)?.cliType ?? "";
  return app.agents.of(cliType)?.takesText !== false;
}

/** As it goes with a message. */
export const attachedOf = ({ attachmentId, name, kind, bytes, lines }: DraftAttachment): Attached => ({
  attachmentId: attachmentId!,
  name,
  kind,
  ...(kind === "text" ? { bytes, lines } : {}),
});

/**
 * To the server, before anything is sent. Can be tried again: what it comes from is kept until then. What goes with the
 * first message of a session waits here for the session to be made.
 */
export async function upload(app: App, sessionId: string, { key, source }: DraftAttachment): Promise<void> {
  if (!source || isTemporary(sessionId)) return;
  app.drafts.changeAttached(sessionId, key, { problem: undefined });
  try {
    const { attachmentId } = await app.api.upload<{ attachmentId: string }>(
      `/api/session/${sessionId}/attachment`,
      source,
    );
    app.drafts.changeAttached(sessionId, key, { attachmentId, source: undefined });
  } catch (error) {
    app.drafts.changeAttached(sessionId, key, { problem: (error as Error).message });
  }
}
