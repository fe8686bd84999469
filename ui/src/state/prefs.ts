// What the user chose for this browser, kept in local storage.
import type { ReadonlySignal } from "@preact/signals";
import { isBoolean, isNumber, isRecord, isRecordOf, isString, isStrings, stored } from "./stored";
import type { Known, Theme } from "./types";

const isTheme = (value: unknown): value is Theme =>
  value === "system" || value === "light" || value === "dark";
const isKnown = isRecordOf(isRecord) as (value: unknown) => value is Record<string, Known>;

export class Prefs {
  private readonly kept = {
    theme: stored<Theme>("lb.theme", "system", isTheme),
    sidebarWidth: stored("lb.sidebar", 280, isNumber),
    collapsed: stored<string[]>("lb.collapsed", [], isStrings),
    notify: stored("lb.notify", false, isBoolean),
    known: stored<Record<string, Known>>("lb.known", {}, isKnown),
    lastAgent: stored("lb.agent", "", isString),
  };
  readonly theme: ReadonlySignal<Theme> = this.kept.theme;
  readonly sidebarWidth: ReadonlySignal<number> = this.kept.sidebarWidth;
  /** Projects whose sessions are folded away. */
  readonly collapsed: ReadonlySignal<readonly string[]> = this.kept.collapsed;
  readonly notify: ReadonlySignal<boolean> = this.kept.notify;
  /** Models and modes that an agent had the last time, so that a new session can offer them. */
  readonly known: ReadonlySignal<Readonly<Record<string, Known>>> = this.kept.known;
  readonly lastAgent: ReadonlySignal<string> = this.kept.lastAgent;

  setTheme(theme: Theme): void {
    this.kept.theme.value = theme;
  }
  setSidebarWidth(pixels: number): void {
    this.kept.sidebarWidth.value = pixels;
  }
  setNotify(on: boolean): void {
    this.kept.notify.value = on;
  }
  setLastAgent(cliType: string): void {
    this.kept.lastAgent.value = cliType;
  }
  fold(projectId: string, folded: boolean): void {
    const others = this.kept.collapsed.peek().filter((id) => id !== projectId);
    this.kept.collapsed.value = folded ? [...others, projectId] : others;
  }
  remember(cliType: string, { modes, models, thinkingLevels }: Known): void {
    if (modes || models)
      this.kept.known.value = { ...this.kept.known.peek(), [cliType]: { modes, models, thinkingLevels } };
  }
}
