// A new session: its tab is there at once, the session follows.
import { batch } from "@preact/signals";
import { WireError } from "../api";
import type { App } from "../state/app";
import { keptDraft, temporaryId } from "../state/temporary";
import { addProject } from "./projects";

export interface NewSession {
  cliType: string;
  projectId: string;
  model?: string;
  mode?: string;
  thinking?: string;
}

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
export const warmAgent = (app: App, cliType: string, projectId: string) =>
  app.api.call("POST /api/agents/{cliType}/warm", { cliType, projectId }).catch(() => {});

/** If it cannot be made, tab and row go, the words typed so far stay. */
export async function createSession(app: App, options: NewSession): Promise<void> {
  const { cliType, projectId } = options;
  const temporary = temporaryId(projectId);
  batch(() => {
    app.prefs.set("lastAgent", cliType);
    app.sessions.beginCreating(temporary, { cliType, projectId });
    app.drafts.set(temporary, app.drafts.take(keptDraft(projectId)));
    app.nav.navigate({ page: "session", sessionId: temporary });
  });
  try {
    const answer = await app.link.request({ type: "session:create", ...options });
    if (answer.type === "session:created") created(app, temporary, answer.sessionId);
  } catch (error) {
    abandon(app, temporary, projectId);
    app.toasts.add("error", createProblem(app, cliType, error), {
      label: "Try again",
      run: () => void createSession(app, options),
    });
    app.agents.refresh();
  }
}

/** After a reload nobody waits for a session any more that was being made: its tab goes, its words stay. */
export function forgetUnmade(app: App): void {
  const unmade = /^new:[0-9a-f-]{36}:(.+)$/;
  const left = [
    ...app.nav.tabs.peek().ids,
    ...app.outbox.entries.peek().map((entry) => entry.sessionId),
    ...Object.keys(app.drafts.texts.peek()),
  ];
  for (const id of new Set(left)) {
    const projectId = unmade.exec(id)?.[1];
    if (projectId !== undefined) abandon(app, id, projectId);
  }
}

function created(app: App, temporary: string, sessionId: string): void {
  batch(() => {
    app.drafts.add(sessionId, app.drafts.take(temporary));
    app.sessions.created(temporary, sessionId);
    app.nav.renameTab(temporary, sessionId);
    app.outbox.rename(temporary, sessionId);
  });
}

function abandon(app: App, temporary: string, projectId: string): void {
  batch(() => {
    for (const { content } of app.outbox.takeAll(temporary)) app.drafts.add(keptDraft(projectId), content);
    app.drafts.add(keptDraft(projectId), app.drafts.take(temporary));
    app.closeTabs([temporary]);
    app.sessions.endCreating(temporary);
  });
}

/** The shortest way to a first conversation: the demo agent changes nothing, so that the home folder will do. */
export async function tryDemo(app: App): Promise<void> {
  const project = app.projects.list.peek()[0] ?? (await addProject(app, "~"));
  if (typeof project !== "string")
    return createSession(app, { cliType: "demo", projectId: project.projectId });
  app.toasts.add("error", project);
  app.nav.openDialog({ kind: "add-project" });
}
