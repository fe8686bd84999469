// Telling the user that someone waits or is done: the title's badge, notifications, words for screen readers.
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { App } from "./app";
import type { SessionInfo } from "../wire";
import { write } from "./write";
import { titleOf } from "./tabs";

export class Attention {
  /** Read out by screen readers when it changes. */
  readonly announcement: ReadonlySignal<string> = signal("");

  private audio: AudioContext | undefined;

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
    const [first, second] = what === "done" ? [660, 880] : [880, 660];
    try {
      const context = (this.audio ??= new AudioContext());
      void context.resume();
      note(context, first, 0);
      note(context, second, 0.14);
    } catch {
      /* No sound here: the marks on the page say it too. */
    }
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

function note(context: AudioContext, frequency: number, after: number): void {
  const [tone, loudness] = [context.createOscillator(), context.createGain()];
  const begin = context.currentTime + after;
  tone.frequency.value = frequency;
  loudness.gain.setValueAtTime(0, begin);
  loudness.gain.linearRampToValueAtTime(0.12, begin + 0.02);
  loudness.gain.exponentialRampToValueAtTime(0.001, begin + 0.3);
  tone.connect(loudness).connect(context.destination);
  tone.start(begin);
  tone.stop(begin + 0.32);
}

/** How many wait; else a dot when something ended that nobody has looked at; then what is on screen. */
function pageTitle(app: App): string {
  const waiting = app.inbox.sessions.value;
  const { done } = app.sessions.counts.value;
  const mark = waiting > 0 ? `(${waiting}) ` : done + app.sessions.failed.value.length > 0 ? "• " : "";
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
