// Everything the page knows, outside of components. Messages come in through `receive`; views read signals.
import { batch, computed, effect, signal, type Signal } from "@preact/signals";
import { Api, WireError } from "../api";
import type {
  Creating,
  Dialog,
  DraftImage,
  Known,
  Page,
  Scroll,
  TabName,
  Theme,
  Toast,
  Waiting,
} from "./types";
import { Attention } from "./attention";
import { byAge, countStates, listsOf } from "../glance";
import { Outbox } from "./outbox";
import { isBoolean, isNumber, isRecord, isRecordOf, isString, isStrings, stored } from "./stored";
import { Connection } from "./link";
import { isFinal, SessionStore } from "./timeline";
import { closeTabs, isTabs, namesOf, noTabs, openTab, type Tabs } from "./tabs";
import type { AgentInfo, Item, Project, ServerMessage, SessionInfo, SessionStatus } from "../wire";

export type * from "./types";

/** How many entries a session opens with. Older ones come when the reader scrolls up. */
export const kTail = 300;
const isTheme = (value: unknown): value is Theme =>
  value === "system" || value === "light" || value === "dark";
const isTabName = (value: unknown): value is TabName =>
  isRecord(value) && isString(value["title"]) && isString(value["cliType"]);

export class App {
  readonly projects = signal<readonly Project[]>([]);
  readonly projectsKnown = signal(false);
  readonly agents = signal<readonly AgentInfo[]>([]);
  readonly agentNotes = signal<Readonly<Record<string, string>>>({});
  readonly sessionIds = signal<readonly string[]>([]);
  /** Projects whose sessions have been listed. */
  readonly listed = signal<ReadonlySet<string>>(new Set());
  readonly archived = signal<readonly SessionInfo[]>([]);
  readonly deleting = new Set<string>(); // By this window: nobody has to be told that they are gone.
  readonly waiting = signal<readonly Waiting[]>([]);
  readonly creating = signal<ReadonlyMap<string, Creating>>(new Map());
  readonly page = signal<Page>("session");
  readonly dialog = signal<Dialog | undefined>(undefined);
  readonly toasts = signal<readonly Toast[]>([]);
  readonly drawer = signal(false);
  readonly reloadNeeded = signal(false);
  readonly loginProblem = signal("");
  /** Said by screen readers when it changes. */
  readonly announcement = signal("");
  readonly now = signal(Date.now());
  /** An item to bring into view, set by search and the inbox. */
  readonly jump = signal<{ sessionId: string; itemId: string } | undefined>(undefined);
  /** The conversation on screen: goes to the user's message before or after the place of reading. */
  stepPrompt: ((step: 1 | -1) => boolean) | undefined;
  readonly images = signal<Readonly<Record<string, readonly DraftImage[]>>>({});

  readonly theme = stored<Theme>("lb.theme", "system", isTheme);
  readonly sidebarWidth = stored("lb.sidebar", 280, isNumber);
  readonly collapsed = stored<string[]>("lb.collapsed", [], isStrings);
  readonly notify = stored("lb.notify", false, isBoolean);
  readonly drafts = stored<Record<string, string>>("lb.drafts", {}, isRecordOf(isString));
  /** Models and modes that an agent had the last time, so that a new session can offer them. */
  readonly known = stored<Record<string, Known>>(
    "lb.known",
    {},
    isRecordOf(isRecord) as (value: unknown) => value is Record<string, Known>,
  );
  readonly lastAgent = stored("lb.agent", "", isString);
  readonly tabs = stored<Tabs>("lb.tabs", noTabs, isTabs);
  /** What the sessions of the tabs were called the last time: after a reload a tab is never called something else. */
  private readonly names = stored<Record<string, TabName>>("lb.names", {}, isRecordOf(isTabName));

  readonly needsYou = computed(() => this.waiting.value.length);
  /** Failures nobody has looked at yet; the rest are old news, still marked in the list. */
  readonly failed = computed(() =>
    this.listedSessions.value.filter((info) => info.activity === "failed" && info.unread),
  );
  /**
   * The sessions of each project that are not archived, newest first. A list whose sessions did not change stays the same
   * object, so that news of one session concerns one project, however many there are.
   */
  readonly byProject = computed(() => {
    const all = this.sessionIds.value.map((id) => this.session(id)!.value);
    return (this.lists = listsOf(all, this.lists));
  });
  /** Every session that is not archived, newest first. */
  readonly listedSessions = computed(() => [...this.byProject.value.values()].flat().sort(byAge));
  readonly counts = computed(() => countStates(this.listedSessions.value));
  readonly epoch = signal("");
  readonly scrolls = new Map<string, Scroll>();
  /** What a session was called on screen while it was being made: its view stays, so that no key is lost. */
  readonly madeAs = new Map<string, string>();
  readonly outbox: Outbox;
  readonly attention: Attention;

