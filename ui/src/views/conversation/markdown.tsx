import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { otherEnd } from "../../markdown/notes";
import { forgetMarkdown, markdownFor } from "../../markdown/view";
import type { Place } from "../../paths";
import { PlaceMenu, useRoot } from "./places";

/** Rendered markdown enters the page as nodes, by ref: no HTML string ever reaches a component. */
export function Markdown({
  id,
  sessionId,
  text,
  final,
}: {
  id: string;
  sessionId: string;
  text: string;
  final: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const root = useRoot(sessionId);
  const [asked, setAsked] = useState<{ place: Place; anchor: Element }>();
  useLayoutEffect(() => {
    const view = markdownFor(id);
    view.show(text, final);
    if (box.current!.firstChild === view.element) return;
    view.attached();
    box.current!.replaceChildren(view.element);
  }, [id, text, final]);
  useEffect(() => () => queueMicrotask(forgetMarkdown), []);
  const onPress = (event: MouseEvent | KeyboardEvent) => {
    if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return;
    const link = (event.target as Element).closest<HTMLElement>("[data-path], [data-note]");
    if (!link) return;
    event.preventDefault();
    if (link.dataset["note"] !== undefined) {
      const there = otherEnd(box.current!, link);
      there?.scrollIntoView({ block: "center" });
      return there?.focus({ preventScroll: true });
    }
    const { path = "", line, column } = link.dataset;
    const place = { path, ...(line && { line: Number(line) }), ...(column && { column: Number(column) }) };
    setAsked(asked ? undefined : { place, anchor: link });
  };
  return (
    <>
      <div ref={box} class="md-box" onClick={onPress} onKeyDown={onPress} />
      {asked && <PlaceMenu {...asked} root={root} onClose={() => setAsked(undefined)} />}
    </>
  );
}
