// Keys that a phone's keyboard does not have.
import type { TerminalScreen } from "./screen";

const coarse = matchMedia("(pointer: coarse)");

const kKeys: readonly { label: string; name: string; press: (screen: TerminalScreen) => void }[] = [
  { label: "Esc", name: "Escape", press: (screen) => screen.press("\u001b") },
  { label: "Tab", name: "Tab", press: (screen) => screen.press("\t") },
  { label: "^C", name: "Interrupt", press: (screen) => screen.press("\u0003") },
  { label: "←", name: "Left", press: (screen) => screen.arrow("D") },
  { label: "↑", name: "Up", press: (screen) => screen.arrow("A") },
  { label: "↓", name: "Down", press: (screen) => screen.arrow("B") },
  { label: "→", name: "Right", press: (screen) => screen.arrow("C") },
];

export function TouchKeys({ screen }: { screen: TerminalScreen }) {
  if (!coarse.matches) return null;
  const ctrl = screen.ctrl.value;
  // The keyboard on screen stays: no button takes the focus.
  const keep = (event: Event) => event.preventDefault();
  return (
    <div class="terminal-touch" role="toolbar" aria-label="Keys" onPointerDown={keep} onMouseDown={keep}>
      <button
        type="button"
        aria-pressed={ctrl}
        aria-label="Ctrl with the next key"
        onClick={() => {
          screen.ctrl.value = !ctrl;
          screen.focus();
        }}
      >
        Ctrl
      </button>
      {kKeys.map(({ label, name, press }) => (
        <button type="button" key={name} aria-label={name} onClick={() => press(screen)}>
          {label}
        </button>
      ))}
    </div>
  );
}
