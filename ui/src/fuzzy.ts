// How well typed words fit a text. Pure.
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
