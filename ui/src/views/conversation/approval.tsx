// Someone waits for the user: what exactly will happen, and the answers. The same card in the chat and in the inbox.
import { useEffect, useId, useState } from "preact/hooks";
import { answerApproval } from "../../actions/messages";
import { askedCall } from "../../actions/reading";
import { askedDiff } from "../../diff";
import { keyName } from "../../format";
import type { Approval, ApprovalAnswer, Diff } from "../../wire";
import { useApp } from "../context";
import { Markdown } from "./markdown";
import { Decided } from "./decided";
import { DiffView, Revealed } from "./output";
import { Questions } from "./questions";

/** `alone`: without its conversation, where the call that is asked about stands above the question. */
export function ApprovalView({ item, alone = false }: { item: Approval; alone?: boolean }) {
  return item.state === "pending" ? <Pending item={item} alone={alone} /> : <Decided item={item} />;
}

/** The diffs of the call that is asked about, when the question itself has none. */
function useCallDiffs(item: Approval, wanted: boolean): readonly Diff[] {
  const app = useApp();
  const [diffs, setDiffs] = useState<readonly Diff[]>([]);
  useEffect(() => {
    let gone = false;
    if (wanted)
      askedCall(app, item).then(
        (call) => {
          if (!gone) setDiffs(call?.diffs ?? []);
        },
        () => {}, // The question stands without it, and its conversation is one press away.
      );
    return () => {
      gone = true;
    };
  }, [item.itemId, wanted]);
  return diffs;
}

/** Exactly what will happen. Arguments that came as one line of JSON are laid out; not a value is left out. */
export function readable(item: Pick<Approval, "detail" | "toolArguments">): string | undefined {
  const { detail, toolArguments: args } = item;
  const laidOut = args && Object.keys(args).length > 0 ? layOut(args) : undefined;
  if (detail === undefined || detail === "") return laidOut;
  return laidOut && detail.startsWith("{") && sameJson(detail, args) ? laidOut : detail;
}

/** One line for each plain value; anything else as JSON. */
function layOut(args: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(args);
  const plain = entries.every(
    ([, value]) =>
      (typeof value === "string" && !value.includes("\n")) ||
      typeof value === "number" ||
      typeof value === "boolean",
  );
  return plain
    ? entries.map(([key, value]) => `${key}: ${String(value)}`).join("\n")
    : JSON.stringify(args, null, 2);
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function Pending({ item, alone }: { item: Approval; alone: boolean }) {
  const app = useApp();
  const [asking, setAsking] = useState(false);
  const [refused, setRefused] = useState<string>();
  // The agent has not taken the answer yet, whoever gave it.
  const busy = asking || item.answer !== undefined;
  const problem = item.errorMessage ?? refused;
  const [note, setNote] = useState("");
  const protocol = app.agents.of(app.sessions.of(item.sessionId)?.value.cliType ?? "")?.protocol;
  const hint = useId();
  const answer = (value: ApprovalAnswer) => {
    const message = note.trim();
    setAsking(true);
    void answerApproval(app, item, message === "" ? value : { ...value, message })
      .then(setRefused)
      .finally(() => setAsking(false));
  };
  const diff = askedDiff(item.toolArguments);
  const detail = readable(item);
  const said = detail !== undefined && detail.trim() === item.title.trim();
  const root = app.projects.of(app.sessions.of(item.sessionId)?.peek().projectId ?? "")?.path;
  const callDiffs = useCallDiffs(item, alone && !diff && item.kind === "tool");
  const onKey = (event: KeyboardEvent) => {
    if (
      event.target instanceof HTMLInputElement ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.repeat ||
      busy
    )
      return;
    const option = item.options[Number(event.key) - 1];
    if (option && !item.questions?.length) {
      event.preventDefault();
      answer({ optionId: option.optionId });
    }
  };
  return (
    <section class="approval pending" aria-label={`Needs you: ${item.title}`} onKeyDown={onKey}>
      <header>
        <span class="needs-dot" aria-hidden="true" />
        <strong class="approval-title">{said && !diff ? "May this run?" : item.title}</strong>
        {item.toolName && !item.title.startsWith(item.toolName) && <span class="chip">{item.toolName}</span>}
        {busy && (
          <span class="muted" role="status">
            Sending…
          </span>
        )}
      </header>
      {item.kind === "plan" && item.detail ? (
        <div class="detail plan-detail">
          <Markdown id={`plan:${item.sessionId}:${item.itemId}`} text={item.detail} final />
        </div>
      ) : diff ? (
        <DiffView id={`approval:${item.sessionId}:${item.itemId}`} diff={diff} root={root} />
      ) : (
        detail && (
          <pre class="detail" tabIndex={0} aria-label="Exactly what will run">
            <Revealed text={detail} />
          </pre>
        )
      )}
      {callDiffs.map((one) => (
        <DiffView key={one.path} id={`asked:${item.sessionId}:${item.itemId}`} diff={one} root={root} />
      ))}
      {!busy && problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {item.questions && item.questions.length > 0 ? (
        <Questions item={item} busy={busy} answer={answer} />
      ) : (
        <div class="approval-actions">
          {item.options.map((option, index) => (
            <button
              type="button"
              key={option.optionId}
              disabled={busy}
              onClick={() => answer({ optionId: option.optionId })}
              class={`button ${option.kind === "allow_once" ? "primary" : ""} ${option.kind.startsWith("reject") ? "reject" : ""}`}
              data-answer={index + 1}
              aria-keyshortcuts={alone || index > 8 ? undefined : `Alt+Shift+${index + 1}`}
            >
              {option.name}
              {index < 9 && (
                <kbd aria-hidden="true">
                  {!alone && <span class="chord">{`${keyName("Alt")} ${keyName("Shift")} `}</span>}
                  {index + 1}
                </kbd>
              )}
            </button>
          ))}
          <input
            class="note"
            type="text"
            value={note}
            placeholder={
              protocol === "claude" ? "Say why, or what to do instead (optional)" : "Add a message (optional)"
            }
            aria-label="Message with your answer"
            aria-describedby={hint}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
          <p class="note-hint muted" id={hint} hidden={note.trim() === ""}>
            {protocol === "claude"
              ? "A refusal takes it along. With any other answer it is your next message, after this turn."
              : "Sent as your next message, after this turn."}
          </p>
        </div>
      )}
    </section>
  );
}
