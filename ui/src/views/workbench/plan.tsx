// What the user says about lines of a plan. It goes to the agent with the answer, whichever that is.
import { useState } from "preact/hooks";
import { commentsOf } from "../../state/comments";
import type { Approval } from "../../wire";
import { useApp } from "../context";
import { Revealed } from "../conversation/revealed";
import { CommentBox, CommentEditor } from "./changes/comment";

export function PlanComments({ item, plan }: { item: Approval; plan: string }) {
  const app = useApp();
  const comments = commentsOf(app);
  const { sessionId, itemId } = item;
  const said = comments.of(sessionId).value.filter((one) => one.itemId === itemId);
  const writing = comments.writingOf(sessionId).filter((one) => one.itemId === itemId && !one.commentId);
  const [open, setOpen] = useState(false);
  const lines = plan.split("\n");
  const write = (line: number) =>
    comments.write({ sessionId, itemId, line, quote: (lines[line - 1] ?? "").slice(0, 500) });
  if (!open && said.length === 0 && writing.length === 0)
    return (
      <button type="button" class="link-button plan-comment" onClick={() => setOpen(true)}>
        Comment on lines of the plan
      </button>
    );
  return (
    <ol class="plan-lines" aria-label="Lines of the plan">
      {lines.map((text, index) => {
        const line = index + 1;
        const here = said.filter((one) => one.line === line);
        const typed = writing.find((one) => one.line === line);
        // Folded, only what is said about it is there.
        if (!open && here.length === 0 && !typed) return null;
        return (
          <li key={line}>
            <div class="plan-line">
              <button
                type="button"
                class="dl-number"
                aria-label={`Comment on line ${line} of the plan`}
                onClick={() => write(line)}
              >
                {line}
              </button>
              <span>
                <Revealed text={text} />
              </span>
            </div>
            {here.map((comment) => (
              <CommentBox key={comment.commentId} review={{ app }} comment={comment} quoted={false} />
            ))}
            {typed && <CommentEditor app={app} about={typed} fresh={open} />}
          </li>
        );
      })}
      <li>
        <button type="button" class="link-button" onClick={() => setOpen(!open)}>
          {open ? "Done commenting" : "Comment on more lines"}
        </button>
      </li>
    </ol>
  );
}
