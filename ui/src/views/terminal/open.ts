// The terminals that this window has a picture of. They outlive the panel: whoever comes back finds what was there.
import type { App } from "../../state/app";
import { TerminalLine, type LineSocket } from "../../state/terminal_line";
import { Terminals } from "../../state/terminals";
import type { Terminal } from "../../wire";
import { asBlock } from "./output";
import { linesOf, safePaste, safeTarget } from "./safety";
import { TerminalScreen } from "./screen";

/** A picture with all its lines takes some ten megabytes; the server has what it said. */
const kMostPictures = 6;

/** For tests: another way to a server. */
export const network = {
  connect(path: string, protocols: string[]): LineSocket {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return new WebSocket(`${scheme}://${location.host}${path}`, protocols) as unknown as LineSocket;
  },
};

export interface OpenTerminal {
  readonly terminalId: string;
  readonly screen: TerminalScreen;
  readonly line: TerminalLine;
}

export class OpenTerminals {
  readonly terminals: Terminals;
  private readonly open = new Map<string, OpenTerminal>();

  constructor(private readonly app: App) {
    this.terminals = new Terminals(app);
    this.terminals.onRemoved = (id) => this.forget(id);
    this.terminals.onLost = (id) => this.open.get(id)?.line.lost();
    this.terminals.onOnline = () => this.open.forEach(({ line }) => line.retryNow());
    this.terminals.onLogout = () => [...this.open.keys()].forEach((id) => this.forget(id));
  }

  of(terminal: Terminal): OpenTerminal {
    const { terminalId } = terminal;
    const found = this.open.get(terminalId) ?? this.make(terminal);
    this.open.delete(terminalId);
    this.open.set(terminalId, found); // The one that was looked at last is last.
    const [oldest] = this.open.keys();
    if (this.open.size > kMostPictures && !this.terminals.isLost(oldest!)) this.forget(oldest!);
    return found;
  }
  known(terminalId: string): OpenTerminal | undefined {
    return this.open.get(terminalId);
  }

  private make(terminal: Terminal): OpenTerminal {
    const { app, terminals } = this;
    const { terminalId } = terminal;
    const screen: TerminalScreen = new TerminalScreen(document, {
      typed: (data) => void line.type(data),
      pasted: (text) => this.paste(screen, text),
      link: (uri, direct, named) => this.follow(uri, direct && !named),
      key: (meaning) => {
        if (meaning === "copy") void this.copy(screen);
        else if (meaning === "add") this.addToPrompt(terminal);
        else if (meaning === "leave")
          screen.host
            .closest(".terminal-panel")
            ?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')
            ?.focus();
      },
      focused: () => this.takeSize(terminalId),
    });
    const line = new TerminalLine(
      {
        ticket: () => app.api.ticket(),
        random: Math.random,
        exists: () => terminals.exists(terminal),
        connect: (since, protocols) =>
          network.connect(
            `/api/terminal/${encodeURIComponent(terminalId)}/socket${since === undefined ? "" : `?since=${since}`}`,
            protocols,
          ),
      },
      screen,
    );
    // The first words of a shell that was made here are said to this window: its questions are answered.
    let made = terminals.isMade(terminalId);
    line.onStart = () => {
      if (made) screen.live = true;
      else screen.replaying();
      made = false;
    };
    screen.setReader(terminals.reader.peek());
    screen.setStep(terminals.fontSize.peek());
    return { terminalId, screen, line };
  }

  /** The window that somebody works in says how large it is. */
  takeSize(terminalId: string): void {
    const found = this.open.get(terminalId);
    const room = found?.screen.room;
    if (room && document.hasFocus()) found.line.resize(room.cols, room.rows);
  }

  /** Somebody works in another window: what is drawn here has the room that there is there. */
  isSizedElsewhere(terminalId: string): boolean {
    const { screen, line } = this.open.get(terminalId) ?? {};
    const [room, size] = [screen?.room, line?.size.peek()];
    if (!room || !size || document.hasFocus()) return false;
    return room.cols !== size.cols || room.rows !== size.rows;
  }

  setReader(on: boolean): void {
    this.terminals.setReader(on);
    this.open.forEach(({ screen }) => screen.setReader(on));
  }
  setFontSize(step: number): void {
    this.terminals.setFontSize(step);
    const now = this.terminals.fontSize.peek();
    this.open.forEach(({ screen, terminalId }) => {
      screen.setStep(now);
      this.takeSize(terminalId);
    });
  }

  async copy(screen: TerminalScreen): Promise<void> {
    try {
      await navigator.clipboard.writeText(screen.terminal.getSelection());
      screen.terminal.clearSelection();
    } catch {
      this.app.toasts.add("error", "The browser did not allow copying.");
    }
  }

  addToPrompt({ terminalId, sessionId, name }: Terminal): void {
    const found = this.open.get(terminalId)?.screen.output();
    if (!found || found.text === "") {
      this.app.toasts.add("info", "There is nothing in the terminal to add.");
      return;
    }
    this.app.drafts.add(sessionId, asBlock(name, found.text));
    this.app.toasts.add("info", `Added to the prompt: the ${found.what} of ${name}.`);
  }

  /** A program that cannot tell a paste from typing runs each line as it comes: the user is asked first. */
  private paste(screen: TerminalScreen, text: string): void {
    const lines = linesOf(safePaste(text));
    if (lines < 2 || screen.bracketed) return screen.insert(text);
    this.app.nav.openDialog({
      kind: "confirm",
      title: `Paste ${lines} lines?`,
      text: "What runs in this terminal takes each line as if you had typed it and pressed Enter.",
      action: "Paste",
      run: () => {
        screen.insert(text);
        screen.focus();
      },
    });
  }

  private follow(uri: string, direct: boolean): void {
    const target = safeTarget(uri);
    if (!target) return;
    const open = () => void window.open(target.href, "_blank", "noopener,noreferrer");
    if (direct) return open();
    this.app.nav.openDialog({
      kind: "confirm",
      title: "Open this link?",
      text: target.href.slice(0, 2000),
      action: "Open in a new tab",
      run: open,
    });
  }

  private forget(terminalId: string): void {
    const found = this.open.get(terminalId);
    if (!found) return;
    this.open.delete(terminalId);
    found.line.dispose();
    found.screen.dispose();
  }
}

const all = new WeakMap<App, OpenTerminals>();
export function openTerminals(app: App): OpenTerminals {
  const found = all.get(app) ?? new OpenTerminals(app);
  all.set(app, found);
  return found;
}
