// What can be done with changes: take them back, open them in an editor.
import { signal } from "@preact/signals";
import type { FileEntry } from "../review/entry";
import type { Review } from "../review/review";
import type { Range } from "../review/unified";
import { visible } from "../reveal";
import { grouped } from "../review/numbers";
import type { App } from "../state/app";
import type { ChangesBody } from "../wire";
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

const lines = (n: number, what: string) => `${grouped(n)} ${what} ${n === 1 ? "line" : "lines"}`;
/** "removes 7 added lines, restores 3 deleted lines" */
const effect = (added: number, deleted: number) =>
  [added > 0 && `removes ${lines(added, "added")}`, deleted > 0 && `restores ${lines(deleted, "deleted")}`]
    .filter(Boolean)
    .join(", ");

/** Which lines a change is about: those that are there now, or those that went. */
export function placeOf({ oldStart, oldLines, newStart, newLines }: Range): string {
  const [side, start, count] = newLines > 0 ? ["", newStart, newLines] : ["old ", oldStart, oldLines];
  return count === 1 ? `${side}line ${start}` : `${side}lines ${start}–${start + count - 1}`;
}

export function discardFile(review: Review, entry: FileEntry): void {
  const body = review.body.peek();
  if (!body) return;
  const { status, added, deleted } = entry.info;
  const path = visible(entry.info.path);
  const how = status === "modified" ? effect(added, deleted) : "";
  review.app.nav.openDialog({
    kind: "confirm",
    title: "Discard the changes in this file?",
    action: "Discard",
    text: `${words[entry.info.status](path)}${how === "" ? "" : ` This ${how}.`} You can undo it.`,
    run: () => void discard(review, entry, body),
  });
}

/** One run of changed lines. */
export function discardChange(review: Review, entry: FileEntry, range: Range): void {
  const body = review.body.peek();
  const path = visible(entry.info.path);
  if (!body) return;
  // These lines are of an older content: in the file as it is now they may be others.
  if (entry.isStale)
    return review.app.toasts.add("info", `${path} has just changed. Look at it again first.`);
  review.app.nav.openDialog({
    kind: "confirm",
    title: "Discard this change?",
    action: "Discard",
    text: `In ${path}, ${placeOf(range)}: ${effect(range.newLines, range.oldLines)}. You can undo it.`,
    run: () => void discard(review, entry, body, range),
  });
}

/** With what the user saw when he decided. */
async function discard(
  review: Review,
  entry: FileEntry,
  { from, oid }: ChangesBody,
  hunk?: Range,
): Promise<void> {
  const { app, session } = review;
  const { path } = entry.info;
  const what = visible(path) + (hunk ? `, ${placeOf(hunk)}` : "");
  try {
    const { undoId } = await app.api.call("POST /api/session/{sessionId}/discard", {
      sessionId: session,
      path,
      from,
      oid,
      ...(hunk ? { hunk } : {}),
    });
    app.toasts.add("info", `Discarded: ${what}.`, {
      label: "Undo",
      run: () => void undo(review, undoId, what),
    });
  } catch (error) {
    app.toasts.report(named(error));
  }
  await review.refresh();
}

async function undo(review: Review, undoId: string, what: string): Promise<void> {
  const { app, session } = review;
  try {
    await app.api.call("POST /api/session/{sessionId}/rewind/undo", { sessionId: session, undoId });
    app.toasts.add("info", `Brought back: ${what}.`);
  } catch (error) {
    app.toasts.report(named(error));
  }
  await review.refresh();
}
