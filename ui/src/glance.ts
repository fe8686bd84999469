// Who works, who waits, who is done: one word for the state of a session, the same in every place. Pure.
import type { SessionInfo } from "./wire";

export type State = "needs" | "failed" | "working" | "done" | "quiet";

/** In the order in which they concern the user. */
export const states = ["needs", "failed", "working", "done"] as const;

/** "done" is an end that nobody has looked at yet. */
export function stateOf(info: Pick<SessionInfo, "activity" | "unread">): State {
  if (info.activity === "needs-approval") return "needs";
  if (info.activity === "failed") return "failed";
  if (info.activity === "working") return "working";
  return info.unread ? "done" : "quiet";
}

export const stateNames: Readonly<Record<State, string>> = {
  needs: "Needs you",
  failed: "Failed",
  working: "Working",
  done: "Done",
  quiet: "Recent",
};

export function countStates(sessions: readonly SessionInfo[]): Record<State, number> {
  const counts = { needs: 0, failed: 0, working: 0, done: 0, quiet: 0 };
  for (const info of sessions) counts[stateOf(info)]++;
  return counts;
}

/** "2 need you, 5 working, 1 done": what is not there is not said. */
export function summary(counts: Readonly<Record<State, number>>): string {
  const words: Record<(typeof states)[number], string> = {
    needs: counts.needs === 1 ? "needs you" : "need you",
    failed: "failed",
    working: "working",
    done: "done",
  };
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${words[state]}`)
    .join(", ");
}

/** Newest first. */
export function byAge(a: SessionInfo, b: SessionInfo): number {
  return a.lastActiveAt < b.lastActiveAt ? 1 : a.lastActiveAt > b.lastActiveAt ? -1 : 0;
}
