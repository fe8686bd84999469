// A new session: it is written first, and made with its first message.
import { batch } from "@preact/signals";
import { WireError } from "../api";
import type { App } from "../state/app";
import type { Attached, DraftAttachment } from "../state/types";
import type { WorkspaceWish } from "../wire";
import { attachedOf, upload } from "./attachments";
import { abandon, shown } from "./unmade";

/** The words of the conditions E1-TC-5.5a and 5.5b; whatever else is said, these come first. */
export function createProblem(app: App, cliType: string, error: unknown): string {
  const name = app.agents.of(cliType)?.name ?? cliType;
  if (!(error instanceof WireError)) return "Not connected to the server right now. Try again in a moment.";
  // Of an agent that is there the server knows better what is wrong: a login, for example.
  if (error.code === "AGENT_UNAVAILABLE") {
    const missing = app.agents.of(cliType)?.installed === false;
    const said = error.message.startsWith("Could not start");
    return missing && !said
      ? `Could not start ${name}. Check that it's installed. ${error.message}`
      : error.message;
  }
  if (error.code === "SESSION_CREATE_FAILED") return `Could not connect to ${name}. ${error.message}`;
  return error.message;
}

/** A session is about to be made: the agent may start ahead. Only a help, so that nobody is told when it fails. */
export const warmAgent = (app: App, cliType: string, projectId: string, confined?: boolean) =>
  app.api
    .call("POST /api/agents/{cliType}/warm", {
      cliType,
      projectId,
      ...(confined === undefined ? {} : { confined }),
    })
    .catch(() => {});

/** What a worktree of this project could begin with. Without an answer the choice stays: the server says what is wrong. */
export const lookAtGit = (app: App, projectId: string, base?: string) =>
  app.api
    .call("GET /api/project/{projectId}/git", { projectId, ...(base === undefined ? {} : { base }) })
    .then(
      (git) => app.start.worktree.learn(projectId, base, git),
      () => {},
    );

/** The worktree that the session gets, if it gets one. */
function wish(app: App): WorkspaceWish | undefined {
  const { chosen, said, carries, setup, proposed } = app.start.worktree;
  if (!chosen.peek()) return undefined;
  const { base, carry, setup: agreed } = said.peek();
  const branch = (said.peek().branch ?? proposed.peek()).trim();
  return {
    ...(base === undefined ? {} : { base }),
    ...(branch === "" ? {} : { branch }),
    ...(carry && carries.peek() > 0 ? { carry: "uncommitted" } : {}),
    ...(agreed !== undefined && agreed === setup.peek()?.id ? { setup: agreed } : {}),
  };
}

/**
 * Makes the session of what was written. Its tab and row are there at once, and what is typed meanwhile waits; if it
 * cannot be made both go, and the words are where the next one is written.
 */
export async function startSession(app: App, content: string): Promise<void> {
  const temporary = app.start.id.peek();
  const options = app.start.options.peek();
  const workspace = wish(app);
  const said = app.start.worktree.said.peek();
  const held = app.drafts.attachments(temporary).filter((one) => one.source);
  const from = app.nav.place.peek();
  batch(() => {
    app.prefs.set("lastAgent", options.cliType);
    app.sessions.beginCreating(temporary, { ...options, ...(workspace && { worktree: true }) });
    app.start.next();
    app.outbox.add(temporary, content, []);
    app.nav.navigate({ page: "session", sessionId: temporary });
  });
  try {
    const answer = await app.link.request({
      type: "session:create",
      ...options,
      ...(workspace && { workspace }),
    });
    if (answer.type !== "session:created") return;
    const { sessionId, workspaceId } = answer;
    created(app, temporary, { sessionId, workspaceId }, await uploaded(app, sessionId, held));
  } catch (error) {
    const waits = app.nav.session.peek() === temporary;
    const problem = createProblem(app, options.cliType, error);
    const draft = app.start.id.peek();
    batch(() => {
      abandon(app, temporary, held);
      app.start.worktree.say(said);
      app.start.refuse(problem);
      // Where the words are, the reason is. Whoever has gone elsewhere meanwhile is told there.
      if (waits) app.nav.comeBack(from.page === "session" ? { page: "session", sessionId: draft } : from);
    });
    if (!waits)
      app.toasts.add("error", problem, {
        label: "Show",
        run: () => app.nav.navigate({ page: "session", sessionId: app.start.id.peek() }),
      });
    app.agents.refresh();
  }
}

/** What goes with the first message; nothing if the server did not take all of it. */
async function uploaded(
  app: App,
  sessionId: string,
  held: readonly DraftAttachment[],
): Promise<Attached[] | undefined> {
  for (const one of shown(held)) {
    app.drafts.attach(sessionId, one);
    await upload(app, sessionId, one);
  }
  const all = app.drafts.attachments(sessionId);
  if (all.some((one) => one.attachmentId === undefined)) return undefined;
  all.forEach(({ key }) => app.drafts.detach(sessionId, key));
  return all.map(attachedOf);
}

/** A message whose attachments the server did not take is not sent without them: it is in the composer, with the reason. */
function created(
  app: App,
  temporary: string,
  made: { sessionId: string; workspaceId: string | undefined },
  attached: Attached[] | undefined,
): void {
  const { sessionId } = made;
  batch(() => {
    if (attached) app.outbox.attach(temporary, attached);
    else for (const { content } of app.outbox.takeAll(temporary)) app.drafts.add(sessionId, content);
    app.drafts.add(sessionId, app.drafts.take(temporary));
    app.sessions.created(temporary, sessionId, made.workspaceId);
    app.nav.renameTab(temporary, sessionId);
    app.outbox.rename(temporary, sessionId);
  });
}
