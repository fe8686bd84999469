// What the composer offers while typing: slash commands at the start, project files after an @. Pure.
import { fuzzy } from "./fuzzy";

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

export function rank<T>(query: string, items: readonly T[], text: (item: T) => string): T[] {
  if (query.trim() === "") return [...items];
  return items
    .map((item) => ({ item, score: fuzzy(query, text(item)) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => b.score! - a.score!)
    .map(({ item }) => item);
}
