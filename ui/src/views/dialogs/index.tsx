// Everything that opens above the page.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { addProject, createSession, renameSession, warmAgent } from "../../actions";
import type { App, Dialog, Theme } from "../../state/app";
import { keyName } from "../../format";
import { shortcuts } from "../../keyboard";
import { useApp } from "../context";
import { AgentMark, Icon } from "../icons";
import { Palette, SearchDialog } from "./palette";
import { Modal } from "../parts";

export function DialogView({ dialog, close }: { dialog: Dialog; close: () => void }) {
  switch (dialog.kind) {
    case "add-project":
      return <AddProject close={close} />;
    case "new-session":
      return <NewSession projectId={dialog.projectId} close={close} />;
    case "rename":
      return <Rename sessionId={dialog.sessionId} close={close} />;
    case "palette":
      return <Palette close={close} />;
    case "search":
      return <SearchDialog close={close} query={dialog.query ?? ""} />;
    case "shortcuts":
      return <Shortcuts close={close} />;
    case "settings":
      return <Settings close={close} />;
    case "confirm":
      return <Confirm dialog={dialog} close={close} />;
  }
}

/** A path, completed by the server as it is typed. A refusal is said here and nothing is added. */
function AddProject({ close }: { close: () => void }) {
  const app = useApp();
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const offers = useSignal<readonly string[]>([]);
  const selected = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const abort = new AbortController();
    app.api
      .get<{ directories: string[] }>(
        `/api/directories?prefix=${encodeURIComponent(path || "~/")}`,
        abort.signal,
      )
      .then(
        ({ directories }) => {
          offers.value = directories.slice(0, 8);
          selected.value = -1;
        },
        () => {},
      );
    return () => abort.abort();
  }, [path]);
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (path.trim() === "" || busy) return;
    setBusy(true);
    const result = await addProject(app, path.trim());
    setBusy(false);
    if (typeof result === "string") {
      setProblem(result);
      input.current?.focus();
      return;
    }
    close();
    app.dialog.value = { kind: "new-session", projectId: result.projectId };
  };
  const take = (directory: string) => {
    setPath(directory.endsWith("/") ? directory : `${directory}/`);
    setProblem("");
    input.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const { length } = offers.value;
    if (event.key === "ArrowDown" && length > 0) {
      event.preventDefault();
      selected.value = (selected.peek() + 1) % length;
    } else if (event.key === "ArrowUp" && length > 0) {
      event.preventDefault();
      selected.value = (selected.peek() - 1 + length) % length;
    } else if (
      event.key === "Tab" &&
      !event.shiftKey &&
      length > 0 &&
      (selected.peek() >= 0 || length === 1)
    ) {
      event.preventDefault();
      take(offers.value[Math.max(0, selected.peek())]!);
    } else if (event.key === "Enter" && selected.peek() >= 0) {
      event.preventDefault();
      take(offers.value[selected.peek()]!);
    }
  };
  return (
    <Modal title="Add project" onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          Folder on the server's machine
          <input
            ref={input}
            data-autofocus
            type="text"
            value={path}
            placeholder="/home/you/project"
            autoComplete="off"
            spellcheck={false}
            role="combobox"
            aria-expanded={offers.value.length > 0}
            aria-controls="directories"
            aria-autocomplete="list"
            aria-activedescendant={selected.value >= 0 ? `directory-${selected.value}` : undefined}
            aria-invalid={problem !== ""}
            aria-describedby="add-problem"
            onInput={(event) => {
              setPath(event.currentTarget.value);
              setProblem("");
            }}
            onKeyDown={onKey}
          />
        </label>
        <p id="add-problem" class="problem" role="alert">
          {problem}
        </p>
        {offers.value.length > 0 && (
          <ul class="offers" id="directories" role="listbox" aria-label="Folders">
            {offers.value.map((directory, index) => (
              <li
                key={directory}
                id={`directory-${index}`}
                role="option"
                aria-selected={index === selected.value}
                onPointerDown={(event) => {
                  event.preventDefault();
                  take(directory);
                }}
              >
                <Icon name="folder" size={14} />
                <bdi>{directory}</bdi>
              </li>
            ))}
          </ul>
        )}
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={path.trim() === "" || busy}>
            Add project
          </button>
        </footer>
      </form>
    </Modal>
  );
}

