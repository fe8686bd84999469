// Below the first message of a session: who gets it, where, and how far it may go.
import { useEffect } from "preact/hooks";
import { warmAgent } from "../../actions/create";
import { run } from "../../commands/table";
import type { Chosen } from "../../state/start";
import type { AgentInfo } from "../../wire";
import { Choice, isSearched, type Option } from "../choice";
import { useApp } from "../context";
import { Icon } from "../icons";
import { AgentRow } from "../agent_row";

/** What to do about an agent that was chosen and is not there. */
export function MissingAgent({ agent }: { agent: AgentInfo | undefined }) {
  if (!agent || agent.installed) return null;
  return (
    <ul class="agent-list">
      <AgentRow agent={agent} />
    </ul>
  );
}

const kAddProject = "+";

/** Agent, project, mode, model, thinking: as the last time, and changed here. */
export function StartLine() {
  const app = useApp();
  const { start } = app;
  const { cliType, projectId, ...chosen } = start.options.value;
  const known = app.prefs.known.value[cliType];
  useEffect(() => {
    if (cliType !== "" && projectId !== "") void warmAgent(app, cliType, projectId);
  }, [app, cliType, projectId]);
  const own = (name: keyof Chosen, label: string, usual: string, choices: readonly Option[] | undefined) => {
    if (!choices?.length) return null;
    const choose = (value: string) => start.choose(name, value);
    const choice = (
      <Choice label={label} options={choices} value={chosen[name]} none={usual} onChange={choose} />
    );
    if (isSearched(choices)) return <span class="switch">{choice}</span>;
    const risky = name === "mode" && /bypass|yolo|full|dangerous/i.test(chosen.mode ?? "");
    return (
      <label class={`switch ${risky ? "risky" : ""}`} title={label}>
        {choice}
        <Icon name="down" size={12} />
      </label>
    );
  };
  if (cliType === "" || projectId === "") return null; // Nobody has said yet what there is.
  return (
    <>
      <Pick
        label="Agent"
        value={cliType}
        choices={app.agents.list.value.map((agent) => ({
          id: agent.cliType,
          name: agent.installed ? agent.name : `${agent.name} (not installed)`,
        }))}
        choose={(value) => start.setAgent(value)}
      />
      <Pick
        label="Project"
        value={projectId}
        choices={[
          ...app.projects.list.value.map((project) => ({
            id: project.projectId,
            name: project.missing ? `${project.name} (no folder)` : project.name,
          })),
          { id: kAddProject, name: "Add project…" },
        ]}
        choose={(value) => (value === kAddProject ? run(app, "add-project") : start.setProject(value))}
      />
      {own("mode", "Permission mode", "Default mode", known?.modes)}
      {own("model", "Model", "Default model", known?.models)}
      {own("thinking", "Thinking", "Default thinking", known?.thinkingLevels)}
    </>
  );
}

function Pick({
  label,
  value,
  choices,
  choose,
}: {
  label: string;
  value: string;
  choices: readonly Option[];
  choose: (value: string) => void;
}) {
  return (
    <label class="switch" title={label}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => {
          choose(event.currentTarget.value);
          event.currentTarget.value = value; // What was chosen comes back as `value`, if it was taken.
        }}
      >
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id} title={choice.description}>
            {choice.name}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </label>
  );
}
