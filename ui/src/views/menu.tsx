// Menus: the commands that fit the thing they belong to.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { available, commands, run, type CommandId, type Subject } from "../commands/table";
import { useApp } from "./context";
import { Icon } from "./icons";
import { IconButton } from "./parts";

/** A button with a menu of commands about one thing: arrow keys move, Escape closes, focus returns to the button. */
export function Menu({
  label,
  items,
  about,
}: {
  label: string;
  items: readonly CommandId[];
  about: Subject;
}) {
  const app = useApp();
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
    <div class="menu" ref={box} onKeyDown={onKey}>
      <IconButton
        icon="more"
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
          {items
            .filter((item) => available(app, item, about))
            .map((item) => {
              const { label: name, title, icon, danger } = commands[item];
              return (
                <button
                  type="button"
                  role="menuitem"
                  key={item}
                  title={title}
                  class={danger ? "danger" : ""}
                  onClick={(event) => {
                    event.stopPropagation();
                    close();
                    run(app, item, about);
                  }}
                >
                  {icon && <Icon name={icon} />}
                  {name}
                </button>
              );
            })}
        </div>
      )}
    </div>
  );
}
