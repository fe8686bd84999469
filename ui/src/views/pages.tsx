// What fills the main area before there is a conversation: first run, overview, the door.
import { useState } from "preact/hooks";
import { tryDemo } from "../actions/create";
import { openQuestion } from "../actions/reading";
import { run } from "../commands/table";
import { age, keyName } from "../format";
import { stateNames, stateOf, states, summary, type State } from "../glance";
import type { SessionInfo } from "../wire";
import { AgentRow } from "./sidebar/agents";
import { useApp } from "./context";
import { AgentMark } from "./faces";
import { Icon, Logo } from "./icons";
import { conversation } from "./later";
import { CopyButton, StateMark } from "./parts";
import { titleOf } from "../state/tabs";

/** Greets the first time; later the overview: who needs the user, who works, who is done. */
export function HomePage() {
  const app = useApp();
  const first = app.projects.known.value && app.projects.list.value.length === 0;
  return (
    <main class={`page home ${first ? "first-run" : ""}`} id="main">
      <div class="page-column">{first ? <Welcome /> : <Overview />}</div>
    </main>
  );
}

function Welcome() {
  const app = useApp();
  const found = app.agents.list.value.filter((agent) => agent.installed);
  const missing = app.agents.list.value.filter((agent) => !agent.installed);
  const demo = found.find((agent) => agent.cliType === "demo");
  return (
    <>
      <h1>Welcome to Liminal Builder</h1>
      <p class="lead">
        Run your AI coding agents side by side. Every conversation is kept, and you always see who is working,
        who is waiting for you, and who is done.
      </p>
      <ol class="steps">
        <li>
          <strong>Add a project</strong>
          <span class="muted">A folder on this machine that your agents may work in.</span>
          <button type="button" class="button primary" onClick={() => run(app, "add-project")}>
            <Icon name="plus" size={14} />
            Add project
          </button>
        </li>
        <li>
          <strong>Start a session</strong>
          <span class="muted">
            With one of the agents below. The demo agent shows everything and needs no account.
          </span>
          {demo && (
            <button type="button" class="button" onClick={() => void tryDemo(app)}>
              <AgentMark cliType="demo" name={demo.name} />
              Try the demo
              <span class="muted">in your home folder, where it changes nothing</span>
            </button>
          )}
        </li>
        <li>
          <strong>Answer when asked</strong>
          <span class="muted">
            Approvals and questions of all sessions gather in the inbox, at the top left.
          </span>
        </li>
      </ol>
      <h2>Ready on this machine</h2>
      <ul class="agent-list">
        {found.map((agent) => (
          <AgentRow key={agent.cliType} agent={agent} />
        ))}
      </ul>
      {missing.length > 0 && (
        <>
          <h2>Also supported</h2>
          <ul class="agent-list">
            {missing.map((agent) => (
              <AgentRow key={agent.cliType} agent={agent} />
            ))}
          </ul>
        </>
      )}
      <Hint />
    </>
  );
}

function Hint() {
  return (
    <p class="muted hint">
      <kbd>{keyName("Ctrl")}</kbd> <kbd>K</kbd> finds everything · <kbd>?</kbd> shows all shortcuts
    </p>
  );
}

/** How many quiet sessions the overview offers: enough to go on with yesterday's work. */
const kRecent = 6;

function Overview() {
  const app = useApp();
  const sessions = app.sessions.list.value;
  const said = summary(app.sessions.counts.value);
  const views = conversation.module.value;
  const listed = app.projects.list.value.every(({ projectId }) =>
    app.sessions.listedProjects.value.has(projectId),
  );
  const demo = app.agents.list.value.find((agent) => agent.cliType === "demo" && agent.installed);
  const troubled = app.agents.list.value.filter(
    (agent) => agent.status === "disconnected" || agent.status === "reconnecting",
  );
  return (
    <>
      <h1>Overview</h1>
      <p class="lead">
        {said !== ""
          ? `${said}.`
          : sessions.length > 0
            ? "All quiet: nobody works, nobody waits."
            : listed
              ? "No sessions yet."
              : "\u00a0"}
      </p>
      <div class="start-box">{views && <views.StartBox />}</div>
      {[...states, "quiet" as const].map((state) => (
        <StateGroup key={state} state={state} sessions={sessions.filter((info) => stateOf(info) === state)} />
      ))}
      {listed && sessions.length === 0 && demo && (
        <button type="button" class="button" onClick={() => void tryDemo(app)}>
          <AgentMark cliType="demo" name={demo.name} />
          Try the demo agent
        </button>
      )}
      {troubled.length > 0 && (
        <>
          <h2>Agents in trouble</h2>
          <ul class="agent-list">
            {troubled.map((agent) => (
              <AgentRow key={agent.cliType} agent={agent} />
            ))}
          </ul>
        </>
      )}
      {listed && <Hint />}
    </>
  );
}

function StateGroup({ state, sessions }: { state: State; sessions: readonly SessionInfo[] }) {
  const app = useApp();
  if (sessions.length === 0) return null;
  const shown = state === "quiet" ? sessions.slice(0, kRecent) : sessions;
  return (
    <section class={`state-group group-${state}`} aria-label={stateNames[state]}>
      <h2>
        {stateNames[state]}
        {state !== "quiet" && <span class="muted"> {sessions.length}</span>}
      </h2>
      <ul class="card-list">
        {shown.map((info) => {
          const asked = app.inbox.waiting.value.find((entry) => entry.sessionId === info.sessionId)?.item
            .title;
          return (
            <li key={info.sessionId}>
              <button
                type="button"
                class="card-row"
                onClick={() =>
                  state === "needs"
                    ? void openQuestion(app, info.sessionId)
                    : app.nav.navigate({ page: "session", sessionId: info.sessionId })
                }
              >
                <AgentMark cliType={info.cliType} name={app.agents.of(info.cliType)?.name} />
                <span class="card-title">
                  <bdi>{titleOf(info)}</bdi>
                  {asked && <span class="muted">{asked}</span>}
                </span>
                <span class="muted card-project">{app.projects.of(info.projectId)?.name}</span>
                <span class="card-state">
                  {state !== "quiet" && <StateMark state={state} label={stateNames[state]} />}
                  <time class="age" dateTime={info.lastActiveAt}>
                    {age(info.lastActiveAt, app.now.value)}
                  </time>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** No credential: how to get in, instead of a spinner. */
export function LoginPage() {
  const app = useApp();
  const [code, setCode] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const text = code.trim().replace(/^.*#code=/, "");
    if (text !== "") void app.login.enter(text);
  };
  return (
    <main class="page login" id="main">
      <div class="page-column narrow">
        <Logo size={36} />
        <h1>This browser has no key yet</h1>
        <p class="lead">
          Liminal Builder lets in only whoever can run commands on its machine. In a terminal there, run
        </p>
        <div class="login-command">
          <pre class="command" tabIndex={0} aria-label="Command">
            liminal-builder open
          </pre>
          <CopyButton text="liminal-builder open" label="Copy command" />
        </div>
        <p>
          It prints an address that works once, and opens it here. On another device, type the address or its
          code:
        </p>
        <form class="login-form" onSubmit={submit}>
          <input
            type="text"
            aria-label="Launch address or code"
            placeholder="http://…/#code=… or the code"
            autoComplete="off"
            spellcheck={false}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
          <button type="submit" class="button primary" disabled={code.trim() === ""}>
            Enter
          </button>
        </form>
        {app.login.problem.value !== "" && (
          <p class="problem" role="alert">
            {app.login.problem.value}
          </p>
        )}
      </div>
    </main>
  );
}
