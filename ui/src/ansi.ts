// Terminal output for the page: SGR colours become classes, every other escape sequence is dropped. Linear in the text.

export interface Span {
  text: string;
  classes: string;
}

interface Style {
  fg?: number;
  bg?: number;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}
const plain: Style = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};

/** The 16 named colours, for mapping 256 and true colours to the nearest one that has a class with enough contrast. */
const palette: readonly [number, number, number][] = [
  [0, 0, 0],
  [205, 49, 49],
  [13, 188, 121],
  [229, 229, 16],
  [36, 114, 200],
  [188, 63, 188],
  [17, 168, 205],
  [204, 204, 204],
  [102, 102, 102],
  [241, 76, 76],
  [35, 209, 139],
  [245, 245, 67],
  [59, 142, 234],
  [214, 112, 214],
  [41, 184, 219],
  [255, 255, 255],
];

const ESC = "\u001b";

export function toSpans(input: string): Span[] {
  const text = settleLines(input);
  const spans: Span[] = [];
  let style = plain;
  let from = 0;
  const flush = (to: number) => {
    if (to > from) add(spans, text.slice(from, to), style);
  };
  for (let at = nextControl(text, 0); at < text.length; at = nextControl(text, from)) {
    flush(at);
    const code = text.charCodeAt(at);
    if (code !== 0x1b && code !== 0x9b) {
      from = code >= 0x90 && isString(code) ? endOfString(text, at + 1) : at + 1;
      continue;
    }
    const csi = code === 0x9b || text[at + 1] === "[";
    if (csi) {
      const begin = code === 0x9b ? at + 1 : at + 2;
      const end = endOfCsi(text, begin);
      if (text[end - 1] === "m") style = sgr(style, text.slice(begin, end - 1));
      from = end;
    } else if ("]PX^_".includes(text[at + 1] ?? " ")) {
      from = endOfString(text, at + 2);
    } else {
      from = Math.min(text.length, at + 2);
    }
  }
  flush(text.length);
  return spans;
}

/** A progress bar rewrites its line: only what stands there in the end is shown. */
function settleLines(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1))
    .join("\n");
}

function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x0a && code !== 0x09) || (code >= 0x7f && code <= 0x9f)) return at;
  }
  return text.length;
}

function endOfCsi(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 0x20 && text.charCodeAt(at) <= 0x3f) at++;
  return Math.min(text.length, at + 1);
}

/** OSC, DCS, PM, APC, SOS: dropped with everything in them. Unterminated ones swallow no more than their line. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "\u0007" || char === "\u009c") return at + 1;
    if (char === ESC) return text[at + 1] === "\\" ? at + 2 : at;
    if (char === "\n") return at;
  }
  return text.length;
}
const isString = (code: number) =>
  code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f;

function sgr(old: Style, parameters: string): Style {
  if (!/^[\d;:]*$/.test(parameters)) return old;
  const codes = parameters.split(/[;:]/).map((part) => (part === "" ? 0 : Number(part)));
  let style = { ...old };
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i + 1);
      if (colour !== undefined) style = code === 38 ? { ...style, fg: colour } : { ...style, bg: colour };
      i += used;
    } else {
      style = simple(style, code);
    }
  }
  return style;
}

function simple(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 9:
      return { ...style, strike: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 29:
      return { ...style, strike: false };
    case 39:
      return { ...style, fg: undefined };
    case 49:
      return { ...style, bg: undefined };
    default:
      return style;
  }
}

function extended(codes: number[], at: number): [number | undefined, number] {
  if (codes[at] === 5) return [from256(codes[at + 1] ?? 0), 2];
  if (codes[at] === 2) return [nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4];
  return [undefined, codes.length];
}

function from256(index: number): number {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearest(grey, grey, grey);
  }
  const cube = index - 16;
  const level = (n: number) => (n === 0 ? 0 : 55 + n * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(r: number, g: number, b: number): number {
  let best = 0;
  let least = Infinity;
  palette.forEach(([pr, pg, pb], index) => {
    const distance = (pr - r) ** 2 + (pg - g) ** 2 + (pb - b) ** 2;
    if (distance < least) {
      least = distance;
      best = index;
    }
  });
  return best;
}

function add(spans: Span[], text: string, style: Style): void {
  const classes: string[] = [];
  if (style.fg !== undefined) classes.push(`ansi-fg-${style.fg}`);
  if (style.bg !== undefined) classes.push(`ansi-bg-${style.bg}`);
  for (const flag of ["bold", "dim", "italic", "underline", "strike", "inverse"] as const)
    if (style[flag]) classes.push(`ansi-${flag}`);
  const joined = classes.join(" ");
  const last = spans[spans.length - 1];
  if (last && last.classes === joined) last.text += text;
  else spans.push({ text, classes: joined });
}
