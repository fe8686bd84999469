// What the composer offers while typing: slash commands at the start, project files after an @. Pure.

export interface Trigger {
  kind: "command" | "file";
  query: string;
  from: number;
  to: number;
}

/** The word at the cursor, if it asks for something. */
export function triggerAt(text: string, cursor: number): Trigger | undefined {
  const command = /^\/([\w:.-]*)$/.exec(text.slice(0, cursor));
  if (command) return { kind: "command", query: command[1]!, from: 0, to: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, cursor));
  if (file) return { kind: "file", query: file[1]!, from: cursor - file[1]!.length - 1, to: cursor };
  return undefined;
}

/** The text with the choice put in place of what was typed, and where the cursor goes. */
export function complete(text: string, trigger: Trigger, choice: string): { text: string; cursor: number } {
  const inserted = trigger.kind === "command" ? `/${choice} ` : `@${choice} `;
  return {
    text: text.slice(0, trigger.from) + inserted + text.slice(trigger.to).replace(/^ /, ""),
    cursor: trigger.from + inserted.length,
  };
}

/** Subsequence match with a score: starts of words and neighbours count more. Undefined when it does not match. */
export function fuzzy(query: string, text: string): number | undefined {
  const needle = query.toLowerCase();
  const hay = text.toLowerCase();
  let score = 0;
  let at = -1;
  for (const char of needle) {
    if (char === " ") continue;
    const next = hay.indexOf(char, at + 1);
    if (next < 0) return undefined;
    if (next === at + 1) score += 3;
    if (next === 0 || /[\s/_.:-]/.test(hay[next - 1]!)) score += 2;
    score -= Math.min(3, next - at - 1) * 0.2;
    at = next;
  }
  return score - text.length * 0.01;
}

export function rank<T>(query: string, items: readonly T[], text: (item: T) => string): T[] {
  if (query.trim() === "") return [...items];
  return items
    .map((item) => ({ item, score: fuzzy(query, text(item)) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => b.score! - a.score!)
    .map(({ item }) => item);
}
