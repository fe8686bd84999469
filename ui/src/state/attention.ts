// Telling the user that someone waits or is done: the title's badge, notifications, words for screen readers.
import { effect } from "@preact/signals";
import type { App } from "./app";
import type { SessionInfo } from "../wire";

export class Attention {
  constructor(private readonly app: App) {
    effect(() => {
      document.title = pageTitle(app);
    });
  }

  /** A session's activity changed from `old` to `now`. */
  changed(old: SessionInfo, now: SessionInfo): void {
    const said = sentence(old, now);
    if (said === undefined) return;
    this.app.announcement.value = said;
    const looking =
      document.visibilityState === "visible" &&
      document.hasFocus() &&
      this.app.tabs.peek().active === now.sessionId;
    if (
      looking ||
      !this.app.notify.peek() ||
      !("Notification" in window) ||
      Notification.permission !== "granted"
    )
      return;
    const notification = new Notification(said, {
      tag: now.sessionId,
      body: this.app.project(now.projectId)?.name ?? "",
    });
    notification.onclick = () => {
      window.focus();
      this.app.show(now.sessionId);
      notification.close();
    };
  }

  /** Asks the browser once; the answer decides whether the setting can be on. */
  async turnOn(): Promise<boolean> {
    if (!("Notification" in window)) return false;
    const allowed = (await Notification.requestPermission()) === "granted";
    this.app.notify.value = allowed;
    return allowed;
  }
}

/** How many wait; else a dot when something ended that nobody has looked at; then what is on screen. */
function pageTitle(app: App): string {
  const waiting = app.needsYou.value;
  const { done } = app.counts.value;
  const mark = waiting > 0 ? `(${waiting}) ` : done + app.failed.value.length > 0 ? "• " : "";
  const { active } = app.tabs.value;
  const title = app.page.value === "session" && active ? app.nameOf(active)?.title : "";
  return `${mark}${title ? `${title} · ` : ""}Liminal Builder`;
}

export function sentence(old: SessionInfo, now: SessionInfo): string | undefined {
  const title = now.title || "New Session";
  if (now.activity === "needs-approval") return `${title} needs you`;
  if (now.activity === "failed") return `${title} failed`;
  if (now.activity === "idle" && (old.activity === "working" || old.activity === "needs-approval"))
    return `${title} is done`;
  return undefined;
}
