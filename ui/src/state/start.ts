// The session that is being written and does not exist yet. There is one: its first message makes it.
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { AgentInfo } from "../wire";
import type { Agents } from "./agents";
import type { Prefs } from "./prefs";
import type { Projects } from "./projects";
import type { Sessions } from "./sessions";
import type { Settings } from "./settings";
import { goodIn, isRecord, isString, salvaged, stored } from "./stored";
import { isTemporary, temporaryId } from "./temporary";
import { NewWorktree } from "./worktree";
import { write } from "./write";

/** What a session is made with. */
export interface NewSession {
  cliType: string;
  projectId: string;
  model?: string;
  mode?: string;
  thinking?: string;
  /** Behind walls; left out: as the server's configuration says. */
  confined?: boolean;
}
/** As the user chose the last time with this agent; what is left out is as the agent decides. */
export type Chosen = Pick<NewSession, "model" | "mode" | "thinking">;
const isChosen = (value: unknown): value is Chosen =>
  isRecord(value) && Object.values(value).every((entry) => entry === undefined || isString(entry));

/** A mode that lets everything pass is for one session: nobody finds it chosen the next time. */
export const isRisky = (mode: string | undefined): boolean => /bypass|yolo|full|dangerous/i.test(mode ?? "");

interface Parts {
  agents: Agents;
  projects: Projects;
  prefs: Prefs;
  sessions: Sessions;
  settings: Settings;
}

export class Start {
  /** What it is called until the server has made it. */
  readonly id: ReadonlySignal<string> = stored("lb.draft", "", isString);
  private readonly project = stored("lb.project", "", isString);
  /** What the user said of this one: it counts before any setting. */
  private readonly changed = signal<Partial<Omit<NewSession, "projectId">>>({});
  /** Why the last try to make it failed. */
  readonly problem: ReadonlySignal<string | undefined> = signal(undefined);
  private readonly chosen = salvaged("lb.chosen", (found) => goodIn(found, isChosen));

  constructor(private readonly parts: Parts) {
    if (!isTemporary(this.id.peek())) this.next();
    effect(() => {
      const { cliType, projectId } = this.options.value;
      parts.sessions.draft(this.id.value, { cliType, projectId });
    });
  }

  private readonly where = computed(() => {
    const projects = this.parts.projects.list.value;
    const last = projects.find(({ projectId }) => projectId === this.project.value);
    return (last ?? projects[0])?.projectId ?? "";
  });

  readonly worktree = new NewWorktree(this.where);

  /** As said for this session; else as the settings have it for the project, or as the last time, if it is there. */
  readonly agent = computed((): AgentInfo | undefined => {
    const agents = this.parts.agents.list.value;
    const named = (cliType: string | undefined) => agents.find((agent) => agent.cliType === cliType);
    const usual = named(this.parts.settings.startIn(this.where.value).cliType);
    return (
      named(this.changed.value.cliType) ??
      (usual?.installed ? usual : undefined) ??
      named(this.parts.prefs.lastAgent.value) ??
      agents.find((agent) => agent.installed) ??
      agents[0]
    );
  });

  readonly options = computed((): NewSession => {
    const cliType = this.agent.value?.cliType ?? "";
    const { confined } = this.changed.value;
    const walls = confined === undefined ? {} : { confined };
    return { cliType, projectId: this.where.value, ...this.offered(cliType), ...walls };
  });
  /** Whether it will be confined. */
  readonly confined = computed(() => this.changed.value.confined ?? this.agent.value?.confine ?? false);

  /** What was chosen, as far as the agent still offers it. */
  private offered(cliType: string): Chosen {
    const { modes, models, thinkingLevels } = this.parts.prefs.known.value[cliType] ?? {};
    const lists = { mode: modes, model: models, thinking: thinkingLevels };
    const usual = this.parts.settings.startIn(this.where.value);
    const preset = usual.cliType === cliType ? usual : this.chosen.value[cliType];
    const chosen = Object.entries({ ...preset, ...this.changed.value });
    return Object.fromEntries(
      chosen.filter(([name, value]) => lists[name as keyof Chosen]?.some(({ id }) => id === value)),
    );
  }

  /** With whom and how a session begins when no setting says it: as the last time. */
  usual(projectId = this.where.value): { agent: AgentInfo | undefined; names: string[] } {
    const agents = this.parts.agents.list.value;
    const last = agents.find(({ cliType }) => cliType === this.parts.prefs.lastAgent.value);
    const agent = last?.installed ? last : agents.find(({ installed }) => installed);
    if (!agent || this.parts.settings.startIn(projectId).cliType) return { agent: undefined, names: [] };
    const { modes, models, thinkingLevels } = this.parts.prefs.known.value[agent.cliType] ?? {};
    const { mode, model, thinking } = this.chosen.value[agent.cliType] ?? {};
    const names = [
      modes?.find(({ id }) => id === mode),
      models?.find(({ id }) => id === model),
      thinkingLevels?.find(({ id }) => id === thinking),
    ].flatMap((one) => (one ? [one.name] : []));
    return { agent, names };
  }
  /** From now on it is as the agent decides. */
  forget(cliType: string): void {
    const { [cliType]: _old, ...others } = this.chosen.peek();
    this.chosen.value = others;
  }

  refuse(problem: string | undefined): void {
    write(this.problem, problem);
  }
  setProject(projectId: string): void {
    this.refuse(undefined);
    if (projectId !== this.where.peek()) this.worktree.forget();
    this.project.value = projectId;
  }
  setAgent(cliType: string): void {
    this.refuse(undefined);
    this.changed.value = { cliType };
    if (this.parts.agents.of(cliType)?.installed) this.parts.prefs.set("lastAgent", cliType);
  }
  setConfined(confined: boolean): void {
    this.changed.value = { ...this.changed.peek(), confined };
  }
  /** "" is as the agent decides. */
  choose(name: keyof Chosen, value: string): void {
    this.refuse(undefined);
    const { cliType } = this.options.peek();
    this.changed.value = { ...this.changed.peek(), [name]: value };
    const { [name]: _old, ...others } = this.chosen.peek()[cliType] ?? {};
    const now: Chosen =
      value === "" || (name === "mode" && isRisky(value)) ? others : { ...others, [name]: value };
    this.chosen.value = { ...this.chosen.peek(), [cliType]: now };
  }

  /** It is being made, and has its id to itself: whoever writes next writes another. */
  next(): void {
    this.refuse(undefined);
    this.changed.value = {};
    this.worktree.forget();
    write(this.id, temporaryId());
  }
}
