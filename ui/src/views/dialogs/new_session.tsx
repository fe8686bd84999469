// Which agent, in which project, with which model.
import { useEffect, useState } from "preact/hooks";
import { createSession, warmAgent } from "../../actions/create";
import { run } from "../../commands/table";
import type { App } from "../../state/app";
import type { SessionDefaults } from "../../wire";
import { Choice } from "../choice";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Modal } from "../parts";

export function NewSession({ projectId, close }: { projectId?: string; close: () => void }) {
  const app = useApp();
  const usable = app.agents.list.value.filter((agent) => agent.installed);
  const agents = [...usable, ...app.agents.list.value.filter((agent) => !agent.installed)];
  const [project, setProject] = useState(projectId ?? currentProject(app));
  const [chosen, setCliType] = useState("");
  const defaults = app.settings.startIn(project);
  const installed = (name: string | undefined) => usable.find((agent) => agent.cliType === name)?.cliType;
  const cliType =
    chosen ||
    (installed(defaults.cliType) ?? installed(app.prefs.lastAgent.peek()) ?? usable[0]?.cliType ?? "");
  // What was chosen in the settings is chosen here, for the agent it belongs to, until the user says otherwise.
  const preset = cliType === defaults.cliType ? defaults : {};
  const [changed, setChanged] = useState<Pick<SessionDefaults, "model" | "mode" | "thinking">>({});
  const { model, mode, thinking } = { ...preset, ...changed };
  const known = app.prefs.known.value[cliType];
  useEffect(() => {
    if (cliType !== "" && project !== "") void warmAgent(app, cliType, project);
  }, [app, cliType, project]);
  if (app.projects.list.value.length === 0) {
    return (
      <Modal title="New session" onClose={close}>
        <p>A session works in a project. Add one first.</p>
        <footer class="modal-foot">
          <button type="button" class="button primary" data-autofocus onClick={() => run(app, "add-project")}>
            Add project
          </button>
        </footer>
      </Modal>
    );
  }
  const start = (event: Event) => {
    event.preventDefault();
    if (cliType === "" || project === "") return;
    close();
    void createSession(app, {
      cliType,
      projectId: project,
      ...(model ? { model } : {}),
      ...(mode ? { mode } : {}),
      ...(thinking ? { thinking } : {}),
    });
  };
  const choice = (
    label: string,
    name: keyof typeof changed,
    value: string | undefined,
    choices: { id: string; name: string }[] | undefined,
  ) =>
    choices &&
    choices.length > 0 && (
      <div class="field">
        <span aria-hidden="true">{label}</span>
        <Choice
          label={label}
          options={choices}
          value={value}
          none="As the agent decides"
          onChange={(id) => setChanged({ ...changed, [name]: id })}
        />
      </div>
    );
  return (
    <Modal title="New session" onClose={close}>
      <form onSubmit={start}>
        <label class="field">
          Project
          <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>
            {app.projects.list.value.map((entry) => (
              <option key={entry.projectId} value={entry.projectId}>
                {entry.name}
                {entry.missing ? " (no folder)" : ""}
              </option>
            ))}
          </select>
        </label>
        {usable.length === 0 && agents.length > 0 && (
          <p class="problem" role="alert">
            No agent was found on this machine. Install one of these, then come back.
          </p>
        )}
        <fieldset class="agent-choice">
          <legend>Agent</legend>
          {agents.map((agent, index) => (
            <label key={agent.cliType} class={`agent-option ${agent.installed ? "" : "missing"}`}>
              <input
                type="radio"
                name="agent"
                value={agent.cliType}
                checked={agent.cliType === cliType}
                disabled={!agent.installed}
                data-autofocus={
                  agent.cliType === cliType || (cliType === "" && index === 0) ? true : undefined
                }
                onChange={() => {
                  setCliType(agent.cliType);
                  setChanged({});
                }}
              />
              <AgentMark cliType={agent.cliType} name={agent.name} />
              <span class="grow agent-words">
                <strong>{agent.name}</strong>
                <span class="muted">
                  {agent.installed
                    ? `${agent.version ?? ""}${agent.warm ? " · ready to start" : ""}`
                    : (agent.remedy ?? agent.problem ?? "not installed")}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        {cliType !== "" && !known && (
          <p class="choice-note muted">
            {app.agents.of(cliType)?.name ?? cliType} tells its models and modes when its first session
            starts. Choose them there, below your message.
          </p>
        )}
        <div class="two">
          {choice("Model", "model", model, known?.models)}
          {choice("Permission mode", "mode", mode, known?.modes)}
          {choice("Thinking", "thinking", thinking, known?.thinkingLevels)}
        </div>
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={cliType === ""}>
            Start session
          </button>
        </footer>
      </form>
    </Modal>
  );
}

function currentProject(app: App): string {
  const active = app.nav.tabs.peek().active;
  return (
    (active && app.sessions.of(active)?.peek().projectId) || app.projects.list.peek()[0]?.projectId || ""
  );
}
