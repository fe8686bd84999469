// One view per kind of item. A kind without a view does not compile.
import type { ComponentChildren, JSX } from "preact";
import type { Signal } from "@preact/signals";
import { between, clockTime, cost, count, duration } from "../../format";
import type { Item, Turn } from "../../wire";
import { sendAgain } from "../../actions/messages";
import { canRewind } from "../../commands/session_rows";
import { available, commands, run } from "../../commands/table";
import { isFinal } from "../../state/timeline";
import { ApprovalView } from "./approval";
import { AttachmentView } from "./attachments";
import { fold, useApp } from "../context";
import { Icon } from "../icons";
import { dialogs } from "../later";
import { Markdown } from "./markdown";
import { CopyButton, IconButton, Working } from "../parts";
import { Commands } from "../remedy";
import { ownProblem, ToolCallView } from "./tool_call";

type Of<T extends Item["type"]> = Extract<Item, { type: T }>;
type View<T extends Item["type"]> = (props: { item: Of<T> }) => JSX.Element;

const views: { [T in Item["type"]]: View<T> } = {
  message: MessageView,
  thinking: ThinkingView,
  tool_call: ToolCallView,
  approval: ApprovalView,
  plan: PlanView,
};

/** Draws one item and draws it alone again when its signal changes. */
export function ItemView({ item }: { item: Signal<Item> }) {
  const View = views[item.value.type] as View<Item["type"]>;
  return <View item={item.value as never} />;
}

function MessageView({ item }: { item: Of<"message"> }) {
  const app = useApp();
  if (item.origin === "user") return <UserMessage content={item.content} item={item} />;
  if (item.origin === "system") {
    return (
      <aside class="system-note">
        <Icon name="alert" size={14} />
        <span>{item.content}</span>
      </aside>
    );
  }
  const cut =
    item.status === "cancelled" ? (
      <p class="cut">Cut off here.</p>
    ) : item.status === "error" ? (
      <p class="cut">{ownProblem(app.timelines.of(item.sessionId), item) ?? "Cut off here."}</p>
    ) : null;
  return (
    <article class="message agent" aria-busy={!isFinal(item)}>
      <Markdown
        id={`${item.sessionId}:${item.itemId}`}
        sessionId={item.sessionId}
        text={item.content}
        final={isFinal(item)}
      />
      {cut}
      {isFinal(item) && (
        <div class="message-tools">
          <CopyButton text={item.content} label="Copy message as Markdown" />
        </div>
      )}
    </article>
  );
}

export function UserMessage({
  content,
  item,
  attached,
  children,
}: {
  content: string;
  item?: Of<"message">;
  attached?: ComponentChildren;
  children?: JSX.Element;
}) {
  const long = content.length > 2400 || content.split("\n").length > 24;
  const { open, toggle } = fold(`user:${item?.sessionId}:${item?.itemId}`, !long);
  return (
    <article class="message user" aria-label="You">
      <div class="bubble">
        {attached}
        {item?.attachments?.map((attachment) => (
          <AttachmentView key={attachment.attachmentId} sessionId={item.sessionId} attachment={attachment} />
        ))}
        {content !== "" && (
          <p class={open ? "" : "clamped"} dir="auto">
            {content}
          </p>
        )}
        {long && (
          <button type="button" class="link-button" onClick={toggle}>
            {open ? "Show less" : "Show all"}
          </button>
        )}
      </div>
      <div class="message-tools">
        {item && (
          <time dateTime={item.startedAt} title={item.startedAt}>
            {clockTime(item.startedAt)}
          </time>
        )}
        {item && <CopyButton text={content} label="Copy message" />}
        {item && <EditAgain item={item} />}
        {children}
      </div>
    </article>
  );
}

/** What steered a running turn began none: there is nothing before it to go back to. */
function EditAgain({ item: { sessionId, turnId, itemId } }: { item: Of<"message"> }) {
  const app = useApp();
  const about = { sessionId, turnId };
  if (itemId !== `${turnId}:user` || !available(app, "edit-again", about)) return null;
  const { label } = commands["edit-again"];
  return <IconButton icon="edit" label={label} onClick={() => run(app, "edit-again", about)} />;
}

function ThinkingView({ item }: { item: Of<"thinking"> }) {
  const running = !isFinal(item);
  const { open, toggle } = fold(`thinking:${item.sessionId}:${item.itemId}`, false);
  const long = item.endedAt !== undefined && Date.parse(item.endedAt) - Date.parse(item.startedAt) >= 1000;
  const took = long ? between(item.startedAt, item.endedAt) : undefined;
  return (
    <section class="thinking">
      <button type="button" class="thinking-head" aria-expanded={open} onClick={toggle}>
        <Icon name="brain" size={15} />
        {running ? (
          <span class="shimmer">Thinking…</span>
        ) : (
          <span>{took ? `Thought for ${took}` : "Thought"}</span>
        )}
        <Icon name="chevron" size={12} />
      </button>
      {open && (
        <div class="thinking-body">
          <Markdown
            id={`${item.sessionId}:${item.itemId}`}
            sessionId={item.sessionId}
            text={item.content}
            final={!running}
          />
        </div>
      )}
    </section>
  );
}

