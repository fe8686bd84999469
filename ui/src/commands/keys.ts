// From a key to its command, and from a command to the names of its keys.
import { keyName } from "../format";
import type { App } from "../state/app";
import { commandIds, commands, run, type CommandId } from "./table";

const typing = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

const named: Readonly<Record<string, readonly string[]>> = {
  Esc: ["Escape"],
  "→ ←": ["ArrowRight", "ArrowLeft"],
  "↑ ↓": ["ArrowUp", "ArrowDown"],
};

/**
 * With Alt a letter is looked for where it lies on the keyboard, because Alt changes what it types; without it, by what it
 * types. A key without Ctrl or Alt is text while somebody types.
 */
export function matches(keys: readonly string[], event: KeyboardEvent): boolean {
  const key = keys.at(-1)!;
  const [ctrl, alt, shift] = ["Ctrl", "Alt", "Shift"].map((name) => keys.includes(name));
  if ((event.ctrlKey || event.metaKey) !== ctrl || event.altKey !== alt) return false;
  if (!ctrl && !alt && typing(event)) return false;
  if (key === "1…9") return event.shiftKey === shift && /^Digit[1-9]$/.test(event.code);
  if (named[key]) return event.shiftKey === shift && named[key].includes(event.key);
  if (!/^[A-Z]$/.test(key)) return event.key === key; // A sign: on some keyboards it takes Shift.
  if (event.shiftKey !== shift) return false;
  return alt ? event.code === `Key${key}` : event.key.toUpperCase() === key;
}

/** Looks one event up; true when something was done. */
export function handleKey(app: App, event: KeyboardEvent): boolean {
  if (app.nav.dialog.peek() || event.defaultPrevented) return false;
  if (app.link.state.peek().kind === "login") return false; // Nothing of what they do is on screen.
  // What lies above the conversation closes first; whoever works goes on.
  if (event.key === "Escape" && app.nav.drawer.peek()) {
    app.nav.showDrawer(false);
    return true;
  }
  const id = commandIds.find((candidate) => {
    const { keys, orKeys } = commands[candidate];
    return (keys && matches(keys, event)) || (orKeys && matches(orKeys, event));
  });
  return id !== undefined && run(app, id, undefined, event);
}

/** "New session (Ctrl+Alt+N)": what a button says of itself. */
export function withKeys(label: string, id: CommandId): string {
  const { keys } = commands[id];
  return keys ? `${label} (${keys.map(keyName).join("+")})` : label;
}
