// The answers of an approval as the page offers them: by what they do, never by what the agent calls them. Pure.
import type { Approval, ApprovalOption } from "./wire";

type Kind = ApprovalOption["kind"];

const labels: Readonly<Record<Approval["kind"], Readonly<Record<Kind, string>>>> = {
  tool: {
    allow_once: "Allow once",
    allow_always: "Always allow",
    reject_once: "Reject",
    reject_always: "Always reject",
  },
  plan: {
    allow_once: "Approve the plan",
    allow_always: "Approve and always allow",
    reject_once: "Keep planning",
    reject_always: "Always reject",
  },
  question: {
    allow_once: "Allow once",
    allow_always: "Always allow",
    reject_once: "Do not answer",
    reject_always: "Always reject",
  },
};

/** Names that say no more than the kind does. */
const usual: Readonly<Record<Kind, RegExp>> = {
  allow_once:
    /^(yes|ok|allow|approve|accept|proceed|continue|run)( once| this time| this| it)?$|^yes, proceed$/,
  allow_always: /^(always )?(yes|allow|approve|accept)( always)?$/,
  reject_once:
    /^(no|reject|deny|decline|refuse|cancel|abort)( once| this time| this| it)?$|^no, (keep planning|and tell \w+( \w+)? what to do differently|provide feedback)$/,
  reject_always: /^(always )?(no|reject|deny|decline|refuse)( always)?$/,
};

export const allows = ({ kind }: ApprovalOption): boolean => kind.startsWith("allow");

/** A refusal that also ends the turn, as Claude Code takes it. */
export const stops = ({ optionId, kind }: ApprovalOption): boolean =>
  optionId === "reject-and-stop" && kind === "reject_once";
const stopLabels: Readonly<Record<Approval["kind"], string>> = {
  tool: "Reject and stop the turn",
  plan: "Reject the plan and stop the turn",
  question: "Stop the turn",
};

export const labelOf = (item: Pick<Approval, "kind">, option: ApprovalOption): string =>
  stops(option) ? stopLabels[item.kind] : labels[item.kind][option.kind];

/** What the agent's own name for an answer says beyond its kind: what it covers, or what else happens. */
export function wordsOf(item: Pick<Approval, "kind">, option: ApprovalOption): string | undefined {
  const name = option.name.trim();
  const label = labelOf(item, option);
  if (
    stops(option) ||
    name === "" ||
    name.toLowerCase() === label.toLowerCase() ||
    usual[option.kind].test(name.toLowerCase())
  )
    return undefined;
  // "Always allow npm test" under "Always allow" is about npm test.
  const rest = name.toLowerCase().startsWith(`${label.toLowerCase()} `) ? name.slice(label.length + 1) : name;
  return rest;
}

export interface Arranged {
  primary?: ApprovalOption;
  /** Of a plan: to go on without being asked about every edit, where the agent offers that. */
  also?: ApprovalOption;
  reject?: ApprovalOption;
  rest: readonly ApprovalOption[];
}

/** One to go on, one to refuse, and the rest in the agent's order. What lasts is never the first choice where a single time is offered. */
export function arrange(options: readonly ApprovalOption[], kind: Approval["kind"] = "tool"): Arranged {
  const first = (...kinds: Kind[]) =>
    kinds
      .map((kind) => options.find((option) => option.kind === kind))
      .find((option) => option !== undefined);
  const primary = first("allow_once", "allow_always");
  const reject = first("reject_once", "reject_always");
  const always = kind === "plan" ? first("allow_always") : undefined;
  const also = always === primary ? undefined : always;
  return {
    ...(primary && { primary }),
    ...(also && { also }),
    ...(reject && { reject }),
    rest: options.filter((option) => option !== primary && option !== also && option !== reject),
  };
}
