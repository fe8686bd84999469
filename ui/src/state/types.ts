// The shapes of what the page knows beside the server's own.
import type { Approval, SessionInfo, SessionStatus } from "../wire";

export type Theme = "system" | "light" | "dark";
export type TextSize = "small" | "medium" | "large" | "huge";
export type Density = "comfortable" | "compact";

/** Something with a name on screen that can be gone to. `itemId`: brought into view and marked there. */
export type Place =
  | { page: "home" | "inbox" | "archived" | "settings" }
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
  at: string;
}
export interface Waiting {
  sessionId: string;
  title: string;
  item: Approval;
}
export interface DraftImage {
  key: string;
  name: string;
  /** To look at it; one that was taken back from a message has none. */
  url?: string;
  attachmentId?: string;
  problem?: string;
}
export interface Scroll {
  offset: number;
  following: boolean;
  sizes: unknown[];
}
export type Known = Pick<SessionStatus, "modes" | "models" | "thinkingLevels">;

export type Dialog =
  | { kind: "add-project" }
  | { kind: "new-session"; projectId?: string }
  | { kind: "rename"; sessionId: string }
  | { kind: "palette"; query?: string }
  | { kind: "search"; query?: string }
  | { kind: "shortcuts" }
  | { kind: "messages" }
  | { kind: "unsent" }
  | { kind: "confirm"; title: string; text: string; action: string; run: () => void };

/** What a tab shows of its session before the server has said anything: kept with the tabs. */
export type TabName = Pick<SessionInfo, "title" | "cliType">;
