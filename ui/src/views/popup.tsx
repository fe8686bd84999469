// A small menu above everything else: arrow keys move, Escape closes, focus returns to what opened it.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const kEdge = 8;
const kGap = 4;

/** Below what opened it, above where there is no room below, and never beyond the window. */
function place(box: HTMLElement, anchor: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = anchor.bottom + kGap;
  const top = below + height + kEdge <= innerHeight ? below : anchor.top - kGap - height;
  box.style.left = `${Math.max(kEdge, Math.min(anchor.left, innerWidth - width - kEdge))}px`;
  box.style.top = `${Math.max(kEdge, top)}px`;
}

export function Popup({
  label,
  anchor,
  onClose,
  children,
  class: extra = "",
}: {
  label: string;
  anchor: Element;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const entries = () => [...box.current!.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)")];
  useLayoutEffect(() => {
    const element = box.current!;
    if ("showPopover" in element) element.showPopover(); // Into the top layer: no box around it cuts it off.
    place(element, anchor.getBoundingClientRect());
    entries()[0]?.focus();
  }, []);
  useEffect(() => {
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node) && !anchor.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", onClose);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", onClose);
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      all[(at + step + all.length) % all.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      onClose();
      if (anchor instanceof HTMLElement) anchor.focus();
    }
  };
  return (
    <div
      ref={box}
      class={`popup ${extra}`}
      popover="manual"
      role="menu"
      aria-label={label}
      onKeyDown={onKey}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </div>
  );
}
