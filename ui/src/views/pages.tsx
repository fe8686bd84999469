// The overview: who needs the user, who works, who is done.
import { openQuestion } from "../actions/reading";
import { seldom } from "../commands/command";
import { age } from "../format";
import { stateNames, stateOf, states, summary, type State } from "../glance";
import type { SessionInfo } from "../wire";
import { useApp } from "./context";
import { AgentMark } from "./faces";
import { conversation } from "./later";
import { Marks } from "./marks";
import { Hint, StateMark } from "./parts";
import { titleOf } from "../state/tabs";

export function OverviewPage() {
  const app = useApp();
  const sessions = app.sessions.used.value;
  const said = summary(app.sessions.counts.value);
  const views = conversation.module.value;
  const listed = app.projects.list.value.every(({ projectId }) =>
    app.sessions.listedProjects.value.has(projectId),
  );
  const demo = app.agents.list.value.find((agent) => agent.cliType === "demo" && agent.installed);
  const troubled = app.agents.troubled.value;
  return (
    <main class="page home" id="main">
      <div class="page-column">
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
          <StateGroup
            key={state}
            state={state}
            sessions={sessions.filter((info) => stateOf(info) === state)}
          />
        ))}
        {listed && sessions.length === 0 && demo && (
          <button type="button" class="button" onClick={() => seldom(app, (acts) => acts.tryDemo(app))}>
            <AgentMark cliType="demo" name={demo.name} />
            Try the demo agent
          </button>
        )}
        {views && troubled.length > 0 && (
          <>
            <h2>Agents in trouble</h2>
            <ul class="agent-list">
              {troubled.map((agent) => (
                <views.AgentRow key={agent.cliType} agent={agent} />
              ))}
            </ul>
          </>
        )}
        {listed && <Hint />}
      </div>
    </main>
  );
}

/** How many quiet sessions the overview offers: enough to go on with yesterday's work. */
const kRecent = 6;

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
                <Marks info={info} />
                <span class="muted card-project">
                  {app.projects.of(info.projectId)?.name}
                  {info.branch && ` · ${info.branch}`}
                </span>
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
