// Small pieces that several views share.
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { State } from "../glance";
import { useApp } from "./context";
import { Icon, type IconName } from "./icons";

/** A phone, or a window as narrow as one. */
export const narrow = matchMedia("(max-width: 760px)");

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

/** On a phone: the way to everything else. */
export function PhoneMenu() {
  const app = useApp();
  return (
    <IconButton
      icon="menu"
      label="Show sidebar"
      class="only-phone"
      onClick={() => {
        app.drawer.value = true;
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

export interface MenuItem {
  label: string;
  icon?: IconName;
  run: () => void;
  danger?: boolean;
  disabled?: boolean;
}

/** A button with a menu: arrow keys move, Escape closes, focus returns to the button. */
export function Menu({
  label,
  items,
  icon = "more",
  class: extra = "",
}: {
  label: string;
  items: readonly MenuItem[];
  icon?: IconName;
  class?: string;
}) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const focusItem = (step: number) => {
    const buttons = [...box.current!.querySelectorAll<HTMLButtonElement>("[role=menuitem]:not(:disabled)")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  const close = () => {
    setOpen(false);
    box.current?.querySelector<HTMLButtonElement>("button")?.focus();
  };
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLButtonElement>("[role=menuitem]")?.focus();
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const onKey = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      focusItem(event.key === "ArrowDown" ? 1 : -1);
    }
    if (event.key === "Escape" || event.key === "Tab") {
      event.stopPropagation();
      event.preventDefault();
      close();
    }
  };
  return (
    <div class={`menu ${extra}`} ref={box} onKeyDown={onKey}>
      <IconButton
        icon={icon}
        label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={id}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!open);
        }}
      />
      {open && (
        <div class="menu-list" role="menu" id={id} aria-label={label}>
          {items.map((item) => (
            <button
              type="button"
              role="menuitem"
              key={item.label}
              class={item.danger ? "danger" : ""}
              disabled={item.disabled}
              onClick={(event) => {
                event.stopPropagation();
                close();
                item.run();
              }}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
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
