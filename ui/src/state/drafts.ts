// What is being written and was not sent: words, and what will go with them. Kept over reloads; other windows see it too.
import { batch, type ReadonlySignal } from "@preact/signals";
import type { Given } from "../questions";
import { goodIn, goodOf, isId, isNumber, isRecord, isString, shared } from "./stored";
import type { DraftAttachment } from "./types";
import { write } from "./write";

export const kDraftsKey = "lb.drafts";
export const kAttachedKey = "lb.attached";
export const kAnswersKey = "lb.answers";
/** More than anybody has begun; those of questions that were answered elsewhere are forgotten by it. */
const kMostAnswers = 50;
const kNone: readonly DraftAttachment[] = [];

/** An answer that was begun: what is said with it, what was ticked and written for each question. */
export interface HalfAnswer {
  note: string;
  given: Readonly<Record<string, Given>>;
}
const kNoAnswer: HalfAnswer = { note: "", given: {} };
interface Asked {
  sessionId: string;
  itemId: string;
}
const answerKey = ({ sessionId, itemId }: Asked) => `${sessionId}:${itemId}`;

export class Drafts {
  private readonly answers = shared(kAnswersKey, (found) => goodIn(found, isHalfAnswer), true);
  /** What is on its way to the server is known to one window only. */
  private readonly attached = shared(kAttachedKey, salvageAttached, false);
  /** By session. */
  readonly texts: ReadonlySignal<Readonly<Record<string, string>>> = shared(
    kDraftsKey,
    (found) => goodIn(found, isString),
    true,
  );

  set(id: string, text: string): void {
    const { [id]: _old, ...rest } = this.texts.peek();
    write(this.texts, text === "" ? rest : { ...rest, [id]: text });
  }

  /** Removes it and gives it back. */
  take(id: string): string {
    const text = this.texts.peek()[id] ?? "";
    if (text !== "") this.set(id, "");
    return text;
  }

  /** Behind what stands there already. */
  add(id: string, text: string): void {
    const old = this.texts.peek()[id];
    if (text !== "") this.set(id, old ? `${old}\n\n${text}` : text);
  }

  attachments(id: string): readonly DraftAttachment[] {
    return this.attached.value[id] ?? kNone;
  }
  /** What a reload would take away: what the server has is kept. */
  get hasUnkept(): boolean {
    return Object.values(this.attached.peek()).some((all) =>
      all.some(({ attachmentId, problem }) => attachmentId === undefined && problem === undefined),
    );
  }
  attach(id: string, attachment: DraftAttachment): void {
    this.setAttached(id, [...this.attachedNow(id), attachment]);
  }
  changeAttached(id: string, key: string, change: Partial<DraftAttachment>): void {
    this.setAttached(
      id,
      this.attachedNow(id).map((one) => (one.key === key ? { ...one, ...change } : one)),
    );
  }
  detach(id: string, key: string): void {
    const url = this.attachedNow(id).find((one) => one.key === key)?.url;
    if (url) URL.revokeObjectURL(url);
    this.setAttached(
      id,
      this.attachedNow(id).filter((one) => one.key !== key),
    );
  }

  /** For how many sessions and questions something was begun. */
  get begun(): number {
    const messages = new Set([...Object.keys(this.texts.peek()), ...Object.keys(this.attached.peek())]);
    return messages.size + Object.keys(this.answers.peek()).length;
  }

  answer(asked: Asked): HalfAnswer {
    return this.answers.value[answerKey(asked)] ?? kNoAnswer;
  }
  changeAnswer(asked: Asked, change: Partial<HalfAnswer>): void {
    const key = answerKey(asked);
    const now = { ...(this.answers.peek()[key] ?? kNoAnswer), ...change };
    const others = Object.entries(this.answers.peek()).filter(([other]) => other !== key);
    this.answers.value = Object.fromEntries([...others.slice(1 - kMostAnswers), [key, now]]);
  }
  /** Whoever answered it, and wherever. */
  answered(asked: Asked): void {
    const { [answerKey(asked)]: old, ...rest } = this.answers.peek();
    if (old) this.answers.value = rest;
  }

  /** It was sent. */
  clear(id: string): void {
    batch(() => {
      this.set(id, "");
      this.attachedNow(id).forEach(({ key }) => this.detach(id, key));
    });
  }

  clearAll(): void {
    batch(() => {
      for (const id of Object.keys(this.attached.peek())) this.clear(id);
      write(this.texts, {});
      this.answers.value = {};
    });
  }

  private attachedNow(id: string): readonly DraftAttachment[] {
    return this.attached.peek()[id] ?? kNone;
  }
  private setAttached(id: string, attachments: readonly DraftAttachment[]): void {
    const { [id]: _old, ...rest } = this.attached.peek();
    this.attached.value = attachments.length === 0 ? rest : { ...rest, [id]: attachments };
  }
}

const isGiven = (value: unknown): value is Given =>
  isRecord(value) &&
  isString(value["other"]) &&
  Array.isArray(value["ticked"]) &&
  value["ticked"].every(isString);
const isHalfAnswer = (value: unknown): value is HalfAnswer =>
  isRecord(value) &&
  isString(value["note"]) &&
  isRecord(value["given"]) &&
  Object.values(value["given"]).every(isGiven);

type Attached = Readonly<Record<string, readonly DraftAttachment[]>>;

/** What the server has. The rest, and what can be seen of an image, went with the page that had it. */
function salvageAttached(found: unknown): Attached {
  const isOne = (value: unknown): value is Record<string, unknown> =>
    isRecord(value) && isId(value["attachmentId"]) && isString(value["name"]);
  const lists = Object.entries(goodIn(found, Array.isArray)).map(([id, list]) => [
    id,
    goodOf(list, isOne).map(({ attachmentId, name, kind, bytes, lines }) => ({
      key: crypto.randomUUID(),
      kind: kind === "text" ? kind : "image",
      name,
      attachmentId,
      ...(isNumber(bytes) && isNumber(lines) ? { bytes, lines } : {}),
    })),
  ]);
  return Object.fromEntries(lists.filter(([, list]) => list!.length > 0)) as Attached;
}
