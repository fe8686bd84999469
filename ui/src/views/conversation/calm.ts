// What has just come under the reader's hand takes no answer yet: a second press was meant for what stood there before.
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** Longer than the second press of a double one takes, shorter than reading. */
export const calm = { ms: 400 };

/** A question went, and those below it moved up. */
const moved = signal(false);
let settles: ReturnType<typeof setTimeout> | undefined;

function move(): void {
  if (calm.ms === 0) return;
  moved.value = true;
  clearTimeout(settles);
  settles = setTimeout(() => {
    moved.value = false;
  }, calm.ms);
}

/** Whether this question has not been where it is for long enough to be answered. */
export function useFresh(): boolean {
  const [fresh, setFresh] = useState(calm.ms > 0);
  useEffect(() => {
    const timer = setTimeout(() => setFresh(false), calm.ms);
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(() => move, []);
  return fresh || (calm.ms > 0 && moved.value);
}
