// The sidebar above the conversation, where it has no place of its own.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { narrow } from "../../narrow";
import { useApp } from "../context";

/** The focus goes into it when it opens, and back to where it was when it closes. */
export function useDrawerFocus(open: boolean) {
  const app = useApp();
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    // A window that has become wide enough shows it at its place.
    const close = () => app.nav.showDrawer(false);
    narrow.addEventListener("change", close);
    return () => narrow.removeEventListener("change", close);
  }, []);
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
