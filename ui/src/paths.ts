// Files that an agent names: in links, in code, in its tools. Pure; whatever is not surely a file is left alone.

export interface Place {
  path: string;
  line?: number;
  column?: number;
}

const kMostChars = 1000;

/** Where a link leads when it leads to a file: `src/a.ts#L3`, `/home/ada/a.ts:3:7`, `file:///home/ada/a.ts`. */
export function placeOf(target: string): Place | undefined {
  const text = decoded(target).replace(/^file:\/\/(?:localhost)?(?=\/)/i, "");
  const place = atLine(text);
  if (/^[a-z][a-z0-9+.-]*:/i.test(place.path) || /^(?:\/\/|[#?]|$)/.test(place.path)) return undefined;
  // "localhost:3000" and "javascript:1" are no files.
  if (place.line !== undefined && !/[./]/.test(place.path)) return undefined;
  if (place.path.length > kMostChars || /[\0\r\n]/.test(place.path)) return undefined;
  return place;
}

/** A word in code that names a file: it has a folder or a line, and an ending. */
export function wordPlace(text: string): Place | undefined {
  if (text.length > 300) return undefined;
  const name = /^(?:~|\.{1,2})?\/?(?:[\w@.+-]+\/)*[\w@.+-]*\.[A-Za-z]\w{0,9}$/;
  const place = atLine(text);
  if (!name.test(place.path) || /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|gov|edu)\//.test(place.path))
    return undefined;
  return place.path.includes("/") || place.line !== undefined ? place : undefined;
}

/** Files in plain words: only with a folder, and a line or an ending in small letters. */
export function prosePlaces(text: string): { at: number; text: string; place: Place }[] {
  if (!text.includes("/") || text.length > 20_000) return [];
  return [
    ...text.matchAll(/(?<![^\s("'[])[\w~.@+/-]+\.[A-Za-z]\w{0,9}(?::\d+(?:[:-]\d+)?)?(?![\w/@:])/g),
  ].flatMap(({ 0: word, index }) => {
    const place = wordPlace(word);
    const sure = place?.path.includes("/") && (place.line !== undefined || /\.[a-z][a-z0-9]*$/.test(word));
    return place && sure ? [{ at: index, text: word, place }] : [];
  });
}

function atLine(text: string): Place {
  const mark = /(?:#L?(\d+)(?:C(\d+))?(?:-L?\d+(?:C\d+)?)?|:(\d+)(?::(\d+)|-\d+)?)$/.exec(text);
  if (!mark) return { path: text.replace(/#.*$/, "") };
  const line = Number(mark[1] ?? mark[3]);
  const column = mark[2] ?? mark[4];
  const path = text.slice(0, mark.index);
  return { path, line, ...(column !== undefined && { column: Number(column) }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
