// What the user can do. Each action asks the server and reports a refusal; what happened comes back through the stores.
import { batch, effect } from "@preact/signals";
import { sessionLink, WireError } from "./api";
import type { App, DraftImage } from "./state/app";
import { closeTab, neighbour, openTab, renameTab } from "./state/tabs";
import type { ApprovalAnswer, AttachmentRef, Item, Project, Turn } from "./wire";

/** The words of the conditions E1-TC-5.5a and 5.5b; whatever else is said, these come first. */
export function createProblem(app: App, cliType: string, error: unknown): string {
  const name = app.agent(cliType)?.name ?? cliType;
  if (!(error instanceof WireError)) return "Not connected to the server right now. Try again in a moment.";
  if (error.code === "AGENT_UNAVAILABLE")
    return `Could not start ${name}. Check that it's installed. ${error.message}`;
  if (error.code === "SESSION_CREATE_FAILED") return `Could not connect to ${name}. ${error.message}`;
  return error.message;
}

export interface NewSession {
  cliType: string;
  projectId: string;
  model?: string;
  mode?: string;
  thinking?: string;
}

/** A session is about to be made: the agent may start ahead. Only a help, so that nobody is told when it fails. */
export const warmAgent = (app: App, cliType: string, projectId: string) =>
  app.api.post(`/api/agents/${encodeURIComponent(cliType)}/warm`, { projectId }).catch(() => {});

/** Opens the tab at once; the session follows. If it cannot be made, tab and row go, the words typed so far stay. */
export async function createSession(app: App, options: NewSession): Promise<void> {
  const temporary = `new:${crypto.randomUUID()}:${options.projectId}`;
  const kept = keptDraft(options.projectId);
  batch(() => {
    app.lastAgent.value = options.cliType;
    app.creating.value = new Map(app.creating.peek()).set(temporary, {
      ...options,
      at: new Date().toISOString(),
    });
    const draft = app.drafts.peek()[kept];
    if (draft) app.drafts.value = { ...without(app.drafts.peek(), kept), [temporary]: draft };
    app.show(temporary);
  });
  try {
    const answer = await app.link.request({ type: "session:create", ...options });
    if (answer.type === "session:created") created(app, temporary, answer.sessionId, options);
  } catch (error) {
    abandon(app, temporary, kept);
    app.toast("error", createProblem(app, options.cliType, error), {
      label: "Try again",
      run: () => void createSession(app, options),
    });
    app.refreshAgents();
  }
}

/** Words for a session that does not exist yet wait here, for the next one of that project. */
const keptDraft = (projectId: string) => `new:${projectId}`;

/** After a reload nobody waits for a session any more that was being made: its tab goes, its words stay. */
export function forgetUnmade(app: App): void {
  const unmade = /^new:[0-9a-f-]{36}:(.+)$/;
  batch(() => {
    app.tabs.value = app.tabs
      .peek()
      .ids.filter((id) => id.startsWith("new:"))
      .reduce(closeTab, app.tabs.peek());
    const typed = [
      ...app.outbox.entries.peek().map((entry) => [entry.sessionId, entry.content] as const),
      ...Object.entries(app.drafts.peek()),
    ];
    for (const [id, text] of typed) {
      const projectId = unmade.exec(id)?.[1];
      if (projectId === undefined) continue;
      const old = app.drafts.peek()[keptDraft(projectId)];
      app.drafts.value = {
        ...without(app.drafts.peek(), id),
        [keptDraft(projectId)]: old ? `${old}\n\n${text}` : text,
      };
    }
    app.outbox.entries.value = app.outbox.entries.peek().filter((entry) => !unmade.test(entry.sessionId));
  });
}

function created(app: App, temporary: string, sessionId: string, options: NewSession): void {
  batch(() => {
    if (!app.session(sessionId)) {
      const at = new Date().toISOString();
      app.putSession({
        sessionId,
        cliType: options.cliType,
        projectId: options.projectId,
        status: "open",
        activity: "idle",
        unread: false,
        title: "",
        createdAt: at,
        lastActiveAt: at,
        archived: false,
        discovered: false,
      });
    }
    const drafts = app.drafts.peek();
    if (drafts[temporary] !== undefined)
      app.drafts.value = { ...without(drafts, temporary), [sessionId]: drafts[temporary] };
    app.madeAs.set(sessionId, temporary);
    app.tabs.value = renameTab(app.tabs.peek(), temporary, sessionId);
    app.creating.value = new Map([...app.creating.peek()].filter(([id]) => id !== temporary));
    app.outbox.rename(temporary, sessionId);
  });
}

