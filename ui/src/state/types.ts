// The shapes of what the page knows beside the server's own.
import type { Approval, AttachmentRef, SessionInfo, SessionStatus } from "../wire";

export type Theme = "system" | "light" | "dark";
export type TextSize = "small" | "medium" | "large" | "huge";
export type Density = "comfortable" | "compact";

/** Something with a name on screen that can be gone to. `itemId`: brought into view and marked there. */
export type Place =
  | { page: "home" | "inbox" | "workspaces" | "archived" | "settings" | "audit" }
  /** A session that the server does not have: whoever followed a link to it is told so. */
  | { page: "missing"; sessionId: string }
  | { page: "session"; sessionId: string; itemId?: string };
export type Page = Place["page"];

export interface Toast {
  id: number;
  kind: "error" | "info";
  text: string;
  action?: { label: string; run: () => void };
  at: string;
}
export interface Creating {
  cliType: string;
  projectId: string;
  /** Its first message is still being written: nobody makes it yet. */
  draft: boolean;
  /** It gets a worktree of its own. */
  worktree?: boolean;
}
export interface Waiting {
  sessionId: string;
  title: string;
  item: Approval;
}
/** What will go with a message. Without an `attachmentId` it is on its way to the server, or has a `problem`. */
export interface DraftAttachment {
  key: string;
  kind: "image" | "text";
  name: string;
  attachmentId?: string;
  problem?: string | undefined;
  /** Of an image, to look at it while this page lives. */
  url?: string;
  /** Of a text. */
  bytes?: number;
  lines?: number;
  /** What it is made from, until the server has it. */
  source?: Blob | undefined;
}
/** What goes with a message on its way; enough of it to be written anew. */
export type Attached = AttachmentRef & Pick<DraftAttachment, "bytes" | "lines"> & { kind?: "image" | "text" };
export interface Scroll {
  offset: number;
  following: boolean;
  sizes: unknown[];
}
export type Known = Pick<SessionStatus, "modes" | "models" | "thinkingLevels" | "commands">;

export type Dialog =
  | { kind: "add-project" }
  | { kind: "rename"; sessionId: string }
  | { kind: "palette"; query?: string }
  | { kind: "search"; query?: string }
  | { kind: "shortcuts" }
  | { kind: "messages" }
  | { kind: "unsent" }
  | { kind: "text"; name: string; sessionId: string; attachmentId: string }
  | { kind: "switcher" }
  | { kind: "land" | "pull-request" | "run-setup" | "remove-workspace"; workspaceId: string }
  | { kind: "rewind"; sessionId: string; turnId: string }
  | { kind: "overlaps" | "quick-open" | "commit"; sessionId: string }
  | { kind: "confirm"; title: string; text: string; action: string; run: () => void };

/** What a tab shows of its session before the server has said anything: kept with the tabs. */
export type TabName = Pick<SessionInfo, "title" | "cliType">;
