// Questions with choices: every one is answered, then all are sent.
import { useState } from "preact/hooks";
import type { Approval, ApprovalAnswer } from "../../wire";

export function Questions({
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
