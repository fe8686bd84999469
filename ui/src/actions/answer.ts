// Answering by a key what is asked on screen.
import type { App } from "../state/app";
import { nextQuestion } from "./reading";

/** The end of a long question: what was opened to be read stays where it is, and the next press answers. */
function showAnswers(question: Element, button: HTMLElement): void {
  question.dispatchEvent(new Event("readerhand", { bubbles: true }));
  (button.closest(".approval-actions") ?? button).scrollIntoView({ block: "nearest" });
}

/** Answers the first question of the session on screen. What the reader does not see is shown instead. */
export function answerOnScreen(app: App, number: number): void {
  const question = document.querySelector(".session .approval.pending");
  if (!question) return void nextQuestion(app);
  const button = question.querySelector<HTMLButtonElement>(`[data-answer="${number}"]`);
  const view = question.closest(".chat-scroll")?.getBoundingClientRect();
  const place = button?.getBoundingClientRect();
  const seen = place && (!view || (place.top >= view.top && place.bottom <= view.bottom));
  if (button && !seen) showAnswers(question, button);
  else button?.click();
}
