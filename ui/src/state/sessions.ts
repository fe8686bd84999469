// Every session that the page has heard of, by what the lists show of it. Conversations are in timelines.ts.
import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { byAge, countStates, isEmpty, listsOf } from "../glance";
import type { SessionInfo } from "../wire";
import { goodIn, isRecord, isString, salvaged } from "./stored";
import { namesOf, type Tabs } from "./tabs";
import type { Creating, TabName } from "./types";
import { write } from "./write";

const isTabName = (value: unknown): value is TabName =>
  isRecord(value) && isString(value["title"]) && isString(value["cliType"]);

export const kNamesKey = "lb.names";

export class Sessions {
  private readonly infos = new Map<string, Signal<SessionInfo>>();
  /** What the sessions of the tabs were called the last time: after a reload a tab is never called something else. */
  private readonly names = salvaged<Record<string, TabName>>(kNamesKey, (found) => goodIn(found, isTabName));
  private lists: ReadonlyMap<string, readonly SessionInfo[]> = new Map();

  readonly ids: ReadonlySignal<readonly string[]> = signal([]);
  /** Projects whose sessions have been listed. */
  readonly listedProjects: ReadonlySignal<ReadonlySet<string>> = signal(new Set());
  readonly archived: ReadonlySignal<readonly SessionInfo[]> = signal([]);
  /** Sessions that are being made, by the id that they have until then. */
  readonly creating: ReadonlySignal<ReadonlyMap<string, Creating>> = signal(new Map());
  /** What a session was called on screen while it was being made: its view stays, so that no key is lost. */
  readonly madeAs = new Map<string, string>();
  /** By this window: nobody has to be told that they are gone. */
  readonly deleting = new Set<string>();

  /**
   * The sessions of each project that are not archived, newest first. A list whose sessions did not change stays the same
   * object, so that news of one session concerns one project, however many there are.
   */
  readonly byProject = computed(() => {
    const all = this.ids.value.map((id) => this.infos.get(id)!.value);
    return (this.lists = listsOf(all, this.lists));
  });
  /** Every session that is not archived, newest first. */
  readonly list = computed(() => [...this.byProject.value.values()].flat().sort(byAge));
  /** Those in which something was said: what there is to go back to. */
  readonly used = computed(() => this.list.value.filter((info) => !isEmpty(info)));
  readonly counts = computed(() => countStates(this.list.value));
  /** Failures nobody has looked at yet; the rest are old news, still marked in the list. */
  readonly failed = computed(() =>
    this.list.value.filter((info) => info.activity === "failed" && info.unread),
  );

  of(id: string): ReadonlySignal<SessionInfo> | undefined {
    return this.infos.get(id);
  }

  /** Who a session is, from the server or as last known; undefined while nobody has said. */
  nameOf(id: string): TabName | undefined {
    void this.ids.value; // A session that appears is news for whoever asked in vain.
    const made = this.creating.value.get(id);
    return this.infos.get(id)?.value ?? (made ? { title: "", cliType: made.cliType } : this.names.value[id]);
  }

  keepNames(tabs: Tabs): void {
    void this.ids.value;
    const named = namesOf(tabs, this.names.peek(), (id) => this.infos.get(id)?.value);
    if (named !== this.names.peek()) this.names.value = named;
  }

  put(info: SessionInfo): void {
    const known = this.infos.get(info.sessionId);
    if (known) known.value = info;
    else {
      this.infos.set(info.sessionId, signal(info));
      write(this.ids, [...this.ids.peek(), info.sessionId]);
    }
  }

  forget(ids: readonly string[]): void {
    ids.forEach((id) => this.infos.delete(id));
    write(
      this.ids,
      this.ids.peek().filter((id) => !ids.includes(id)),
    );
  }

  forgetAll(): void {
    batch(() => {
      this.forget(this.ids.peek());
      this.names.value = {};
      write(this.listedProjects, new Set());
      write(this.archived, []);
    });
  }

  /** A list is of all sessions that are not archived: what is missing was deleted, here or in another window. */
  missingIn(projectId: string, sessions: readonly SessionInfo[]): string[] {
    const listed = new Set(sessions.map((session) => session.sessionId));
    return this.ids.peek().filter((id) => {
      const info = this.infos.get(id)!.peek();
      return info.projectId === projectId && !info.archived && !listed.has(id);
    });
  }

  setList(projectId: string, sessions: readonly SessionInfo[]): void {
    sessions.forEach((session) => this.put(session));
    write(this.listedProjects, new Set([...this.listedProjects.peek(), projectId]));
  }

  idsOf(projectId: string): string[] {
    return this.ids.peek().filter((id) => this.infos.get(id)!.peek().projectId === projectId);
  }

  setArchived(sessions: readonly SessionInfo[]): void {
    write(this.archived, sessions);
  }
  leaveArchive(id: string): void {
    write(
      this.archived,
      this.archived.peek().filter((session) => session.sessionId !== id),
    );
  }

  /** What is being written would be this session. There is one: another takes its place. */
  draft(temporary: string, what: Omit<Creating, "draft">): void {
    const others = [...this.creating.peek()].filter(([, made]) => !made.draft);
    write(this.creating, new Map(others).set(temporary, { ...what, draft: true }));
  }
  beginCreating(temporary: string, what: Omit<Creating, "draft">): void {
    write(this.creating, new Map(this.creating.peek()).set(temporary, { ...what, draft: false }));
  }
  endCreating(temporary: string): void {
    write(this.creating, new Map([...this.creating.peek()].filter(([id]) => id !== temporary)));
  }

  /** The session that was being made as `temporary` is there; the server may have told of it already. */
  created(temporary: string, sessionId: string, workspaceId?: string): void {
    const made = this.creating.peek().get(temporary);
    batch(() => {
      if (made && !this.infos.has(sessionId)) this.put(newInfo(sessionId, made, workspaceId));
      this.madeAs.set(sessionId, temporary);
      this.endCreating(temporary);
    });
  }
}

function newInfo(sessionId: string, { cliType, projectId }: Creating, workspaceId?: string): SessionInfo {
  const at = new Date().toISOString();
  return {
    sessionId,
    cliType,
    projectId,
    status: "open",
    activity: "idle",
    unread: false,
    title: "",
    createdAt: at,
    lastActiveAt: at,
    archived: false,
    discovered: false,
    confined: false,
    ...(workspaceId === undefined ? {} : { workspaceId }),
  };
}
