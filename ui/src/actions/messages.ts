// What the user says to an agent: prompts, what is queued, answers, pictures.
import { effect } from "@preact/signals";
import type { App } from "../state/app";
import type { Approval, ApprovalAnswer, AttachmentRef, Message } from "../wire";
import { ask } from "./ask";

export function sendMessage(
  app: App,
  sessionId: string,
  content: string,
  attachments: AttachmentRef[] = [],
): void {
  app.outbox.add(sessionId, content, attachments);
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

export const cancelTurn = (app: App, sessionId: string) => ask(app, { type: "session:cancel", sessionId });
/** `null` removes the message. */
export const editQueued = (app: App, sessionId: string, turnId: string, content: string | null) =>
  ask(app, { type: "session:queue", sessionId, turnId, content });
export const resumeQueue = (app: App, sessionId: string) =>
  ask(app, { type: "session:queue", sessionId, resume: true });

/** A refusal that ends its turn does so at once, on a busy machine too. What ends later was ended for another reason. */
const kEndsTurnMs = 30_000;

/**
 * Sends words that belong to a refusal as the next message. Some agents end the turn on a refusal, and a turn that was cut
 * holds what is queued; these words were meant for exactly this moment, so that nobody has to release them. Other messages
 * that wait too keep waiting for the user.
 */
export function sendAfterRefusal(app: App, sessionId: string, words: string): void {
  const timeline = app.timelines.of(sessionId);
  sendMessage(app, sessionId, words);
  if (!timeline.loaded.peek()) void app.timelines.open(timeline);
  let released = false;
  const stop = effect(() => {
    const queued = timeline.turnOrder.value
      .map((id) => timeline.turn(id)!.value)
      .filter((turn) => turn.type === "turn_queued");
    if (released || queued.length !== 1 || !queued[0]!.held || queued[0]!.content !== words) return;
    released = true;
    void resumeQueue(app, sessionId);
  });
  setTimeout(() => {
    stop();
    if (!app.nav.tabs.peek().ids.includes(sessionId)) app.timelines.close(sessionId);
  }, kEndsTurnMs);
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
