// One line of a file: its number, what became of it, its text in colours.
import type { FileEntry } from "../../../review/entry";
import { kCutLine, kLongLine } from "../../../review/entry";
import { withMarks, type Piece } from "../../../review/language";
import { grouped } from "../../../review/numbers";
import type { Side } from "../../../review/rows";
import type { Line } from "../../../review/unified";
import { changedWords, type Range } from "../../../review/words";
import { Revealed } from "../../conversation/revealed";

/** Which words are others: found when a line is first drawn. */
const marks = new WeakMap<Line, readonly Range[]>();
function marksOf(line: Line): readonly Range[] {
  const known = marks.get(line);
  if (known || !line.pair) return known ?? [];
  const [before, after] = line.kind === "del" ? [line, line.pair] : [line.pair, line];
  const found = changedWords(before.text, after.text);
  marks.set(before, found.before);
  marks.set(after, found.after);
  return marks.get(line)!;
}

const signs = { same: " ", add: "+", del: "−" };

/** `version`: colours that came, and lines that were opened, are in `entry`. */
export function Code({
  line,
  entry,
  onWhole,
}: {
  line: Line;
  entry: FileEntry;
  version: number;
  onWhole: () => void;
}) {
  const long = line.text.length > kLongLine;
  const cut = long && !entry.whole.has(line);
  const pieces: readonly Piece[] = cut
    ? [{ text: line.text.slice(0, kCutLine), scope: "" }]
    : withMarks(entry.colours.get(line) ?? [{ text: line.text, scope: "" }], marksOf(line));
  // Nothing but the end of the line is another.
  const end = line.pair && line.pair.text === line.text && line.pair.cr !== line.cr;
  return (
    <>
      {pieces.map(({ text, scope, marked }, index) => {
        const shown = <Revealed text={text} />;
        return marked ? (
          <mark key={index} class={scope}>
            {shown}
          </mark>
        ) : scope === "" ? (
          shown
        ) : (
          <span key={index} class={scope}>
            {shown}
          </span>
        );
      })}
      {end && <mark class="hidden-char">{line.cr ? "\\r\\n" : "\\n"}</mark>}
      {line.open && line.kind !== "same" && <span class="no-newline"> no newline at the end</span>}
      {long && (
        <button type="button" class="link-button" onClick={onWhole}>
          {cut ? `show ${grouped(line.text.length - kCutLine)} more characters` : "show less"}
        </button>
      )}
    </>
  );
}

/** The number of a line: pressed, it opens a comment. */
export function NumberButton({
  number,
  side,
  onComment,
}: {
  number: number | undefined;
  side: Side;
  onComment: (side: Side, line: number) => void;
}) {
  if (number === undefined) return <span class="dl-number" />;
  return (
    <button
      type="button"
      class="dl-number"
      tabIndex={-1}
      aria-label={`Comment on ${side === "old" ? "the old " : ""}line ${number}`}
      onClick={() => onComment(side, number)}
    >
      {number}
    </button>
  );
}

export function Sign({ kind }: { kind: Line["kind"] }) {
  return (
    <span class="dl-sign">
      <span aria-hidden="true">{signs[kind]}</span>
      {kind !== "same" && <span class="visually-hidden">{kind === "add" ? "added" : "removed"}</span>}
    </span>
  );
}
