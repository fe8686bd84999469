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

const atWordStart = (text: string, at: number) => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1]!);

/**
 * How well the words of `query` are found in `text`; undefined when one is not. A word is found as a part of the text or
 * as beginnings of its words in order ("ns" is "New session"): letters strewn anywhere are no match.
 */
export function fuzzy(query: string, text: string): number | undefined {
  const hay = text.toLowerCase();
  let score = 0;
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === "") continue;
    const found = wordScore(word, hay);
    if (found === undefined) return undefined;
    score += found;
  }
  return score - text.length * 0.01;
}

function wordScore(word: string, hay: string): number | undefined {
  for (let at = hay.indexOf(word); at >= 0; at = hay.indexOf(word, at + 1))
    if (atWordStart(hay, at)) return at === 0 ? 12 : 10;
  if (hay.includes(word)) return 6;
  return beginnings(word, hay, 0) ? 4 : undefined;
}

/** Every letter follows the one before it or begins a word. */
function beginnings(word: string, hay: string, from: number): boolean {
  if (word === "") return true;
  for (let at = hay.indexOf(word[0]!, from); at >= 0; at = hay.indexOf(word[0]!, at + 1)) {
    if (!atWordStart(hay, at)) continue;
    let length = 1;
    while (length < word.length && hay[at + length] === word[length]) length++;
    for (; length > 0; length--) if (beginnings(word.slice(length), hay, at + length)) return true;
  }
  return false;
}

export function rank<T>(query: string, items: readonly T[], text: (item: T) => string): T[] {
  if (query.trim() === "") return [...items];
  return items
    .map((item) => ({ item, score: fuzzy(query, text(item)) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => b.score! - a.score!)
    .map(({ item }) => item);
}