function NewSession({ projectId, close }: { projectId?: string; close: () => void }) {
  const app = useApp();
  const usable = app.agents.value.filter((agent) => agent.installed);
  const agents = [...usable, ...app.agents.value.filter((agent) => !agent.installed)];
  const [project, setProject] = useState(projectId ?? currentProject(app));
  const [chosen, setCliType] = useState("");
  const cliType =
    chosen || (usable.find((agent) => agent.cliType === app.lastAgent.peek()) ?? usable[0])?.cliType || "";
  const [model, setModel] = useState("");
  const [mode, setMode] = useState("");
  const [thinking, setThinking] = useState("");
  const known = app.known.value[cliType];
  useEffect(() => {
    if (cliType !== "" && project !== "") void warmAgent(app, cliType, project);
  }, [app, cliType, project]);
  if (app.projects.value.length === 0) {
    return (
      <Modal title="New session" onClose={close}>
        <p>A session works in a project. Add one first.</p>
        <footer class="modal-foot">
          <button
            type="button"
            class="button primary"
            data-autofocus
            onClick={() => {
              app.dialog.value = { kind: "add-project" };
            }}
          >
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
            {app.projects.value.map((entry) => (
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
            {app.agent(cliType)?.name ?? cliType} tells its models and modes when its first session starts.
            Choose them there, below your message.
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
  const active = app.tabs.peek().active;
  return (active && app.session(active)?.peek().projectId) || app.projects.peek()[0]?.projectId || "";
}

function Rename({ sessionId, close }: { sessionId: string; close: () => void }) {
  const app = useApp();
  const [title, setTitle] = useState(app.session(sessionId)?.peek().title ?? "");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const save = (event: Event) => {
    event.preventDefault();
    if (title.trim() === "") return;
    void renameSession(app, sessionId, title.trim());
    close();
  };
  return (
    <Modal title="Rename session" onClose={close}>
      <form onSubmit={save}>
        <label class="field">
          Title
          <input
            ref={input}
            data-autofocus
            type="text"
            maxLength={200}
            value={title}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={title.trim() === ""}>
            Rename
          </button>
        </footer>
      </form>
    </Modal>
  );
}

function Confirm({ dialog, close }: { dialog: Extract<Dialog, { kind: "confirm" }>; close: () => void }) {
  return (
    <Modal title={dialog.title} onClose={close}>
      <p>{dialog.text}</p>
      <footer class="modal-foot">
        <button type="button" class="button" data-autofocus onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            close();
            dialog.run();
          }}
        >
          {dialog.action}
        </button>
      </footer>
    </Modal>
  );
}

function Settings({ close }: { close: () => void }) {
  const app = useApp();
  const themes: [Theme, string][] = [
    ["system", "As the system"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  const toggleNotify = (on: boolean) => {
    if (!on) {
      app.notify.value = false;
      return;
    }
    void app.attention.turnOn().then((allowed) => {
      if (!allowed)
        app.toast(
          "error",
          "The browser does not allow notifications from this page. Allow them in the site settings.",
        );
    });
  };
  return (
    <Modal title="Settings" onClose={close}>
      <fieldset class="theme-choice">
        <legend>Theme</legend>
        {themes.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={app.theme.value === value}
              onChange={() => {
                app.theme.value = value;
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input
          type="checkbox"
          checked={app.notify.value}
          onChange={(event) => toggleNotify(event.currentTarget.checked)}
        />
        <span>
          Notify me when a turn ends or someone waits for me
          <span class="muted">Only while this page is not in front.</span>
        </span>
      </label>
      <footer class="modal-foot">
        <button
          type="button"
          class="button danger apart"
          onClick={() => {
            close();
            void app.api
              .post("/api/auth/logout")
              .catch(() => {})
              .then(() => {
                app.api.forget();
                app.link.requireLogin();
              });
          }}
        >
          Log this browser out
        </button>
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </footer>
    </Modal>
  );
}

function Shortcuts({ close }: { close: () => void }) {
  const groups = [...new Set(shortcuts.map((entry) => entry.group))];
  return (
    <Modal title="Keyboard shortcuts" onClose={close} class="wide">
      <div class="shortcuts">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts
                .filter((entry) => entry.group === group)
                .map((entry) => (
                  <div key={entry.label}>
                    <dt>{entry.label}</dt>
                    <dd>
                      {entry.keys.map((key) => (
                        <kbd key={key}>{keyName(key)}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
