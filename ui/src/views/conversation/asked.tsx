// Exactly what will happen when an approval is allowed: a head of it, how much it is, and the whole one press away.
import { countLines, kDiffLines, piece, type Asked } from "../../asked";
import { bytes } from "../../format";
import { diffTexts } from "../../diff";
import { DiffView } from "./diff_view";
import { Revealed } from "./revealed";

/** Whether some of it is out of sight until it is opened. */
export function isCut({ text, diffs }: Asked): boolean {
  return (text !== undefined && piece(text).cut) || diffs.some((diff) => linesOf(diff) > kDiffLines);
}

function linesOf({ oldText, newText }: Asked["diffs"][number]): number {
  return diffTexts(oldText, newText).hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}

export function AskedView({
  id,
  asked,
  root,
  open,
  onOpen,
}: {
  id: string;
  asked: Asked;
  root: string;
  open: boolean;
  onOpen: () => void;
}) {
  const { text, words, diffs, flags } = asked;
  return (
    <>
      {text !== undefined && text !== "" && <AskedText text={text} open={open} onOpen={onOpen} />}
      {flags.length > 0 && (
        <p class="asked-flags">
          {flags.map((flag) => (
            <span key={flag} class="chip">
              <Revealed text={flag} />
            </span>
          ))}
        </p>
      )}
      {words && (
        <p class="asked-words">
          <Revealed text={words} />
        </p>
      )}
      {diffs.map((diff) => (
        <DiffView
          key={diff.path}
          id={`asked:${id}`}
          diff={diff}
          root={root}
          most={open ? Infinity : kDiffLines}
          onMore={onOpen}
        />
      ))}
    </>
  );
}

function AskedText({ text, open, onOpen }: { text: string; open: boolean; onOpen: () => void }) {
  const { shown, lines, bytes: size, cut } = piece(text);
  const short = cut && !open;
  const much = `${countLines(lines)}, ${bytes(size)}`;
  return (
    <div class={`detail-box ${short ? "short" : ""}`}>
      <pre class="detail" tabIndex={0} aria-label="Exactly what will run">
        <Revealed text={short ? shown : text} words />
      </pre>
      {short ? (
        <button type="button" class="detail-more" onClick={onOpen}>
          <span>Only the beginning is shown: {much} in all.</span>{" "}
          <strong>{lines > 1 ? `Show all ${lines} lines` : "Show all of it"}</strong>
        </button>
      ) : (
        (cut || lines > 5) && <p class="detail-size">{much}</p>
      )}
    </div>
  );
}
