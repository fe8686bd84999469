// The rows of one file.
import { discardChange, placeOf } from "../../../actions/review";
import { commentsOf } from "../../../state/comments";
import type { FileEntry } from "../../../review/entry";
import { onlyKind } from "../../../review/kind";
import { kOpenLines } from "../../../review/fetcher";
import { grouped } from "../../../review/numbers";
import type { Review } from "../../../review/review";
import { lineOf, type Gap, type NoteRow, type Row, type Side } from "../../../review/rows";
import type { Line } from "../../../review/unified";
import { IconButton, Working } from "../../parts";
import { CommentBox, CommentEditor } from "./comment";
import { Images } from "./images";
import { Code, NumberButton, Sign } from "./line";

/** Opens an editor below a line. */
export function commentOn(review: Review, entry: FileEntry, side: Side, number: number): void {
  const line = entry.rows
    .map((row) => lineOf(row, side))
    .find((found) => (side === "old" ? found?.oldLine : found?.newLine) === number);
  review.fresh = `${entry.info.path}:${side}:${number}`;
  commentsOf(review.app).write({
    sessionId: review.session,
    path: entry.info.path,
    side,
    oid: entry.info.oid,
    line: number,
    quote: (line?.text ?? "").slice(0, 500),
  });
}

interface Props {
  review: Review;
  entry: FileEntry;
  row: Row;
  version: number;
}

export function RowView({ review, entry, row, version }: Props) {
  switch (row.kind) {
    case "gap":
      return <GapView review={review} entry={entry} version={version} gap={row} />;
    case "comment":
      return (
        <CommentBox review={review} comment={row.comment} quoted={row.quoted === true} since={row.since} />
      );
    case "editor":
      return (
        <CommentEditor
          app={review.app}
          about={{ sessionId: review.session, path: entry.info.path, ...row, oid: entry.info.oid }}
          fresh={review.fresh === `${entry.info.path}:${row.side}:${row.line}`}
        />
      );
    case "note":
      return <Note review={review} entry={entry} version={version} row={row} />;
    case "pair":
      return <PairView review={review} entry={entry} version={version} left={row.left} right={row.right} />;
    default:
      return <LineView review={review} entry={entry} version={version} line={row} />;
  }
}

const showWhole = (review: Review, entry: FileEntry, line: Line) => () => {
  if (!entry.whole.delete(line)) entry.whole.add(line);
  review.version.value++;
};

function LineView({ review, entry, line, version }: Omit<Props, "row"> & { line: Line }) {
  const onComment = (side: Side, number: number) => commentOn(review, entry, side, number);
  return (
    <div class={`dl dl-${line.kind}`}>
      <NumberButton number={line.oldLine} side="old" onComment={onComment} />
      <NumberButton number={line.newLine} side="new" onComment={onComment} />
      <Sign kind={line.kind} />
      <code class="dl-text">
        <Code line={line} entry={entry} version={version} onWhole={showWhole(review, entry, line)} />
      </code>
      <DiscardButton review={review} entry={entry} version={version} line={line} />
    </div>
  );
}

function PairView({
  review,
  entry,
  left,
  right,
  version,
}: Omit<Props, "row"> & { left: Line | undefined; right: Line | undefined }) {
  const onComment = (side: Side, number: number) => commentOn(review, entry, side, number);
  const half = (line: Line | undefined, side: Side) =>
    line ? (
      <div class={`dl-half dl-${line.kind}`}>
        <NumberButton
          number={side === "old" ? line.oldLine : line.newLine}
          side={side}
          onComment={onComment}
        />
        <Sign kind={line.kind} />
        <code class="dl-text">
          <Code line={line} entry={entry} version={version} onWhole={showWhole(review, entry, line)} />
        </code>
      </div>
    ) : (
      <div class="dl-half dl-none" />
    );
  const first = left?.first ? left : right;
  return (
    <div class="dl dl-pair">
      {half(left, "old")}
      {half(right, "new")}
      {first && <DiscardButton review={review} entry={entry} version={version} line={first} />}
    </div>
  );
}

/** At the first line of each run of changes. */
function DiscardButton({ review, entry, line }: Omit<Props, "row"> & { line: Line }) {
  const range = line.first;
  if (!range) return null;
  return (
    <IconButton
      icon="undo"
      class="change-undo"
      label={`Discard this change at ${placeOf(range)}…`}
      onClick={() => discardChange(review, entry, range)}
    />
  );
}

function GapView({ review, entry, gap }: Omit<Props, "row"> & { gap: Gap }) {
  const { index, count: lines, title } = gap;
  const open = (how: "top" | "bottom" | "all") => void review.fetcher.openGap(entry, index, lines, how);
  const few = lines === undefined ? false : lines <= 2 * kOpenLines;
  const words =
    lines === undefined
      ? "the rest of the file"
      : lines === 1
        ? "1 unchanged line"
        : `${grouped(lines)} unchanged lines`;
  return (
    <div class="dl-gap">
      <button type="button" onClick={() => open(few ? "all" : "top")}>
        <span aria-hidden="true">⋯</span>{" "}
        {few || lines === undefined ? words : `${kOpenLines} more of ${words}`}
      </button>
      {!few && lines !== undefined && (
        <>
          {gap.hunk && (
            <button type="button" onClick={() => open("bottom")}>
              {kOpenLines} above
            </button>
          )}
          <button type="button" onClick={() => open("all")}>
            all
          </button>
        </>
      )}
      {title !== "" && <span class="dl-title">{title}</span>}
    </div>
  );
}

function Note({ review, entry, row, version }: Omit<Props, "row"> & { row: NoteRow }) {
  if (row.note === "image") return <Images review={review} entry={entry} version={version} />;
  if (row.note === "loading")
    return (
      <div class="dl-note skeleton" role="status">
        <Working label={`Loading the changes in ${entry.info.path}`} />
      </div>
    );
  if (row.note === "failed")
    return (
      <div class="dl-note" role="alert">
        <span>{row.text}</span>{" "}
        <button type="button" class="button small" onClick={() => review.fetcher.again(entry)}>
          Try again
        </button>
      </div>
    );
  if (row.note === "large") return <div class="dl-note">{row.text}</div>;
  const { status } = entry.info;
  return (
    <div class="dl-note">
      {row.note === "binary"
        ? "A binary file: there are no lines to show."
        : status === "renamed"
          ? "Renamed, with the same content."
          : status === "added"
            ? "An empty file."
            : onlyKind(entry.diff)}
    </div>
  );
}
