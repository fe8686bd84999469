// What a tool changes or would change in a file.
import { useMemo, useState } from "preact/hooks";
import { changedPart, diffTexts, type DiffLine } from "../../diff";
import { within } from "../../format";
import { visible } from "../../reveal";
import type { Diff } from "../../wire";
import { fold } from "../context";
import { Icon } from "../icons";
import { PlaceButton } from "./places";
import { Revealed } from "./revealed";

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

/**
 * One file's changes. `bare`: whatever is around it already names the file and folds it. `most`: a change that is asked for
 * is not folded; so many lines of it are shown, in a box that does not scroll.
 */
export function DiffView({
  id,
  diff,
  root = "",
  bare = false,
  most,
  onMore,
}: {
  id: string;
  diff: Diff;
  root?: string;
  bare?: boolean;
  most?: number;
  onMore?: () => void;
}) {
  const file = useDiff(diff);
  const large = file.added + file.removed > 60;
  const { open: unfolded, toggle } = fold(`diff:${id}:${diff.path}`, !large);
  const open = bare || most !== undefined || unfolded;
  const [grown, setLimit] = useState(400);
  const limit = most ?? grown;
  const total = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  let left = limit;
  const name = (
    <>
      <span class="path" title={visible(diff.path)}>
        <bdi>
          <Revealed text={within(root, diff.path)} />
        </bdi>
      </span>
      {diff.oldText === undefined && <span class="chip">new</span>}
      <DiffStat {...file} />
    </>
  );
  return (
    <section class={`diff ${bare ? "bare" : ""} ${most === undefined ? "" : "asked"}`}>
      {!bare && (
        <div class="diff-head">
          {most !== undefined ? (
            name
          ) : (
            <button type="button" class="diff-toggle" aria-expanded={open} onClick={toggle}>
              <Icon name="chevron" size={12} />
              {name}
            </button>
          )}
          <PlaceButton place={{ path: diff.path }} root={root} />
        </div>
      )}
      {open && (
        <div class="diff-body" role="region" aria-label={`Changes in ${visible(diff.path)}`} tabIndex={0}>
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
          {total > limit && most === undefined && (
            <button type="button" class="link-button" onClick={() => setLimit(limit * 5)}>
              Show more lines ({total - limit} left)
            </button>
          )}
        </div>
      )}
      {most !== undefined && total > limit && (
        <button type="button" class="detail-more" onClick={onMore}>
          <span>Only the beginning is shown: {total} lines in all.</span>{" "}
          <strong>Show all {total} lines</strong>
        </button>
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
              <Revealed text={line.text.slice(0, part.start)} />
              <mark>
                <Revealed text={line.text.slice(part.start, end)} />
              </mark>
              <Revealed text={line.text.slice(end)} />
            </>
          ) : (
            <Revealed text={line.text} />
          )}
        </td>
      </tr>
    );
  });
}
