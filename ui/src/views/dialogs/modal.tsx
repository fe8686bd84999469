// What dialogs stand in.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "../parts";

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