function abandon(app: App, temporary: string, kept: string): void {
  batch(() => {
    const typed = [
      ...app.outbox.entries
        .peek()
        .filter((entry) => entry.sessionId === temporary)
        .map((entry) => entry.content),
      app.drafts.peek()[temporary] ?? "",
    ]
      .filter((text) => text !== "")
      .join("\n\n");
    app.outbox.entries.value = app.outbox.entries.peek().filter((entry) => entry.sessionId !== temporary);
    app.drafts.value = {
      ...without(app.drafts.peek(), temporary),
      ...(typed === "" ? {} : { [kept]: typed }),
    };
    app.tabs.value = closeTab(app.tabs.peek(), temporary);
    app.creating.value = new Map([...app.creating.peek()].filter(([id]) => id !== temporary));
  });
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _gone, ...rest } = record;
  return rest;
}

export async function addProject(app: App, path: string): Promise<Project | string> {
  try {
    const answer = await app.link.request({ type: "project:add", path });
    return answer.type === "project:added"
      ? answer.project
      : "The server gave an answer that was not understood.";
  } catch (error) {
    if (error instanceof WireError && error.code === "PROJECT_EXISTS") return "Project already added.";
    return (error as Error).message;
  }
}

/** The shortest way to a first conversation: the demo agent changes nothing, so that the home folder will do. */
export async function tryDemo(app: App): Promise<void> {
  const project = app.projects.peek()[0] ?? (await addProject(app, "~"));
  if (typeof project !== "string")
    return createSession(app, { cliType: "demo", projectId: project.projectId });
  app.toast("error", project);
  app.dialog.value = { kind: "add-project" };
}

export function removeProject(app: App, project: Project): void {
  app.dialog.value = {
    kind: "confirm",
    title: `Remove ${project.name}?`,
    action: "Remove",
    text: "Its tabs close. No file and no conversation is deleted: add the folder again and everything is back.",
    run: () =>
      void app.link
        .request({ type: "project:remove", projectId: project.projectId })
        .catch((error) => app.report(error)),
  };
}

export function closeSessionTab(app: App, id: string): void {
  app.tabs.value = closeTab(app.tabs.peek(), id);
  if (!id.startsWith("new:")) app.unsubscribe(id);
}

export function stepTab(app: App, step: 1 | -1): void {
  const next = neighbour(app.tabs.peek(), step);
  if (next !== undefined) {
    app.tabs.value = openTab(app.tabs.peek(), next);
    app.page.value = "session";
  }
}

export function sendMessage(
  app: App,
  sessionId: string,
  content: string,
  attachments: AttachmentRef[],
): void {
  app.outbox.add(sessionId, content, attachments);
}

/** One request whose refusal is shown; true when it was accepted. */
async function ask(app: App, message: Parameters<App["link"]["request"]>[0]): Promise<boolean> {
  try {
    await app.link.request(message);
    return true;
  } catch (error) {
    app.report(error);
    return false;
  }
}

export const cancelTurn = (app: App, sessionId: string) => ask(app, { type: "session:cancel", sessionId });
export const setMode = (app: App, sessionId: string, mode: string) =>
  ask(app, { type: "session:mode", sessionId, mode });
export const setModel = (app: App, sessionId: string, model: string) =>
  ask(app, { type: "session:model", sessionId, model });
export const setThinking = (app: App, sessionId: string, thinking: string) =>
  ask(app, { type: "session:thinking", sessionId, thinking });
export const renameSession = (app: App, sessionId: string, title: string) =>
  ask(app, { type: "session:rename", sessionId, title });
export const stopProcess = (app: App, sessionId: string) => ask(app, { type: "session:kill", sessionId });
export const reconnect = (app: App, cliType: string) => ask(app, { type: "session:reconnect", cliType });
/** `null` removes the message. */
export const editQueued = (app: App, sessionId: string, turnId: string, content: string | null) =>
  ask(app, { type: "session:queue", sessionId, turnId, content });
