// The folders that sessions work in.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Project } from "../wire";

export class Projects {
  private readonly all = signal<readonly Project[]>([]);
  private readonly told = signal(false);
  readonly list: ReadonlySignal<readonly Project[]> = this.all;
  /** The server has said which there are. */
  readonly known: ReadonlySignal<boolean> = this.told;

  of(id: string): Project | undefined {
    return this.all.value.find((project) => project.projectId === id);
  }

  /** Answers with those that are gone. */
  set(projects: readonly Project[]): readonly Project[] {
    const gone = this.all
      .peek()
      .filter((old) => !projects.some((project) => project.projectId === old.projectId));
    this.all.value = projects;
    this.told.value = true;
    return gone;
  }

  /** Also said of a known one: its folder disappeared, or is there again. */
  put(project: Project): void {
    const projects = this.all.peek();
    const at = projects.findIndex((known) => known.projectId === project.projectId);
    this.all.value = at < 0 ? [...projects, project] : projects.with(at, project);
  }

  remove(id: string): void {
    this.all.value = this.all.peek().filter((project) => project.projectId !== id);
  }
}
