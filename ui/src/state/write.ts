import type { ReadonlySignal, Signal } from "@preact/signals";

/** Parts of the state give their signals out read-only and change them with this. For them alone: views call their functions. */
export function write<T>(target: ReadonlySignal<T>, value: T): void {
  (target as Signal<T>).value = value;
}
