// Work for many parts of the page, some of them per frame: what is at the top changes at once, the rest before anyone looks.
import { useEffect, useReducer, useRef } from "preact/hooks";

/** How many parts change in one frame: few enough that it is not felt, many enough to fill a screen in a few. */
const kAtOnce = 4;

/**
 * Which value each part shows while `wanted` reaches them in turn, by its key; undefined for one that was not drawn yet.
 * A value that changes meanwhile begins at the top again.
 */
export function useInTurn<T>(wanted: T, keys: readonly string[]): (key: string) => T | undefined {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const state = useRef({ wanted, upTo: kAtOnce, shown: new Map<string, T>() }).current;
  if (state.wanted !== wanted) {
    state.wanted = wanted;
    state.upTo = kAtOnce;
  }
  for (const key of keys.slice(0, state.upTo)) state.shown.set(key, wanted);
  if (state.shown.size > 2 * keys.length + 16)
    for (const key of state.shown.keys()) if (!keys.includes(key)) state.shown.delete(key);
  useEffect(() => {
    if (state.upTo >= keys.length) return undefined;
    const frame = requestAnimationFrame(() => {
      state.upTo += kAtOnce;
      redraw(undefined as never);
    });
    return () => cancelAnimationFrame(frame);
  });
  return (key) => state.shown.get(key);
}
