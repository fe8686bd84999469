// Folders that sessions work in.
import { WireError } from "../api";
import type { App } from "../state/app";
import type { Project } from "../wire";
import { openDraft } from "./unmade";

/** The project, or why there is none. */
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
  const project = app.projects.list.peek()[0] ?? (await addProject(app, "~"));
  if (typeof project !== "string") {
    app.start.setAgent("demo");
    return openDraft(app, project.projectId);
  }
  app.toasts.add("error", project);
  app.nav.openDialog({ kind: "add-project" });
}
