// One session on screen: the conversation, what is queued, the composer.
import { sendMessage } from "../../actions/messages";
import { duration } from "../../format";
import { titleOf } from "../../state/tabs";
import { waited } from "../../waited";
import type { Timeline } from "../../state/timeline";
import type { Creating } from "../../state/types";
import type { AgentInfo, Turn } from "../../wire";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { dialogs } from "../later";
import { Working } from "../parts";
import { Chat } from "./chat";
import { Composer } from "./composer";
import { PendingMessage } from "./pending";
import { MissingAgent } from "./start_line";
import { AgentStrip } from "./strip";

export function SessionView({ id }: { id: string }) {
  const app = useApp();
  const later = dialogs.module.value;
  const timeline = app.timelines.of(id);
  const creating = app.sessions.creating.value.get(id);
  const known = app.sessions.nameOf(id);
  const info = app.sessions.of(id)?.value;
  const cliType = known?.cliType ?? "";
  const agent = app.agents.of(cliType);
  const name = agent?.name ?? cliType;
  void timeline.shape.value;
  const turns = timeline.turnOrder.value.map((turnId) => timeline.turn(turnId)!.value);
  const running = turns.find((turn) => turn.type === "turn_started");
  const queued = turns
    .filter((turn) => turn.type === "turn_queued")
    .sort((a, b) => (a.place ?? a.pos) - (b.place ?? b.pos));
  const working =
    running !== undefined || info?.activity === "working" || info?.activity === "needs-approval";
  // What the last turn failed of is said at its end.
  const said = turns.findLast((turn) => turn.type !== "turn_queued")?.errorMessage;
  const loaded = timeline.loaded.value || creating !== undefined;
  return (
    <main class="session" id="main" aria-label={titleOf(known) || "Session"}>
      {/* Where a session is begun, a card says how to get an agent that is not there. */}
      {(agent?.installed || !creating?.draft) && <AgentStrip agent={agent} name={name} said={said} />}
      {later && info?.workspaceId && <later.WorkspaceStrip info={info} />}
      {!loaded ? (
        <div class="loading" role="status">
          <Working label="Loading" /> Loading the conversation…
        </div>
      ) : creating?.draft ? (
        <div class="chat">{agent && <EmptySession id={id} cliType={cliType} name={name} />}</div>
      ) : creating ? (
        <div class="chat">
          <PendingOnly id={id} />
          <Starting name={name} creating={creating} />
        </div>
      ) : (
        <Chat key={id} timeline={timeline} empty={<EmptySession id={id} cliType={cliType} name={name} />} />
      )}
      <div class="dock">
        <div class="dock-line">
          {agent?.status === "starting" && !creating ? (
            <p class="working-line" role="status">
              <Working label="Starting" /> Starting {name}…
            </p>
          ) : (
            working && (
              <WorkingLine
                timeline={timeline}
                running={running}
                waits={info?.activity === "needs-approval"}
                name={name}
              />
            )
          )}
        </div>
        {later && queued.length > 0 && <later.Queue timeline={timeline} turns={queued} />}
        <Composer
          key={app.sessions.madeAs.get(id) ?? id}
          timeline={timeline}
          working={running !== undefined || info?.activity === "working"}
          locked={lockReason(agent, name)}
          agentName={name}
        />
      </div>
    </main>
  );
}

/** While its agent is gone nothing can be sent; the strip above says what to do. */
export function lockReason(agent: AgentInfo | undefined, name: string): string {
  if (agent && !agent.installed) return `${name} is not installed`;
  if (agent?.status === "disconnected") return `${name} is disconnected. Reconnect to go on`;
  if (agent?.status === "reconnecting") return `Reconnecting to ${name}…`;
  return "";
}

function Starting({ name, creating }: { name: string; creating: Creating }) {
  const app = useApp();
  const made = app.workspaces.list.value.find(
    ({ projectId, state }) => creating.worktree && projectId === creating.projectId && state === "creating",
  );
  return (
    <div class="starting" role="status">
      <Working label="Starting" />
      <p>{made ? `Making its worktree: ${made.progress ?? "one moment"}…` : `Launching ${name}…`}</p>
      <p class="muted">You can write already. It is sent as soon as the agent is there.</p>
    </div>
  );
}

function PendingOnly({ id }: { id: string }) {
  const app = useApp();
  return (
    <div class="pending-list">
      {app.outbox.of(id).value.map((entry) => (
        <PendingMessage key={entry.clientMessageId} entry={entry} />
      ))}
    </div>
  );
}

/** The demo agent knows what it can show; for any other these are ways to begin, to be changed before they are sent. */
const demos = ["Show me around", "/edit", "/markdown", "/plan"];
const starters = [
  "Explain how this project is built",
  "Review my uncommitted changes",
  "Find a failing test and fix it",
];

function EmptySession({ id, cliType, name }: { id: string; cliType: string; name: string }) {
  const app = useApp();
  const begin = (text: string) => {
    if (cliType === "demo") return sendMessage(app, id, text);
    app.drafts.set(id, text);
    document.querySelector<HTMLElement>(".composer textarea")?.focus();
  };
  return (
    <div class="empty-session">
      <AgentMark cliType={cliType} name={name} />
      <h2>What should {name} do?</h2>
      <p class="muted">Answers, tools and questions appear here as they happen.</p>
      <div class="suggestions">
        <MissingAgent agent={app.agents.of(cliType)} />
        {(app.agents.of(cliType)?.installed === false ? [] : cliType === "demo" ? demos : starters).map(
          (text) => (
            <button type="button" key={text} class="button" onClick={() => begin(text)}>
              {text}
            </button>
          ),
        )}
      </div>
    </div>
  );
}

/** Without the time in which it waited for an answer: that is the user's. */
function workedFor(timeline: Timeline, { turnId, startedAt }: Turn, now: number): number {
  if (!startedAt) return 0;
  const items = timeline.order.value.map((id) => timeline.item(id)!.peek());
  return now - Date.parse(startedAt) - waited(items, turnId, now);
}

function WorkingLine({
  timeline,
  running,
  waits,
  name,
}: {
  timeline: Timeline;
  running: Turn | undefined;
  waits: boolean;
  name: string;
}) {
  const app = useApp();
  // Without the server nobody knows whether it still works, nor for how long.
  const known = app.link.state.value.kind === "online";
  const since = known && running ? workedFor(timeline, running, app.now.value) : 0;
  const jump = () => {
    const { sessionId } = timeline;
    const itemId = app.inbox.of(sessionId)?.item.itemId;
    app.nav.navigate({ page: "session", sessionId, itemId });
  };
  if (waits)
    return (
      <button type="button" class="working-line needs" onClick={jump}>
        <span class="needs-dot" aria-hidden="true" /> Waiting for your answer
      </button>
    );
  return (
    <p class="working-line" role="status">
      <Working label="Working" />
      <span>
        {known ? `${name} is working` : `${name} was working when the connection was lost`}
        {since >= 3000 ? <span aria-hidden="true"> · {duration(since)}</span> : ""}
      </span>
    </p>
  );
}
