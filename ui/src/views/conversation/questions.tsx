// Questions with choices: every one is answered, then all are sent.
import { answersOf, isAnswered, type Given } from "../../questions";
import type { Approval, ApprovalAnswer, Question } from "../../wire";
import { useApp } from "../context";
import { Choices } from "./choices";
import { Revealed } from "./revealed";

const nothing: Given = { ticked: [], other: "" };

export function Questions({
  item,
  busy,
  fresh,
  alone,
  answer,
}: {
  item: Approval;
  busy: boolean;
  fresh: boolean;
  alone: boolean;
  answer: (value: ApprovalAnswer) => void;
}) {
  const app = useApp();
  const { given } = app.drafts.answer(item);
  const questions = item.questions ?? [];
  const change = (question: Question, next: Given) =>
    app.drafts.changeAnswer(item, { given: { ...app.drafts.answer(item).given, [question.question]: next } });
  // As in a message: the key that was chosen sends, Enter alone does not when it is not that key.
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLFormElement }) => {
    const field = event.target instanceof HTMLInputElement && event.target.type === "text";
    if (!field || event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (app.settings.sends(event)) event.currentTarget.requestSubmit();
  };
  const complete = questions.every((question) => isAnswered(given[question.question] ?? nothing));
  return (
    <form
      class="questions"
      onKeyDown={onKey}
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && !busy) answer({ answers: answersOf(questions, given) });
      }}
    >
      {questions.map((question, at) => (
        <QuestionFields
          key={question.question}
          name={`${item.itemId}:${at}`}
          question={question}
          // With one question its words are the title of the card.
          titled={questions.length === 1 && question.question === item.title}
          given={given[question.question] ?? nothing}
          change={(next) => change(question, next)}
        />
      ))}
      <div class="approval-actions">
        <Choices
          item={item}
          busy={busy}
          fresh={fresh}
          alone={alone}
          keys={false}
          choose={(option) => answer({ optionId: option.optionId })}
          primary={
            <button
              type="submit"
              class="button primary"
              disabled={busy || !complete}
              aria-disabled={fresh || undefined}
            >
              Answer
            </button>
          }
        />
      </div>
    </form>
  );
}

function QuestionFields({
  name,
  question,
  titled,
  given,
  change,
}: {
  name: string;
  question: Question;
  titled: boolean;
  given: Given;
  change: (next: Given) => void;
}) {
  const many = question.multiSelect;
  const toggle = (label: string) => {
    if (!many) return change({ ticked: [label], other: "" });
    const ticked = given.ticked.includes(label)
      ? given.ticked.filter((other) => other !== label)
      : [...given.ticked, label];
    change({ ...given, ticked });
  };
  return (
    <fieldset>
      <legend class={titled ? "visually-hidden" : ""}>
        {question.header && <span class="chip">{question.header}</span>} <Revealed text={question.question} />
      </legend>
      {question.options.map((option) => (
        <label key={option.label} class="choice">
          <input
            type={many ? "checkbox" : "radio"}
            name={name}
            checked={given.ticked.includes(option.label)}
            onChange={() => toggle(option.label)}
          />
          <span>
            <strong>
              <Revealed text={option.label} />
            </strong>
            {option.description && (
              <span class="muted">
                {" "}
                <Revealed text={option.description} />
              </span>
            )}
          </span>
        </label>
      ))}
      <input
        class="note"
        type="text"
        value={given.other}
        aria-label={`Another answer to: ${question.question}`}
        placeholder={many ? "Another answer, beside what is ticked" : "Another answer"}
        onInput={(event) => {
          const other = event.currentTarget.value;
          // One answer only: words of one's own take the place of a choice.
          change({ ticked: many || other.trim() === "" ? given.ticked : [], other });
        }}
      />
    </fieldset>
  );
}
