// What is wrong with an agent, and what to do about it.
import type { AgentInfo } from "../wire";

/** A remedy with its commands apart: what stands in backquotes, or after "with:". */
export function remedyParts(remedy: string): { text: string; command: boolean }[] {
  const [said, last] = remedy.split(/(?<= with:) (?=\S)/, 2) as [string, string?];
  const parts = said.split("`").map((text, index) => ({ text, command: index % 2 === 1 }));
  if (last) parts.push({ text: " ", command: false }, { text: last, command: true });
  return parts.filter(({ text }) => text !== "");
}

export const remedyOf = ({ problem, remedy }: AgentInfo): string =>
  [problem, remedy].filter(Boolean).join(" ");

/** Words with commands in them. */
export function Commands({ text }: { text: string }) {
  return <>{remedyParts(text).map((part) => (part.command ? <code>{part.text}</code> : part.text))}</>;
}

export function Remedy({ agent }: { agent: AgentInfo }) {
  return <Commands text={remedyOf(agent)} />;
}
