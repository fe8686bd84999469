// What the user says about lines: kept by the server, the same in every window. What is being typed is kept by this browser
// until the server has it.
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { WireError, type Asked } from "../api";
import type { Comment, ServerMessage } from "../wire";
import type { App } from "./app";
import { goodOf, goodIn, isId, isNumber, isRecord, isString, removeStored, salvaged } from "./stored";
import { write } from "./write";

export const kWritingKey = "lb.comments";
const kSendKey = "lb.review-keys";
/** As many as anybody has open at once. */
const kMostWriting = 50;

type About = Omit<Asked<"POST /api/session/{sessionId}/comments">, "body">;
/** A comment that is being typed: about a line, or the words of one that the server has. */
export type Writing = About & { text: string; commentId?: string };

const isWriting = (value: unknown): value is Writing =>
  isRecord(value) &&
  isId(value["sessionId"]) &&
  isNumber(value["line"]) &&
  isString(value["quote"]) &&
  isString(value["text"]) &&
  (value["path"] === undefined || isString(value["path"])) &&
  (value["commentId"] === undefined || isId(value["commentId"])) &&
  (value["side"] === undefined || value["side"] === "old" || value["side"] === "new");

const sameLine = (a: About, b: About) =>
  a.sessionId === b.sessionId &&
  a.path === b.path &&
  a.itemId === b.itemId &&
  (a.side ?? "new") === (b.side ?? "new") &&
  a.line === b.line;

/** Not sent yet, and about a file: those on a plan go with its answer. */
export const isOpenDraft = ({ state, path }: Comment): boolean =>
  path !== undefined && (state === "draft" || state === "outdated");

export class Comments {
  private readonly known = new Map<string, Signal<readonly Comment[]>>();
  readonly writing: ReadonlySignal<readonly Writing[]> = salvaged(kWritingKey, (found) =>
    goodOf(found, isWriting).slice(-kMostWriting),
  );
  /** What the next review is sent with, until it was: a second press sends nothing twice. */
  private readonly keys = salvaged<Record<string, string>>(kSendKey, (found) => goodIn(found, isString));
  private readonly sendingOf = signal<string | undefined>(undefined);
  readonly sending: ReadonlySignal<string | undefined> = this.sendingOf;

  constructor(private readonly app: App) {
    app.hearers.add((message) => this.hear(message));
    effect(() => {
      if (app.login.left.value) this.forgetAll();
    });
  }

  /** Asks the server for them, the first time. */
  of(sessionId: string): ReadonlySignal<readonly Comment[]> {
    const known = this.known.get(sessionId);
    if (known) return known;
    const comments = signal<readonly Comment[]>([]);
    this.known.set(sessionId, comments);
    void this.load(sessionId);
    return comments;
  }
  readonly drafts = (sessionId: string): number => this.of(sessionId).value.filter(isOpenDraft).length;
  writingOf(sessionId: string): readonly Writing[] {
    return this.writing.value.filter((one) => one.sessionId === sessionId);
  }

