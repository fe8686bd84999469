// Nothing that is printed in a terminal leaves it: neither into the page, nor as words into the shell.
import { Terminal } from "@xterm/xterm";
import { expect, it } from "vitest";
import * as corpus from "../dev/corpus.mjs";
import { meaningOf, withCtrl } from "../src/views/terminal/keys";
import { asBlock, kMostLetters, kMostLines, lastOutput, textOf } from "../src/views/terminal/output";
import { byNumber, isPublic, portAddress } from "../src/views/terminal/ports";
import { Answers, guard, linesOf, safePaste, safeTarget, safeTitle } from "../src/views/terminal/safety";

const written = (terminal: Terminal, text: string) =>
  new Promise<void>((resolve) => terminal.write(text, resolve));

function guarded(allowed: () => boolean = () => true, now?: () => number) {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24 });
  const said: string[] = [];
  terminal.onData((data) => said.push(data));
  guard(terminal, new Answers(allowed, now));
  return { terminal, said };
}

/** Each asks the terminal to say something into the shell. */
const questions = [
  "\u001b[c",
  "\u001b[>c",
  "\u001b[5n",
  "\u001b[6n",
  "\u001b[?6n",
  "\u001b[4$p",
  "\u001b[?2004$p",
  "\u001bP$qm\u001b\\",
  "\u001b]10;?\u0007",
  "\u001b]4;1;?\u0007",
];

it("answers questions of programs in words of its own only", async () => {
  const { terminal, said } = guarded();
  for (const question of questions) await written(terminal, question);
  expect(said.length).toBeGreaterThanOrEqual(7);
  for (const answer of said) expect(answer).toMatch(/^\u001b[[P\]][\d;?>$rynRcmgb:/a-f]*(\u001b\\|\u0007)?$/);
});

it("answers nothing while what is drawn is old, or nobody is here", async () => {
  const { terminal, said } = guarded(() => false);
  for (const question of questions) await written(terminal, question);
  expect(said).toEqual([]);
});

it("answers no flood of questions", async () => {
  const { terminal, said } = guarded(
    () => true,
    () => 5000,
  );
  await written(terminal, "\u001b[c".repeat(10_000));
  expect(said).toHaveLength(50);
});

it("gives no title back, and none of what a file chose", async () => {
  const { terminal, said } = guarded();
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  await written(
    terminal,
    "\u001b]2;rm -rf ~\r\u0007\u001b[21t\u001b[20t\u001b[14t\u001b[18t\u0005\u001bP$qrm -rf\u001b\\",
  );
  expect(titles).toEqual(["rm -rf ~"]);
  expect(said).toEqual([]);
});

it("neither moves nor resizes anything, and reads or writes no clipboard", async () => {
  const { terminal, said } = guarded();
  for (const text of corpus.terminal) await written(terminal, text);
  await written(terminal, "\u001b[8;5;5t\u001b[?3h\u001b]52;c;?\u0007\u001b]52;c;cm0gLXJm\u0007");
  expect([terminal.cols, terminal.rows]).toEqual([80, 24]);
  expect(said.join("")).not.toMatch(/52|hit|evil/);
});

it("takes time in proportion to a sequence that never ends", async () => {
  const { terminal } = guarded();
  await written(terminal, `\u001b]0;${"x".repeat(2_000_000)}`);
  await written(terminal, "\u0018\u001bcafter");
  expect(terminal.buffer.active.getLine(0)!.translateToString(true)).toBe("after");
});

it("shows a title in which nothing hides", () => {
  expect(safeTitle("vim\u001b[31m \u202egpj.exe\nsecond")).toBe("vim [31m \\u202egpj.exe second");
  expect(safeTitle("x".repeat(500))).toHaveLength(120);
});

it("follows links to web addresses alone", () => {
  expect(safeTarget("https://example.com/a")?.href).toBe("https://example.com/a");
  for (const bad of ["javascript:hit()", "data:text/html,x", "file:///etc/passwd", "vscode://x", "//x", ""])
    expect(safeTarget(bad)).toBeUndefined();
});

