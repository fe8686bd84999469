// Terminal output and diffs.
import { useMemo, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { revealed, toSpans } from "../../ansi";
import { changedPart, diffTexts, type DiffLine } from "../../diff";
import { bytes, within } from "../../format";
import type { Diff } from "../../wire";
import { fold, useApp } from "../context";
import { Icon } from "../icons";

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

/** Words with a hyphen stay whole: a line that ends in "--" and one that begins with "release" are not `--release`. */
function whole(text: string) {
  if (text.length > 4000) return text; // So much is no command to be read word by word.
  return text
    .split(/(\S*-\S*)/)
    .map((part, index) => (index % 2 === 1 ? <span class="whole">{part}</span> : part));
}

/** Text in which nothing hides: for commands that are about to run. */
export function Revealed({ text }: { text: string }) {
  return (
    <>
      {revealed(text).map((part, index) =>
        part.hidden ? (
          <mark key={index} class="hidden-char" title="A character that would be invisible">
            {part.text}
          </mark>
        ) : (
          whole(part.text)
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

export function DiffStat({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="diff-stat">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}

export function useDiff(diff: Diff) {
  return useMemo(() => diffTexts(diff.oldText, diff.newText), [diff.oldText, diff.newText]);
}

/** One file's changes. `bare`: whatever is around it already names the file and folds it. */
export function DiffView({
  id,
  diff,
  root = "",
  bare = false,
}: {
  id: string;
  diff: Diff;
  root?: string;
  bare?: boolean;
}) {
  const file = useDiff(diff);
  const large = file.added + file.removed > 60;
  const { open: unfolded, toggle } = fold(`diff:${id}:${diff.path}`, !large);
  const open = bare || unfolded;
  const [limit, setLimit] = useState(400);
  const total = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  let left = limit;
  return (
    <section class={`diff ${bare ? "bare" : ""}`}>
      {!bare && (
        <button type="button" class="diff-head" aria-expanded={open} onClick={toggle}>
          <Icon name="chevron" size={12} />
          <span class="path" title={diff.path}>
            {within(root, diff.path)}
          </span>
          {diff.oldText === undefined && <span class="chip">new</span>}
          <DiffStat {...file} />
        </button>
      )}
      {open && (
        <div class="diff-body" role="region" aria-label={`Changes in ${diff.path}`} tabIndex={0}>
          {file.hunks.length === 0 && <p class="muted">No line changed.</p>}
          {file.hunks.map((hunk, index) => {
            const lines = hunk.lines.slice(0, Math.max(0, left));
            left -= lines.length;
            return (
              lines.length > 0 && (
                <table key={index} class="hunk">
                  <tbody>
                    {index > 0 && (
                      <tr class="gap">
                        <td colSpan={3}>⋯</td>
                      </tr>
                    )}
                    {withMarks(lines)}
                  </tbody>
                </table>
              )
            );
          })}
          {total > limit && (
            <button type="button" class="link-button" onClick={() => setLimit(limit * 5)}>
              Show more lines ({total - limit} left)
            </button>
          )}
        </div>
      )}
    </section>
  );
}

/** Lines with the changed words marked, where one line replaced one line. */
function withMarks(lines: readonly DiffLine[]) {
  return lines.map((line, index) => {
    const before =
      line.kind === "add" &&
      lines[index - 1]?.kind === "del" &&
      lines[index - 2]?.kind !== "del" &&
      lines[index + 1]?.kind !== "add"
        ? lines[index - 1]
        : undefined;
    const after =
      line.kind === "del" &&
      lines[index + 1]?.kind === "add" &&
      lines[index - 1]?.kind !== "del" &&
      lines[index + 2]?.kind !== "add"
        ? lines[index + 1]
        : undefined;
    const other = before ?? after;
    const part =
      other &&
      (line.kind === "del" ? changedPart(line.text, other.text) : changedPart(other.text, line.text));
    const end = part && (line.kind === "del" ? part.oldEnd : part.newEnd);
    return (
      <tr key={index} class={`line-${line.kind}`}>
        <td class="number">{line.newLine ?? line.oldLine}</td>
        <td class="sign">
          <span aria-hidden="true">{line.kind === "add" ? "+" : line.kind === "del" ? "−" : " "}</span>
          {line.kind !== "same" && (
            <span class="visually-hidden">{line.kind === "add" ? "added" : "removed"}</span>
          )}
        </td>
        <td class="text">
          {part && end! > part.start && end! - part.start < line.text.length ? (
            <>
              {line.text.slice(0, part.start)}
              <mark>{line.text.slice(part.start, end)}</mark>
              {line.text.slice(end)}
            </>
          ) : (
            line.text
          )}
        </td>
      </tr>
    );
  });
}
