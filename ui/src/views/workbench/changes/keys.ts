// The rhythm of a review: J, K, C, V, and the arrows.
import { useEffect } from "preact/hooks";
import { isChange, kHeadRow, nextChange, nextFile, nextLine } from "../../../review/moving";
import type { Focus, Review } from "../../../review/review";
import { lineOf } from "../../../review/rows";
import { commentOn } from "./rows";

/** Nobody else has the focus: it is in the changes, or nowhere. */
function isOurs({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.matches("input:not([type=checkbox]), textarea, select, [role=menu] *") ||
    target.isContentEditable
  )
    return false;
  return target === document.body || target.closest("#bench-panel") !== null;
}

/** Whoever is in the changes begins no new session by N, also behind the last change. */
const isIn = (review: Review, { target }: KeyboardEvent) =>
  target !== document.body || review.focus.peek() !== undefined;

function go(review: Review, to: Focus | undefined, start = false): boolean {
  if (!to) return false;
  const entry = review.entry(to.path);
  // Whoever goes to a file wants to see it.
  if (entry && start && to.row === kHeadRow && !entry.open && !entry.info.viewed && !entry.isLarge)
    review.setOpen(entry, true);
  review.moved = true;
  review.focus.value = to;
  review.jump.value = { ...to, start };
  return true;
}

/** About the line in focus; of the first change where a file has it. */
function comment(review: Review): boolean {
  const focus = review.focus.peek();
  const entry = focus && review.entry(focus.path);
  if (!focus || !entry) return false;
  const at = focus.row === kHeadRow ? entry.rows.findIndex(isChange) : focus.row;
  const row = entry.rows[at];
  const right = row && lineOf(row, "new");
  const line = right ?? (row && lineOf(row, "old"));
  if (!line) return false;
  const side = line.newLine === undefined ? "old" : "new";
  commentOn(review, entry, side, side === "old" ? line.oldLine! : line.newLine!);
  return true;
}

function viewed(review: Review): boolean {
  const focus = review.focus.peek();
  const entry = focus && review.entry(focus.path);
  if (!entry) return false;
  const now = entry.info.viewed !== true;
  void review.setViewed(entry, now);
  // On to the next, as one does.
  if (now) {
    review.focus.value = { path: entry.info.path, row: kHeadRow };
    go(review, nextFile(review, 1), true);
  }
  return true;
}

export function handleReviewKey(review: Review, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !isOurs(event))
    return false;
  if ((event.key === "n" || event.key === "p") && !isIn(review, event)) return false;
  const inList = event.target instanceof HTMLElement && event.target.closest(".changed-files, .changes-bar");
  switch (event.key) {
    case "j":
      return go(review, nextFile(review, 1), true);
    case "k":
      return go(review, nextFile(review, -1), true);
    case "n":
    case "J":
      return go(review, nextChange(review, 1)) || isIn(review, event);
    case "p":
    case "K":
      return go(review, nextChange(review, -1)) || isIn(review, event);
    case "ArrowDown":
    case "ArrowUp":
      if (inList || event.target === document.body) return false;
      return go(review, nextLine(review, event.key === "ArrowDown" ? 1 : -1));
    case "c":
      return comment(review);
    case "v":
      return viewed(review);
    case "Enter":
      return open(review, event);
    default:
      return false;
  }
}

/** A gap in focus opens; the head of a file folds it or shows it. */
function open(review: Review, { target }: KeyboardEvent): boolean {
  const focus = review.focus.peek();
  const entry = focus && review.entry(focus.path);
  if (!focus || !entry || !(target instanceof HTMLElement)) return false;
  if (focus.row === kHeadRow && target.matches(".diff-file-head")) {
    review.setOpen(entry, !entry.open);
    return true;
  }
  const row = entry.rows[focus.row];
  if (row?.kind !== "gap" || !target.matches(".diff-row")) return false;
  void review.fetcher.openGap(entry, row.index, row.count, "top");
  return true;
}

export function useKeys(review: Review): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (review.app.nav.dialog.peek()) return;
      if (handleReviewKey(review, event)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [review]);
}
