// The agents of this machine: found or not, running or not, and what to do about it.
import { useSignal } from "@preact/signals";
import { useApp } from "../context";
import { Icon } from "../icons";
import { conversation } from "../later";

/** Health of the agents: found or not, running or not, and what to do. */
export function Agents() {
  const app = useApp();
  const open = useSignal(false);
  const troubled = app.agents.troubled.value;
  const agents = open.value ? app.agents.list.value : troubled;
  const usable = app.agents.list.value.filter((agent) => agent.installed && agent.login !== "needed").length;
  const views = conversation.module.value;
  return (
    <section class="agents" aria-label="Agents">
      <button
        type="button"
        class="row-button"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="agent" />
        Agents
        <span class="grow" />
        <span class={`muted ${troubled.length > 0 ? "failed" : ""}`}>
          {troubled.length > 0 ? `${troubled.length} in trouble` : `${usable} ready`}
        </span>
      </button>
      {views && agents.length > 0 && (
        <ul>
          {agents.map((agent) => (
            <views.AgentRow key={agent.cliType} agent={agent} />
          ))}
        </ul>
      )}
    </section>
  );
}
