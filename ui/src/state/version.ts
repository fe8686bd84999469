// Whether this page still fits its server. One that speaks another wire reloads itself, once.
import { signal, type ReadonlySignal } from "@preact/signals";
import { WIRE_VERSION, type HelloMessage } from "../wire";
import { write } from "./write";

/** The server for which this tab was reloaded already: if that did not help, the next time will not either. */
const kReloadedFor = "lb.reloaded";

export interface Browser {
  reload(): void;
  /** Whether a reload takes nothing away that the user has written. Drafts and sends on their way are kept. */
  mayReload(): boolean;
}

export class Version {
  private server = "";
  /** A reload brings the page that belongs to the server, and it is for the user to say when. */
  readonly reloadNeeded: ReadonlySignal<boolean> = signal(false);

  constructor(private readonly browser: Browser) {}

  /** False when the page is about to go. */
  hello({ version, wireVersion }: HelloMessage): boolean {
    if (this.server !== "" && this.server !== version) write(this.reloadNeeded, true);
    this.server = version;
    if (wireVersion === WIRE_VERSION) {
      remember(undefined);
      return true;
    }
    write(this.reloadNeeded, true);
    if (!this.browser.mayReload() || !remember(`${version} ${wireVersion}`)) return true;
    this.browser.reload();
    return false;
  }
}

/** False when it was that already, or cannot be kept: then a reload could follow a reload for ever. */
function remember(server: string | undefined): boolean {
  try {
    if (server === undefined) sessionStorage.removeItem(kReloadedFor);
    else if (sessionStorage.getItem(kReloadedFor) === server) return false;
    else sessionStorage.setItem(kReloadedFor, server);
    return true;
  } catch {
    return false;
  }
}

/** Words in a field that nobody keeps. The message being written is kept. */
export function isWriting(element: Element | null): boolean {
  const field = element?.closest<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
  return field != null && field.value !== "" && !field.closest(".composer");
}
