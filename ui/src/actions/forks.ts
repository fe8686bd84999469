// Going back: what a turn did to the files and to the conversation, and a message said in other words.
import { batch } from "@preact/signals";
import type { Asked } from "../api";
import type { App } from "../state/app";
import type { DraftAttachment } from "../state/types";
import type { Attachment, Message } from "../wire";
import { upload } from "./attachments";

/** `before`: it ends before this turn. */
async function makeFork(app: App, sessionId: string, before?: string): Promise<string | undefined> {
  try {
    const made = await app.link.request({
      type: "session:fork",
      sessionId,
      ...(before === undefined ? {} : { before }),
    });
    if (made.type !== "session:created") return undefined;
    await app.list(made.projectId);
    return made.sessionId;
  } catch (error) {
    app.toasts.report(error);
    return undefined;
  }
}

export async function forkSession(app: App, sessionId: string): Promise<void> {
  const made = await makeFork(app, sessionId);
  if (made !== undefined) app.nav.navigate({ page: "session", sessionId: made });
}

const promptOf = (app: App, sessionId: string, turnId: string): Message | undefined => {
  const item = app.timelines.known(sessionId)?.item(`${turnId}:user`)?.peek();
  return item?.type === "message" ? item : undefined;
};

/** What went with a message goes with the next one too: to another session, so that it is sent there anew. */
async function attachAgain(app: App, from: string, to: string, one: Attachment): Promise<void> {
  const { attachmentId, mimeType, bytes, lines } = one;
  const kind = mimeType.startsWith("text/") ? "text" : "image";
  const draft: DraftAttachment = {
    key: crypto.randomUUID(),
    kind,
    name: one.name ?? kind,
    ...(bytes === undefined ? {} : { bytes }),
    ...(lines === undefined ? {} : { lines }),
  };
  try {
    const found = await app.api.blob(`/api/session/${from}/attachment/${attachmentId}`);
    const source = found.slice(0, found.size, mimeType);
    const shown = kind === "image" ? { url: URL.createObjectURL(source) } : {};
    app.drafts.attach(to, { ...draft, source, ...shown });
    await upload(app, to, { ...draft, source });
  } catch (error) {
    app.drafts.attach(to, { ...draft, problem: (error as Error).message });
  }
}

/** Opens a fork with what was said at its end, to be changed and sent. */
function openWith(app: App, from: string, made: string, prompt: Message | undefined): void {
  batch(() => {
    if (prompt) app.drafts.set(made, prompt.content);
    app.nav.navigate({ page: "session", sessionId: made });
  });
  for (const one of prompt?.attachments ?? []) void attachAgain(app, from, made, one);
}

export async function editAgain(app: App, sessionId: string, turnId: string): Promise<void> {
  const prompt = promptOf(app, sessionId, turnId);
  const made = await makeFork(app, sessionId, turnId);
  if (made !== undefined) openWith(app, sessionId, made, prompt);
}

type How = Omit<Asked<"POST /api/session/{sessionId}/rewind">, "sessionId">;
export const lookBack = (app: App, sessionId: string, turnId: string) =>
  app.api.call("POST /api/session/{sessionId}/rewind", {
    sessionId,
    turnId,
    files: true,
    conversation: true,
    dryRun: true,
  });

const counted = (files: number) => (files === 1 ? "1 file" : `${files} files`);

/** Throws what the server says when it refuses; nothing was changed then. */
export async function rewind(app: App, sessionId: string, how: How): Promise<void> {
  const prompt = promptOf(app, sessionId, how.turnId);
  const done = await app.api.call("POST /api/session/{sessionId}/rewind", { sessionId, ...how });
  const { undoId, forkSessionId } = done;
  if (forkSessionId !== undefined) {
    const projectId = app.sessions.of(sessionId)?.peek().projectId;
    if (projectId !== undefined) await app.list(projectId);
    openWith(app, sessionId, forkSessionId, prompt);
  }
  const said = [
    how.files ? `Rewound ${counted(done.changes.length)}.` : "",
    forkSessionId === undefined ? "" : "This is a fork that ends before that turn.",
  ];
  app.toasts.add(
    "info",
    said.filter(Boolean).join(" "),
    undoId === undefined ? undefined : back(app, sessionId, undoId),
  );
}

const back = (app: App, sessionId: string, undoId: string) => ({
  label: "Undo",
  run: () => void undoRewind(app, sessionId, undoId),
});

async function undoRewind(app: App, sessionId: string, undoId: string): Promise<void> {
  try {
    const done = await app.api.call("POST /api/session/{sessionId}/rewind/undo", { sessionId, undoId });
    const again = done.undoId === undefined ? undefined : back(app, sessionId, done.undoId);
    app.toasts.add("info", `The rewind was undone: ${counted(done.changes.length)}.`, again);
  } catch (error) {
    app.toasts.report(named(error));
  }
}

/** With the files that it is about. */
export function named(error: unknown): Error {
  const paths = (error as { detail?: { paths?: string[] } }).detail?.paths ?? [];
  const said = error instanceof Error ? error.message : String(error);
  return new Error(paths.length > 0 ? `${said} ${paths.join(", ")}` : said);
}
