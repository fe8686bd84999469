// Someone waits for the user: what exactly will happen, and the answers. The same card in the chat and in the inbox.
import { useEffect, useState } from "preact/hooks";
import { answerApproval, askedCall } from "../actions";
import { askedDiff } from "../diff";
import { clockTime } from "../format";
import type { ApprovalAnswer, Diff, Item } from "../wire";
import { useApp } from "./context";
import { Icon } from "./icons";
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
  const option = item.options.find((candidate) => candidate.optionId === item.answer?.optionId);
  const allowed = option ? option.kind.startsWith("allow") : item.answer !== undefined;
  const answers = Object.entries(item.answer?.answers ?? {});
  const said =
    item.state === "expired" || item.status === "cancelled"
      ? "Expired without an answer"
      : `${option?.name ?? (answers.length > 0 ? "Answered" : "Decided")}${item.answeredBy ? ` by ${item.answeredBy === "browser" ? "you" : item.answeredBy}` : ""}`;
  return (
    <section
      class={`approval decided ${allowed && item.state === "answered" ? "allowed" : "refused"}`}
      aria-label="Decided approval"
    >
      <Icon name={item.state === "answered" && allowed ? "check" : "close"} size={14} />
      <span class="grow">
        <span class="approval-title">{item.title}</span>
        {answers.map(([question, label]) => (
          <span key={question} class="muted">
            {" "}
            · {question} <strong>{String(label)}</strong>
          </span>
        ))}
        {item.answer?.message && <span class="muted"> · “{item.answer.message}”</span>}
      </span>
      <span class="muted">
        {said}
        {item.answeredAt ? ` · ${clockTime(item.answeredAt)}` : ""}
      </span>
    </section>
  );
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
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState("");
  const answer = (value: ApprovalAnswer) => {
    setBusy(true);
    void answerApproval(app, item.sessionId, item, {
      ...(note.trim() === "" ? {} : { message: note.trim() }),
      ...value,
    }).finally(() => setBusy(false));
  };
  const diff = askedDiff(item.toolArguments);
  const detail = readable(item);
  const root = app.project(app.session(item.sessionId)?.peek().projectId ?? "")?.path;
  const callDiffs = useCallDiffs(item, alone && !diff && item.kind === "tool");
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
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
        <strong class="approval-title">{item.title}</strong>
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
              onClick={() => answer({ optionId: option.optionId })}
              class={`button ${option.kind === "allow_once" ? "primary" : ""} ${option.kind.startsWith("reject") ? "reject" : ""}`}
            >
              {option.name}
              <kbd aria-hidden="true">{index + 1}</kbd>
            </button>
          ))}
          <input
            class="note"
            type="text"
            value={note}
            placeholder="Tell the agent more (optional)"
            aria-label="Message with your answer"
            onInput={(event) => setNote(event.currentTarget.value)}
          />
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
