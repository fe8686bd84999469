// Someone waits for the user: what exactly will happen, and the answers. One card for the chat, the inbox and the phone.
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { answerApproval } from "../../actions/messages";
import { askedCall } from "../../actions/lately";
import { asked, piece } from "../../asked";
import { allows } from "../../options";
import { onOneLine, visible } from "../../reveal";
import type { Approval, ApprovalAnswer, ApprovalOption, Diff } from "../../wire";
import { useApp } from "../context";
import { useDialogs } from "../later";
import { AskedView, isCut } from "./asked";
import { useFresh } from "./calm";
import { Choices } from "./choices";
import { Decided } from "./decided";
import { Markdown } from "./markdown";
import { useRoot } from "./places";
import { Questions } from "./questions";
import { Revealed } from "./revealed";

/** `alone`: out of its conversation, in the inbox. */
export function ApprovalView({ item, alone = false }: { item: Approval; alone?: boolean }) {
  return item.state === "pending" ? <Pending item={item} alone={alone} /> : <Decided item={item} />;
}

/** The diffs of the call that is asked about. In the inbox its conversation may never have been opened. */
function useCallDiffs(item: Approval, alone: boolean): readonly Diff[] {
  const app = useApp();
  const here = item.callId === undefined ? undefined : app.timelines.of(item.sessionId).call(item.callId);
  const [fetched, setFetched] = useState<readonly Diff[]>([]);
  const wanted = alone && here === undefined && item.kind === "tool";
  useEffect(() => {
    let gone = false;
    if (wanted)
      askedCall(app, item).then(
        (call) => {
          if (!gone) setFetched(call?.diffs ?? []);
        },
        () => {}, // The question stands without it, and its conversation is one press away.
      );
    return () => {
      gone = true;
    };
  }, [item.itemId, wanted]);
  return here?.diffs ?? fetched;
}

/**
 * Who answered with the focus in the card has it in the next one, or where messages are written, once the card is gone.
 * Not on a phone, where that would bring up the keyboard.
 */
function useFocusAfter(card: { current: HTMLElement | null }): () => void {
  const inside = useRef(false);
  useLayoutEffect(
    () => () => {
      if (inside.current && !matchMedia("(pointer: coarse)").matches) requestAnimationFrame(focusNext);
    },
    [],
  );
  return () => {
    inside.current = card.current?.contains(document.activeElement) ?? false;
  };
}
function focusNext(): void {
  if (document.activeElement && document.activeElement !== document.body) return;
  document
    .querySelector<HTMLElement>(".approval.pending, .composer textarea")
    ?.focus({ preventScroll: true });
}

const kTitleChars = 120;

