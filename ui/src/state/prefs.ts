// What the user chose for this browser, kept in local storage.
import type { ReadonlySignal } from "@preact/signals";
import { isBoolean, isNumber, isRecord, isRecordOf, isString, isStrings, stored } from "./stored";
import type { Density, Known, TextSize, Theme } from "./types";
import { write } from "./write";

interface Values {
  theme: Theme;
  sidebarWidth: number;
  notify: boolean;
  sound: boolean;
  textSize: TextSize;
  density: Density;
  lastAgent: string;
  /** Projects whose sessions are folded away. */
  collapsed: readonly string[];
  /** Models and modes that an agent had the last time, so that a new session can offer them. */
  known: Readonly<Record<string, Known>>;
}
const isTheme = (value: unknown): value is Theme =>
  value === "system" || value === "light" || value === "dark";
const isTextSize = (value: unknown): value is TextSize =>
  value === "small" || value === "medium" || value === "large" || value === "huge";
const isDensity = (value: unknown): value is Density => value === "comfortable" || value === "compact";
const isKnown = isRecordOf(isRecord) as (value: unknown) => value is Values["known"];

export class Prefs implements Readonly<{ [K in keyof Values]: ReadonlySignal<Values[K]> }> {
  readonly theme: ReadonlySignal<Theme> = stored("lb.theme", "system", isTheme);
  readonly sidebarWidth: ReadonlySignal<number> = stored("lb.sidebar", 280, isNumber);
  readonly notify: ReadonlySignal<boolean> = stored("lb.notify", false, isBoolean);
  readonly sound: ReadonlySignal<boolean> = stored("lb.sound", false, isBoolean);
  readonly textSize: ReadonlySignal<TextSize> = stored("lb.size", "medium", isTextSize);
  readonly density: ReadonlySignal<Density> = stored("lb.density", "comfortable", isDensity);
  readonly lastAgent: ReadonlySignal<string> = stored("lb.agent", "", isString);
  readonly collapsed: ReadonlySignal<readonly string[]> = stored("lb.collapsed", [], isStrings);
  readonly known: ReadonlySignal<Values["known"]> = stored("lb.known", {}, isKnown);

  set<K extends keyof Values>(name: K, value: Values[K]): void {
    write(this[name] as unknown as ReadonlySignal<Values[K]>, value);
  }
  fold(projectId: string, folded: boolean): void {
    const others = this.collapsed.peek().filter((id) => id !== projectId);
    this.set("collapsed", folded ? [...others, projectId] : others);
  }
  remember(cliType: string, { modes, models, thinkingLevels }: Known): void {
    if (modes || models)
      this.set("known", { ...this.known.peek(), [cliType]: { modes, models, thinkingLevels } });
  }
}
