// The output of a tool as a terminal would show it. It comes with the dialogs: nothing is shown of it before it is asked for.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { toSpans } from "../../ansi_spans";
import { bytes } from "../../format";
import { fold, useApp } from "../context";

const kFoldedLines = 16;
const kMostLines = 4000;

export function Ansi({ text }: { text: string }) {
  const spans = useMemo(() => toSpans(text), [text]);
  return (
    <>
      {spans.map((span, index) =>
        span.classes === "" ? (
          span.text
        ) : (
          <span key={index} class={span.classes}>
            {span.text}
          </span>
        ),
      )}
    </>
  );
}

/** The output of a tool: folded when long, the whole fetched when the server sent only head and tail. */
export function Output({
  sessionId,
  itemId,
  text,
  size,
  isError,
}: {
  sessionId: string;
  itemId: string;
  text: string;
  size?: number;
  isError?: boolean;
}) {
  const app = useApp();
  const whole = useSignal<string | undefined>(undefined);
  const { open, toggle, set } = fold(`output:${sessionId}:${itemId}`, false);
  const shown = whole.value ?? text;
  const lines = useMemo(() => shown.replace(/\n$/, "").split("\n"), [shown]);
  const cut = !open && lines.length > kFoldedLines;
  const visible = cut ? lines.slice(-kFoldedLines) : lines.slice(0, kMostLines);
  const fetchWhole = () =>
    app.api.text(`/api/session/${sessionId}/item/${itemId}/output`).then(
      (all) => {
        whole.value = all;
        set(true);
      },
      (error) => app.toasts.report(error),
    );
  if (shown === "") return null;
  return (
    <div class={`output ${isError ? "output-error" : ""}`}>
      {lines.length > kFoldedLines && (
        <button type="button" class="link-button" onClick={toggle}>
          {cut ? `Show all ${lines.length} lines` : "Show the last lines only"}
        </button>
      )}
      <pre tabIndex={0} aria-label="Output">
        <Ansi text={visible.join("\n")} />
      </pre>
      {!cut && lines.length > kMostLines && (
        <p class="muted">
          The first {kMostLines} of {lines.length} lines. Export the session for the rest.
        </p>
      )}
      {size !== undefined && whole.value === undefined && (
        <button type="button" class="link-button" onClick={() => void fetchWhole()}>
          Load the whole output ({bytes(size)})
        </button>
      )}
    </div>
  );
}
