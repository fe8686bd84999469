// A list that does not move under the hand.
import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SessionInfo } from "../../wire";

/** For so long after a press or a key what moves was asked for. Browsers count 500 ms as that. */
const kHandMs = 400;

/**
 * Whether rows may take other places now: just after a press or a key anywhere in the page, and while nobody sees it. Who only
 * watches sees each row change where it stands.
 */
export function useHand(): ReadonlySignal<boolean> {
  const recent = useSignal(false);
  const hidden = useSignal(document.hidden);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hand = (event: Event) => {
      // Letters are for a field, and come one after the other.
      const letter = event instanceof KeyboardEvent && event.key.length === 1;
      if (letter && !event.ctrlKey && !event.altKey && !event.metaKey) return;
      recent.value = true;
      clearTimeout(timer);
      timer = setTimeout(() => {
        recent.value = false;
      }, kHandMs);
    };
    const seen = () => {
      hidden.value = document.hidden;
    };
    const kinds = ["pointerdown", "click", "keydown"];
    kinds.forEach((kind) => addEventListener(kind, hand, true));
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearTimeout(timer);
      kinds.forEach((kind) => removeEventListener(kind, hand, true));
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
  return useComputed(() => recent.value || hidden.value);
}

/**
 * The rows as they were, as long as they are held: whoever is about to press a row presses that row. What is new stands behind the others, except what was made in this window; what left is gone.
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
