// Text in which nothing can hide: what is invisible, looks like a space or turns the direction of a line is shown. Pure.

/**
 * Controls but tab and newline, formats (zero width, bidi, tags), separators but the plain space, whatever a font may leave
 * out, private use, halves of pairs, and the blanks that Unicode counts as letters or signs.
 */
const kHidden =
  /(?![\t\n ])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]/gu;
/** A pictograph in its coloured form, and pictographs that are one: these show what they are. */
const kEmoji =
  /\p{Extended_Pictographic}\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;

const kJoiner = /(?<=(?!\p{Script=Latin})[\p{L}\p{M}])[\u200c\u200d](?=(?!\p{Script=Latin})[\p{L}\p{M}])/gu;

export interface Part {
  text: string;
  hidden: boolean;
}

/** `\u202e`, `\u{e0072}`: as they are written in most languages. */
export function escaped(char: string): string {
  const hex = char.codePointAt(0)!.toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

export const revealed = (text: string): Part[] => parts(text, [kEmoji]);

/** `fine`: what is no secret where it stands. */
function parts(text: string, fine: readonly RegExp[]): Part[] {
  const found: Part[] = [];
  const left = new Set<number>();
  for (const known of fine)
    for (const match of text.matchAll(known)) left.add(match.index + match[0].length - 1);
  let from = 0;
  for (const { 0: char, index } of text.matchAll(kHidden)) {
    if (left.has(index)) continue;
    if (index > from) found.push({ text: text.slice(from, index), hidden: false });
    found.push({ text: escaped(char), hidden: true });
    from = index + char.length;
  }
  if (from < text.length) found.push({ text: text.slice(from), hidden: false });
  return found;
}

const joined = (all: readonly Part[]): string => all.map((part) => part.text).join("");

/** The same as a plain text, for places that take no marks. */
export const visible = (text: string): string => joined(revealed(text));

/**
 * The title of a session, which people write: blanks of all kinds are blanks, and joiners stand where scripts that are
 * written joined need them. Whatever turns the line, or is there without being seen, is shown.
 */
export const titled = (text: string): string =>
  joined(parts(text.replace(/\p{Zs}/gu, " "), [kEmoji, kJoiner]));

const names: Readonly<Record<string, string>> = {
  "00a0": "no-break space",
  "00ad": "soft hyphen",
  "0000": "null",
  "000d": "carriage return",
  "001b": "escape",
  "061c": "Arabic letter mark",
  "200b": "zero width space",
  "200c": "zero width non-joiner",
  "200d": "zero width joiner",
  "200e": "left-to-right mark",
  "200f": "right-to-left mark",
  "202a": "left-to-right embedding",
  "202b": "right-to-left embedding",
  "202c": "end of a direction",
  "202d": "left-to-right override",
  "202e": "right-to-left override",
  "2060": "word joiner",
  "2066": "left-to-right isolate",
  "2067": "right-to-left isolate",
  "2068": "isolate",
  "2069": "end of an isolate",
  "2800": "blank braille pattern",
  "3000": "wide space",
  "3164": "Hangul filler",
  feff: "zero width no-break space",
};

/** What a character is that was shown as `escape`. */
export function nameOf(escape: string): string {
  const hex = escape.replace(/^\\u\{?|\}$/g, "");
  const code = Number.parseInt(hex, 16);
  if (code > 0xe0020 && code < 0xe007f) return `An invisible “${String.fromCodePoint(code - 0xe0000)}” (tag)`;
  const name = names[hex];
  return name === undefined ? "A character that would be invisible" : `An invisible character: ${name}`;
}

/** A text on one line: ends of lines are seen, runs of plain blanks are one. Other blanks are left for `revealed`. */
export const onOneLine = (text: string): string =>
  text
    .replace(/^[ \t\n]+|[ \t\n]+$/g, "")
    .replace(/[ \t]*\n[ \t\n]*/g, " ↵ ")
    .replace(/[ \t]+/g, " ");
