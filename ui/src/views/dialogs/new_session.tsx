// Which agent, in which project, with which model.
import { useEffect, useState } from "preact/hooks";
import { createSession, warmAgent } from "../../actions/create";
import { run } from "../../commands/table";
import type { App } from "../../state/app";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Modal } from "../parts";

export function NewSession({ projectId, close }: { projectId?: string; close: () => void }) {
  const app = useApp();
  const usable = app.agents.list.value.filter((agent) => agent.installed);
  const agents = [...usable, ...app.agents.list.value.filter((agent) => !agent.installed)];
  const [project, setProject] = useState(projectId ?? currentProject(app));
  const [chosen, setCliType] = useState("");
  const cliType =
    chosen ||
    (usable.find((agent) => agent.cliType === app.prefs.lastAgent.peek()) ?? usable[0])?.cliType ||
    "";
  const [model, setModel] = useState("");
  const [mode, setMode] = useState("");
  const [thinking, setThinking] = useState("");
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
    value: string,
    set: (value: string) => void,
    choices: { id: string; name: string }[] | undefined,
  ) =>
    choices &&
    choices.length > 0 && (
      <label class="field">
        {label}
        <select value={value} onChange={(event) => set(event.currentTarget.value)}>
          <option value="">As the agent decides</option>
          {choices.map((entry) => (
            <option key={entry.id} value={entry.id}>
              {entry.name}
            </option>
          ))}
        </select>
      </label>
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
                  setModel("");
                  setMode("");
                  setThinking("");
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
          {choice("Model", model, setModel, known?.models)}
          {choice("Permission mode", mode, setMode, known?.modes)}
          {choice("Thinking", thinking, setThinking, known?.thinkingLevels)}
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