export const resumeQueue = (app: App, sessionId: string) =>
  ask(app, { type: "session:queue", sessionId, resume: true });

export async function archiveSession(app: App, sessionId: string, archived: boolean): Promise<void> {
  if (!(await ask(app, { type: "session:archive", sessionId, archived }))) return;
  if (archived) {
    app.forgetSession(sessionId);
    app.toast("info", "Archived.", { label: "Undo", run: () => void archiveSession(app, sessionId, false) });
  } else {
    app.archived.value = app.archived.peek().filter((session) => session.sessionId !== sessionId);
    for (const project of app.projects.peek()) void app.list(project.projectId);
  }
}

export function deleteSession(app: App, sessionId: string, title: string): void {
  app.dialog.value = {
    kind: "confirm",
    title: `Delete “${title}”?`,
    action: "Delete",
    text: "The conversation is removed from Liminal Builder for good.",
    run: () => {
      app.deleting.add(sessionId);
      void app.api
        .post(`/api/session/${sessionId}/delete`)
        .then(
          () => app.forgetSession(sessionId),
          (error) => app.report(error),
        )
        .finally(() => app.deleting.delete(sessionId));
    },
  };
}

export async function forkSession(app: App, sessionId: string): Promise<void> {
  try {
    const { sessionId: fork } = await app.api.post<{ sessionId: string }>(`/api/session/${sessionId}/fork`);
    const projectId = app.session(sessionId)?.peek().projectId;
    if (projectId) await app.list(projectId);
    app.show(fork);
  } catch (error) {
    app.report(error);
  }
}

/** A name for a file: as the server suggests one, it never begins with a dash or a dot. */
export function fileName(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[-.]+/, "");
  return (
    [...name]
      .slice(0, 60)
      .join("")
      .replace(/[-.]+$/, "") || "conversation"
  );
}

