// One session on screen: its head, the conversation, what is queued, the composer.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  archiveSession,
  closeSessionTab,
  copySessionId,
  copySessionLink,
  deleteSession,
  editQueued,
  exportSession,
  forkSession,
  reconnect,
  resumeQueue,
  sendMessage,
  stopProcess,
} from "../../actions";
import { duration } from "../../format";
import type { SessionStore } from "../../state/timeline";
import { titleOf } from "../../state/tabs";
import type { AgentInfo, Turn } from "../../wire";
import { Chat } from "./chat";
import { Composer } from "./composer";
import { useApp } from "../context";
import { AgentMark, Icon } from "../icons";
import { IconButton, Menu, Working } from "../parts";

export function SessionView({ id }: { id: string }) {
  const app = useApp();
  const store = app.store(id);
  const creating = app.creating.value.get(id);
  const known = app.nameOf(id);
  const info = app.session(id)?.value;
  const cliType = known?.cliType ?? "";
  const agent = app.agent(cliType);
  const name = agent?.name ?? cliType;
  void store.shape.value;
  const turns = store.turnOrder.value.map((turnId) => store.turn(turnId)!.value);
  const running = turns.find((turn) => turn.type === "turn_started");
  const queued = turns.filter((turn) => turn.type === "turn_queued");
  const working =
    running !== undefined || info?.activity === "working" || info?.activity === "needs-approval";
  const loaded = store.loaded.value || creating !== undefined;
  return (
    <main class="session" id="main" aria-label={titleOf(known) || "Session"}>
      <Head id={id} name={name} cliType={cliType} />
      <AgentStrip agent={agent} creating={creating !== undefined} name={name} />
      {!loaded ? (
        <div class="loading" role="status">
          <Working label="Loading" /> Loading the conversation…
        </div>
      ) : creating ? (
        <div class="chat">
          <PendingOnly id={id} />
          <Starting name={name} />
        </div>
      ) : (
        <Chat key={id} store={store} empty={<EmptySession id={id} cliType={cliType} name={name} />} />
      )}
      <div class="dock">
        {working && (
          <WorkingLine
            store={store}
            running={running}
            waits={info?.activity === "needs-approval"}
            name={name}
          />
        )}
        {queued.length > 0 && <Queue store={store} turns={queued} />}
        <Composer
          key={app.madeAs.get(id) ?? id}
          store={store}
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
  if (agent?.status === "disconnected") return `${name} is disconnected. Reconnect to go on`;
  if (agent?.status === "reconnecting") return `Reconnecting to ${name}…`;
  return "";
}

function Head({ id, name, cliType }: { id: string; name: string; cliType: string }) {
  const app = useApp();
  const info = app.session(id)?.value;
  const project = app.project(info?.projectId ?? app.creating.value.get(id)?.projectId ?? "");
  const title = titleOf(app.nameOf(id));
  return (
    <header class="session-head">
      <IconButton
        icon="menu"
        label="Show sidebar"
        class="only-phone"
        onClick={() => {
          app.drawer.value = true;
        }}
      />
      <AgentMark cliType={cliType} name={name} />
      <h1 title={title}>
        <bdi>{title}</bdi>
      </h1>
      {project && (
        <span class="muted path" title={project.path}>
          {project.name}
        </span>
      )}
      {info?.archived && <span class="chip">archived</span>}
      {info?.discovered && (
        <span class="chip" title="This session was started outside Liminal Builder">
          from the CLI
        </span>
      )}
      <span class="grow" />
      {info && (
        <Menu
          label="Session menu"
          items={[
            {
              label: "Rename",
              icon: "edit",
              run: () => {
                app.dialog.value = { kind: "rename", sessionId: id };
              },
            },
            { label: "Fork", icon: "fork", run: () => void forkSession(app, id) },
            { label: "Copy link", icon: "link", run: () => void copySessionLink(app, id) },
            { label: "Copy session id", icon: "copy", run: () => void copySessionId(app, id) },
            {
              label: "Export as Markdown",
              icon: "file",
              run: () => void exportSession(app, id, title, "md"),
            },
            { label: "Export as JSON", icon: "file", run: () => void exportSession(app, id, title, "json") },
            { label: "Stop process", icon: "stop", run: () => void stopProcess(app, id) },
            {
              label: info.archived ? "Bring back" : "Archive",
              icon: "archive",
              run: () => void archiveSession(app, id, !info.archived),
            },
            { label: "Close tab", icon: "close", run: () => closeSessionTab(app, id) },
            { label: "Delete…", icon: "trash", danger: true, run: () => deleteSession(app, id, title) },
          ]}
        />
      )}
    </header>
  );
}

/** What the agent's process is doing, when that is worth a line. */
function AgentStrip({
  agent,
  creating,
  name,
}: {
  agent: AgentInfo | undefined;
  creating: boolean;
  name: string;
}) {
  const app = useApp();
  const note = agent && app.agentNotes.value[agent.cliType];
  if (agent?.status === "starting" && !creating)
    return (
      <div class="strip" role="status">
        <Working label="Starting" /> Starting {name}…
      </div>
    );
  if (agent?.status === "reconnecting")
    return (
      <div class="strip warn" role="status">
        <Working label="Reconnecting" /> Reconnecting to {name}… {note}
      </div>
    );
  if (agent?.status !== "disconnected") return null;
  return (
    <div class="strip bad" role="alert">
      <Icon name="alert" />{" "}
      <span class="grow">
        {name} is disconnected. {note || agent.problem} {agent.remedy}
      </span>
      <button type="button" class="button" onClick={() => void reconnect(app, agent.cliType)}>
        Reconnect
      </button>
    </div>
  );
}

function Starting({ name }: { name: string }) {
  return (
    <div class="starting" role="status">
      <Working label="Starting" />
      <p>Launching {name}…</p>
      <p class="muted">You can write already. It is sent as soon as the agent is there.</p>
    </div>
  );
}

function PendingOnly({ id }: { id: string }) {
  const app = useApp();
  return (
    <div class="pending-list">
      {app.outbox.of(id).value.map((entry) => (
        <article key={entry.clientMessageId} class="message user">
          <div class="bubble">
            <p>{entry.content}</p>
          </div>
          <span class="pending-note">
            <Icon name="clock" size={12} /> Waits for the agent
          </span>
        </article>
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
    if (cliType === "demo") return sendMessage(app, id, text, []);
    app.drafts.value = { ...app.drafts.peek(), [id]: text };
    document.querySelector<HTMLElement>(".composer textarea")?.focus();
  };
  return (
    <div class="empty-session">
      <AgentMark cliType={cliType} name={name} />
      <h2>What should {name} do?</h2>
      <p class="muted">Answers, tools and questions appear here as they happen.</p>
      <div class="suggestions">
        {(cliType === "demo" ? demos : starters).map((text) => (
          <button type="button" key={text} class="button" onClick={() => begin(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

function WorkingLine({
  store,
  running,
  waits,
  name,
}: {
  store: SessionStore;
  running: Turn | undefined;
  waits: boolean;
  name: string;
}) {
  const app = useApp();
  const since = running?.startedAt ? app.now.value - Date.parse(running.startedAt) : 0;
  const jump = () => {
    const waiting = app.waiting.peek().find((entry) => entry.sessionId === store.sessionId);
    if (waiting) app.jump.value = { sessionId: store.sessionId, itemId: waiting.item.itemId };
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
        {name} is working{since >= 3000 ? <span aria-hidden="true"> · {duration(since)}</span> : ""}
      </span>
    </p>
  );
}

/** Messages that wait for the running turn: visible, editable, removable. */
function Queue({ store, turns }: { store: SessionStore; turns: readonly Turn[] }) {
  const app = useApp();
  const held = turns.some((turn) => turn.held);
  return (
    <section class="queue" aria-label="Queued messages">
      <header>
        <Icon name="clock" size={14} /> {held ? "Held" : "Queued"} · {turns.length}
        {held && (
          <>
            <span class="muted"> Nothing is sent until you say so.</span>
            <span class="grow" />
            <button type="button" class="button small" onClick={() => void resumeQueue(app, store.sessionId)}>
              Send now
            </button>
          </>
        )}
      </header>
      <ol>
        {turns.map((turn) => (
          <QueuedTurn key={turn.turnId} store={store} turn={turn} />
        ))}
      </ol>
    </section>
  );
}

function QueuedTurn({ store, turn }: { store: SessionStore; turn: Turn }) {
  const app = useApp();
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  // Escape belongs to this field as soon as it is there; elsewhere it stops the turn.
  useLayoutEffect(() => field.current?.focus(), [editing !== undefined]);
  const save = () => {
    if (editing?.trim()) void editQueued(app, store.sessionId, turn.turnId, editing.trim());
    setEditing(undefined);
  };
  if (editing !== undefined) {
    return (
      <li>
        <textarea
          ref={field}
          aria-label="Edit queued message"
          rows={2}
          value={editing}
          onInput={(event) => setEditing(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              save();
            }
            if (event.key === "Escape") {
              event.stopPropagation();
              setEditing(undefined);
            }
          }}
        />
        <button type="button" class="button small" onClick={save}>
          Save
        </button>
      </li>
    );
  }
  return (
    <li>
      <span class="queued-text" title={turn.content}>
        {turn.content}
      </span>
      <IconButton icon="edit" label="Edit queued message" onClick={() => setEditing(turn.content ?? "")} />
      <IconButton
        icon="close"
        label="Remove queued message"
        onClick={() => void editQueued(app, store.sessionId, turn.turnId, null)}
      />
    </li>
  );
}
