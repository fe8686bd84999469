// A list that does not move under the hand.
import { useRef } from "preact/hooks";
import type { SessionInfo } from "../../wire";

/**
 * The rows as they were when a pointer or the focus came into the list, as long as it is there: whoever is about to press a
 * row presses that row. What is new stands behind the others, except what was made in this window; what left is gone.
 * Another `question` to the list, a filter or "show older", is a new list.
 */
export function useHeld(
  shown: readonly SessionInfo[],
  { held, all, mine, question }: Holding,
): readonly SessionInfo[] {
  const kept = useRef<{ question: unknown; ids: readonly string[] }>({ question, ids: [] });
  if (!held || kept.current.question !== question) {
    kept.current = { question, ids: shown.map((info) => info.sessionId) };
    return shown;
  }
  const now = holding(kept.current.ids, shown, { all, mine });
  kept.current = { question, ids: now.map((info) => info.sessionId) };
  return now;
}

interface Holding {
  held: boolean;
  /** Every row that there could be: one that is no longer shown by itself stays while it is held. */
  all: readonly SessionInfo[];
  mine: (sessionId: string) => boolean;
  question: unknown;
}

export function holding(
  before: readonly string[],
  shown: readonly SessionInfo[],
  { all, mine }: Pick<Holding, "all" | "mine">,
): SessionInfo[] {
  const known = new Map(all.map((info) => [info.sessionId, info]));
  const old = before.flatMap((id) => known.get(id) ?? []);
  const fresh = shown.filter((info) => !before.includes(info.sessionId));
  return [
    ...fresh.filter((info) => mine(info.sessionId)),
    ...old,
    ...fresh.filter((info) => !mine(info.sessionId)),
  ];
}