function Pending({ item, alone }: { item: Approval; alone: boolean }) {
  const app = useApp();
  const card = useRef<HTMLElement>(null);
  const [asking, setAsking] = useState(false);
  const [refused, setRefused] = useState<string>();
  // The agent has not taken the answer yet, whoever gave it.
  const busy = asking || item.answer !== undefined;
  const problem = item.errorMessage ?? refused;
  const { note } = app.drafts.answer(item);
  const fresh = useFresh();
  const answeredHere = useFocusAfter(card);
  const later = useDialogs(item.kind === "plan");
  const [open, setOpen] = useState(false);
  const [toldToLook, setToldToLook] = useState(false);
  const protocol = app.agents.of(app.sessions.of(item.sessionId)?.value.cliType ?? "")?.protocol;
  const hint = useId();
  const root = useRoot(item.sessionId);
  const what = asked(item, useCallDiffs(item, alone), root);
  const plan = item.kind === "plan" && item.detail ? item.detail : undefined;
  const questions = item.questions?.length ?? 0;
  const title = questions > 1 ? `${questions} questions` : onOneLine(item.title);
  // A title that is cut here stands in whole below.
  const long = title.length > kTitleChars && !(what.text ?? "").includes(item.title.trim());
  const shown = long ? { ...what, text: [item.title, what.text].filter(Boolean).join("\n\n") } : what;
  const cut = plan === undefined ? isCut(shown) : piece(plan).cut;
  const same = what.text !== undefined && what.text.trim() === item.title.trim();
  const show = () => {
    // What grows under the reader's hand does not move the reader to its end.
    card.current?.dispatchEvent(new Event("readerhand", { bubbles: true }));
    setOpen(true);
  };
  const send = (value: ApprovalAnswer) => {
    if (fresh || busy) return;
    const message = note.trim();
    answeredHere();
    setAsking(true);
    void answerApproval(app, item, message === "" ? value : { ...value, message })
      .then((problem) => {
        if (problem === undefined) app.drafts.answered(item);
        setRefused(problem);
      })
      .finally(() => setAsking(false));
  };
  const choose = (option: ApprovalOption) => {
    if (!allows(option) || !cut || open) return send({ optionId: option.optionId });
    show();
    setToldToLook(true);
    // The next key is for reading: a held Enter must not allow what was not looked at.
    card.current?.querySelector<HTMLElement>(".detail, .diff-body")?.focus({ preventScroll: true });
  };
  const onKey = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
    if (typing || event.repeat || busy || !/^[1-9]$/.test(event.key)) return;
    const button = card.current?.querySelector<HTMLButtonElement>(`[data-answer="${event.key}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  };
  return (
    <section
      ref={card}
      class="approval pending"
      tabIndex={-1}
      aria-label={`Needs you: ${visible(title).slice(0, 200)}`}
      onKeyDown={onKey}
    >
      <header>
        <span class="needs-dot" aria-hidden="true" />
        <strong class="approval-title">
          {same ? (
            "May this run?"
          ) : (
            <Revealed text={title.length > kTitleChars ? `${title.slice(0, kTitleChars)}…` : title} />
          )}
        </strong>
        {item.toolName && questions === 0 && !item.title.startsWith(item.toolName) && (
          <span class="chip tool-name">
            <Revealed text={onOneLine(item.toolName)} />
          </span>
        )}
        {busy && (
          <span class="muted" role="status">
            Sending…
          </span>
        )}
      </header>
      {item.kind === "plan" && plan === undefined && (
        <p class="muted">The agent did not say what it plans: read on above.</p>
      )}
      {plan === undefined ? (
        <AskedView
          id={`${item.sessionId}:${item.itemId}`}
          asked={shown}
          root={root}
          open={open}
          onOpen={show}
        />
      ) : (
        <div class={`detail-box ${cut && !open ? "short" : ""}`}>
          <div
            class={`detail plan-detail ${cut && !open ? "clipped" : ""}`}
            tabIndex={0}
            aria-label="The plan"
          >
            <Markdown
              id={`plan:${item.sessionId}:${item.itemId}`}
              sessionId={item.sessionId}
              text={plan}
              final
            />
          </div>
          {cut && !open && (
            <button type="button" class="detail-more" onClick={show}>
              <span>Only the beginning is shown.</span> <strong>Show the whole plan</strong>
            </button>
          )}
          {later && <later.PlanComments item={item} plan={plan} />}
        </div>
      )}
      {!busy && problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {toldToLook && (
        <p class="look-first" role="status">
          Look at it first: all of it is shown now.
        </p>
      )}
      {questions > 0 ? (
        <Questions item={item} busy={busy} fresh={fresh} alone={alone} answer={send} />
      ) : (
        <div class="approval-actions">
          <Choices item={item} busy={busy} fresh={fresh} alone={alone} choose={choose} />
          <input
            class="note"
            type="text"
            value={note}
            placeholder={
              protocol === "claude" ? "Say why, or what to do instead (optional)" : "Add a message (optional)"
            }
            aria-label="Message with your answer"
            aria-describedby={hint}
            onInput={(event) => app.drafts.changeAnswer(item, { note: event.currentTarget.value })}
          />
          <p class="note-hint muted" id={hint} hidden={note.trim() === ""}>
            {protocol === "claude"
              ? "A refusal takes it along. With any other answer it is your next message, after this turn."
              : "Sent as your next message, after this turn."}
          </p>
        </div>
      )}
      {what.raw !== undefined && <RawInput text={what.raw} />}
    </section>
  );
}

/** Everything the tool is given, for whoever wants to see it as it is. */
function RawInput({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="raw-input" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Raw input</summary>
      {open && (
        <pre class="detail" tabIndex={0} aria-label="Raw input">
          <Revealed text={text} />
        </pre>
      )}
    </details>
  );
}
