// What can be done with one session, or with a turn of it.
import type { App } from "../state/app";
import { isEnded } from "../state/timeline";
import { titleOf } from "../state/tabs";
import type { SessionInfo, Turn } from "../wire";
import { info, ofSession, seldom, type Command, type Look, type Subject } from "./command";

/** The files are known as they were before it, and nobody works on it any more. */
export const canRewind = (turn: Turn): boolean =>
  turn.checkpoint === "made" && turn.origin === "user" && isEnded(turn);

/** A command about one turn; without one about the last turn of the session that it can be done with. */
function ofTurn(
  look: Look,
  run: (app: App, sessionId: string, turnId: string) => unknown,
  can: (turn: Turn) => boolean,
): Command {
  const find = (app: App, { sessionId, turnId }: Subject): string | undefined => {
    const timeline = app.timelines.known(sessionId ?? "");
    return timeline?.turnOrder.peek().findLast((id) => {
      const turn = timeline.turn(id)!.peek();
      return (turnId ?? id) === id && can(turn) && timeline.item(`${id}:user`) !== undefined;
    });
  };
  return {
    ...look,
    when: (app, about) => info(app, about) !== undefined && find(app, about) !== undefined,
    run: (app, about) => void run(app, about.sessionId!, find(app, about)!),
  };
}

const copy = (what: "copySessionLink" | "copySessionId") => (app: App, id: string) =>
  seldom(app, (acts) => acts[what](app, id));
const exportAs = (format: "md" | "json") => (app: App, id: string) =>
  seldom(app, (acts) => acts.exportSession(app, id, format));
const archive = (archived: boolean) => (app: App, id: string) =>
  seldom(app, (acts) => acts.archiveSession(app, id, archived));
const isPinned = ({ sessionId }: SessionInfo, app: App) => app.nav.pinned.peek().includes(sessionId);

export const sessionRows = {
  rename: ofSession({ label: "Rename", inPalette: "Rename this session", icon: "edit" }, (app, sessionId) =>
    app.nav.openDialog({ kind: "rename", sessionId }),
  ),
  pin: ofSession(
    {
      label: "Pin",
      inPalette: "Pin this session",
      title: "Keeps it first in the list and among the tabs, in this browser",
      icon: "pin",
    },
    (app, id) => app.nav.pin(id, true),
    (session, app) => !isPinned(session, app),
  ),
  unpin: ofSession(
    { label: "Unpin", inPalette: "Unpin this session", icon: "pin" },
    (app, id) => app.nav.pin(id, false),
    isPinned,
  ),
  fork: ofSession({ label: "Fork", icon: "fork" }, (app, id) =>
    seldom(app, (acts) => acts.forkSession(app, id)),
  ),
  overlaps: ofSession(
    { label: "Also changed by others…", inPalette: "Show who else changes the same files", icon: "alert" },
    (app, sessionId) => app.nav.openDialog({ kind: "overlaps", sessionId }),
    ({ overlaps }) => (overlaps?.length ?? 0) > 0,
  ),
  rewind: ofTurn(
    { label: "Rewind…", inPalette: "Rewind the last turn…", icon: "undo" },
    (app, sessionId, turnId) => app.nav.openDialog({ kind: "rewind", sessionId, turnId }),
    canRewind,
  ),
  "edit-again": ofTurn(
    { label: "Edit and send again", inPalette: "Edit the last message and send it again", icon: "edit" },
    (app, sessionId, turnId) => seldom(app, (acts) => acts.editAgain(app, sessionId, turnId)),
    ({ type }) => type !== "turn_queued",
  ),
  "copy-link": ofSession(
    { label: "Copy link", inPalette: "Copy link to this session", icon: "link" },
    copy("copySessionLink"),
  ),
  "copy-id": ofSession({ label: "Copy session id", icon: "copy" }, copy("copySessionId")),
  "export-md": ofSession(
    { label: "Export as Markdown", inPalette: "Export this session as Markdown", icon: "file" },
    exportAs("md"),
  ),
  "export-json": ofSession({ label: "Export as JSON", icon: "file" }, exportAs("json")),
  "stop-process": ofSession({ label: "Stop process", icon: "stop" }, (app, id) =>
    seldom(app, (acts) => acts.stopProcess(app, id)),
  ),
  archive: ofSession(
    { label: "Archive", inPalette: "Archive this session", icon: "archive" },
    archive(true),
    ({ archived }) => !archived,
  ),
  "bring-back": ofSession(
    { label: "Bring back", inPalette: "Bring this session back", icon: "archive" },
    archive(false),
    ({ archived }) => archived,
  ),
  delete: ofSession({ label: "Delete…", icon: "trash", danger: true }, (app, id, session) =>
    seldom(app, (acts) => acts.deleteSession(app, id, titleOf(session))),
  ),
} satisfies Record<string, Command>;
