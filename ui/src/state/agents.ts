// The agents of the server's machine, and how they are.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api";
import type { AgentInfo, AgentStatusMessage } from "../wire";

/** News of several agents often come together: they are asked about once. */
const kTogetherMs = 30;

export class Agents {
  private readonly infos = signal<readonly AgentInfo[]>([]);
  private readonly said = signal<Readonly<Record<string, string>>>({});
  readonly list: ReadonlySignal<readonly AgentInfo[]> = this.infos;
  /** What was said with the last change of an agent's status. */
  readonly notes: ReadonlySignal<Readonly<Record<string, string>>> = this.said;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly api: Api) {}

  of(cliType: string): AgentInfo | undefined {
    return this.infos.value.find((agent) => agent.cliType === cliType);
  }

  changed({ cliType, status, message }: AgentStatusMessage): void {
    this.infos.value = this.infos
      .peek()
      .map((agent) => (agent.cliType === cliType ? { ...agent, status } : agent));
    this.said.value = { ...this.said.peek(), [cliType]: message ?? "" };
    this.refresh();
  }

  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.api.get<{ agents: AgentInfo[] }>("/api/agents").then(
        ({ agents }) => {
          this.infos.value = agents;
        },
        () => {},
      );
    }, kTogetherMs);
  }
}
