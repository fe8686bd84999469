// The door: a launch code becomes this browser's key.
import { signal, type ReadonlySignal } from "@preact/signals";
import { WireError, type Api } from "../api";
import { kAnswersKey, kAttachedKey, kDraftsKey } from "./drafts";
import type { Connection } from "./link";
import { kOutboxKey } from "./outbox";
import { kNamesKey } from "./sessions";
import { removeStored } from "./stored";
import { write } from "./write";

export class Login {
  /** Why the last code did not open. */
  readonly problem: ReadonlySignal<string> = signal("");

  /** The user left; nobody is told then that there never was a key. */
  readonly left: ReadonlySignal<boolean> = signal(false);

  constructor(
    private readonly api: Api,
    private readonly link: Connection,
    private readonly forget: () => void,
  ) {}

  async enter(code: string): Promise<void> {
    try {
      await this.api.exchange(code);
      write(this.problem, "");
      write(this.left, false);
      this.link.start();
    } catch (error) {
      // A used code is no harm when this browser already has its key: a reload of the launch address, a second tab.
      if (this.api.token !== null) return this.link.start();
      write(this.problem, reason(error));
      this.link.requireLogin();
    }
  }

  /** The credential ended, or the user ended it. */
  end(): void {
    this.api.forget();
    this.link.requireLogin();
  }

  /** Nothing that was said or written here is left for whoever uses this browser next. */
  async leave(): Promise<void> {
    await this.api.call("POST /api/auth/logout", {}).catch(() => {});
    write(this.left, true);
    this.end();
    this.forget();
    removeStored([kOutboxKey, kDraftsKey, kAttachedKey, kAnswersKey, kNamesKey]);
  }
}

function reason(error: unknown): string {
  if (!(error instanceof WireError)) return "The server does not answer. Try again in a moment.";
  return error.code === "INVALID_CODE"
    ? "This code was used already, is too old or is wrong. The command above prints a new one."
    : error.message;
}
