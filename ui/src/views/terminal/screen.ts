// One terminal's picture: xterm.js with the page's letters and colours, and none of the ways out of it.
import { FitAddon } from "@xterm/addon-fit";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal, type IMarker } from "@xterm/xterm";
import { signal } from "@preact/signals";
import type { Screen as Drawn } from "../../state/terminal_line";
import { meaningOf, withCtrl, type KeyMeaning } from "./keys";
import { lastOutput } from "./output";
import { Answers, guard, safePaste, safeTitle } from "./safety";
import { onThemeChange, terminalFont, terminalFontSize, terminalTheme } from "./theme";

const kScrollback = 10_000;
/** Nothing came for so long: what comes next is said now, not before we came. */
const kQuietMs = 300;
/** Ends whatever sequence was begun, then starts anew: in the order of the other bytes. */
const kAnew = new Uint8Array([0x18, 0x1b, 0x63]);

export interface Doings {
  typed(data: string | Uint8Array): void;
  pasted(text: string): void;
  /** `named`: what is on screen may say something else than where it leads. */
  link(uri: string, direct: boolean, named: boolean): void;
  key(meaning: Exclude<KeyMeaning, "shell" | "page" | "paste" | "none">): void;
  focused(): void;
}

export class TerminalScreen implements Drawn {
  readonly host: HTMLElement;
  readonly terminal: Terminal;
  readonly title = signal("");
  readonly bell = signal(false);
  /** The next key goes with Ctrl: for keyboards without one. */
  readonly ctrl = signal(false);
  private readonly fit = new FitAddon();
  private readonly unlisten: () => void;
  private entered: IMarker | undefined;
  private opened = false;
  /** What is drawn is said now, not before we came. */
  live = false;
  private quiet: ReturnType<typeof setTimeout> | undefined;
  private step = 0;

  constructor(
    page: Document,
    private readonly doings: Doings,
  ) {
    this.host = page.createElement("div");
    this.host.className = "terminal-host";
    this.terminal = new Terminal({
      allowProposedApi: true, // For the widths of letters.
      scrollback: kScrollback,
      fontFamily: terminalFont(page),
      fontSize: terminalFontSize(page, 0),
      fontWeightBold: "bold",
      cursorBlink: false,
      cursorInactiveStyle: "outline",
      minimumContrastRatio: 4.5,
      theme: terminalTheme(page),
      macOptionIsMeta: true,
      macOptionClickForcesSelection: true,
      rightClickSelectsWord: false,
      linkHandler: {
        activate: (event, uri) => doings.link(uri, event.ctrlKey || event.metaKey, true),
        allowNonHttpProtocols: false,
      },
    });
    this.terminal.loadAddon(this.fit);
    this.terminal.loadAddon(new Unicode11Addon());
    this.terminal.unicode.activeVersion = "11";
    this.terminal.loadAddon(
      new WebLinksAddon((event, uri) => doings.link(uri, event.ctrlKey || event.metaKey, false)),
    );
    guard(this.terminal, new Answers(() => this.live && page.hasFocus()));
    this.terminal.onTitleChange((title) => (this.title.value = safeTitle(title)));
    this.terminal.onBell(() => (this.bell.value = !this.host.contains(page.activeElement)));
    this.terminal.onData((data) => this.typed(data));
    this.terminal.onBinary((data) => doings.typed(Uint8Array.from(data, (letter) => letter.charCodeAt(0))));
    this.terminal.attachCustomKeyEventHandler((event) => this.key(event));
    this.host.addEventListener("paste", (event) => this.paste(event), true);
    this.host.addEventListener("focusin", () => {
      this.bell.value = false;
      doings.focused();
    });
    this.unlisten = onThemeChange(page, () => this.restyle());
  }

  clear(): void {
    this.terminal.write(kAnew);
  }
  resize(cols: number, rows: number): void {
    // In the order of the bytes: what was said for the old size is drawn in it.
    this.terminal.write("", () => this.terminal.resize(cols, rows));
  }
  write(bytes: Uint8Array, parsed: () => void): void {
    if (!this.live) this.waitForQuiet();
    this.terminal.write(bytes, parsed);
  }

  /** What follows was said before we came: programs that asked something then have their answer. */
  replaying(): void {
    this.live = false;
    this.waitForQuiet();
  }
  private waitForQuiet(): void {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => (this.live = true), kQuietMs);
  }

  /** Into the page. The letters are there before they are measured. */
  async show(place: HTMLElement): Promise<void> {
    place.replaceChildren(this.host);
    if (this.opened) return;
    this.opened = true;
    const { fontSize, fontFamily } = this.terminal.options;
    await document.fonts?.load(`${fontSize}px ${fontFamily}`).catch(() => []);
    this.terminal.open(this.host);
  }

  /** How much fits into the room that it has. */
  get room(): { cols: number; rows: number } | undefined {
    const room = this.terminal.element && this.host.isConnected ? this.fit.proposeDimensions() : undefined;
    return room && room.cols > 0 && room.rows > 0 ? room : undefined; // Not a number where nothing is laid out.
  }

  focus(): void {
    this.terminal.focus();
  }

  setReader(on: boolean): void {
    this.terminal.options.screenReaderMode = on;
  }
  setStep(step: number): void {
    this.step = step;
    this.restyle();
  }

  /** As if the clipboard's text had been typed; as one piece where the program knows of that. */
  insert(text: string): void {
    const safe = safePaste(text);
    this.live = true;
    this.terminal.scrollToBottom();
    this.doings.typed(this.bracketed ? `\u001b[200~${safe}\u001b[201~` : safe);
  }
  get bracketed(): boolean {
    return this.terminal.modes.bracketedPasteMode;
  }
  /** A key of the row below the picture. */
  press(data: string): void {
    this.terminal.input(data, true);
    this.focus();
  }
  arrow(letter: string): void {
    this.press(`\u001b${this.terminal.modes.applicationCursorKeysMode ? "O" : "["}${letter}`);
  }

  /** What was selected, else what the last command said. */
  output(): { what: string; text: string } {
    const selected = this.terminal.getSelection();
    if (selected.trim() !== "") return { what: "selection", text: selected.replace(/\s+$/, "") };
    return lastOutput(this.terminal.buffer.active, this.entered);
  }

  dispose(): void {
    clearTimeout(this.quiet);
    this.unlisten();
    this.terminal.dispose();
    this.host.remove();
  }

  private typed(data: string): void {
    if (data === "\r" && this.terminal.buffer.active.type === "normal") {
      this.entered?.dispose();
      this.entered = this.terminal.registerMarker(0);
    }
    this.live = true; // Answers are given only when it is: this was a hand.
    const meant = this.ctrl.peek() ? withCtrl(data) : data;
    this.ctrl.value = false;
    this.doings.typed(meant);
  }

  /** What it answers is whether the terminal takes the key. */
  private key(event: KeyboardEvent): boolean {
    const meaning = meaningOf(event, this.terminal.hasSelection());
    if (meaning === "shell") {
      this.live = true;
      return true;
    }
    if (meaning === "page" || meaning === "paste") return false;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "keydown" && meaning !== "none") this.doings.key(meaning);
    return false;
  }

  private paste(event: ClipboardEvent): void {
    event.preventDefault();
    event.stopPropagation();
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text !== "") this.doings.pasted(text);
  }

  private restyle(): void {
    const { options } = this.terminal;
    options.theme = terminalTheme(document);
    options.fontSize = terminalFontSize(document, this.step);
  }
}
