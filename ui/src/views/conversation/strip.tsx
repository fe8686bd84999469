// How the agent of a conversation is, when that is worth a line.
import { reconnect } from "../../actions/running";
import type { AgentInfo } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";
import { Remedy } from "../remedy";

/** What the agent's process is doing, when that is worth a line. */
export function AgentStrip({
  agent,
  name,
  said,
}: {
  agent: AgentInfo | undefined;
  name: string;
  said: string | undefined;
}) {
  const app = useApp();
  const note = agent && app.agents.notes.value[agent.cliType];
  if (agent && !agent.installed)
    return (
      <div class="strip warn" role="status">
        <Icon name="alert" />{" "}
        <span class="grow">
          {name} is not installed. <Remedy agent={{ ...agent, problem: undefined }} />
        </span>
        <button type="button" class="button" onClick={() => app.agents.refresh()}>
          Check again
        </button>
      </div>
    );
  if (agent?.status === "reconnecting")
    return (
      <div class="strip warn" role="status">
        <Working label="Reconnecting" /> Reconnecting to {name}… {note}
      </div>
    );
  if (
    agent?.login === "needed" &&
    agent.status !== "disconnected" &&
    said !== undefined &&
    said === agent.problem
  )
    return null;
  if (agent?.login === "needed" && agent.status !== "disconnected")
    return (
      <div class="strip warn" role="status">
        <Icon name="alert" />{" "}
        <span class="grow">
          <Remedy agent={agent} /> <span class="muted">Your next message tries again.</span>
        </span>
      </div>
    );
  if (agent?.status !== "disconnected") return null;
  const why = note || agent.problem || "";
  return (
    <div class="strip bad" role="alert">
      <Icon name="alert" />{" "}
      <span class="grow">
        {name} is disconnected. {why} {!why.includes(agent.remedy ?? "") && agent.remedy}
      </span>
      <button type="button" class="button" onClick={() => void reconnect(app, agent.cliType)}>
        Reconnect
      </button>
    </div>
  );
}
