// The sidebar above the conversation, where it has no place of its own.
import { useLayoutEffect, useRef } from "preact/hooks";

/** The focus goes into it when it opens, and back to where it was when it closes. */
export function useDrawerFocus(open: boolean) {
  const drawer = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!open) return;
    const element = drawer.current!;
    const before = document.activeElement as HTMLElement | null;
    element.querySelector<HTMLElement>("[data-drawer-close]")?.focus();
    return () => {
      const now = document.activeElement;
      if (now === document.body || element.contains(now)) before?.focus?.();
    };
  }, [open]);
  return drawer;
}
