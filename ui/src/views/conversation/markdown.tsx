import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { forgetMarkdown, markdownFor } from "../../markdown/view";

/** Rendered markdown enters the page as nodes, by ref: no HTML string ever reaches a component. */
export function Markdown({ id, text, final }: { id: string; text: string; final: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const view = markdownFor(id);
    view.show(text, final);
    if (box.current!.firstChild === view.element) return;
    view.attached();
    box.current!.replaceChildren(view.element);
  }, [id, text, final]);
  useEffect(() => () => queueMicrotask(forgetMarkdown), []);
  return <div ref={box} class="md-box" />;
}
