// Small pieces that several views share.
import type { ButtonHTMLAttributes } from "preact";
import { useState } from "preact/hooks";
import { keyName } from "../format";
import type { State } from "../glance";
import { narrow } from "../narrow";
import { useApp } from "./context";
import { Icon, type IconName } from "./icons";

export function IconButton({
  icon,
  label,
  onClick,
  class: extra = "",
  ...more
}: { icon: IconName; label: string; onClick: (event: MouseEvent) => void; class?: string } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  "onClick" | "class" | "type"
>) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      title={label}
      onClick={onClick}
      {...more}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The mark of a session whose agent runs behind walls. */
export function Confined() {
  const words = "Confined: it cannot reach the server, its files, or your other programs";
  return (
    <span class="confined" role="img" aria-label="Confined" title={words}>
      <Icon name="shield" size={13} />
    </span>
  );
}

/** On a phone: the way to everything else. */
export function PhoneMenu() {
  const app = useApp();
  return (
    <IconButton
      icon="menu"
      label="Show sidebar"
      class="only-phone"
      onClick={() => {
        app.prefs.set("sidebarHidden", false);
        app.nav.showDrawer(narrow.matches);
      }}
    />
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => {
        setDone(true);
        setTimeout(() => setDone(false), 1500);
      },
      () => {},
    );
  return (
    <button type="button" class="icon-button copy-message" aria-label={label} title={label} onClick={copy}>
      <Icon name={done ? "check" : "copy"} size={14} />
    </button>
  );
}

/** The quiet mark of work in progress. */
export function Working({ label = "Working" }: { label?: string }) {
  return <span class="working" role="img" aria-label={label} />;
}

/** The state of a session in one mark: the same shape and colour wherever it stands. */
export function StateMark({ state, label }: { state: State; label: string }) {
  if (state === "working") return <Working label={label} />;
  const name = state === "done" ? "unread" : state;
  return <span class={`${name}-dot`} role="img" aria-label={label} />;
}

export function Hint() {
  return (
    <p class="muted hint">
      <kbd>{keyName("Ctrl")}</kbd> <kbd>K</kbd> finds everything · <kbd>?</kbd> shows all shortcuts
    </p>
  );
}
