// Below the changes: the keys, and what is to be done when they were read.
import type { Review } from "../../../review/review";
import { commentsOf } from "../../../state/comments";

/** The first ones matter most: those for which there is no room are not shown. */
const hints = [
  ["JK", "next, previous file"],
  ["C", "comment"],
  ["V", "viewed"],
  ["NP", "next, previous change"],
] as const;

export function Foot({ review }: { review: Review }) {
  const { app, session } = review;
  const comments = commentsOf(app);
  const drafts = comments.drafts(session);
  const sending = comments.sending.value === session;
  const body = review.body.value;
  const send = () => {
    comments.send(session).then(
      () => app.toasts.add("info", "The comments are with the agent."),
      (error: unknown) => app.toasts.report(error, send),
    );
  };
  return (
    <footer class="changes-foot">
      <span class="key-hints">
        {hints.map(([keys, label]) => (
          <span key={label}>
            {[...keys].map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}{" "}
            {label}
          </span>
        ))}
      </span>
      {body && body.count > 0 && (
        <button
          type="button"
          class="button"
          onClick={() => app.nav.openDialog({ kind: "commit", sessionId: session })}
        >
          Commit…
        </button>
      )}
      {body && body.count > 0 && (
        <button
          type="button"
          class="button"
          disabled={body.reviewed === true}
          title="This session needs no review until its files are others"
          onClick={() => void review.done()}
        >
          {body.reviewed ? "Reviewed" : "Done reviewing"}
        </button>
      )}
      {drafts > 0 && (
        <button type="button" class="button primary" disabled={sending} onClick={send}>
          {sending ? "Sending…" : drafts === 1 ? "Send 1 comment" : `Send ${drafts} comments`}
        </button>
      )}
    </footer>
  );
}
