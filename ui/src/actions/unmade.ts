// What was written and is not sent, or whose session could not be made: the words are never lost.
import { batch } from "@preact/signals";
import type { App } from "../state/app";
import { isTemporary } from "../state/temporary";
import type { DraftAttachment } from "../state/types";

/** Opens what is being written, in its tab. Nothing is made by that. */
export function openDraft(app: App, projectId?: string): void {
  if (app.projects.list.peek().length === 0) return app.nav.openDialog({ kind: "add-project" });
  const active = app.nav.session.peek();
  const here = active === undefined ? undefined : app.sessions.of(active)?.peek().projectId;
  batch(() => {
    const wanted = projectId ?? here;
    if (wanted !== undefined) app.start.setProject(wanted);
    app.nav.navigate({ page: "session", sessionId: app.start.id.peek() });
  });
  // Also where it was open already; after a dialog that gives the focus back to what opened it.
  if (!matchMedia("(pointer: coarse)").matches)
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".composer textarea")?.focus());
}

/** After a reload nobody waits for a session any more that was being made: its tab goes, its words stay. */
export function forgetUnmade(app: App): void {
  const left = [
    ...app.nav.tabs.peek().ids,
    ...app.outbox.entries.peek().map((entry) => entry.sessionId),
    ...Object.keys(app.drafts.texts.peek()),
  ];
  for (const id of new Set(left)) if (isTemporary(id) && id !== app.start.id.peek()) abandon(app, id, []);
}

/** The session is not made: its tab goes, and what was written is where the next one is written. */
export function abandon(app: App, temporary: string, held: readonly DraftAttachment[]): void {
  const draft = app.start.id.peek();
  batch(() => {
    for (const { content } of app.outbox.takeAll(temporary)) app.drafts.add(draft, content);
    app.drafts.add(draft, app.drafts.take(temporary));
    for (const one of shown(held)) app.drafts.attach(draft, one);
    app.closeTabs([temporary]);
    app.sessions.endCreating(temporary);
  });
}

/** With their pictures again, which went when the message was sent. */
export const shown = (held: readonly DraftAttachment[]) =>
  held.map((one) => (one.kind === "image" ? { ...one, url: URL.createObjectURL(one.source!) } : one));

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
