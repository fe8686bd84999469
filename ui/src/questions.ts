// What was ticked and written for an agent's questions, and what is sent of it. Pure.
import type { Question } from "./wire";

export interface Given {
  ticked: readonly string[];
  /** Another answer, in the user's own words. */
  other: string;
}

export const isAnswered = ({ ticked, other }: Given): boolean => ticked.length > 0 || other.trim() !== "";

/** Everything that was ticked, in the order it was offered, and then the user's own words. */
export function answersOf(
  questions: readonly Question[],
  given: Readonly<Record<string, Given>>,
): Record<string, string> {
  return Object.fromEntries(
    questions.map(({ question, options }) => {
      const { ticked, other } = given[question]!;
      const labels = options.map((option) => option.label).filter((label) => ticked.includes(label));
      return [question, [...labels, other.trim()].filter((part) => part !== "").join(", ")];
    }),
  );
}
