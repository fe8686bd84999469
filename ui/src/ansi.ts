// Terminal output for the page: which of it is text, and where its style changes. Every other escape sequence is dropped.
// Linear in the text.

const ESC = "\u001b";

/** `onText`: a piece of text; `onStyle`: the parameters of an SGR sequence, which holds for what follows. */
export function scan(
  input: string,
  onText: (text: string) => void,
  onStyle: (parameters: string) => void = () => {},
): void {
  const text = settleLines(input);
  let from = 0;
  const flush = (to: number) => {
    if (to > from) onText(text.slice(from, to));
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
      if (text[end - 1] === "m") onStyle(text.slice(begin, end - 1));
      from = end;
    } else if ("]PX^_".includes(text[at + 1] ?? " ")) {
      from = endOfString(text, at + 2);
    } else {
      from = Math.min(text.length, at + 2);
    }
  }
  flush(text.length);
}

/** Without colours and everything else that only a terminal understands. */
export function plainText(input: string): string {
  let plain = "";
  scan(input, (text) => {
    plain += text;
  });
  return plain;
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
