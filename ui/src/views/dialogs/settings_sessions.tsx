// How new sessions begin: in all projects, or in one of them.
import { useState } from "preact/hooks";
import { changeSettings } from "../../actions/settings";
import type { SessionDefaults } from "../../wire";
import { Choice, type Option } from "../choice";
import { useApp } from "../context";
import { Part } from "./setting";

const kAsAgent = "As the agent decides";
const some = (options: readonly Option[] | undefined) =>
  options && options.length > 0 ? options : undefined;

export function NewSessions() {
  const app = useApp();
  const [projectId, setProjectId] = useState<string | undefined>(undefined);
  const own = app.settings.chosenFor(projectId);
  const shown = own ?? app.settings.chosenFor(undefined) ?? {};
  const project = projectId === undefined ? undefined : app.projects.of(projectId);
  const known = app.prefs.known.value[shown.cliType ?? ""];
  // One that was chosen stays in the list when it is gone.
  const agents = app.agents.list.value
    .filter(({ cliType, installed }) => installed || cliType === shown.cliType)
    .map(({ cliType, name, installed }) => ({
      id: cliType,
      name: installed ? name : `${name} (not installed)`,
    }));
  const set = (change: Partial<SessionDefaults>) => {
    // Modes and models belong to an agent: another one has others.
    const kept = "cliType" in change ? {} : shown;
    const all: SessionDefaults = { ...kept, cliType: shown.cliType, ...change, projectId };
    const chosen = Object.entries(all).filter(([, value]) => value !== undefined && value !== "");
    void changeSettings(app, { defaults: Object.fromEntries(chosen) });
  };
  const field = (
    label: string,
    name: keyof SessionDefaults,
    options: readonly Option[] | undefined,
    none: string,
  ) =>
    options && (
      <div class="field">
        <span aria-hidden="true">{label}</span>
        <Choice
          label={label}
          options={options}
          value={shown[name]}
          none={none}
          onChange={(value) => set({ [name]: value })}
        />
      </div>
    );
  const others = app.projects.list.value.filter((one) => app.settings.chosenFor(one.projectId));
  const names = new Intl.ListFormat("en").format(others.map(({ name }) => name));
  return (
    <Part
      title="New sessions"
      about={
        others.length === 0
          ? "What a new session begins with. It can always be changed there."
          : `${names} ${others.length === 1 ? "has choices of its own" : "have choices of their own"}.`
      }
    >
      <div class="field">
        <span aria-hidden="true">In</span>
        <Choice
          label="In"
          options={app.projects.list.value.map((one) => ({ id: one.projectId, name: one.name }))}
          value={projectId ?? ""}
          none="All projects"
          onChange={(id) => setProjectId(id === "" ? undefined : id)}
        />
      </div>
      {field("Agent", "cliType", agents, "The one used last")}
      {!shown.cliType && <AsLast projectId={projectId} />}
      {field("Permission mode", "mode", some(known?.modes), kAsAgent)}
      {field("Model", "model", some(known?.models), kAsAgent)}
      {field("Thinking", "thinking", some(known?.thinkingLevels), kAsAgent)}
      {shown.cliType && !known && (
        <p class="muted">
          {app.agents.of(shown.cliType)?.name ?? shown.cliType} tells its models and modes when its first
          session starts.
        </p>
      )}
      {project && (
        <p class="muted">
          {own ? `Chosen for ${project.name}. ` : "As in all projects. "}
          {own && (
            <button
              type="button"
              class="link-button"
              onClick={() => void changeSettings(app, { defaults: { projectId } })}
            >
              Use those of all projects
            </button>
          )}
        </p>
      )}
    </Part>
  );
}

/** What "as the last time" means now, and a way to forget it. */
function AsLast({ projectId }: { projectId: string | undefined }) {
  const app = useApp();
  const { agent, names } = app.start.usual(projectId);
  if (!agent) {
    // Until the agents are known their line has its room: what is below does not move.
    return app.agents.list.value.length === 0 ? <p class="muted">&nbsp;</p> : null;
  }
  return (
    <p class="muted">
      Now: {[agent.name, ...names].join(", ")}
      {names.length === 0 ? ", and the rest as it decides. " : ", as chosen the last time. "}
      {names.length > 0 && (
        <button type="button" class="link-button" onClick={() => app.start.forget(agent.cliType)}>
          Forget that
        </button>
      )}
    </p>
  );
}
