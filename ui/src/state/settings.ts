// What the user chose for every browser: the server keeps it. The last that was heard is kept here too, so that the right key
// sends before the server has answered.
import type { ReadonlySignal } from "@preact/signals";
import type { SessionDefaults, Settings as Values } from "../wire";
import { isRecord, stored } from "./stored";
import { write } from "./write";

const none: Values = { sendKey: "enter", defaults: [] };
const isSettings = (value: unknown): value is Values =>
  isRecord(value) &&
  (value["sendKey"] === "enter" || value["sendKey"] === "ctrl-enter") &&
  Array.isArray(value["defaults"]) &&
  value["defaults"].every(isRecord);

export class Settings {
  readonly values: ReadonlySignal<Values> = stored("lb.settings", none, isSettings);

  set(values: Values): void {
    write(this.values, values);
  }

  /** What was chosen for this project alone; without one, for all of them. */
  chosenFor(projectId: string | undefined): SessionDefaults | undefined {
    return this.values.value.defaults.find((one) => one.projectId === projectId);
  }

  /** How a session in this project begins, unless the user says otherwise. */
  startIn(projectId: string): Omit<SessionDefaults, "projectId"> {
    const { projectId: _, ...chosen } = this.chosenFor(projectId) ?? this.chosenFor(undefined) ?? {};
    return chosen;
  }

  /** Whether this key sends the message. Ctrl+Enter always does; Enter alone, unless it was chosen to begin a line. */
  sends(event: Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey">): boolean {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
    return event.ctrlKey || event.metaKey || this.values.peek().sendKey === "enter";
  }
}
