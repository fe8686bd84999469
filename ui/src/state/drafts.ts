// What is being written and was not sent: words, kept over reloads, and pictures, kept while the page lives.
import { batch, signal, type ReadonlySignal } from "@preact/signals";
import { goodIn, isString, salvaged } from "./stored";
import type { DraftImage } from "./types";
import { write } from "./write";

/** The pictures that the server takes and a browser shows. */
export const kImageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export const kDraftsKey = "lb.drafts";
const kNone: readonly DraftImage[] = [];

export class Drafts {
  private readonly pictures = signal<Readonly<Record<string, readonly DraftImage[]>>>({});
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

  images(id: string): readonly DraftImage[] {
    return this.pictures.value[id] ?? kNone;
  }
  /** Pictures do not outlive the page. */
  get hasImages(): boolean {
    return Object.values(this.pictures.peek()).some((images) => images.length > 0);
  }
  addImage(id: string, image: DraftImage): void {
    this.setImages(id, [...this.imagesNow(id), image]);
  }
  changeImage(id: string, key: string, change: Partial<DraftImage>): void {
    this.setImages(
      id,
      this.imagesNow(id).map((image) => (image.key === key ? { ...image, ...change } : image)),
    );
  }
  removeImage(id: string, key: string): void {
    this.setImages(
      id,
      this.imagesNow(id).filter((image) => image.key !== key),
    );
  }

  /** It was sent. */
  clear(id: string): void {
    batch(() => {
      this.set(id, "");
      this.imagesNow(id).forEach(({ url }) => url && URL.revokeObjectURL(url));
      this.setImages(id, kNone);
    });
  }

  clearAll(): void {
    batch(() => {
      for (const id of Object.keys(this.pictures.peek())) this.clear(id);
      write(this.texts, {});
    });
  }

  private imagesNow(id: string): readonly DraftImage[] {
    return this.pictures.peek()[id] ?? kNone;
  }
  private setImages(id: string, images: readonly DraftImage[]): void {
    this.pictures.value = { ...this.pictures.peek(), [id]: images };
  }
}
