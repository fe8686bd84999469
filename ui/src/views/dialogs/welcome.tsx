// What is seen before there is anything to see: the first run, and the door.
import { useEffect, useRef, useState } from "preact/hooks";
import { tryDemo } from "../../actions/projects";
import { run } from "../../commands/table";
import { AgentRow } from "../agent_row";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Icon, Logo } from "../icons";
import { CopyButton, Hint } from "../parts";

/** Greets the first time. */
export function WelcomePage() {
  const app = useApp();
  const found = app.agents.list.value.filter((agent) => agent.installed);
  const missing = app.agents.list.value.filter((agent) => !agent.installed);
  const demo = found.find((agent) => agent.cliType === "demo");
  return (
    <main class="page home first-run" id="main">
      <div class="page-column">
        <h1>Welcome to Liminal Builder</h1>
        <p class="lead">
          Run your AI coding agents side by side. Every conversation is kept, and you always see who is
          working, who is waiting for you, and who is done.
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
      </div>
    </main>
  );
}

/** No credential: how to get in, instead of a spinner. */
export function LoginPage() {
  const app = useApp();
  const [code, setCode] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    const text = code.trim().replace(/^.*#code=/, "");
    if (text !== "") void app.login.enter(text);
  };
  return (
    <main class="page login" id="main">
      <div class="page-column narrow">
        <Logo size={36} />
        <h1>{app.login.left.value ? "You are logged out" : "This browser has no key yet"}</h1>
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
            ref={field}
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
