// Whose key it is: the shell gets all that a keyboard can say to it; the page has what shells cannot be told.
import { matches } from "../../commands/keys";
import { commandIds, commands } from "../../commands/table";

/** `leave`: out of the terminal, to its tab. `paste`: the browser brings it. */
export type KeyMeaning = "shell" | "page" | "copy" | "paste" | "leave" | "add" | "none";

const onMac = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * What page and shell both know is the shell's: it can be told Ctrl and a letter. Ctrl and ` say nothing that Ctrl and the
 * space bar do not: with them the terminal closes as it was opened.
 */
function isOfPage(event: KeyboardEvent): boolean {
  if (event.getModifierState("AltGraph")) return false; // It types letters.
  const beyond = event.shiftKey || event.altKey || event.key === "`";
  if (!event.metaKey && !(event.ctrlKey && beyond)) return false;
  return commandIds.some((id) => {
    const { keys, orKeys } = commands[id];
    return (keys && matches(keys, event)) || (orKeys && matches(orKeys, event));
  });
}

export function meaningOf(event: KeyboardEvent, selected: boolean, mac = onMac): KeyMeaning {
  const ours = event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey;
  const command = mac && event.metaKey && !event.ctrlKey && !event.altKey;
  if (ours && event.code === "Period") return "leave";
  if (ours && event.code === "Enter") return "add";
  if (ours && event.code === "KeyC") return selected ? "copy" : "none";
  if (command && event.code === "KeyC") return selected ? "copy" : "page";
  if ((ours || command) && event.code === "KeyV") return "paste";
  if (event.shiftKey && event.key === "Insert") return "paste";
  return isOfPage(event) || (command && !event.shiftKey) ? "page" : "shell";
}

/** What Ctrl makes of a letter, for those whose keyboard has no Ctrl. */
export function withCtrl(data: string): string {
  if (data.length !== 1) return data;
  if (data === " ") return "\u0000";
  if (data === "?") return "\u007f";
  const code = data.toUpperCase().charCodeAt(0);
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : data;
}
