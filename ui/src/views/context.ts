import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { signal, type Signal } from "@preact/signals";
import type { App } from "../app_state";

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("a view was drawn outside of the app");
  return app;
}

/** Open or closed, per thing. Outlives the rows of a virtual list, which come and go. */
const folds = new Map<string, Signal<boolean>>();
export function fold(key: string, open: boolean): Signal<boolean> {
  const known = folds.get(key);
  if (known) return known;
  const made = signal(open);
  folds.set(key, made);
  return made;
}
