// What can be done with changes: take them back, open them in an editor.
import { signal } from "@preact/signals";
import type { FileEntry } from "../review/entry";
import type { Review } from "../review/review";
import type { Hunk } from "../review/unified";
import { visible } from "../reveal";
import type { App } from "../state/app";
import { named } from "./forks";

/** Whether the server opens an editor: asked once. */
const editor = signal<boolean | undefined>(undefined);
export function useEditor(app: App): boolean {
  if (editor.value === undefined) {
    editor.value = false;
    void app.api.call("GET /api/info", {}).then(
      (info) => {
        editor.value = (info as { editor?: boolean }).editor === true;
      },
      () => {
        editor.value = undefined;
      },
    );
  }
  return editor.value === true;
}

export async function openInEditor(
  app: App,
  sessionId: string,
  { path, line }: { path: string; line?: number },
): Promise<void> {
  try {
    await app.api.call("POST /api/session/{sessionId}/editor", {
      sessionId,
      path,
      ...(line === undefined ? {} : { line }),
    });
  } catch (error) {
    app.toasts.report(error);
  }
}

const words: Readonly<Record<FileEntry["info"]["status"], (path: string) => string>> = {
  added: (path) => `${path} is removed: it was not there before.`,
  deleted: (path) => `${path} comes back as it was.`,
  modified: (path) => `All changes in ${path} are taken back.`,
  renamed: (path) => `${path} is called what it was before, with the content that it had.`,
};

export function discardFile(review: Review, entry: FileEntry): void {
  const path = visible(entry.info.path);
  review.app.nav.openDialog({
    kind: "confirm",
    title: "Discard the changes in this file?",
    action: "Discard",
    text: `${words[entry.info.status](path)} You can undo it.`,
    run: () => void discard(review, entry),
  });
}

export function discardHunk(review: Review, entry: FileEntry, hunk: Hunk): void {
  const [came, went] = ["add", "del"].map((kind) => hunk.lines.filter((line) => line.kind === kind).length);
  review.app.nav.openDialog({
    kind: "confirm",
    title: "Discard this change?",
    action: "Discard",
    text: `In ${visible(entry.info.path)}, from line ${hunk.newStart}: ${came} lines that came go, ${went} lines that went come back. You can undo it.`,
    run: () => void discard(review, entry, hunk),
  });
}

async function discard(review: Review, entry: FileEntry, hunk?: Hunk): Promise<void> {
  const { app, session } = review;
  const body = review.body.peek();
  if (!body) return;
  const { path } = entry.info;
  try {
    const { undoId } = await app.api.call("POST /api/session/{sessionId}/discard", {
      sessionId: session,
      path,
      from: body.from,
      oid: body.oid,
      ...(hunk ? { hunk: rangeOf(hunk) } : {}),
    });
    app.toasts.add("info", hunk ? "The change was discarded." : `Discarded: ${visible(path)}.`, {
      label: "Undo",
      run: () => void undo(review, undoId),
    });
  } catch (error) {
    app.toasts.report(named(error));
  }
  await review.refresh();
}

const rangeOf = ({ oldStart, oldLines, newStart, newLines }: Hunk) => ({
  oldStart,
  oldLines,
  newStart,
  newLines,
});

async function undo(review: Review, undoId: string): Promise<void> {
  const { app, session } = review;
  try {
    await app.api.call("POST /api/session/{sessionId}/rewind/undo", { sessionId: session, undoId });
    app.toasts.add("info", "It is back.");
  } catch (error) {
    app.toasts.report(named(error));
  }
  await review.refresh();
}
