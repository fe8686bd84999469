// What the user chose for this browser, kept in local storage.
import type { ReadonlySignal } from "@preact/signals";
import { goodIn, goodOf, isBoolean, isNumber, isRecord, isString, salvaged, stored } from "./stored";
import type { Choice } from "../wire";
import type { Density, Known, TextSize, Theme } from "./types";
import { write } from "./write";

interface Values {
  theme: Theme;
  sidebarWidth: number;
  /** In a window that has room for it. */
  sidebarHidden: boolean;
  notify: boolean;
  sound: boolean;
  textSize: TextSize;
  density: Density;
  lastAgent: string;
  /** Projects whose sessions are folded away. */
  collapsed: readonly string[];
  /** Models, modes and commands that an agent had the last time, so that a new session can offer them. */
  known: Readonly<Record<string, Known>>;
}
const isTheme = (value: unknown): value is Theme =>
  value === "system" || value === "light" || value === "dark";
const isTextSize = (value: unknown): value is TextSize =>
  value === "small" || value === "medium" || value === "large" || value === "huge";
const isDensity = (value: unknown): value is Density => value === "comfortable" || value === "compact";
const isWidth = (value: unknown): value is number => isNumber(value) && value >= 220 && value <= 560;
const isChoices = (value: unknown): value is Choice[] | undefined =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every((choice) => isRecord(choice) && isString(choice["id"]) && isString(choice["name"])));
const isKnown = (value: unknown): value is Known =>
  isRecord(value) && [value["modes"], value["models"], value["thinkingLevels"]].every(isChoices);

export class Prefs implements Readonly<{ [K in keyof Values]: ReadonlySignal<Values[K]> }> {
  readonly theme: ReadonlySignal<Theme> = stored("lb.theme", "system", isTheme);
  readonly sidebarWidth: ReadonlySignal<number> = stored("lb.sidebar", 280, isWidth);
  readonly sidebarHidden: ReadonlySignal<boolean> = stored("lb.hidden", false, isBoolean);
  readonly notify: ReadonlySignal<boolean> = stored("lb.notify", false, isBoolean);
  readonly sound: ReadonlySignal<boolean> = stored("lb.sound", false, isBoolean);
  readonly textSize: ReadonlySignal<TextSize> = stored("lb.size", "medium", isTextSize);
  readonly density: ReadonlySignal<Density> = stored("lb.density", "comfortable", isDensity);
  readonly lastAgent: ReadonlySignal<string> = stored("lb.agent", "", isString);
  readonly collapsed: ReadonlySignal<readonly string[]> = salvaged("lb.collapsed", (found) =>
    goodOf(found, isString),
  );
  readonly known: ReadonlySignal<Values["known"]> = salvaged("lb.known", (found) => goodIn(found, isKnown));

  set<K extends keyof Values>(name: K, value: Values[K]): void {
    write(this[name] as unknown as ReadonlySignal<Values[K]>, value);
  }
  fold(projectId: string, folded: boolean): void {
    const others = this.collapsed.peek().filter((id) => id !== projectId);
    this.set("collapsed", folded ? [...others, projectId] : others);
  }
  remember(cliType: string, { modes, models, thinkingLevels, commands }: Known): void {
    if (modes || models || commands)
      this.set("known", { ...this.known.peek(), [cliType]: { modes, models, thinkingLevels, commands } });
  }
}