  private version = "";
  private lists: ReadonlyMap<string, readonly SessionInfo[]> = new Map();
  private readonly sessions = new Map<string, Signal<SessionInfo>>();
  private readonly stores = new Map<string, SessionStore>();
  private readonly opened = new Set<string>();
  private nextToast = 1;
  private inboxTimer: ReturnType<typeof setTimeout> | undefined;
  private agentsTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly api: Api,
    readonly link: Connection,
  ) {
    this.outbox = new Outbox(
      (entry) =>
        link.request({
          type: "session:send",
          sessionId: entry.sessionId,
          content: entry.content,
          clientMessageId: entry.clientMessageId,
          ...(entry.attachments.length > 0 ? { attachments: entry.attachments } : {}),
        }),
      {
        rev: (sessionId) => this.stores.get(sessionId)?.rev ?? 0,
        hasTurn: (sessionId, turnId) =>
          this.stores.get(sessionId)?.turn(turnId) !== undefined || !this.stores.has(sessionId),
        hasPrompt: (sessionId, content, rev) => this.stores.get(sessionId)?.hasPrompt(content, rev) ?? false,
      },
    );
    this.attention = new Attention(this);
    link.onMessage = (message) => this.receive(message);
    api.onUnauthenticated = () => {
      api.forget();
      link.requireLogin();
    };
    effect(() => this.showActive());
    effect(() => this.keepNames());
  }

  session(id: string): Signal<SessionInfo> | undefined {
    return this.sessions.get(id);
  }
  /** Who a session is, from the server or as last known; undefined while nobody has said. */
  nameOf(id: string): TabName | undefined {
    void this.sessionIds.value; // A session that appears is news for whoever asked in vain.
    const made = this.creating.value.get(id);
    return this.session(id)?.value ?? (made ? { title: "", cliType: made.cliType } : this.names.value[id]);
  }
  agent(cliType: string): AgentInfo | undefined {
    return this.agents.value.find((agent) => agent.cliType === cliType);
  }
  project(id: string): Project | undefined {
    return this.projects.value.find((project) => project.projectId === id);
  }
  openStores(): Iterable<SessionStore> {
    return this.stores.values();
  }

  /** The replica of a session, made and subscribed on first use. */
  store(id: string): SessionStore {
    const known = this.stores.get(id);
    if (known) return known;
    const store = new SessionStore(id);
    this.stores.set(id, store);
    return store;
  }

  toast(kind: Toast["kind"], text: string, action?: Toast["action"]): void {
    const id = this.nextToast++;
    this.toasts.value = [
      ...this.toasts
        .peek()
        .filter((toast) => toast.text !== text)
        .slice(-3),
      { id, kind, text, action },
    ];
    if (kind === "info") setTimeout(() => this.dismiss(id), 5000);
  }
  dismiss(id: number): void {
    this.toasts.value = this.toasts.peek().filter((toast) => toast.id !== id);
  }
  report(error: unknown, retry?: () => void): void {
    this.toast(
      "error",
      error instanceof Error ? error.message : String(error),
      retry && { label: "Try again", run: retry },
    );
  }

  /** Opens an archived session for reading, without bringing it back. */
  showArchived(info: SessionInfo): void {
    this.putSession(info);
    this.show(info.sessionId);
  }

  /** Opens a session in its tab; a second time only brings that tab to the front. */
  show(sessionId: string): void {
    batch(() => {
      this.tabs.value = openTab(this.tabs.peek(), sessionId);
      this.page.value = "session";
      this.drawer.value = false;
    });
  }

  /** Asks for a session's timeline: everything the first time, what changed since then later. */
  async subscribe(store: SessionStore): Promise<void> {
    if (this.link.state.peek().kind !== "online") return;
    this.opened.add(store.sessionId);
    const { sessionId } = store;
    const known = store.loaded.peek() && store.epoch === this.epoch.peek();
    try {
      const answer = await this.link.request({
        type: "session:open",
        sessionId,
        tail: kTail,
        appends: true,
        ...(known ? { since: store.rev, epoch: store.epoch } : {}),
      });
      if (answer.type === "ok" && answer.rev !== undefined) store.seen(answer.rev);
      const status = await this.api.get<SessionStatus>(`/api/session/${sessionId}/status`);
      store.info.value = { ...store.info.peek(), ...status };
      // No list has an archived session: a tab of one that was restored learns here who it is.
      if (status.archived && !this.sessions.has(sessionId)) this.putSession(status);
      this.remember(store);
    } catch (error) {
      if (error instanceof WireError) this.cannotOpen(store, error);
      else this.opened.delete(sessionId);
    }
  }

  unsubscribe(sessionId: string): void {
    this.stores.delete(sessionId);
    if (this.opened.delete(sessionId))
      void this.link.request({ type: "session:close", sessionId }).catch(() => {});
  }

  closeTabsOf(ids: readonly string[]): void {
    this.tabs.value = closeTabs(this.tabs.peek(), ids);
    ids.forEach((id) => this.unsubscribe(id));
  }

  forgetSession(id: string): void {
    batch(() => {
      this.sessions.delete(id);
      this.sessionIds.value = this.sessionIds.peek().filter((other) => other !== id);
      this.closeTabsOf([id]);
    });
  }

  putSession(info: SessionInfo): void {
    const known = this.sessions.get(info.sessionId);
    if (known) known.value = info;
    else {
      this.sessions.set(info.sessionId, signal(info));
      this.sessionIds.value = [...this.sessionIds.peek(), info.sessionId];
    }
  }

  receive(message: ServerMessage): void {
    batch(() => {
      switch (message.type) {
        case "hello":
          return this.hello(message);
        case "project:list":
          return this.setProjects(message.projects);
        case "project:added":
          return this.projectAdded(message.project);
        case "project:removed":
          return this.projectRemoved(message.projectId);
        case "session:list":
          return this.setSessions(message.projectId, message.sessions);
        case "session:created":
          return void this.list(message.projectId);
        case "session:history":
          this.stores.get(message.sessionId)?.reset(message, this.epoch.peek());
          return;
        case "session:page":
          this.stores.get(message.sessionId)?.page(message);
          return;
        case "session:upsert":
          this.stores.get(message.sessionId)?.upsert(message.rev, message.payload);
          if (isFinal(message.payload)) this.stores.get(message.sessionId)?.trim();
          return this.itemChanged(message.payload);
        case "session:turn":
          this.stores.get(message.sessionId)?.turnChanged(message.rev, message.payload);
          return this.outbox.settle(message.payload.turnId);
        case "session:append":
          return this.append(message);
        case "session:activity":
          return this.activity(message);
        case "session:info":
          return this.infoChanged(message.sessionId, message);
        case "agent:status":
          return this.agentChanged(message);
        case "error":
          if (message.code === "SESSION_NOT_FOUND") return this.sessionGone(message.sessionId ?? "");
          return this.report(new Error(message.message));
        case "session:sent":
        case "ok":
          return;
      }
    });
  }

  private hello(message: Extract<ServerMessage, { type: "hello" }>): void {
    if (this.version !== "" && this.version !== message.version) this.reloadNeeded.value = true;
    this.version = message.version;
    this.epoch.value = message.epoch;
    this.opened.clear();
    for (const store of this.stores.values())
      if (!store.sessionId.startsWith("new:")) void this.subscribe(store);
    this.refreshAgents();
    this.refreshInbox();
    this.outbox.flushAll();
  }

  private setProjects(projects: readonly Project[]): void {
    const gone = this.projects
      .peek()
      .filter((old) => !projects.some((project) => project.projectId === old.projectId));
    this.projects.value = projects;
    this.projectsKnown.value = true;
    for (const project of gone) this.dropProject(project.projectId);
    for (const project of projects) void this.list(project.projectId);
  }

  /** Also said of a known one: its folder disappeared, or is there again. */
  private projectAdded(project: Project): void {
    const projects = this.projects.peek();
    const at = projects.findIndex((known) => known.projectId === project.projectId);
    if (at < 0) this.setProjects([...projects, project]);
    else this.projects.value = projects.with(at, project);
  }

  private projectRemoved(projectId: string): void {
    this.projects.value = this.projects.peek().filter((project) => project.projectId !== projectId);
    this.dropProject(projectId);
  }

  /** Its sessions leave the list and their tabs close; the server keeps them for when it is added again. */
  private dropProject(projectId: string): void {
    const ids = this.sessionIds.peek().filter((id) => this.sessions.get(id)!.peek().projectId === projectId);
    this.closeTabsOf(ids);
    ids.forEach((id) => this.sessions.delete(id));
    this.sessionIds.value = this.sessionIds.peek().filter((id) => !ids.includes(id));
  }

  async list(projectId: string): Promise<void> {
    await this.link.request({ type: "session:list", projectId, scope: "all" }).catch(() => {});
  }

  private setSessions(projectId: string, sessions: readonly SessionInfo[]): void {
    const listed = new Set(sessions.map((session) => session.sessionId));
    // A list is of all sessions that are not archived: what is missing was deleted, here or in another window.
    for (const id of this.sessionIds.peek()) {
      const info = this.sessions.get(id)!.peek();
      if (info.projectId === projectId && !info.archived && !listed.has(id)) this.forgetSession(id);
    }
    sessions.forEach((session) => this.putSession(session));
    this.listed.value = new Set([...this.listed.peek(), projectId]);
  }

  private activity(message: Extract<ServerMessage, { type: "session:activity" }>): void {
    const { type: _type, requestId: _requestId, ...info } = message;
    const old = this.sessions.get(info.sessionId)?.peek();
    // After a connect there is one of these for each session that is unread: its project's list is on its way and has it too.
    if (!old && !this.listed.peek().has(info.projectId)) return;
    if (info.archived && !old?.archived) this.forgetSession(info.sessionId);
    else this.putSession(info);
    if (old?.activity !== info.activity) {
      if (info.activity === "needs-approval" || old?.activity === "needs-approval") this.refreshInbox();
      if (old) this.attention.changed(old, info);
    }
    this.markRead(info);
  }

  /** The user has seen how this session ended, without opening it. */
  dismissFailure(sessionId: string): void {
    void this.link.request({ type: "session:read", sessionId }).catch((error) => this.report(error));
  }

  /** What the user looks at is not unread. */
  markRead(info: SessionInfo): void {
    const visible =
      this.page.peek() === "session" &&
      this.tabs.peek().active === info.sessionId &&
      document.visibilityState === "visible";
    if (visible && info.unread)
      void this.link.request({ type: "session:read", sessionId: info.sessionId }).catch(() => {});
  }

  private append(message: Extract<ServerMessage, { type: "session:append" }>): void {
    const store = this.stores.get(message.sessionId);
    if (!store || store.append(message)) return;
    store.epoch = ""; // Text is missing between: ask for the whole.
    void this.subscribe(store);
  }

  private itemChanged(item: Item): void {
    if (item.itemId.endsWith(":user")) this.outbox.settle(item.turnId);
    if (item.type === "message" && item.origin === "user")
      this.outbox.appeared(item.sessionId, item.content, item.rev);
    if (item.type === "approval") this.refreshInbox();
  }

  private infoChanged(sessionId: string, info: Partial<SessionStatus>): void {
    const store = this.stores.get(sessionId);
    if (!store) return;
    const {
      type: _type,
      requestId: _requestId,
      ...fields
    } = info as Partial<SessionStatus> & { type?: string; requestId?: string };
    store.info.value = { ...store.info.peek(), ...fields };
    this.remember(store);
  }

  private remember(store: SessionStore): void {
    const { modes, models, thinkingLevels } = store.info.peek();
    const cliType = this.sessions.get(store.sessionId)?.peek().cliType ?? store.info.peek().cliType;
    if (!cliType || (!modes && !models)) return;
    this.known.value = { ...this.known.peek(), [cliType]: { modes, models, thinkingLevels } };
  }

  private agentChanged(message: Extract<ServerMessage, { type: "agent:status" }>): void {
    this.agents.value = this.agents
      .peek()
      .map((agent) => (agent.cliType === message.cliType ? { ...agent, status: message.status } : agent));
    this.agentNotes.value = { ...this.agentNotes.peek(), [message.cliType]: message.message ?? "" };
    this.refreshAgents();
  }

  refreshAgents(): void {
    clearTimeout(this.agentsTimer);
    this.agentsTimer = setTimeout(
      () =>
        void this.api.get<{ agents: AgentInfo[] }>("/api/agents").then(
          ({ agents }) => {
            this.agents.value = agents;
          },
          () => {},
        ),
      30,
    );
  }

  refreshInbox(): void {
    clearTimeout(this.inboxTimer);
    this.inboxTimer = setTimeout(
      () =>
        void this.api.get<{ items: Waiting[] }>("/api/inbox").then(
          ({ items }) => {
            this.waiting.value = items.filter(({ item }) => item.state === "pending");
          },
          () => {},
        ),
      30,
    );
  }

  private cannotOpen(store: SessionStore, error: WireError): void {
    this.opened.delete(store.sessionId);
    if (error.code === "SESSION_NOT_FOUND") this.sessionGone(store.sessionId);
    else this.report(error, () => void this.subscribe(store));
  }

  private sessionGone(sessionId: string): void {
    const open = this.tabs.peek().ids.includes(sessionId) && !this.deleting.has(sessionId);
    this.archived.value = this.archived.peek().filter((session) => session.sessionId !== sessionId);
    this.forgetSession(sessionId);
    if (open) this.toast("info", "A session that was open no longer exists. Its tab was closed.");
  }

  private keepNames(): void {
    void this.sessionIds.value;
    const named = namesOf(this.tabs.value, this.names.peek(), (id) => this.session(id)?.value);
    if (named !== this.names.peek()) this.names.value = named;
  }

  /** The active tab's session is always subscribed and read. */
  private showActive(): void {
    const { active } = this.tabs.value;
    if (
      active === undefined ||
      active.startsWith("new:") ||
      this.link.state.value.kind !== "online" ||
      this.page.value !== "session"
    )
      return;
    const store = this.store(active);
    if (!this.opened.has(active)) void this.subscribe(store);
    const info = this.sessions.get(active)?.peek();
    if (info) this.markRead(info);
  }
}
