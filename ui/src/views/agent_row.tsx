// One agent: found or not, logged in or not, running or not, and what to do about it.
import { reconnect } from "../actions/running";
import type { AgentInfo } from "../wire";
import { useApp } from "./context";
import { AgentMark } from "./faces";
import { Limits } from "./limits";
import { CopyButton } from "./parts";
import { Remedy, remedyOf, remedyParts } from "./remedy";

const stateWords: Record<AgentInfo["status"], string> = {
  idle: "ready",
  starting: "starting",
  connected: "connected",
  disconnected: "disconnected",
  reconnecting: "reconnecting",
};

export function AgentRow({ agent }: { agent: AgentInfo }) {
  const app = useApp();
  const words = remedyParts(remedyOf(agent));
  const loggedOut = agent.installed && agent.login === "needed" && agent.status !== "disconnected";
  const state = !agent.installed ? "not installed" : loggedOut ? "not logged in" : stateWords[agent.status];
  return (
    <li class={`agent-row status-${!agent.installed ? "missing" : loggedOut ? "logged-out" : agent.status}`}>
      <AgentMark cliType={agent.cliType} name={agent.name} />
      <span class="agent-name">
        {agent.name}
        {agent.installed && agent.version && <span class="muted"> {agent.version}</span>}
      </span>
      <span class="agent-state">
        <i class="status-dot" aria-hidden="true" />
        {state}
      </span>
      {!agent.installed && (
        <button type="button" class="button small" onClick={() => app.agents.refresh()}>
          Check again
        </button>
      )}
      {agent.status === "disconnected" && agent.installed && (
        <button type="button" class="button small" onClick={() => void reconnect(app, agent.cliType)}>
          Reconnect
        </button>
      )}
      <Limits limits={agent.limits} />
      {words.length > 0 && (
        <div class="remedy">
          <p>
            <Remedy agent={agent} />
          </p>
          {words.map(
            (part) =>
              part.command && <CopyButton text={part.text} label={`Copy command for ${agent.name}`} />,
          )}
        </div>
      )}
    </li>
  );
}
