// What fills the main area when it is not a session: first run, inbox, archive, the door.
import { useState } from "preact/hooks";
import { archiveSession, createSession, jumpTo } from "../actions";
import { age } from "../format";
import { ApprovalView } from "./approval";
import { useApp } from "./context";
import { AgentMark, Icon, Logo } from "./icons";
import { IconButton } from "./parts";
import { AgentRow } from "./sidebar";

function PhoneMenu() {
  const app = useApp();
  return (
    <IconButton
      icon="menu"
      label="Show sidebar"
      class="only-phone"
      onClick={() => {
        app.drawer.value = true;
      }}
    />
  );
}

/** No tab is open. Greets the first time, later offers the ways on. */
export function HomePage() {
  const app = useApp();
  const projects = app.projects.value;
  const first = app.projectsKnown.value && projects.length === 0;
  const demo = app.agents.value.find((agent) => agent.cliType === "demo");
  return (
    <main class="page home" id="main">
      <PhoneMenu />
      <div class="page-column">
        {first ? (
          <>
            <h1>Welcome to Liminal Builder</h1>
            <p class="lead">
              Run your AI coding agents side by side. Every conversation is kept, and you always see who is
              working, who is waiting for you, and who is done.
            </p>
            <ol class="steps">
              <li>
                <strong>Add a project</strong>
                <span class="muted">A folder on this machine that your agents may work in.</span>
                <button
                  type="button"
                  class="button primary"
                  onClick={() => {
                    app.dialog.value = { kind: "add-project" };
                  }}
                >
                  <Icon name="plus" size={14} />
                  Add project
                </button>
              </li>
              <li>
                <strong>Start a session</strong>
                <span class="muted">
                  Pick an agent that is found below{demo ? ", or the demo agent: it needs no account" : ""}.
                </span>
              </li>
              <li>
                <strong>Answer when asked</strong>
                <span class="muted">Questions and approvals of all sessions gather in the inbox.</span>
              </li>
            </ol>
          </>
        ) : (
          <>
            <h1>Nothing open</h1>
            <p class="lead">Choose a session at the left, or start a new one.</p>
            <div class="home-actions">
              {projects.slice(0, 4).map((project) => (
                <button
                  type="button"
                  key={project.projectId}
                  class="button"
                  onClick={() => {
                    app.dialog.value = { kind: "new-session", projectId: project.projectId };
                  }}
                >
                  <Icon name="plus" size={14} />
                  New session in {project.name}
                </button>
              ))}
              {demo && projects[0] && (
                <button
                  type="button"
                  class="button"
                  onClick={() =>
                    void createSession(app, { cliType: "demo", projectId: projects[0]!.projectId })
                  }
                >
                  <AgentMark cliType="demo" name={demo.name} />
                  Try the demo agent
                </button>
              )}
            </div>
          </>
        )}
        <h2>Agents on this machine</h2>
        <ul class="agent-list">
          {app.agents.value.map((agent) => (
            <AgentRow key={agent.cliType} agent={agent} />
          ))}
        </ul>
        <p class="muted hint">
          <kbd>Ctrl</kbd> <kbd>K</kbd> finds everything · <kbd>?</kbd> shows all shortcuts
        </p>
      </div>
    </main>
  );
}

/** Everything that waits for the user, over all sessions, answerable in place. */
export function InboxPage() {
  const app = useApp();
  const failed = app.failed.value.map((id) => app.session(id)!.value);
  return (
    <main class="page inbox" id="main">
      <PhoneMenu />
      <div class="page-column">
        <h1>Inbox</h1>
        {app.waiting.value.length + failed.length === 0 && (
          <div class="inbox-empty">
            <Icon name="check" size={24} />
            <p>Nobody waits for you.</p>
          </div>
        )}
        {app.waiting.value.map(({ sessionId, title, item }) => {
          const info = app.session(sessionId)?.value;
          return (
            <section key={item.itemId} class="inbox-item">
              <button
                type="button"
                class="inbox-from"
                onClick={() => void jumpTo(app, sessionId, item.itemId)}
              >
                <AgentMark cliType={info?.cliType ?? ""} name={app.agent(info?.cliType ?? "")?.name} />
                <strong>
                  <bdi>{title || "New Session"}</bdi>
                </strong>
                <span class="muted">
                  {app.project(info?.projectId ?? "")?.name} · {age(item.startedAt, app.now.value)}
                </span>
                <Icon name="chevron" size={12} />
              </button>
              <ApprovalView item={item} />
            </section>
          );
        })}
        {failed.map((info) => (
          <section key={info.sessionId} class="inbox-item">
            <button type="button" class="inbox-from" onClick={() => app.show(info.sessionId)}>
              <AgentMark cliType={info.cliType} name={app.agent(info.cliType)?.name} />
              <strong>
                <bdi>{info.title || "New Session"}</bdi>
              </strong>
              <span class="state-label failed">failed</span>
              <span class="muted">{age(info.lastActiveAt, app.now.value)}</span>
              <Icon name="chevron" size={12} />
            </button>
          </section>
        ))}
      </div>
    </main>
  );
}

export function ArchivePage() {
  const app = useApp();
  return (
    <main class="page archive" id="main">
      <PhoneMenu />
      <div class="page-column">
        <h1>Archived sessions</h1>
        {app.archived.value.length === 0 && <p class="muted">Nothing is archived.</p>}
        <ul class="plain-list">
          {app.archived.value.map((info) => (
            <li key={info.sessionId}>
              <AgentMark cliType={info.cliType} name={app.agent(info.cliType)?.name} />
              <span class="grow">
                <bdi>{info.title || "New Session"}</bdi>{" "}
                <span class="muted">
                  {app.project(info.projectId)?.name} · {age(info.lastActiveAt, app.now.value)}
                </span>
              </span>
              <button type="button" class="button small" onClick={() => app.showArchived(info)}>
                Read
              </button>
              <button
                type="button"
                class="button small"
                onClick={() => void archiveSession(app, info.sessionId, false)}
              >
                Bring back
              </button>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}

/** No credential: how to get in, instead of a spinner. */
export function LoginPage({ onCode }: { onCode: (code: string) => Promise<void> }) {
  const app = useApp();
  const [code, setCode] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const text = code.trim().replace(/^.*#code=/, "");
    if (text !== "") void onCode(text);
  };
  return (
    <main class="page login" id="main">
      <div class="page-column narrow">
        <Logo size={36} />
        <h1>This browser has no key yet</h1>
        <p class="lead">
          Liminal Builder lets in only whoever can run commands on its machine. In a terminal there, run
        </p>
        <pre class="command" tabIndex={0} aria-label="Command">
          liminal-builder open
        </pre>
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
        {app.loginProblem.value !== "" && (
          <p class="problem" role="alert">
            {app.loginProblem.value}
          </p>
        )}
      </div>
    </main>
  );
}
