// The edge of the sidebar.
import { useApp } from "./context";

const kLeast = 220;
const kMost = 560;

/** Drag, arrow keys (Shift for larger steps), Home, End; double click for the usual width. */
export function Resizer() {
  const app = useApp();
  const set = (width: number) => {
    app.prefs.set(
      "sidebarWidth",
      Math.round(Math.max(kLeast, Math.min(kMost, window.innerWidth * 0.6, width))),
    );
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 32 : 16;
    const next = {
      ArrowLeft: app.prefs.sidebarWidth.peek() - step,
      ArrowRight: app.prefs.sidebarWidth.peek() + step,
      Home: kLeast,
      End: kMost,
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      set(next);
    }
  };
  const onPointerDown = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => set(moved.clientX);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), {
      once: true,
    });
  };
  return (
    <div
      class="resizer"
      role="separator"
      tabIndex={0}
      aria-label="Width of the sidebar"
      aria-orientation="vertical"
      aria-controls="sidebar"
      aria-valuemin={kLeast}
      aria-valuemax={kMost}
      aria-valuenow={app.prefs.sidebarWidth.value}
      onKeyDown={onKey}
      onPointerDown={onPointerDown}
      onDblClick={() => set(280)}
    />
  );
}
