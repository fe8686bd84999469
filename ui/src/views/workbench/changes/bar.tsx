// Above the changes: with what the files are compared, how much differs, how it is looked at.
import { grouped } from "../../../review/numbers";
import type { Review } from "../../../review/review";
import { benchOf } from "../../../state/bench";
import { IconButton } from "../../parts";
import { Delta } from "./parts";

const names: Readonly<Record<string, string>> = { base: "Base", head: "Uncommitted", index: "Unstaged" };
const titles: Readonly<Record<string, string>> = {
  head: "Against the last commit",
  index: "Against what is staged",
};

/** The turn whose changes "Last turn" shows. */
function lastTurn(review: Review): string | undefined {
  const timeline = review.app.timelines.known(review.session);
  const id = timeline?.turnOrder.value.findLast((turn) => {
    const { type, checkpoint } = timeline.turn(turn)!.value;
    return type !== "turn_queued" && checkpoint === "made";
  });
  return id === undefined ? undefined : `turn:${id}`;
}

export function Bar({ review }: { review: Review }) {
  const { app, session } = review;
  const bench = benchOf(app);
  const against = bench.against(session);
  const body = review.body.value;
  const last = lastTurn(review);
  const offers = (body?.offers ?? ["base"]).filter((offer) => names[offer]);
  const isTurn = against.startsWith("turn:");
  const viewed = body?.files.filter((file) => file.viewed).length ?? 0;
  const choice = (value: string, label: string, title: string | undefined) => (
    <button
      type="button"
      key={value}
      aria-pressed={against === value}
      title={title}
      onClick={() => bench.compare(session, value)}
    >
      {label}
    </button>
  );
  return (
    <div class="changes-bar">
      <div class="segments" role="group" aria-label="Compare with">
        {offers.map((offer) =>
          choice(
            offer,
            names[offer]!,
            offer === "base" ? `Against ${body?.target ?? "its base"}` : titles[offer],
          ),
        )}
        {last !== undefined && choice(last, "Last turn", "Since the last turn began")}
        {isTurn && against !== last && choice(against, "One turn", "Since that turn began")}
      </div>
      {body && body.count > 0 && <Delta added={body.added} deleted={body.deleted} />}
      <span class="grow" />
      {body && body.count > 0 && (
        <span class="muted viewed-count">
          {grouped(viewed)} of {grouped(body.count)} viewed
        </span>
      )}
      <div class="segments" role="group" aria-label="Look of the changes">
        <button
          type="button"
          aria-pressed={bench.split.value}
          title="Before and after beside each other"
          onClick={() => bench.choose("split", !bench.split.value)}
        >
          Split
        </button>
      </div>
      <IconButton
        icon="list"
        label={bench.tree.value ? "Show the files as a list" : "Show the files as a tree"}
        aria-pressed={bench.tree.value}
        onClick={() => bench.choose("tree", !bench.tree.value)}
      />
      <IconButton
        icon="retry"
        class={review.busy.value ? "is-busy" : ""}
        label="Refresh"
        onClick={() => void review.refresh()}
      />
    </div>
  );
}
