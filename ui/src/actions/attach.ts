// Putting something beside a message that is being written: pictures, and texts that are too long to stand in it.
import { kImageTypes } from "../images";
import { lineCount, tooLarge } from "../size";
import type { App } from "../state/app";
import type { DraftAttachment } from "../state/types";
import { takesText, upload } from "./attachments";

/** A picture as such, everything else as text. */
export async function attachFile(app: App, sessionId: string, file: File): Promise<void> {
  const { imageBytes } = app.link.limits.peek();
  if (kImageTypes.includes(file.type)) {
    const problem = sizeProblem(file.size, imageBytes, "image");
    const url = URL.createObjectURL(file);
    return add(app, sessionId, { kind: "image", name: file.name || "image", url, problem }, file);
  }
  const problem = textProblem(app, sessionId, file.size);
  const text = problem ? "" : await decoded(file);
  if (problem || text === undefined) {
    const why = problem ?? `${file.name} is neither an image nor text in UTF-8.`;
    return add(app, sessionId, { kind: "text", name: file.name, bytes: file.size, problem: why }, file);
  }
  return attachText(app, sessionId, text, file.name);
}

export function attachPasted(app: App, sessionId: string, text: string): Promise<void> {
  const used = app.drafts
    .attachments(sessionId)
    .map(({ name }) => Number(/^pasted-(\d+)\.txt$/.exec(name)?.[1] ?? 0));
  return attachText(app, sessionId, text, `pasted-${Math.max(0, ...used) + 1}.txt`);
}

function attachText(app: App, sessionId: string, text: string, name: string): Promise<void> {
  const source = new Blob([text], { type: "text/plain;charset=utf-8" });
  const problem = textProblem(app, sessionId, source.size);
  const lines = lineCount(text);
  return add(app, sessionId, { kind: "text", name, bytes: source.size, lines, problem }, source);
}

function textProblem(app: App, sessionId: string, size: number): string | undefined {
  const { textBytes, promptBytes } = app.link.limits.peek();
  if (!takesText(app, sessionId))
    return `This agent takes no attached texts. A message may have ${Math.floor(promptBytes / 1024 / 1024)} MiB at most.`;
  return size === 0 ? "There is nothing in it." : sizeProblem(size, textBytes, "text");
}

async function decoded(file: Blob): Promise<string | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

const sizeProblem = (size: number, most: number, what: string): string | undefined =>
  size > most ? tooLarge(size, most, what) : undefined;

async function add(
  app: App,
  sessionId: string,
  what: Omit<DraftAttachment, "key" | "problem"> & { problem: string | undefined },
  source: Blob,
): Promise<void> {
  const { problem, ...rest } = what;
  const one: DraftAttachment = { key: crypto.randomUUID(), ...rest, ...(problem ? { problem } : { source }) };
  app.drafts.attach(sessionId, one);
  if (!problem) await upload(app, sessionId, one);
}