  /** Opens an editor, with what was typed there before. */
  write(about: About & { commentId?: string; text?: string }): void {
    if (this.find(about)) return;
    this.keep([...this.writing.peek(), { text: "", ...about }]);
  }
  type(about: About & { commentId?: string }, text: string): void {
    this.keep(this.writing.peek().map((one) => (this.isSame(one, about) ? { ...one, text } : one)));
  }
  stop(about: About & { commentId?: string }): void {
    this.keep(this.writing.peek().filter((one) => !this.isSame(one, about)));
  }
  /** To the server. Throws what it says; the words stay where they are. */
  async save(about: About & { commentId?: string }): Promise<void> {
    const one = this.find(about);
    if (!one || one.text.trim() === "") return;
    const { text, commentId, ...where } = one;
    const body = text.trim();
    const { sessionId } = where;
    const { comment } =
      commentId === undefined
        ? await this.app.api.call("POST /api/session/{sessionId}/comments", { ...where, body })
        : await this.app.api.call("POST /api/session/{sessionId}/comments/{commentId}/edit", {
            sessionId,
            commentId,
            body,
          });
    batch(() => {
      this.put(comment);
      this.stop(about);
    });
  }
  async resolve({ sessionId, commentId }: Comment, resolved: boolean): Promise<void> {
    const { comment } = await this.app.api.call(
      "POST /api/session/{sessionId}/comments/{commentId}/resolve",
      { sessionId, commentId, ...(resolved ? {} : { resolved }) },
    );
    this.put(comment);
  }
  async remove({ sessionId, commentId }: Comment): Promise<void> {
    await this.app.api.call("POST /api/session/{sessionId}/comments/{commentId}/delete", {
      sessionId,
      commentId,
    });
    this.drop(sessionId, commentId);
  }
  /** All drafts as one prompt. */
  async send(sessionId: string): Promise<void> {
    if (this.sendingOf.peek() !== undefined) return;
    const idempotencyKey = this.keys.peek()[sessionId] ?? crypto.randomUUID();
    this.keys.value = { ...this.keys.peek(), [sessionId]: idempotencyKey };
    this.sendingOf.value = sessionId;
    try {
      await this.app.api.call("POST /api/session/{sessionId}/review/send", { sessionId, idempotencyKey });
      this.dropKey(sessionId);
      void this.load(sessionId);
    } catch (error) {
      // Nothing to send: it went already, or was taken back in another window.
      if (error instanceof WireError && error.code === "NOT_SUPPORTED") this.dropKey(sessionId);
      throw error;
    } finally {
      this.sendingOf.value = undefined;
    }
  }

  private dropKey(sessionId: string): void {
    const { [sessionId]: _sent, ...rest } = this.keys.peek();
    this.keys.value = rest;
  }
  private find(about: About & { commentId?: string }): Writing | undefined {
    return this.writing.peek().find((one) => this.isSame(one, about));
  }
  private isSame(one: Writing, about: About & { commentId?: string }): boolean {
    return one.commentId === about.commentId && (about.commentId !== undefined || sameLine(one, about));
  }
  private keep(writing: readonly Writing[]): void {
    write(this.writing, writing.slice(-kMostWriting));
  }

  private async load(sessionId: string): Promise<void> {
    try {
      const { comments } = await this.app.api.call("GET /api/session/{sessionId}/comments", { sessionId });
      const known = this.known.get(sessionId);
      if (known) known.value = comments;
    } catch {
      /* The link says so, and asks again when it is back. */
    }
  }
  private hear(message: ServerMessage): void {
    if (message.type === "comment:upsert") this.put(message.comment);
    else if (message.type === "comment:removed") this.drop(message.sessionId, message.commentId);
    // Whatever was said meanwhile was not heard.
    else if (message.type === "hello") for (const id of this.known.keys()) void this.load(id);
  }
  private put(comment: Comment): void {
    const known = this.known.get(comment.sessionId);
    if (!known) return;
    const old = known.peek();
    const at = old.findIndex(({ commentId }) => commentId === comment.commentId);
    known.value = at < 0 ? [...old, comment] : old.with(at, comment);
  }
  private drop(sessionId: string, commentId: string): void {
    const known = this.known.get(sessionId);
    if (known) known.value = known.peek().filter((one) => one.commentId !== commentId);
  }
  private forgetAll(): void {
    this.known.clear();
    this.keep([]);
    removeStored([kWritingKey, kSendKey]);
  }
}

const all = new WeakMap<App, Comments>();
export function commentsOf(app: App): Comments {
  const known = all.get(app) ?? new Comments(app);
  all.set(app, known);
  return known;
}

/** For the message box: how many comments could be sent instead. */
export const draftsIn = (app: App, sessionId: string) =>
  computed(() => (app.sessions.of(sessionId) ? commentsOf(app).drafts(sessionId) : 0)).value;
