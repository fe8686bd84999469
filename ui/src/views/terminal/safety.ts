// What a program may do to a terminal by what it prints. Whatever is printed may come from a hostile file: no sequence
// reaches the page, the clipboard or another host, and none puts words of its own choice into the shell.
import type { IDisposable, Terminal } from "@xterm/xterm";
import { visible } from "../../reveal";

/** Questions of programs that are answered: many at once are somebody's file, not a program. */
const kAnswersPerSecond = 50;
const kTitleLength = 120;

/** Questions with answers that only this terminal decides: what it is, where the cursor stands, which modes are on. */
const kAnswered = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
];
/** Set and ask for colours; only a question is held back. */
const kColours = [4, 10, 11, 12];
/** Clipboard; notifications and files of other terminals. */
const kRefused = [7, 9, 50, 52, 777, 1337, 5522];

export class Answers {
  private second = 0;
  private given = 0;
  /** `allowed`: somebody is here, and what is drawn was said just now. An old question was answered in its time. */
  constructor(
    private readonly allowed: () => boolean,
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** Whether one more may be given. */
  take(): boolean {
    if (!this.allowed()) return false;
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) [this.second, this.given] = [second, 0];
    return ++this.given <= kAnswersPerSecond;
  }
}

/** `true` from a handler: nothing else looks at the sequence. */
export function guard({ parser }: Pick<Terminal, "parser">, answers: Answers): IDisposable {
  const held = () => !answers.take();
  const handlers = [
    ...kAnswered.map((id) => parser.registerCsiHandler(id, held)),
    // Reports of the window, its title among them: none is given, none is obeyed.
    parser.registerCsiHandler({ final: "t" }, () => true),
    // Settings: to a shell the answer is a key that begins a search, and all that is typed afterwards is searched for.
    parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => true),
    ...kColours.map((id) => parser.registerOscHandler(id, (data) => data.includes("?") && held())),
    ...kRefused.map((id) => parser.registerOscHandler(id, () => true)),
  ];
  return { dispose: () => handlers.forEach((handler) => handler.dispose()) };
}

/** A title that a program set: one short line in which nothing hides. */
export const safeTitle = (title: string): string =>
  visible(title.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " "))
    .trim()
    .slice(0, kTitleLength);

/** Where a link leads, if the page may go there. */
export function safeTarget(uri: string): URL | undefined {
  try {
    const url = new URL(uri);
    return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What goes to a shell from the clipboard: without the signs that would end a bracketed paste or press keys, and with the
 * line ends of a keyboard.
 */
export const safePaste = (text: string): string =>
  text.replace(/\r?\n/g, "\r").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "");

export const linesOf = (pasted: string): number => pasted.replace(/\r$/, "").split("\r").length;
