// Above a conversation: which session this is, what can be done with it, how its agent is.
import { reconnect } from "../../actions/sessions";
import type { CommandId } from "../../commands/table";
import { titleOf } from "../../state/tabs";
import type { AgentInfo } from "../../wire";
import { useApp } from "../context";
import { AgentMark, Icon } from "../icons";
import { Menu } from "../menu";
import { PhoneMenu, Working } from "../parts";

const kMenu: readonly CommandId[] = [
  "rename",
  "fork",
  "copy-link",
  "copy-id",
  "export-md",
  "export-json",
  "stop-process",
  "archive",
  "bring-back",
  "close-tab",
  "delete",
];

export function Head({ id, name, cliType }: { id: string; name: string; cliType: string }) {
  const app = useApp();
  const info = app.sessions.of(id)?.value;
  const project = app.projects.of(info?.projectId ?? app.sessions.creating.value.get(id)?.projectId ?? "");
  const title = titleOf(app.sessions.nameOf(id));
  return (
    <header class="session-head">
      <PhoneMenu />
      <AgentMark cliType={cliType} name={name} />
      <h1 title={title}>
        <bdi>{title}</bdi>
      </h1>
      {project && (
        <span class="muted path" title={project.path}>
          {project.name}
        </span>
      )}
      {info?.archived && <span class="chip">archived</span>}
      {info?.discovered && (
        <span class="chip" title="This session was started outside Liminal Builder">
          from the CLI
        </span>
      )}
      <span class="grow" />
      {info && <Menu label="Session menu" items={kMenu} about={{ sessionId: id }} />}
    </header>
  );
}

/** What the agent's process is doing, when that is worth a line. */
export function AgentStrip({
  agent,
  creating,
  name,
}: {
  agent: AgentInfo | undefined;
  creating: boolean;
  name: string;
}) {
  const app = useApp();
  const note = agent && app.agents.notes.value[agent.cliType];
  if (agent?.status === "starting" && !creating)
    return (
      <div class="strip" role="status">
        <Working label="Starting" /> Starting {name}…
      </div>
    );
  if (agent?.status === "reconnecting")
    return (
      <div class="strip warn" role="status">
        <Working label="Reconnecting" /> Reconnecting to {name}… {note}
      </div>
    );
  if (agent?.status !== "disconnected") return null;
  return (
    <div class="strip bad" role="alert">
      <Icon name="alert" />{" "}
      <span class="grow">
        {name} is disconnected. {note || agent.problem} {agent.remedy}
      </span>
      <button type="button" class="button" onClick={() => void reconnect(app, agent.cliType)}>
        Reconnect
      </button>
    </div>
  );
}
