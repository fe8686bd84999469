// The sheet of keys: those of commands, and those that a view has for itself.
import "../../commands/more_rows";
import { commands, type CommandId } from "../../commands/table";
import { keyName } from "../../format";
import { Modal } from "./modal";

/** A key of one view; it says here what it does there. */
interface ViewKey {
  keys: readonly string[];
  label: string;
}

export const sheet: Readonly<Record<string, readonly (CommandId | ViewKey)[]>> = {
  Everywhere: [
    "palette",
    "search",
    "new-session",
    { keys: ["N"], label: "New session, where nothing is being written" },
    "inbox",
    "home",
    "sidebar",
    "shortcuts",
  ],
  Tabs: [
    "switch",
    "go-to-tab",
    "step-tab",
    "close-tab",
    { keys: ["Ctrl", "Shift", "→ ←"], label: "Move the focused tab" },
    { keys: ["Del"], label: "Close the focused tab" },
  ],
  Writing: [
    "write",
    { keys: ["Enter"], label: "Send, or queue while a turn runs" },
    { keys: ["Alt", "Enter"], label: "Send into the running turn, where the agent takes it" },
    { keys: ["Shift", "Enter"], label: "New line" },
    "stop",
    { keys: ["↑"], label: "Your earlier messages" },
    { keys: ["@"], label: "Mention a file" },
  ],
  Workbench: [
    "workbench",
    "changes",
    "quick-open",
    "terminal",
    "ports",
    { keys: ["J"], label: "Next file of the changes" },
    { keys: ["K"], label: "Previous file, or the head of this one" },
    { keys: ["N"], label: "Next change, in the changes" },
    { keys: ["P"], label: "Previous change" },
    { keys: ["C"], label: "Comment on the focused line" },
    { keys: ["V"], label: "This file was viewed" },
  ],
  "In a terminal": [
    { keys: ["Ctrl", "Shift", "C"], label: "Copy what is selected" },
    { keys: ["Ctrl", "Shift", "V"], label: "Paste" },
    { keys: ["Ctrl", "Shift", "Enter"], label: "Add the selection, or the last command, to the prompt" },
    { keys: ["Ctrl", "Shift", "."], label: "Leave it, to its tab" },
  ],
  "Reading and answering": [
    "step-prompt",
    "question",
    "answer",
    { keys: ["1…9"], label: "Answer the question in focus" },
  ],
};

export function Shortcuts({ close }: { close: () => void }) {
  return (
    <Modal title="Keyboard shortcuts" onClose={close} class="wide">
      <div class="shortcuts">
        {Object.entries(sheet).map(([group, entries]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {entries.map((entry) => {
                const { label, keys = [] } = typeof entry === "string" ? commands[entry] : entry;
                return (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.map((key) => (
                        <kbd key={key}>{keyName(key)}</kbd>
                      ))}
                    </dd>
                  </div>
                );
              })}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
