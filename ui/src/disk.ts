// Sizes on disk as people read them, and worktrees in the order in which they concern somebody. Pure.
import type { Workspace } from "./wire";

/** 640 kB, 48 MB, 1.2 GB. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  if (bytes < 1e9) return bytes < 1e7 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.round(bytes / 1e6)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

const rank = ({ state, foreign }: Workspace) => (state === "removed" ? 2 : foreign ? 1 : 0);

/** Ours first, then those of others, then what was removed; the newest first. */
export const inOrder = (workspaces: readonly Workspace[]): Workspace[] =>
  [...workspaces].sort((a, b) => rank(a) - rank(b) || b.createdAt.localeCompare(a.createdAt));

/** "Not used for weeks: 3 worktrees, 1.2 GB." Empty when there are none. */
export function unusedWords(old: readonly Workspace[]): string {
  if (old.length === 0) return "";
  const bytes = old.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  const count = old.length === 1 ? "1 worktree" : `${old.length} worktrees`;
  return `Not used for weeks: ${count}${bytes > 0 ? `, ${size(bytes)}` : ""}.`;
}

/** "2 commits ahead, 1 behind". */
export function aheadWords({ ahead = 0, behind = 0 }: Workspace): string {
  const front = ahead === 0 ? "" : ahead === 1 ? "1 commit ahead" : `${ahead} commits ahead`;
  const back = behind === 0 ? "" : `${behind}${front ? "" : behind === 1 ? " commit" : " commits"} behind`;
  return [front, back].filter(Boolean).join(", ");
}