function PlanView({ item }: { item: Of<"plan"> }) {
  const app = useApp();
  // What an ended turn left undone is not being done.
  const goesOn = app.timelines.of(item.sessionId).turn(item.turnId)?.value.type === "turn_started";
  const done = item.entries.filter((entry) => entry.status === "completed").length;
  return (
    <section class="plan" aria-label="Plan">
      <header>
        <Icon name="list" size={15} />
        <h3>Plan</h3>
        <span class="muted">
          {done} of {item.entries.length}
        </span>
      </header>
      <ol>
        {item.entries.map((entry, index) => (
          <li
            key={index}
            class={`plan-${entry.status === "in_progress" && !goesOn ? "pending" : entry.status}`}
          >
            <span class="plan-mark">
              {entry.status === "completed" ? (
                <Icon name="check" size={12} />
              ) : entry.status === "in_progress" && goesOn ? (
                <Working label="In progress" />
              ) : null}
            </span>
            <span>
              {entry.content}
              {entry.status === "completed" && <span class="visually-hidden"> (done)</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** How a turn ended, what it took, and a second try when it failed. */
export function TurnFooter({ turn }: { turn: Signal<Turn> }) {
  const app = useApp();
  const later = dialogs.module.value;
  const value = turn.value;
  const facts = turnFacts(value);
  const timeline = app.timelines.of(value.sessionId);
  // What others came after is history: its words can be sent again, but not from here.
  const isLast = timeline.turnOrder.value
    .map((id) => timeline.turn(id)!.value)
    .every((other) => other.pos <= value.pos || other.type === "turn_queued");
  const retry = () => {
    const user = timeline.item(`${value.turnId}:user`)?.peek();
    if (user?.type === "message") sendAgain(app, value.sessionId, user);
  };
  if (value.type === "turn_error") {
    return (
      <div class="turn-footer turn-failed" role="note">
        <Icon name="alert" size={16} />
        <div class="grow">
          <strong>This turn failed.</strong> <Commands text={value.errorMessage ?? ""} />
          <p class="muted">
            {facts.join(" · ")}
            {facts.length > 0 && value.errorCode && " · "}
            {value.errorCode && <code>{value.errorCode}</code>}
          </p>
        </div>
        <div class="turn-ways">
          {value.origin === "user" && isLast && (
            <button type="button" class="button" onClick={retry}>
              <Icon name="retry" size={14} />
              Retry
            </button>
          )}
          <Rewind turn={value} />
        </div>
      </div>
    );
  }
  const cancelled = value.status === "cancelled";
  return (
    <div class={`turn-footer ${cancelled ? "turn-cancelled" : ""}`}>
      {[cancelled ? "Stopped by you" : "", ...facts].filter(Boolean).join(" · ")}
      <Rewind turn={value} />
      {/* It is loaded later: what stands behind it would move. */}
      {later && <later.TurnChanges turn={value} />}
    </div>
  );
}

/** The way back to before a turn; where there is none, a quiet word that says why when it is pressed. */
function Rewind({ turn }: { turn: Turn }) {
  const app = useApp();
  const { sessionId, turnId, checkpointProblem } = turn;
  const { open, toggle } = fold(`checkpoint:${sessionId}:${turnId}`, false);
  if (canRewind(turn))
    return (
      <button
        type="button"
        class="link-button rewind"
        onClick={() => run(app, "rewind", { sessionId, turnId })}
      >
        <Icon name="undo" size={13} /> {commands.rewind.label}
      </button>
    );
  if (turn.checkpoint !== "none" || !checkpointProblem) return null;
  return (
    <span class="no-rewind">
      <button type="button" class="link-button" aria-expanded={open} onClick={toggle}>
        Cannot be rewound
      </button>
      {open && <span>{checkpointProblem}</span>}
    </span>
  );
}

export function turnFacts(turn: Turn): string[] {
  const facts = [];
  const waitedMs = turn.waitedMs ?? 0;
  if (turn.startedAt && turn.endedAt)
    facts.push(duration(Date.parse(turn.endedAt) - Date.parse(turn.startedAt) - waitedMs));
  if (waitedMs >= 1000) facts.push(`waited ${duration(waitedMs)} for you`);
  const { inputTokens, outputTokens } = turn.usage ?? {};
  if (inputTokens || outputTokens)
    facts.push(`${count(inputTokens ?? 0)} in, ${count(outputTokens ?? 0)} out`);
  if (turn.costUsd !== undefined && turn.costUsd > 0) facts.push(cost(turn.costUsd));
  if (turn.modelId) facts.push(turn.modelId);
  const usual = ["end_turn", "stop", "completed", "success"];
  // Who stopped it knows why it ended.
  if (turn.finishReason && turn.status !== "cancelled" && !usual.includes(turn.finishReason))
    facts.push(turn.finishReason.replaceAll("_", " "));
  return facts;
}
