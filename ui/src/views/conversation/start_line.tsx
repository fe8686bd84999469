// Below the first message of a session: who gets it, where, and how far it may go.
import { useEffect } from "preact/hooks";
import { lookAtGit, warmAgent } from "../../actions/create";
import { run } from "../../commands/table";
import { isRisky, type Chosen } from "../../state/start";
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
  const { cliType, projectId, confined, ...chosen } = start.options.value;
  const known = app.prefs.known.value[cliType];
  const installed = start.agent.value?.installed;
  // An agent that waits in the project's folder is of no use in another.
  const apart = start.worktree.chosen.value;
  useEffect(() => {
    if (installed && cliType !== "" && projectId !== "" && !apart)
      void warmAgent(app, cliType, projectId, confined);
  }, [app, installed, cliType, projectId, confined, apart]);
  const own = (name: keyof Chosen, label: string, usual: string, choices: readonly Option[] | undefined) => {
    if (!choices?.length) return null;
    const choose = (value: string) => start.choose(name, value);
    const choice = (
      <Choice label={label} options={choices} value={chosen[name]} none={usual} onChange={choose} />
    );
    if (isSearched(choices)) return <span class="switch">{choice}</span>;
    const risky = name === "mode" && isRisky(chosen.mode);
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
      <Where />
      {own("mode", "Permission mode", "Default mode", known?.modes)}
      {own("model", "Model", "Default model", known?.models)}
      {own("thinking", "Thinking", "Default thinking", known?.thinkingLevels)}
      <Walls />
    </>
  );
}

/** In the project's folder, or in a worktree of its own; where there can be none, why. */
function Where() {
  const app = useApp();
  const { worktree, options } = app.start;
  const { projectId } = options.value;
  const { base } = worktree.said.value;
  const chosen = worktree.chosen.value;
  useEffect(() => void lookAtGit(app, projectId), [app, projectId, chosen]);
  useEffect(() => {
    if (base !== undefined) void lookAtGit(app, projectId, base);
  }, [app, projectId, base]);
  const git = worktree.git.value;
  return (
    <Pick
      label="Where"
      value={chosen ? "worktree" : "folder"}
      choices={[
        { id: "folder", name: "Project folder" },
        {
          id: "worktree",
          name:
            git?.available === false ? `New worktree (not possible here: ${git.problem})` : "New worktree",
          disabled: git?.available === false,
        },
      ]}
      choose={(value) => worktree.choose(value === "worktree")}
    />
  );
}

/** Whether the session is confined; where the system does not allow it, why. */
function Walls() {
  const { start } = useApp();
  const problem = start.agent.value?.confineProblem;
  return (
    <Pick
      label="Confinement"
      value={start.confined.value ? "confined" : "free"}
      choices={[
        { id: "free", name: "Not confined" },
        {
          id: "confined",
          name: problem ? `Confined (not possible here: ${problem})` : "Confined",
          disabled: problem !== undefined,
        },
      ]}
      choose={(value) => start.setConfined(value === "confined")}
    />
  );
}

interface Pickable extends Option {
  disabled?: boolean;
}
function Pick({
  label,
  value,
  choices,
  choose,
}: {
  label: string;
  value: string;
  choices: readonly Pickable[];
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
          <option key={choice.id} value={choice.id} title={choice.description} disabled={choice.disabled}>
            {choice.name}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </label>
  );
}
