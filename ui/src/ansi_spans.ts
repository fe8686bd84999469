// The colours of a terminal as classes. It comes with what shows the output of tools.
import { scan } from "./ansi";

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

export function toSpans(input: string): Span[] {
  const spans: Span[] = [];
  let style = plain;
  scan(
    input,
    (text) => add(spans, text, style),
    (parameters) => {
      style = sgr(style, parameters);
    },
  );
  return spans;
}

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
