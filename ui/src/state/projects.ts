// The folders that sessions work in.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Project } from "../wire";
import { write } from "./write";

export class Projects {
  readonly list: ReadonlySignal<readonly Project[]> = signal([]);
  /** The server has said which there are. */
  readonly known: ReadonlySignal<boolean> = signal(false);

  of(id: string): Project | undefined {
    return this.list.value.find((project) => project.projectId === id);
  }

  /** Answers with those that are gone. */
  set(projects: readonly Project[]): readonly Project[] {
    const gone = this.list
      .peek()
      .filter((old) => !projects.some((project) => project.projectId === old.projectId));
    write(this.list, projects);
    write(this.known, true);
    return gone;
  }

  /** Also said of a known one: its folder disappeared, or is there again. */
  put(project: Project): void {
    const projects = this.list.peek();
    const at = projects.findIndex((known) => known.projectId === project.projectId);
    write(this.list, at < 0 ? [...projects, project] : projects.with(at, project));
  }

  remove(id: string): void {
    write(
      this.list,
      this.list.peek().filter((project) => project.projectId !== id),
    );
  }
}
