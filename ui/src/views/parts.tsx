// Small pieces that several views share.
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
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

/** A modal dialog: the browser keeps the focus inside and closes it on Escape. */
export function Modal({
  title,
  onClose,
  children,
  class: extra = "",
  hideTitle = false,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
  hideTitle?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement as HTMLElement | null;
    element.showModal();
    // Without a field to begin with the dialog itself has the focus: a ring around "Close" says nothing.
    (element.querySelector<HTMLElement>("[data-autofocus]") ?? element).focus();
    return () => {
      if (element.open) element.close();
      before?.focus?.();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      class={`modal ${extra}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="modal-body">
        {!hideTitle && (
          <header>
            <h2>{title}</h2>
            <IconButton icon="close" label="Close" onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
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
