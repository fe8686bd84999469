// Finding one's way in conversations: older pages, one item, the question that waits.
import type { App } from "../state/app";

const kJumpMs = 15_000;
const kPollMs = 20;

export async function loadOlder(app: App, sessionId: string, count = 300): Promise<void> {
  const before = app.timelines.of(sessionId).before.peek();
  if (before === undefined) return;
  await app.link.request({ type: "session:page", sessionId, before, count }).catch(() => {});
}

/** Brings an item on screen, loading older pages until it is there. */
export async function jumpTo(app: App, sessionId: string, itemId: string): Promise<void> {
  app.nav.navigate({ page: "session", sessionId });
  const timeline = app.timelines.of(sessionId);
  const deadline = Date.now() + kJumpMs;
  while (!timeline.loaded.peek() && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, kPollMs));
  while (!timeline.item(itemId) && timeline.before.peek() !== undefined && Date.now() < deadline)
    await loadOlder(app, sessionId, 1000);
  app.nav.navigate({ page: "session", sessionId, itemId });
}

/** The question that waits longest, of this session first; false when nobody waits. */
export async function nextQuestion(app: App): Promise<boolean> {
  const { active } = app.nav.tabs.peek();
  const waiting = app.inbox.waiting.peek();
  const next = waiting.find((entry) => entry.sessionId === active) ?? waiting[0];
  if (next) await jumpTo(app, next.sessionId, next.item.itemId);
  return next !== undefined;
}

/** The question of a session, or the session when it was answered meanwhile. */
export async function openQuestion(app: App, sessionId: string): Promise<void> {
  const waiting = app.inbox.of(sessionId);
  if (waiting) await jumpTo(app, sessionId, waiting.item.itemId);
  else app.nav.navigate({ page: "session", sessionId });
}
