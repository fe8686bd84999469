import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { signal, type Signal } from "@preact/signals";
import type { App } from "../state/app";

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("a view was drawn outside of the app");
  return app;
}

/** Open or closed, per thing, once the user chose. Outlives the rows of a virtual list, which come and go. */
const choices = new Map<string, Signal<boolean | undefined>>();
/** Hours of streaming bring many things; the oldest that nobody touched are forgotten. */
const kMostChoices = 5000;
function forgetUntouched(): void {
  for (const [key, choice] of choices) {
    if (choices.size <= kMostChoices / 2) return;
    if (choice.peek() === undefined) choices.delete(key);
  }
}
export function fold(
  key: string,
  usually: boolean,
): { open: boolean; toggle: () => void; set: (open: boolean) => void } {
  const known = choices.get(key);
  const choice = known ?? signal<boolean | undefined>(undefined);
  if (!known) {
    if (choices.size >= kMostChoices) forgetUntouched();
    choices.set(key, choice);
  }
  const open = choice.value ?? usually;
  const choose = (value: boolean) => {
    choices.set(key, choice); // It may have been forgotten while it was on screen.
    choice.value = value;
  };
  return {
    open,
    toggle: () => choose(!open),
    set: choose,
  };
}
