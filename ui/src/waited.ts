// How long a turn has waited for the user. Pure.
import type { Item } from "./wire";

/** In milliseconds, until `now`. Two questions that were open at the same time are waited for once. */
export function waited(items: readonly Item[], turnId: string, now: number): number {
  let [sum, until] = [0, 0];
  for (const item of items) {
    if (item.type !== "approval" || item.turnId !== turnId) continue;
    const ended = item.answeredAt ?? item.endedAt;
    const to = ended === undefined ? now : Date.parse(ended);
    sum += Math.max(0, to - Math.max(until, Date.parse(item.startedAt)));
    until = Math.max(until, to);
  }
  return sum;
}
