// Someone waits for the user: what exactly will happen, and the answers. The same card in the chat and in the inbox.
import { useEffect, useId, useState } from "preact/hooks";
import { answerApproval, askedCall, sendAfterRefusal, sendMessage } from "../../actions";
import { askedDiff } from "../../diff";
import { clockTime, keyName } from "../../format";
import type { ApprovalAnswer, Diff, Item } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Markdown } from "./markdown";
import { DiffView, Revealed } from "./output";

export type Approval = Extract<Item, { type: "approval" }>;

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

function Decided({ item }: { item: Approval }) {
  const app = useApp();
  // Right below its call, which says what this is about.
  const above = app.store(item.sessionId).neighbour(item.itemId, -1);
  const named = above?.type === "tool_call" && above.callId === item.callId;
  const option = item.options.find((candidate) => candidate.optionId === item.answer?.optionId);
  const allowed = option ? option.kind.startsWith("allow") : item.answer !== undefined;
  const answers = Object.entries(item.answer?.answers ?? {});
  const said = (
    <>
      {answers.map(([question, label]) => (
        <span key={question} class="muted">
          {" "}
          · {question} <strong>{String(label)}</strong>
        </span>
      ))}
      {item.answer?.message && <span class="muted"> · “{item.answer.message}”</span>}
    </>
  );
  return (
    <section
      class={`approval decided ${allowed && item.state === "answered" ? "allowed" : "refused"}`}
      aria-label="Decided approval"
    >
      <Icon name={item.state === "answered" && allowed ? "check" : "close"} size={14} />
      {named ? (
        <span>
          <span class="visually-hidden">{item.title}: </span>
          {decision(item)}
          {said}
        </span>
      ) : (
        <>
          <span class="grow">
            <span class="approval-title">{item.title}</span>
            {said}
          </span>
          <span class="muted">{decision(item)}</span>
        </>
      )}
    </section>
  );
}

const decisions: Record<string, string> = {
  allow_once: "Allowed",
  allow_always: "Always allowed",
  reject_once: "Rejected",
  reject_always: "Always rejected",
};

/** What was decided, by whom and when; the answer's own words where they say more than that. */
export function decision(item: Approval): string {
  if (item.state === "expired" || item.status === "cancelled") return "Expired without an answer";
  const option = item.options.find((candidate) => candidate.optionId === item.answer?.optionId);
  const answered = Object.keys(item.answer?.answers ?? {}).length > 0;
  const done = option ? (decisions[option.kind] ?? option.name) : answered ? "Answered" : "Decided";
  const who = item.answeredBy ? ` by ${item.answeredBy === "browser" ? "you" : item.answeredBy}` : "";
  const when = item.answeredAt ? `, ${clockTime(item.answeredAt)}` : "";
  const usual = /^(always )?(allow|approve|reject|deny|decline|yes|no)( once| always)?$/i;
  const words = option && option.name !== done && !usual.test(option.name) ? ` · ${option.name}` : "";
  return `${done}${who}${when}${words}`;
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

/** Only Claude Code takes words together with an answer, and only with a refusal. Others get them as the next message. */
export const takesWords = (protocol: string | undefined, kind: string) =>
  protocol === "claude" && kind.startsWith("reject");

function Pending({ item, alone }: { item: Approval; alone: boolean }) {
  const app = useApp();
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState("");
  const protocol = app.agent(app.session(item.sessionId)?.value.cliType ?? "")?.protocol;
  const hint = useId();
  const answer = (value: ApprovalAnswer, kind = "") => {
    const words = note.trim();
    const within = words !== "" && takesWords(protocol, kind);
    setBusy(true);
    void answerApproval(app, item.sessionId, item, { ...(within ? { message: words } : {}), ...value })
      .then((accepted) => {
        if (!accepted || words === "" || within) return;
        if (kind.startsWith("reject")) sendAfterRefusal(app, item.sessionId, words);
        else sendMessage(app, item.sessionId, words, []);
      })
      .finally(() => setBusy(false));
  };
  const diff = askedDiff(item.toolArguments);
  const detail = readable(item);
  const said = detail !== undefined && detail.trim() === item.title.trim();
  const root = app.project(app.session(item.sessionId)?.peek().projectId ?? "")?.path;
  const callDiffs = useCallDiffs(item, alone && !diff && item.kind === "tool");
  const onKey = (event: KeyboardEvent) => {
    if (
      event.target instanceof HTMLInputElement ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.repeat
    )
      return;
    const option = item.options[Number(event.key) - 1];
    if (option && !item.questions?.length) {
      event.preventDefault();
      answer({ optionId: option.optionId }, option.kind);
    }
  };
  return (
    <section class="approval pending" aria-label={`Needs you: ${item.title}`} onKeyDown={onKey}>
      <header>
        <span class="needs-dot" aria-hidden="true" />
        <strong class="approval-title">{said && !diff ? "May this run?" : item.title}</strong>
        {item.toolName && !item.title.startsWith(item.toolName) && <span class="chip">{item.toolName}</span>}
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
      {item.questions && item.questions.length > 0 ? (
        <Questions item={item} busy={busy} answer={answer} />
      ) : (
        <div class="approval-actions">
          {item.options.map((option, index) => (
            <button
              type="button"
              key={option.optionId}
              disabled={busy}
              onClick={() => answer({ optionId: option.optionId }, option.kind)}
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

function Questions({
  item,
  busy,
  answer,
}: {
  item: Approval;
  busy: boolean;
  answer: (value: ApprovalAnswer) => void;
}) {
  const [chosen, setChosen] = useState<Record<string, string[]>>({});
  const questions = item.questions ?? [];
  const toggle = (question: string, label: string, many: boolean) =>
    setChosen((old) => {
      const now = old[question] ?? [];
      const next = !many
        ? [label]
        : now.includes(label)
          ? now.filter((other) => other !== label)
          : [...now, label];
      return { ...old, [question]: next };
    });
  const complete = questions.every((question) => (chosen[question.question] ?? []).length > 0);
  const reject = item.options.find((option) => option.kind.startsWith("reject"));
  return (
    <form
      class="questions"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete)
          answer({
            answers: Object.fromEntries(questions.map((q) => [q.question, chosen[q.question]!.join(", ")])),
          });
      }}
    >
      {questions.map((question, at) => (
        <fieldset key={question.question}>
          <legend>
            {question.header && <span class="chip">{question.header}</span>} {question.question}
          </legend>
          {question.options.map((option) => (
            <label key={option.label} class="choice">
              <input
                type={question.multiSelect ? "checkbox" : "radio"}
                name={`${item.itemId}:${at}`}
                checked={(chosen[question.question] ?? []).includes(option.label)}
                onChange={() => toggle(question.question, option.label, question.multiSelect)}
              />
              <span>
                <strong>{option.label}</strong>
                {option.description && <span class="muted"> {option.description}</span>}
              </span>
            </label>
          ))}
          <input
            class="note"
            type="text"
            aria-label={`Another answer to: ${question.question}`}
            placeholder="Another answer"
            onInput={(event) => {
              const text = event.currentTarget.value.trim();
              setChosen((old) => ({ ...old, [question.question]: text === "" ? [] : [text] }));
            }}
          />
        </fieldset>
      ))}
      <div class="approval-actions">
        <button type="submit" class="button primary" disabled={busy || !complete}>
          Answer
        </button>
        {reject && (
          <button
            type="button"
            class="button reject"
            disabled={busy}
            onClick={() => answer({ optionId: reject.optionId })}
          >
            {reject.name}
          </button>
        )}
      </div>
    </form>
  );
}