it("pastes words, never keys: what would end a bracketed paste is taken out", () => {
  expect(safePaste("a\u001b[201~b\nc\r\nd\te\u0003\u009b")).toBe("a[201~b\rc\rd\te");
  expect(linesOf(safePaste("one\n"))).toBe(1);
  expect(linesOf(safePaste("one\ntwo"))).toBe(2);
});

it("tells the shell's keys from the page's", () => {
  const key = (init: KeyboardEventInit) => new KeyboardEvent("keydown", init);
  expect(meaningOf(key({ key: "Escape" }), false)).toBe("shell");
  expect(meaningOf(key({ key: "k", code: "KeyK", ctrlKey: true }), false)).toBe("shell");
  expect(meaningOf(key({ key: "c", code: "KeyC", ctrlKey: true }), true)).toBe("shell");
  expect(meaningOf(key({ key: "C", code: "KeyC", ctrlKey: true, shiftKey: true }), true)).toBe("copy");
  expect(meaningOf(key({ key: "C", code: "KeyC", ctrlKey: true, shiftKey: true }), false)).toBe("none");
  expect(meaningOf(key({ key: "c", code: "KeyC", metaKey: true }), true, true)).toBe("copy");
  expect(meaningOf(key({ key: "V", code: "KeyV", ctrlKey: true, shiftKey: true }), false)).toBe("paste");
  expect(meaningOf(key({ key: ">", code: "Period", ctrlKey: true, shiftKey: true }), false)).toBe("leave");
  expect(meaningOf(key({ key: "n", code: "KeyN", ctrlKey: true, altKey: true }), false)).toBe("page");
  expect(meaningOf(key({ key: "F", code: "KeyF", ctrlKey: true, shiftKey: true }), false)).toBe("page");
  expect(
    meaningOf(key({ key: "@", code: "KeyQ", ctrlKey: true, altKey: true, modifierAltGraph: true }), false),
  ).toBe("shell");
  expect(withCtrl("c")).toBe("\u0003");
  expect(withCtrl("[")).toBe("\u001b");
  expect(withCtrl("é")).toBe("é");
});

it("puts what the last command said into a block that nothing inside can end", async () => {
  const terminal = new Terminal({ allowProposedApi: true, cols: 20, rows: 10 });
  await written(terminal, "$ npm test");
  const entered = terminal.registerMarker(0);
  await written(terminal, `\r\n${"longer".repeat(8)}\r\nfailed: 1\r\n\r\n$ `);
  const found = lastOutput(terminal.buffer.active, entered);
  expect(found).toEqual({
    what: "last command",
    text: `$ npm test\n${"longer".repeat(8)}\nfailed: 1`,
  });
  expect(lastOutput(terminal.buffer.active, undefined).what).toBe("last 50 lines");
  expect(textOf(terminal.buffer.active, 0, 1)).toBe("$ npm test");
  expect(asBlock("build", "a\n````\nb")).toBe("From the terminal “build”:\n\n`````\na\n````\nb\n`````");
});

it("keeps the end of much", () => {
  const many = asBlock("t", Array.from({ length: 1000 }, (_, at) => `line ${at}`).join("\n"));
  expect(many).toContain(`(the last ${kMostLines} of 1000 lines)`);
  expect(many).toContain("line 999\n```");
  expect(many).not.toContain("line 799\n");
  expect(asBlock("t", "x".repeat(100_000)).length).toBeLessThan(kMostLetters + 200);
});

it("knows which ports others can reach, and where the page finds them", () => {
  expect(["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"].map(isPublic)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(["0.0.0.0", "::", "192.168.1.2"].map(isPublic)).toEqual([true, true, true]);
  expect(portAddress(3000, "127.0.0.1")).toBe("http://localhost:3000/");
  expect(portAddress(3000, "box.lan")).toBe("http://box.lan:3000/");
  const port = (port: number, address: string) => ({ port, address, pid: 1, program: "node" });
  expect(byNumber([port(80, "127.0.0.1"), port(80, "::"), port(81, "::1")]).map(({ open }) => open)).toEqual([
    true,
    false,
  ]);
});
