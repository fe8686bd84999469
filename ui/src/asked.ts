// What an approval asks for, as a person has to see it before it is allowed. Pure.
import { askedDiff } from "./diff";
import type { Approval, Diff } from "./wire";

type Arguments = Readonly<Record<string, unknown>>;

export interface Asked {
  /** Exactly what will run, or what the tool is given. */
  text?: string;
  /** What the agent says about it. */
  words?: string;
  diffs: readonly Diff[];
  /** What is switched on beside it: "run in background". */
  flags: readonly string[];
  /** The whole input, where not all of it is shown. */
  raw?: string;
}

/** `called`: the diffs of the call that is asked about. */
export function asked(item: Approval, called: readonly Diff[] = [], root = ""): Asked {
  const args = (item.toolArguments ?? {}) as Arguments;
  const raw = Object.keys(args).length > 0 ? JSON.stringify(args, null, 2) : undefined;
  const nothing = { diffs: [], flags: [] };
  if (item.questions && item.questions.length > 0) return { ...nothing, raw };
  if (item.kind === "plan" && item.detail) {
    const more = Object.keys(args).some((key) => key !== "plan");
    return { ...nothing, ...(more && { raw }) };
  }
  const own = askedDiff(args);
  if (own) return { ...nothing, diffs: [own] };
  const detail = item.detail ?? "";
  const laidOut = raw === undefined ? undefined : layOut(args);
  const onlyInput = detail === "" || (detail.startsWith("{") && sameJson(detail, args));
  const flags = flagsOf(args, root);
  if (onlyInput && called.length > 0) return { diffs: called, flags, raw };
  if (onlyInput) return { ...nothing, text: laidOut };
  const [text, words] = split(detail, commandOf(args));
  const said = Object.keys(args).every((key) => isSaid(key, args[key], text, item.title));
  return { text, words, diffs: called, flags, ...(!said && { raw }) };
}

/** The command of a call, without the shell that it is handed to. */
export function commandOf(args: Arguments): string | undefined {
  const command = args["command"] ?? args["cmd"];
  if (Array.isArray(command)) return unwrapped(command.map(String));
  return typeof command === "string" ? command : undefined;
}

/** Words that a shell would take apart are quoted. */
export function unwrapped(command: readonly string[]): string {
  const shell = /(?:^|\/)(?:ba|z|da)?sh$/.test(command[0] ?? "") && /^-l?c$/.test(command[1] ?? "");
  const quoted = (word: string) =>
    /^[\w@%+=:,./\u0080-\uffff-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return shell && command.length === 3 ? command[2]! : command.map(quoted).join(" ");
}

/** The agent's words stand behind the command, after an empty line. */
function split(detail: string, command: string | undefined): [string, string | undefined] {
  if (command === undefined || command === "" || !detail.startsWith(`${command}\n\n`))
    return [detail, undefined];
  const words = detail.slice(command.length).trim();
  return [command, words === "" ? undefined : words];
}

function isSaid(key: string, value: unknown, text: string, title: string): boolean {
  if (key === "command" || key === "cmd") return value === text;
  return value === false || (key === "description" && typeof value === "string" && title.includes(value));
}

/** Switches, and a folder outside of the project. */
function flagsOf(args: Arguments, root: string): string[] {
  const flags = Object.entries(args)
    .filter(([, value]) => value === true)
    .map(([key]) =>
      key
        .replace(/_/g, " ")
        .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`),
    );
  const folder = args["cwd"];
  const outside = typeof folder === "string" && folder !== "" && folder !== root;
  return outside && root !== "" && !folder.startsWith(`${root}/`) ? [...flags, `in ${folder}`] : flags;
}

/** One line for each plain value; anything else as JSON. Not a value is left out. */
function layOut(args: Arguments): string {
  const entries = Object.entries(args);
  const plain = entries.every(
    ([, value]) =>
      (typeof value === "string" && !value.includes("\n")) ||
      typeof value === "number" ||
      typeof value === "boolean",
  );
  return plain
    ? entries.map(([key, value]) => `${key}: ${String(value)}`).join("\n")
    : JSON.stringify(args, null, 2);
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** So much is read at a glance; what is longer is cut, and looked at before it is allowed. */
const kLines = 16;
const kChars = 1600;
export const kDiffLines = 40;

export interface Piece {
  shown: string;
  lines: number;
  bytes: number;
  cut: boolean;
}

export function piece(text: string): Piece {
  const body = text.replace(/\n+$/, "");
  const lines = body.split("\n");
  const head = lines.slice(0, kLines).join("\n");
  const shown = head.length > kChars ? head.slice(0, kChars).replace(/[\ud800-\udbff]$/, "") : head;
  return {
    shown,
    lines: lines.length,
    bytes: new TextEncoder().encode(text).length,
    cut: shown.length < body.length,
  };
}

/** "601 lines, 24 KiB" without the size's words: who shows it knows how to say bytes. */
export const countLines = (lines: number): string => `${lines} ${lines === 1 ? "line" : "lines"}`;
