// What the user says about a line: a draft, one that was sent, one that is being written.
import { useEffect, useRef, useState } from "preact/hooks";
import { keyName } from "../../../format";
import type { App } from "../../../state/app";
import { commentsOf, type Writing } from "../../../state/comments";
import type { Comment } from "../../../wire";
import { Revealed } from "../../conversation/revealed";
import type { Review } from "../../../review/review";
import type { CommentRow } from "../../../review/rows";

type About = Omit<Writing, "text">;

const words: Readonly<Record<Comment["state"], string>> = {
  draft: "draft",
  outdated: "draft · its line changed since",
  sent: "sent",
  resolved: "resolved",
};

const lineWords = ({ side, line }: Pick<Comment, "side" | "line">) =>
  `${side === "old" ? "old " : ""}line ${line}`;

export function CommentBox({
  review: { app },
  comment,
  quoted,
  since,
}: {
  review: Pick<Review, "app">;
  comment: Comment;
  quoted: boolean;
  since?: CommentRow["since"];
}) {
  const comments = commentsOf(app);
  const { commentId, sessionId, line, quote, state, body } = comment;
  const about = { ...comment, commentId };
  const said = words[state] + (since ? ` · its ${since} changed since` : "");
  const place = lineWords(comment);
  const writing = comments.writing.value.some((one) => one.commentId === commentId);
  const [busy, setBusy] = useState(false);
  const act = (what: Promise<void>) => {
    setBusy(true);
    what.catch((error: unknown) => app.toasts.report(error)).finally(() => setBusy(false));
  };
  const open = state === "draft" || state === "outdated";
  if (writing)
    return (
      <CommentEditor
        app={app}
        about={{ sessionId, commentId, line, quote, ...(comment.path ? { path: comment.path } : {}) }}
        fresh
      />
    );
  return (
    <article
      class={`said is-${state} ${since === "line" ? "is-past" : ""}`}
      aria-label={`Comment on ${place}, ${said}`}
    >
      <header>
        <strong>You</strong>
        <span class="muted">
          {said}
          {line > 0 && ` · ${place}`}
        </span>
        <span class="said-acts">
          {open ? (
            <>
              <button
                type="button"
                class="link-button"
                disabled={busy}
                onClick={() => comments.write({ ...about, text: body })}
              >
                Edit
              </button>
              <button
                type="button"
                class="link-button"
                disabled={busy}
                onClick={() => act(comments.remove(comment))}
              >
                Delete
              </button>
            </>
          ) : (
            <button
              type="button"
              class="link-button"
              disabled={busy}
              onClick={() => act(comments.resolve(comment, state !== "resolved"))}
            >
              {state === "resolved" ? "Open again" : "Resolve"}
            </button>
          )}
        </span>
      </header>
      {quoted && quote !== "" && (
        <blockquote>
          <Revealed text={quote} />
        </blockquote>
      )}
      <p>{body}</p>
    </article>
  );
}

export function CommentEditor({ app, about, fresh }: { app: App; about: About; fresh: boolean }) {
  const comments = commentsOf(app);
  const field = useRef<HTMLTextAreaElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const one = comments.writing.value.find((writing) =>
    about.commentId === undefined
      ? writing.commentId === undefined &&
        writing.sessionId === about.sessionId &&
        writing.path === about.path &&
        writing.itemId === about.itemId &&
        (writing.side ?? "new") === (about.side ?? "new") &&
        writing.line === about.line
      : writing.commentId === about.commentId,
  );
  useEffect(() => {
    if (fresh) field.current?.focus();
  }, []);
  const save = async () => {
    setBusy(true);
    setProblem("");
    try {
      await comments.save(about);
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  const text = one?.text ?? "";
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save();
    } else if (event.key === "Escape") {
      event.preventDefault();
      comments.stop(about);
    }
  };
  return (
    <form
      class="said writing"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        aria-label={`Comment on ${lineWords(about)}`}
        placeholder="What should change here?"
        value={text}
        onInput={(event) => comments.type(about, event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="said-foot">
        <span class="muted">
          <kbd>{keyName("Ctrl")}</kbd> <kbd>{keyName("Enter")}</kbd>
        </span>
        <button type="button" class="button small" onClick={() => comments.stop(about)}>
          Cancel
        </button>
        <button type="submit" class="button small primary" disabled={busy || text.trim() === ""}>
          Comment
        </button>
      </div>
    </form>
  );
}
