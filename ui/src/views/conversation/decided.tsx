// A question that was answered, or that nobody answered in time.
import { clockTime } from "../../format";
import { stops, wordsOf } from "../../options";
import { onOneLine, visible } from "../../reveal";
import type { Approval } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";

/** What was asked stood there whole; afterwards its beginning is enough. */
const kTitleChars = 200;

export function Decided({ item }: { item: Approval }) {
  const app = useApp();
  const timeline = app.timelines.of(item.sessionId);
  // What the agent could not take along is the next message.
  const words = timeline.hasMessage(`answer:${item.itemId}`) ? undefined : item.answer?.message;
  // Right below its call, which says what this is about.
  const above = timeline.neighbour(item.itemId, -1);
  const named = above?.type === "tool_call" && above.callId === item.callId;
  const option = item.options.find((candidate) => candidate.optionId === item.answer?.optionId);
  const allowed = option ? option.kind.startsWith("allow") : item.answer !== undefined;
  const stopped = timeline.turn(item.turnId)?.value.status === "cancelled";
  const decided = decision(item, stopped);
  const line = visible(onOneLine(item.title));
  const title = line.length > kTitleChars ? `${line.slice(0, kTitleChars)}…` : line;
  // As they were asked; what the questions do not name comes last.
  const given = item.answer?.answers ?? {};
  const order = (item.questions ?? []).map(({ question }) => question).filter((name) => name in given);
  const answers = [...new Set([...order, ...Object.keys(given)])].map((name) => [name, given[name]] as const);
  const said = (
    <>
      {answers.map(([question, label]) => (
        <span key={question} class="muted">
          {" "}
          · {visible(question)} <strong>{visible(String(label))}</strong>
        </span>
      ))}
      {words && <span class="muted"> · “{words}”</span>}
    </>
  );
  return (
    <section
      class={`approval decided ${allowed && item.state === "answered" ? "allowed" : "refused"}`}
      aria-label="Decided approval"
    >
      <Icon name={item.state !== "answered" ? "close" : allowed ? "check" : "refused"} size={14} />
      {named ? (
        <span>
          <span class="visually-hidden">{title}: </span>
          {decided}
          {said}
        </span>
      ) : (
        <>
          <span class="grow">
            <span class="approval-title">{title}</span>
            {said}
          </span>
          <span class="muted">{decided}</span>
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

/** What was decided, by whom and when; the answer's own words where they say more than that. `stopped`: with its turn. */
export function decision(item: Approval, stopped = false): string {
  if (item.state === "expired" || item.status === "cancelled")
    return item.answer
      ? (item.errorMessage ?? "Taken back while this answer was on its way")
      : stopped
        ? "Not answered: the turn was stopped"
        : "Expired without an answer";
  const option = item.options.find((candidate) => candidate.optionId === item.answer?.optionId);
  const answered = Object.keys(item.answer?.answers ?? {}).length > 0;
  const done =
    option && stops(option)
      ? "Turn stopped"
      : option
        ? (decisions[option.kind] ?? option.name)
        : answered
          ? "Answered"
          : "Decided";
  const who = item.answeredBy ? ` by ${item.answeredBy === "browser" ? "you" : item.answeredBy}` : "";
  const when = item.answeredAt ? `, ${clockTime(item.answeredAt)}` : "";
  const words = option && wordsOf(item, option);
  return `${done}${who}${when}${words ? ` · ${visible(words)}` : ""}`;
}
