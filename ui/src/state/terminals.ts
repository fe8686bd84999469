// The terminals of the sessions that were looked at, as the server has them. Comes with their views, not with the page.
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { ListeningPort, ServerMessage, Terminal } from "../wire";
import type { App } from "./app";
import { isBoolean, isNumber, stored } from "./stored";
import { write } from "./write";

export interface SessionTerminals {
  available: boolean;
  problem?: string;
  terminals: readonly Terminal[];
}

export class Terminals {
  /** By session; absent until the server said which there are. */
  readonly bySession: ReadonlySignal<Readonly<Record<string, SessionTerminals>>> = signal({});
  /** The one in front, by session. */
  readonly chosen: ReadonlySignal<Readonly<Record<string, string>>> = signal({});
  readonly ports: ReadonlySignal<Readonly<Record<string, readonly ListeningPort[]>>> = signal({});
  /** Every line is also told to whoever listens to the page. */
  readonly reader: ReadonlySignal<boolean> = stored("lb.terminal-reader", false, isBoolean);
  readonly fontSize: ReadonlySignal<number> = stored("lb.terminal-size", 0, isNumber);
  /** Somebody closed it, here or in another window. */
  onRemoved: (terminalId: string) => void = () => {};
  /** The server has no such terminal, and nobody closed it: it was started anew. */
  onLost: (terminalId: string) => void = () => {};
  onOnline: () => void = () => {};
  onLogout: () => void = () => {};
  private readonly lost = new Set<string>();
  /** By this window, and nobody has looked yet. */
  private readonly made = new Set<string>();
  /** Sessions that get one now: the news of it may be faster than the answer. */
  private readonly making = new Set<string>();

  constructor(private readonly app: App) {
    app.hearers.add((message) => this.hear(message));
    effect(() => {
      const { kind } = app.link.state.value;
      if (kind === "online") {
        for (const sessionId of Object.keys(this.bySession.peek())) void this.refresh(sessionId);
        this.onOnline();
      } else if (kind === "login") this.forgetAll();
    });
  }

  of(sessionId: string): SessionTerminals | undefined {
    return this.bySession.value[sessionId];
  }
  /** The one in front: as chosen, else the last. */
  front(sessionId: string): Terminal | undefined {
    const { terminals = [] } = this.of(sessionId) ?? {};
    const chosen = this.chosen.value[sessionId];
    return terminals.find(({ terminalId }) => terminalId === chosen) ?? terminals.at(-1);
  }
  choose({ sessionId, terminalId }: Pick<Terminal, "sessionId" | "terminalId">): void {
    write(this.chosen, { ...this.chosen.peek(), [sessionId]: terminalId });
  }
  setReader(on: boolean): void {
    write(this.reader, on);
  }
  setFontSize(step: number): void {
    write(this.fontSize, Math.max(-4, Math.min(10, step)));
  }

  /** Asks for those of one session. What it answers is the refusal, for whoever shows it. */
  async refresh(sessionId: string): Promise<Error | undefined> {
    try {
      const found = await this.app.api.call("GET /api/terminals", { sessionId });
      const known = new Set(found.terminals.map(({ terminalId }) => terminalId));
      const old = this.bySession.peek()[sessionId]?.terminals ?? [];
      const left = await this.sort(old.filter(({ terminalId }) => !known.has(terminalId)));
      this.set(sessionId, { ...found, terminals: [...left, ...found.terminals] });
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /**
   * Of those that the server does not have: what a restart ended was on screen and can still be read until its tab is closed;
   * what somebody closed meanwhile is closed here too.
   */
  private async sort(missing: readonly Terminal[]): Promise<Terminal[]> {
    if (missing.length === 0) return [];
    const { startedAt } = await this.app.api.call("GET /api/info", {});
    const byRestart = ({ createdAt }: Terminal) => Date.parse(createdAt) < Date.parse(startedAt);
    for (const one of missing) {
      if (!byRestart(one)) this.onRemoved(one.terminalId);
      else if (!this.lost.has(one.terminalId)) {
        this.lost.add(one.terminalId);
        this.onLost(one.terminalId);
      }
    }
    return missing.filter(byRestart);
  }

  async create(sessionId: string): Promise<Terminal | undefined> {
    this.making.add(sessionId);
    try {
      const { terminal } = await this.app.api.call("POST /api/terminal/create", { sessionId });
      this.put(terminal);
      this.choose(terminal);
      return terminal;
    } catch (error) {
      this.app.toasts.report(error, () => void this.create(sessionId));
      return undefined;
    } finally {
      this.making.delete(sessionId);
    }
  }

  async rename(terminalId: string, name: string): Promise<void> {
    try {
      this.put(
        (await this.app.api.call("POST /api/terminal/{terminalId}/rename", { terminalId, name })).terminal,
      );
    } catch (error) {
      this.app.toasts.report(error, () => void this.rename(terminalId, name));
    }
  }

  async close(terminal: Terminal): Promise<void> {
    const { terminalId, sessionId } = terminal;
    if (this.lost.has(terminalId)) return this.remove(sessionId, terminalId);
    try {
      await this.app.api.call("POST /api/terminal/{terminalId}/close", { terminalId });
      this.remove(sessionId, terminalId);
    } catch (error) {
      this.app.toasts.report(error, () => void this.close(terminal));
    }
  }

  /** Whether the server still has it. Rejects when it cannot be asked. */
  async exists({ sessionId, terminalId }: Pick<Terminal, "sessionId" | "terminalId">): Promise<boolean> {
    const refused = await this.refresh(sessionId);
    if (refused) throw refused;
    const now = this.bySession.peek()[sessionId]?.terminals ?? [];
    return !this.lost.has(terminalId) && now.some((one) => one.terminalId === terminalId);
  }

  isMade(terminalId: string): boolean {
    return this.made.has(terminalId);
  }
  /** Whether it was made here just now; asked once. */
  takeMade(terminalId: string): boolean {
    return this.made.delete(terminalId);
  }

  isLost(terminalId: string): boolean {
    return this.lost.has(terminalId);
  }

  async refreshPorts(sessionId: string): Promise<Error | undefined> {
    try {
      const { ports } = await this.app.api.call("GET /api/ports", { sessionId });
      write(this.ports, { ...this.ports.peek(), [sessionId]: ports });
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  private hear(message: ServerMessage): void {
    if (message.type === "terminal:upsert") this.put(message.terminal);
    else if (message.type === "terminal:removed") this.remove(message.sessionId, message.terminalId);
  }

  /** Of sessions that nobody looked at nothing is kept. */
  private put(terminal: Terminal): void {
    const now = this.bySession.peek()[terminal.sessionId];
    if (!now) return;
    const at = now.terminals.findIndex(({ terminalId }) => terminalId === terminal.terminalId);
    if (at < 0 && this.making.has(terminal.sessionId)) this.made.add(terminal.terminalId);
    const terminals = at < 0 ? [...now.terminals, terminal] : now.terminals.with(at, terminal);
    this.set(terminal.sessionId, { ...now, terminals });
  }

  private remove(sessionId: string, terminalId: string): void {
    const now = this.bySession.peek()[sessionId];
    this.lost.delete(terminalId);
    this.onRemoved(terminalId);
    if (now)
      this.set(sessionId, {
        ...now,
        terminals: now.terminals.filter((one) => one.terminalId !== terminalId),
      });
  }

  private set(sessionId: string, found: SessionTerminals): void {
    write(this.bySession, { ...this.bySession.peek(), [sessionId]: found });
  }

  private forgetAll(): void {
    write(this.bySession, {});
    write(this.ports, {});
    this.lost.clear();
    this.onLogout();
  }
}
