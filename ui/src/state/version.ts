// Whether this page still fits its server.
import { signal, type ReadonlySignal } from "@preact/signals";

export class Version {
  private readonly old = signal(false);
  private server = "";
  /** The server was updated: a reload brings the page that belongs to it. */
  readonly reloadNeeded: ReadonlySignal<boolean> = this.old;

  hello(version: string): void {
    if (this.server !== "" && this.server !== version) this.old.value = true;
    this.server = version;
  }
}
