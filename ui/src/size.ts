// How large something is for the server, which counts bytes of UTF-8.
import { bytes } from "./format";
import type { Limits } from "./wire";

/** Of a server that does not tell its own. */
export const usualLimits: Limits = {
  messageBytes: 1024 * 1024,
  promptBytes: 1024 * 1024,
  imageBytes: 20 * 1024 * 1024,
};

/** Beside the text a message has its type, ids and the names of its attachments. */
const kAroundPrompt = 4096;

export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

/** More than this, so that "1.0 MiB, and 1 MiB is the most" is never said. */
const exact = (n: number) => `${n.toLocaleString("en")} bytes`;

export function tooLarge(size: number, most: number): string {
  const [has, may] = [bytes(size), bytes(most)];
  return has === may
    ? `This message is too large: it has ${exact(size)}, and ${exact(most)} are the most.`
    : `This message is too large: it has ${has}, and ${may.replace(".0 ", " ")} is the most.`;
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
