// What a line of the audit trail says, in words. Pure.
import type { IconName } from "./views/icons";
import type { AuditEntry, Login } from "./wire";

export interface Told {
  icon: IconName;
  /** How it is meant: something good, something to look at, or neither. */
  tone: "good" | "bad" | "needs" | "";
  words: string;
}

const plain: Record<string, Told> = {
  code_asked: { icon: "terminal", tone: "", words: "Launch address made" },
  code_refused: { icon: "refused", tone: "needs", words: "Launch code refused" },
  command_refused: { icon: "refused", tone: "needs", words: "Command refused" },
  login: { icon: "check", tone: "good", words: "Logged in" },
  login_ended: { icon: "stop", tone: "", words: "Logged out" },
  login_unknown: { icon: "alert", tone: "bad", words: "A login that this server did not issue" },
  terminal_opened: { icon: "terminal", tone: "", words: "Terminal opened" },
  terminal_closed: { icon: "terminal", tone: "", words: "Terminal closed" },
  answer_lost: { icon: "alert", tone: "bad", words: "Answer not taken by the agent" },
};

export function told(entry: AuditEntry): Told {
  if (entry.kind !== "answered")
    return plain[entry.kind] ?? { icon: "list", tone: "", words: entry.kind.replaceAll("_", " ") };
  const words = entry.answer ?? "Answered";
  if (!entry.optionKind) return { icon: "question", tone: "", words };
  const allowed = entry.optionKind.startsWith("allow");
  return allowed ? { icon: "check", tone: "good", words } : { icon: "refused", tone: "bad", words };
}

const actors: Record<string, string> = {
  terminal: "in a terminal of this machine",
  server: "by the server",
  unknown: "",
};

/** Who, and from where. */
export function byWhom({ by, address }: Pick<AuditEntry, "by" | "address">): string {
  const who = by.name ?? actors[by.kind] ?? by.kind;
  const where = address === undefined ? "" : place(address);
  return [who, where].filter((part) => part !== "").join(" · ");
}

/** An address as people say it; through `ssh -L` it is this machine too. */
export function place(address: string): string {
  return address === "127.0.0.1" || address === "::1" ? "this machine" : address;
}

export const loginName = (login: Pick<Login, "name" | "origin">): string =>
  login.origin === "unknown"
    ? "Not issued by this server"
    : login.name || "A login from before they were recorded";
