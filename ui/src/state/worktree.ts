// Whether the session that is being written gets a worktree of its own, and which.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { ProjectGit } from "../wire";
import { goodOf, isId, salvaged } from "./stored";
import { write } from "./write";

/** What the user said of this one; the rest is as usual. */
export interface Said {
  /** A branch, tag or commit; left out: what is checked out. */
  base?: string;
  /** Left out: named after the message. Empty: named by the server. */
  branch?: string;
  carry?: boolean;
  /** The id of the setup commands that were read and agreed to. */
  setup?: string;
}

export class NewWorktree {
  /** Projects whose sessions got one the last time. */
  private readonly usual = salvaged("lb.worktrees", (found) => goodOf(found, isId));
  private readonly looks = signal<Readonly<Record<string, ProjectGit>>>({});
  private readonly words = signal<Said>({});
  readonly said: ReadonlySignal<Said> = this.words;
  /** How its branch is called unless somebody says otherwise: after the message. Empty: as the server likes. */
  readonly proposed: ReadonlySignal<string> = signal("");

  constructor(private readonly project: ReadonlySignal<string>) {}

  /** The project's repository, once somebody has looked. */
  readonly git = computed((): ProjectGit | undefined => this.looks.value[`${this.project.value} `]);
  /** What its setup commands are at the chosen base. */
  readonly setup = computed(
    () => this.looks.value[`${this.project.value} ${this.said.value.base ?? ""}`]?.setup,
  );
  readonly chosen = computed(
    () => this.usual.value.includes(this.project.value) && this.git.value?.available !== false,
  );
  /** How many uncommitted changes could come along. */
  readonly carries = computed(() => {
    const { base } = this.said.value;
    const git = this.git.value;
    return git && (base === undefined || base === git.branch) ? git.dirty : 0;
  });

  learn(projectId: string, base: string | undefined, git: ProjectGit): void {
    this.looks.value = { ...this.looks.peek(), [`${projectId} ${base ?? ""}`]: git };
  }
  choose(wanted: boolean): void {
    const project = this.project.peek();
    const others = this.usual.peek().filter((id) => id !== project);
    this.usual.value = wanted ? [...others, project] : others;
  }
  say(change: Said): void {
    this.words.value = { ...this.words.peek(), ...change };
  }
  propose(branch: string): void {
    write(this.proposed, branch);
  }
  /** As it is checked out. */
  anyBase(): void {
    const { base: _base, ...others } = this.words.peek();
    this.words.value = others;
  }
  forget(): void {
    this.words.value = {};
  }
}
