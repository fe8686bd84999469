// A list of which only the visible part exists. Sizes are measured; the reader's place is kept while things change above.
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";

export interface VirtualOptions {
  count: number;
  keyOf(index: number): string;
  estimate(index: number): number;
  scroller(): HTMLElement | null;
  /** Whether the end is followed when the reader is there. */
  following: boolean;
  initial?: { offset: number; sizes: unknown[] };
  onChange?(list: Virtualizer<HTMLElement, HTMLElement>): void;
}

/** Within this many pixels of the end the list counts as being at its end, and follows. */
export const kEndThreshold = 48;

/** Begin at the end without drawing the beginning first. */
function estimatedEnd(options: VirtualOptions): number {
  let sum = 0;
  for (let index = 0; index < options.count; index++) sum += options.estimate(index);
  return sum;
}

/** Sizes of rows that are long gone: the library keeps every key it ever measured, which in hours of streaming adds up. */
function forgetSizes(list: Virtualizer<HTMLElement, HTMLElement>, { count, keyOf }: VirtualOptions): void {
  const sizes = (list as unknown as { itemSizeCache?: Map<unknown, number> }).itemSizeCache;
  if (!sizes || sizes.size < 4 * count + 1000) return;
  const there = new Set<unknown>(Array.from({ length: count }, (_, index) => keyOf(index)));
  for (const key of sizes.keys()) if (!there.has(key)) sizes.delete(key);
}

export function useVirtual(options: VirtualOptions): Virtualizer<HTMLElement, HTMLElement> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const latest = useRef(options);
  latest.current = options;
  const list = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
  const all = {
    count: options.count,
    getItemKey: options.keyOf,
    estimateSize: options.estimate,
    getScrollElement: options.scroller,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 6,
    anchorTo: "end" as const,
    followOnAppend: true,
    scrollEndThreshold: options.following ? kEndThreshold : -1, // No distance from the end is that small.
    paddingStart: 24,
    paddingEnd: 24,
    initialOffset: options.initial?.offset ?? (() => estimatedEnd(options)),
    initialMeasurementsCache: (options.initial?.sizes ?? []) as VirtualItem[],
    onChange: (instance: Virtualizer<HTMLElement, HTMLElement>) => {
      latest.current.onChange?.(instance);
      redraw(undefined as never);
    },
  };
  list.current ??= new Virtualizer(all);
  list.current.setOptions(all);
  forgetSizes(list.current, options);
  useLayoutEffect(() => list.current!._didMount(), []);
  useLayoutEffect(() => list.current!._willUpdate());
  useEffect(() => {
    redraw(undefined as never);
  }, []);
  return list.current;
}
