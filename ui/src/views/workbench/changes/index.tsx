// What differs in a session's files, and what is said about it.
import { useEffect } from "preact/hooks";
import { count } from "../../../format";
import { grouped } from "../../../review/numbers";
import { reviewOf, type Review } from "../../../review/review";
import { benchOf } from "../../../state/bench";
import { commentsOf } from "../../../state/comments";
import { useApp } from "../../context";
import { Icon } from "../../icons";
import { IconButton } from "../../parts";
import { Bar } from "./bar";
import { CommentBox } from "./comment";
import { DiffList } from "./diff_list";
import { FileList } from "./file_list";
import { Foot } from "./foot";
import { useKeys } from "./keys";

export function ChangesCount({ session }: { session: string }) {
  const files = useApp().sessions.of(session)?.value.changes?.files;
  return files ? <span class="bench-count">{count(files)}</span> : null;
}

export function ChangesPanel({ session }: { session: string }) {
  const app = useApp();
  const bench = benchOf(app);
  const review = reviewOf(app, session);
  useEffect(() => review.watch(), [review]);
  const split = bench.split.value;
  useEffect(() => review.setSplit(split), [review, split]);
  useKeys(review);
  const body = review.body.value;
  const problem = review.problem.value;
  return (
    <div class="changes">
      <Bar review={review} />
      {problem && <Problem review={review} problem={problem} />}
      {!body && !problem && <Skeleton />}
      {body?.truncated && (
        <p class="strip warn">
          <Icon name="alert" size={14} /> Only the first {grouped(body.files.length)} of {grouped(body.count)}{" "}
          files are listed. Commit or ignore some to see the others.
        </p>
      )}
      {body && body.count > 0 && <Committed review={review} />}
      {body && body.files.length > 1 && <FileList review={review} tree={bench.tree.value} />}
      <Elsewhere review={review} />
      {body && (body.files.length > 0 ? <DiffList review={review} /> : <Empty review={review} />)}
      <Foot review={review} />
    </div>
  );
}

function Problem({ review, problem }: { review: Review; problem: Error }) {
  return (
    <div class="strip bad" role="alert">
      <Icon name="alert" size={14} />
      <span class="grow">
        {problem.message}
        {review.body.value ? " What is below was true before." : ""}
      </span>
      <button type="button" class="button small" onClick={() => void review.refresh()}>
        Try again
      </button>
    </div>
  );
}

/** After a commit what was committed still differs from the base: nobody has to wonder whether it worked. */
function Committed({ review: { app, session, against, body } }: { review: Review }) {
  const bench = benchOf(app);
  const words = bench.committed(session);
  // Where the base is the last commit, what was committed is not among the changes any more.
  if (words === undefined || against !== "base" || body.value!.target === "HEAD") return null;
  return (
    <p class="strip">
      <Icon name="check" size={14} />
      <span class="grow">{words} Base shows what is committed, too.</span>
      <button type="button" class="button small" onClick={() => bench.compare(session, "head")}>
        Show uncommitted
      </button>
      <IconButton icon="close" label="Dismiss" onClick={() => bench.commit(session, undefined)} />
    </p>
  );
}

function Empty({ review }: { review: Review }) {
  const { app, session } = review;
  const cliType = app.sessions.of(session)?.value.cliType ?? "";
  const name = app.agents.of(cliType)?.name ?? "the agent";
  const against = benchOf(app).against(session);
  return (
    <div class="bench-empty">
      {against === "base" ? (
        <p>No changes yet. They appear here as {name} works.</p>
      ) : (
        <>
          <p>Nothing differs here.</p>
          <button type="button" class="button" onClick={() => benchOf(app).compare(session, "base")}>
            Show all changes of this session
          </button>
        </>
      )}
    </div>
  );
}

function Skeleton() {
  return (
    <div class="changes-skeleton" role="status" aria-label="Looking at what changed">
      {[72, 48, 60, 84, 40, 66].map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** Drafts about files that are not among these changes: they go along all the same. */
function Elsewhere({ review }: { review: Review }) {
  void review.version.value;
  if (!review.body.value) return null;
  const comments = commentsOf(review.app)
    .of(review.session)
    .value.filter(
      ({ path, state }) =>
        path !== undefined && (state === "draft" || state === "outdated") && review.indexOf(path) < 0,
    );
  if (comments.length === 0) return null;
  return (
    <section class="said-elsewhere" aria-label="Comments on files that are not among these changes">
      <h3>On files that are not among these changes</h3>
      {comments.map((comment) => (
        <div key={comment.commentId}>
          <p class="muted path">{comment.path}</p>
          <CommentBox review={review} comment={comment} quoted />
        </div>
      ))}
    </section>
  );
}
