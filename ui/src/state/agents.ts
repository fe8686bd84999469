// The agents of the server's machine, and how they are.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api";
import type { AgentInfo, AgentStatusMessage } from "../wire";
import { write } from "./write";

/** News of several agents often come together: they are asked about once. */
const kTogetherMs = 30;

export class Agents {
  readonly list: ReadonlySignal<readonly AgentInfo[]> = signal([]);
  /** The server was asked, whatever it answered. */
  readonly known: ReadonlySignal<boolean> = signal(false);
  /** What was said with the last change of an agent's status. */
  readonly notes: ReadonlySignal<Readonly<Record<string, string>>> = signal({});
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly api: Api) {}

  /** They are there and do not run. One that is not installed is in no trouble: nobody has to have it. */
  readonly troubled = computed(() =>
    this.list.value.filter(
      ({ installed, status }) => installed && (status === "disconnected" || status === "reconnecting"),
    ),
  );

  of(cliType: string): AgentInfo | undefined {
    return this.list.value.find((agent) => agent.cliType === cliType);
  }

  changed({ cliType, status, message }: AgentStatusMessage): void {
    write(
      this.list,
      this.list.peek().map((agent) => (agent.cliType === cliType ? { ...agent, status } : agent)),
    );
    write(this.notes, { ...this.notes.peek(), [cliType]: message ?? "" });
    this.refresh();
  }

  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.api
        .call("GET /api/agents", {})
        .then(
          ({ agents }) => write(this.list, agents),
          () => {},
        )
        .finally(() => write(this.known, true));
    }, kTogetherMs);
  }
}
