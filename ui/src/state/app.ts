// Everything the page knows, in parts with one job each. Messages come in through `receive`; views read signals and change
// nothing themselves: they call the parts' own functions, actions and commands.
import { batch, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api";
import type { ServerMessage, SessionInfo } from "../wire";
import { Agents } from "./agents";
import { Attention } from "./attention";
import { Drafts } from "./drafts";
import { Inbox } from "./inbox";
import type { Connection } from "./link";
import { Login } from "./login";
import { Navigation } from "./navigation";
import { kOutboxKey, Outbox } from "./outbox";
import { Prefs } from "./prefs";
import { Projects } from "./projects";
import { Reading } from "./reading";
import { receive } from "./receive";
import { Sessions } from "./sessions";
import { Settings } from "./settings";
import { Start } from "./start";
import { isTemporary } from "./temporary";
import { Timelines } from "./timelines";
import { Toasts } from "./toasts";
import { isWriting, Version } from "./version";
import { Workspaces } from "./workspaces";
import { write } from "./write";

const kClockMs = 30_000;

export class App {
  readonly toasts = new Toasts();
  readonly prefs = new Prefs();
  readonly settings = new Settings();
  readonly drafts = new Drafts();
  readonly projects = new Projects();
  readonly sessions = new Sessions();
  readonly nav = new Navigation();
  readonly inbox = new Inbox();
  readonly reading = new Reading();
  readonly version: Version;
  readonly agents: Agents;
  readonly workspaces: Workspaces;
  readonly timelines: Timelines;
  readonly outbox: Outbox;
  readonly attention: Attention;
  readonly login: Login;
  readonly start: Start;
  /** Parts that come later and listen too. */
  readonly hearers = new Set<(message: ServerMessage) => void>();
  /** For ages and durations on screen. */
  readonly now: ReadonlySignal<number> = signal(Date.now());

  constructor(
    readonly api: Api,
    readonly link: Connection,
    reload = () => location.reload(),
  ) {
    this.version = new Version({
      reload,
      mayReload: () => !this.drafts.hasUnkept && !isWriting(document.activeElement),
    });
    this.agents = new Agents(api);
    this.workspaces = new Workspaces(api);
    this.start = new Start(this);
    this.login = new Login(api, link, () => this.forgetAll());
    this.timelines = new Timelines(link, api, {
      status: (timeline, status) => {
        timeline.learn(status);
        // No list has an archived session: a tab of one that was restored learns here who it is.
        if (status.archived && !this.sessions.of(status.sessionId)) this.sessions.put(status);
        this.prefs.remember(status.cliType, timeline.facts.peek());
      },
      refused: (timeline, error) => {
        if (error.code === "SESSION_NOT_FOUND") this.sessionGone(timeline.sessionId);
        else this.toasts.report(error, () => void this.timelines.open(timeline));
      },
    });
    this.outbox = new Outbox(link, this.timelines);
    this.attention = new Attention(this);
    link.onMessage = (message) => batch(() => receive(this, message));
    api.onUnauthenticated = () => this.login.end();
    addEventListener("storage", (event) => {
      if (event.key === kOutboxKey && event.newValue === null) this.forgetAll(); // Logged out in another window.
    });
    effect(() => this.followOnScreen());
    effect(() => this.sessions.keepNames(this.nav.tabs.value));
  }

  /** Ages move slowly; a running turn counts its seconds. */
  tick(): void {
    const working = this.sessions.list.peek().some((info) => info.activity === "working");
    if (working || Date.now() - this.now.peek() > kClockMs) write(this.now, Date.now());
  }

  /** They leave the lists, and their tabs close. */
  forgetSessions(ids: readonly string[]): void {
    batch(() => {
      this.sessions.forget(ids);
      this.closeTabs(ids);
    });
  }

  /** What the page knows of conversations, and what was written for them. */
  private forgetAll(): void {
    batch(() => {
      this.outbox.clear();
      this.drafts.clearAll();
      this.inbox.forgetAll();
      this.timelines.forgetAll();
      this.sessions.forgetAll();
      this.workspaces.forgetAll();
      this.toasts.clear();
    });
  }

  closeTabs(ids: readonly string[]): void {
    this.nav.closeTabs(ids);
    ids.forEach((id) => this.timelines.close(id));
  }

  /** The server does not have it: any more, or it never had. Whoever came for it is told in its place. */
  sessionGone(id: string): void {
    const open = this.nav.tabs.peek().ids.includes(id) && !this.sessions.deleting.has(id);
    const cameFor = open && this.nav.session.peek() === id && !this.timelines.known(id)?.loaded.peek();
    batch(() => {
      this.sessions.leaveArchive(id);
      this.inbox.forget([id]);
      this.nav.unpin([id]);
      this.forgetSessions([id]);
      if (cameFor) this.nav.comeBack({ page: "missing", sessionId: id });
    });
    if (open && !cameFor)
      this.toasts.add("info", "A session that was open no longer exists. Its tab was closed.");
  }

  async list(projectId: string): Promise<void> {
    await this.link.request({ type: "session:list", projectId, scope: "all" }).catch(() => {});
  }

  /** What the user looks at is not unread. */
  markRead(info: SessionInfo): void {
    const seen = this.nav.session.peek() === info.sessionId && document.visibilityState === "visible";
    if (seen && info.unread)
      void this.link.request({ type: "session:read", sessionId: info.sessionId }).catch(() => {});
  }

  /** The session on screen is always open and read. */
  private followOnScreen(): void {
    const id = this.nav.session.value;
    if (id === undefined || isTemporary(id) || this.link.state.value.kind !== "online") return;
    if (!this.timelines.isOpen(id)) void this.timelines.open(this.timelines.of(id));
    const info = this.sessions.of(id)?.peek();
    if (info) this.markRead(info);
  }
}
