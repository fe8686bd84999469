// How large something is for the server, which counts bytes of UTF-8.
import { bytes } from "./format";
import type { Limits } from "./wire";

/** Of a server that does not tell its own. */
export const usualLimits: Limits = {
  messageBytes: 1024 * 1024,
  promptBytes: 1024 * 1024,
  imageBytes: 20 * 1024 * 1024,
  textBytes: 5 * 1024 * 1024,
};

/** Beside the text a message has its type, ids and the names of its attachments. */
const kAroundPrompt = 4096;

/** A paste above this is no longer something one wants to see in the line that one writes in. */
const kLargePaste = 10_000;
export const isLargePaste = (text: string): boolean => text.length > kLargePaste;

export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

const exact = (n: number) => `${n.toLocaleString("en")} bytes`;

/** Where both would read the same, to the byte. */
export function tooLarge(size: number, most: number, what = "message"): string {
  const [has, may] = [bytes(size), bytes(most)];
  return has === may
    ? `This ${what} is too large: it has ${exact(size)}, and ${exact(most)} are the most.`
    : `This ${what} is too large: it has ${has}, and ${may.replace(".0 ", " ")} is the most.`;
}

/** As an editor counts them: what ends with a line break has no line behind it. */
export function lineCount(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines + (text === "" || text.endsWith("\n") ? 0 : 1);
}

/** Why a prompt with these words would be refused; nothing while they fit. Cheap for what anybody types. */
export function promptProblem(text: string, { messageBytes, promptBytes }: Limits): string | undefined {
  // A character is six bytes at most: "\u0001" in JSON.
  if (text.length * 6 <= Math.min(messageBytes - kAroundPrompt, promptBytes)) return undefined;
  const size = utf8Bytes(text);
  if (size > promptBytes) return tooLarge(size, promptBytes);
  const written = utf8Bytes(JSON.stringify(text)) + kAroundPrompt;
  return written > messageBytes ? tooLarge(written, messageBytes) : undefined;
}
