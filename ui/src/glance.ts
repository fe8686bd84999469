// Who works, who waits, who is done: one word for the state of a session, the same in every place. Pure.
import type { SessionInfo } from "./wire";

export type State = "needs" | "failed" | "working" | "review" | "done" | "quiet";

/** In the order in which they concern the user. */
export const states = ["needs", "failed", "working", "review", "done"] as const;

/** "review": it changed files, and nobody said that these are read. "done" is an end that nobody has looked at yet. */
export function stateOf(info: Pick<SessionInfo, "activity" | "unread" | "needsReview">): State {
  if (info.activity === "needs-approval") return "needs";
  if (info.activity === "failed") return "failed";
  if (info.activity === "working") return "working";
  return info.needsReview ? "review" : info.unread ? "done" : "quiet";
}

/** Nothing was ever said in it: there is nothing to go back to. One that was made elsewhere has words that are not known yet. */
export const isEmpty = (
  info: Pick<SessionInfo, "title" | "discovered" | "activity" | "unread" | "needsReview">,
): boolean => info.title === "" && !info.discovered && stateOf(info) === "quiet";

export const emptyOnes = (count: number): string =>
  count === 1 ? "1 empty session" : `${count} empty sessions`;

export const stateNames: Readonly<Record<State, string>> = {
  needs: "Needs you",
  failed: "Failed",
  working: "Working",
  review: "Needs review",
  done: "Done",
  quiet: "Recent",
};

export function countStates(sessions: readonly SessionInfo[]): Record<State, number> {
  const counts = { needs: 0, failed: 0, working: 0, review: 0, done: 0, quiet: 0 };
  for (const info of sessions) counts[stateOf(info)]++;
  return counts;
}

/** "2 need you", "1 working". */
export function counted(state: (typeof states)[number], count: number): string {
  const words = {
    needs: count === 1 ? "needs you" : "need you",
    failed: "failed",
    working: "working",
    review: "to review",
    done: "done",
  };
  return `${count} ${words[state]}`;
}

/** "2 need you, 5 working, 1 done": what is not there is not said. */
export function summary(counts: Readonly<Record<State, number>>): string {
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => counted(state, counts[state]))
    .join(", ");
}

/** Newest first. */
export function byAge(a: SessionInfo, b: SessionInfo): number {
  return a.lastActiveAt < b.lastActiveAt ? 1 : a.lastActiveAt > b.lastActiveAt ? -1 : 0;
}

/** The sessions of each project that are not archived, newest first. A list that did not change stays the same object. */
export function listsOf(
  sessions: readonly SessionInfo[],
  before: ReadonlyMap<string, readonly SessionInfo[]>,
): ReadonlyMap<string, readonly SessionInfo[]> {
  const lists = new Map<string, SessionInfo[]>();
  for (const info of sessions) {
    if (info.archived) continue;
    const list = lists.get(info.projectId);
    if (list) list.push(info);
    else lists.set(info.projectId, [info]);
  }
  const kept = new Map<string, readonly SessionInfo[]>();
  for (const [projectId, list] of lists) {
    list.sort(byAge);
    const old = before.get(projectId);
    const same = old?.length === list.length && old.every((info, at) => info === list[at]);
    kept.set(projectId, same ? old : list);
  }
  return kept;
}
