// The lines of a file. A small one is there as a whole, so that the browser finds words in it; of a large one what is seen.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Colours } from "../../../review/viewed_file";
import { benchOf, lookedText, type Looked } from "../../../state/bench";
import { pathOf } from "../../../state/address";
import { useApp } from "../../context";
import { Revealed } from "../../conversation/revealed";

const kWhole = 3000;
const kAround = 40;
const kLongLine = 4000;

export function TextView({
  session,
  file,
  lines,
}: {
  session: string;
  file: Looked;
  lines: readonly string[];
}) {
  const app = useApp();
  const box = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, setVersion] = useState(0);
  const row = useRef(20);
  const colours = useMemo(() => new Colours(file.path, lines), [lines]);
  const whole = lines.length <= kWhole;
  const first = whole ? 0 : Math.max(0, Math.floor(view.top / row.current) - kAround);
  const last = whole
    ? lines.length - 1
    : Math.min(lines.length - 1, Math.ceil((view.top + view.height) / row.current) + kAround);
  const look = () => {
    const { scrollTop, clientHeight } = box.current!;
    setView({ top: scrollTop, height: clientHeight });
  };
  useLayoutEffect(() => {
    row.current = probe.current!.getBoundingClientRect().height || 20;
    look();
  }, []);
  // The line that was asked for, a little below the top.
  useLayoutEffect(() => {
    if (file.line === undefined) return;
    box.current!.scrollTop = Math.max(0, (file.line - 1) * row.current - 80);
    look();
  }, [file.line, lines]);
  useEffect(
    () => colours.want(first, Math.max(first, last), () => setVersion((n) => n + 1)),
    [colours, first, last],
  );
  const link = (line: number) =>
    `${pathOf({ page: "session", sessionId: session })}?files=${encodeURIComponent(lookedText({ path: file.path, line })).replace(/%2F/g, "/")}`;
  const onLine = (event: MouseEvent, line: number) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    benchOf(app).look(session, { path: file.path, line });
  };
  return (
    <div
      class="file-scroll"
      ref={box}
      onScroll={look}
      tabIndex={0}
      role="region"
      aria-label="Text of the file"
    >
      <code class="dl-probe" ref={probe} aria-hidden="true">
        M
      </code>
      <div class="file-lines" style={{ height: whole ? "auto" : `${lines.length * row.current}px` }}>
        <div style={{ paddingTop: `${first * row.current}px` }}>
          {lines.slice(first, last + 1).map((text, at) => {
            const number = first + at + 1;
            return (
              <div key={number} class={`file-line ${number === file.line ? "is-here" : ""}`}>
                <a
                  class="dl-number"
                  href={link(number)}
                  tabIndex={number === file.line ? 0 : -1}
                  aria-label={`Line ${number}`}
                  onClick={(event) => onLine(event, number)}
                >
                  {number}
                </a>
                <code class="dl-text">
                  {text.length > kLongLine ? (
                    <Revealed text={`${text.slice(0, kLongLine)}…`} />
                  ) : (
                    colours.of(number - 1).map(({ text: piece, scope }, index) =>
                      scope === "" ? (
                        <Revealed key={index} text={piece} />
                      ) : (
                        <span key={index} class={scope}>
                          <Revealed text={piece} />
                        </span>
                      ),
                    )
                  )}
                </code>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
