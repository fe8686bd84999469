// The worktrees of the projects' repositories: those of sessions, and those that somebody else made.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api";
import type { Workspace } from "../wire";
import { write } from "./write";

export class Workspaces {
  readonly list: ReadonlySignal<readonly Workspace[]> = signal([]);
  /** The server has said which there are. */
  readonly known: ReadonlySignal<boolean> = signal(false);
  /** Ours whose folder should be there. */
  readonly count = computed(
    () => this.list.value.filter(({ foreign, state }) => !foreign && state !== "removed").length,
  );

  /** What was told while the list was on its way: the list may be older. */
  private told: Workspace[] | undefined;

  constructor(private readonly api: Pick<Api, "call">) {}

  of(id: string | undefined): Workspace | undefined {
    return id === undefined ? undefined : this.list.value.find(({ workspaceId }) => workspaceId === id);
  }

  /** Asks for all of them; what it answers is the refusal, for whoever shows it. */
  async refresh(): Promise<Error | undefined> {
    this.told = [];
    try {
      this.set((await this.api.call("GET /api/workspaces", {})).workspaces);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  put(workspace: Workspace): void {
    this.told?.push(workspace);
    const all = this.list.peek();
    const at = all.findIndex(({ workspaceId }) => workspaceId === workspace.workspaceId);
    write(this.list, at < 0 ? [...all, workspace] : all.with(at, workspace));
  }

  forgetAll(): void {
    this.set([]);
    write(this.known, false);
  }

  private set(workspaces: readonly Workspace[]): void {
    const { told } = this;
    this.told = undefined;
    write(this.list, workspaces);
    write(this.known, true);
    told?.forEach((workspace) => this.put(workspace));
  }
}
