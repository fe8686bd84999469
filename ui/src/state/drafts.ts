// What is being written and was not sent: words, and what will go with them. Kept over reloads.
import { batch, type ReadonlySignal } from "@preact/signals";
import { goodIn, goodOf, isId, isNumber, isRecord, isString, salvaged } from "./stored";
import type { DraftAttachment } from "./types";
import { write } from "./write";

export const kDraftsKey = "lb.drafts";
export const kAttachedKey = "lb.attached";
const kNone: readonly DraftAttachment[] = [];

export class Drafts {
  private readonly attached = salvaged<Attached>(kAttachedKey, salvageAttached);
  /** By session. */
  readonly texts: ReadonlySignal<Readonly<Record<string, string>>> = salvaged(kDraftsKey, (found) =>
    goodIn(found, isString),
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
