// Telling the user that someone waits or is done: the title's badge, notifications, words for screen readers.
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { App } from "./app";
import type { SessionInfo } from "../wire";
import { write } from "./write";
import { titleOf } from "./tabs";

export class Attention {
  /** Read out by screen readers when it changes. */
  readonly announcement: ReadonlySignal<string> = signal("");

  constructor(private readonly app: App) {
    effect(() => {
      document.title = pageTitle(app);
    });
  }

  /** A session's activity changed from `old` to `now`. */
  changed(old: SessionInfo, now: SessionInfo): void {
    const said = sentence(old, now);
    if (said === undefined) return;
    write(this.announcement, said);
    const looking =
      document.visibilityState === "visible" &&
      document.hasFocus() &&
      this.app.nav.tabs.peek().active === now.sessionId;
    if (looking) return;
    if (this.app.prefs.sound.peek()) this.ring(now.activity === "idle" ? "done" : "needs");
    if (!this.mayNotify()) return;
    const notification = new Notification(said, {
      tag: now.sessionId,
      body: this.app.projects.of(now.projectId)?.name ?? "",
    });
    notification.onclick = () => {
      window.focus();
      this.app.nav.navigate({ page: "session", sessionId: now.sessionId });
      notification.close();
    };
  }

  /** Two short notes: up when something is done, down when somebody waits. Browsers allow none before the first press. */
  ring(what: "done" | "needs"): void {
    // Its code is fetched by who wants it. Where there is no sound the marks on the page say it too.
    void import("./sound").then(({ play }) => play(what)).catch(() => {});
  }

  /** The user asked for it and the browser lets us: it may have changed its mind since. */
  mayNotify(): boolean {
    return this.app.prefs.notify.value && "Notification" in window && Notification.permission === "granted";
  }

  /** Asks the browser once; the answer decides whether the setting can be on. */
  async turnOn(): Promise<boolean> {
    if (!("Notification" in window)) return false;
    const allowed = (await Notification.requestPermission()) === "granted";
    this.app.prefs.set("notify", allowed);
    return allowed;
  }
}

/** How many wait; else a dot when something ended that nobody has looked at; then what is on screen. */
function pageTitle(app: App): string {
  const waiting = app.inbox.sessions.value;
  const news = app.sessions.list.value.some((info) => info.unread && info.activity !== "working");
  const mark = waiting > 0 ? `(${waiting}) ` : news ? "• " : "";
  const shown = app.nav.session.value;
  const title =
    shown !== undefined && app.sessions.nameOf(shown)?.title && titleOf(app.sessions.nameOf(shown));
  return `${mark}${title ? `${title} · ` : ""}Liminal Builder`;
}

export function sentence(old: SessionInfo, now: SessionInfo): string | undefined {
  const title = titleOf(now);
  if (now.activity === "needs-approval") return `${title} needs you`;
  if (now.activity === "failed") return `${title} failed`;
  if (now.activity === "idle" && (old.activity === "working" || old.activity === "needs-approval"))
    return `${title} is done`;
  return undefined;
}
