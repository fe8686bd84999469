// Folders that sessions work in.
import { WireError } from "../api";
import type { App } from "../state/app";
import type { Project } from "../wire";
import { ask } from "./ask";

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

export function removeProject(app: App, { name, projectId }: Project): void {
  app.nav.openDialog({
    kind: "confirm",
    title: `Remove ${name}?`,
    action: "Remove",
    text: "Its tabs close. No file and no conversation is deleted: add the folder again and everything is back.",
    run: () => void ask(app, { type: "project:remove", projectId }),
  });
}
