// The edge of the workbench.
import { kBenchWidth, type Bench } from "../../state/bench";

/** Drag, arrow keys (Shift for larger steps), Home, End; double click for the usual width. */
export function BenchResizer({ bench }: { bench: Bench }) {
  const onKey = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 64 : 16;
    const next = {
      ArrowLeft: bench.width.peek() + step,
      ArrowRight: bench.width.peek() - step,
      Home: kBenchWidth.most,
      End: kBenchWidth.least,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    bench.resize(next);
  };
  const onPointerDown = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => bench.resize(innerWidth - moved.clientX);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), {
      once: true,
    });
  };
  return (
    <div
      class="bench-resizer"
      role="separator"
      tabIndex={0}
      aria-label="Width of the workbench"
      aria-orientation="vertical"
      aria-controls="workbench"
      aria-valuemin={kBenchWidth.least}
      aria-valuemax={kBenchWidth.most}
      aria-valuenow={bench.width.value}
      onKeyDown={onKey}
      onPointerDown={onPointerDown}
      onDblClick={() => bench.resize(kBenchWidth.usual)}
    />
  );
}