export async function exportSession(
  app: App,
  sessionId: string,
  title: string,
  format: "md" | "json",
): Promise<void> {
  try {
    const blob = await app.api.blob(`/api/session/${sessionId}/export?format=${format}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${fileName(title)}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    app.report(error);
  }
}

/** Where the browser forbids copying, as on a page without TLS, the text is shown to be taken by hand. */
async function copy(app: App, what: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    app.toast("info", `${what} copied.`);
  } catch {
    app.toast("error", `The browser does not allow copying here. ${what}: ${text}`);
  }
}
export const copySessionLink = (app: App, sessionId: string) => copy(app, "Link", sessionLink(sessionId));
export const copySessionId = (app: App, sessionId: string) => copy(app, "Session id", sessionId);

/** A refusal that ends its turn does so at once, on a busy machine too. What ends later was ended for another reason. */
const kEndsTurnMs = 30_000;

/**
 * Sends words that belong to a refusal as the next message. Some agents end the turn on a refusal, and a turn that was cut
 * holds what is queued; these words were meant for exactly this moment, so that nobody has to release them. Other messages
 * that wait too keep waiting for the user.
 */
export function sendAfterRefusal(app: App, sessionId: string, words: string): void {
  const store = app.store(sessionId);
  sendMessage(app, sessionId, words, []);
  if (!store.loaded.peek()) void app.subscribe(store);
  let released = false;
  const stop = effect(() => {
    const queued = store.turnOrder.value
      .map((id) => store.turn(id)!.value)
      .filter((turn) => turn.type === "turn_queued");
    if (released || queued.length !== 1 || !queued[0]!.held || queued[0]!.content !== words) return;
    released = true;
    void resumeQueue(app, sessionId);
  });
  setTimeout(() => {
    stop();
    if (!app.tabs.peek().ids.includes(sessionId)) app.unsubscribe(sessionId);
  }, kEndsTurnMs);
}

/** Answers an approval as it was shown: if it changed meanwhile, the server refuses and the new one is on screen. */
export async function answerApproval(
  app: App,
  sessionId: string,
  item: { itemId: string; rev: number },
  answer: ApprovalAnswer,
): Promise<boolean> {
  const accepted = await ask(app, {
    type: "session:answer",
    sessionId,
    itemId: item.itemId,
    rev: item.rev,
    ...answer,
  });
  app.refreshInbox();
  return accepted;
}

export async function loadArchived(app: App): Promise<void> {
  const lists = await Promise.all(
    app.projects
      .peek()
      .map((project) =>
        app.api
          .get<{ sessions: App["archived"]["value"] }>(
            `/api/session/list?projectId=${project.projectId}&archived=1`,
          )
          .catch(() => ({ sessions: [] })),
      ),
  );
  app.archived.value = lists
    .flatMap((list) => [...list.sessions])
    .sort((a, b) => b.lastActiveAt.localeCompare(a.lastActiveAt));
}

export async function loadOlder(app: App, sessionId: string, count = 300): Promise<void> {
  const before = app.store(sessionId).before.peek();
  if (before === undefined) return;
  await app.link.request({ type: "session:page", sessionId, before, count }).catch(() => {});
}

/** Brings an item on screen, loading older pages until it is there. */
export async function jumpTo(app: App, sessionId: string, itemId: string): Promise<void> {
  app.show(sessionId);
  const store = app.store(sessionId);
  const deadline = Date.now() + 15_000;
  while (!store.loaded.peek() && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  while (!store.item(itemId) && store.before.peek() !== undefined && Date.now() < deadline)
    await loadOlder(app, sessionId, 1000);
  app.jump.value = { sessionId, itemId };
}

/** The question that waits longest, of this session first; false when nobody waits. */
export async function nextQuestion(app: App): Promise<boolean> {
  const { active } = app.tabs.peek();
  const waiting = app.waiting.peek();
  const next = waiting.find((entry) => entry.sessionId === active) ?? waiting[0];
  if (next) await jumpTo(app, next.sessionId, next.item.itemId);
  return next !== undefined;
}

/** How a session failed last, for whoever has not opened it. */
export async function lastFailure(app: App, sessionId: string): Promise<Failure | undefined> {
  const { entries, turns } = await app.api.get<{ entries: Item[]; turns: Turn[] }>(
    `/api/session/${sessionId}/timeline?tail=60`,
  );
  const turn = turns.filter((candidate) => candidate.type === "turn_error").sort((a, b) => b.pos - a.pos)[0];
  if (!turn) return undefined;
  const user = entries.find((item) => item.itemId === `${turn.turnId}:user`);
  return { turn, prompt: user?.type === "message" ? user : undefined };
}

/** The call that a question is about, for whoever has not opened its session: an edit's diff is there. */
export async function askedCall(app: App, approval: Extract<Item, { type: "approval" }>) {
  const { sessionId, callId } = approval;
  if (callId === undefined) return undefined;
  const { entries } = await app.api.get<{ entries: Item[] }>(`/api/session/${sessionId}/timeline?tail=60`);
  return entries.find((item) => item.type === "tool_call" && item.callId === callId) as
    Extract<Item, { type: "tool_call" }> | undefined;
}

export interface Failure {
  turn: Turn;
  prompt: Extract<Item, { type: "message" }> | undefined;
}

/** Sends the prompt of a failed turn again. */
export function sendAgain(app: App, sessionId: string, prompt: NonNullable<Failure["prompt"]>): void {
  sendMessage(
    app,
    sessionId,
    prompt.content,
    prompt.attachments?.map(({ attachmentId, name }) => ({ attachmentId, name })) ?? [],
  );
}

export async function attachImage(app: App, sessionId: string, file: File): Promise<void> {
  const image: DraftImage = {
    key: crypto.randomUUID(),
    name: file.name || "image",
    url: URL.createObjectURL(file),
  };
  const change = (update: (list: readonly DraftImage[]) => readonly DraftImage[]) => {
    app.images.value = { ...app.images.peek(), [sessionId]: update(app.images.peek()[sessionId] ?? []) };
  };
  change((list) => [...list, image]);
  try {
    const { attachmentId } = await app.api.upload<{ attachmentId: string }>(
      `/api/session/${sessionId}/attachment`,
      file,
    );
    change((list) => list.map((other) => (other.key === image.key ? { ...other, attachmentId } : other)));
  } catch (error) {
    change((list) =>
      list.map((other) =>
        other.key === image.key ? { ...other, problem: (error as Error).message } : other,
      ),
    );
  }
}
