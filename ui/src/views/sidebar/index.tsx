// Projects and their sessions: who works, who waits, who is done. Above them the inbox, below them the agents.
import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { archiveSession, loadArchived, removeProject } from "../../actions";
import type { App } from "../../state/app";
import { fuzzy } from "../../completion";
import { age } from "../../format";
import { counted, countStates, stateNames, stateOf, states, type State } from "../../glance";
import type { Project, SessionInfo } from "../../wire";
import { Agents } from "./agents";
import { useApp } from "../context";
import { AgentMark, Icon, Logo } from "../icons";
import { useInTurn } from "./in_turn";
import { IconButton, Menu, StateMark, Working } from "../parts";

const kFew = 8;

export function Sidebar() {
  const app = useApp();
  const filter = useSignal("");
  const only = useSignal<State | undefined>(undefined);
  // What nobody is in any more cannot be asked for. Counts change often, this seldom: the list is not drawn for each.
  const wanted = useComputed(() =>
    only.value !== undefined && app.counts.value[only.value] > 0 ? only.value : undefined,
  );
  const state = wanted.value;
  // Once for a key, for all sections: a thousand titles are looked at once.
  const asked = useComputed(() => narrowed(app, filter.value, wanted.value));
  return (
    <nav
      class={`sidebar ${app.drawer.value ? "drawer-open" : ""}`}
      id="sidebar"
      aria-label="Projects and sessions"
    >
      <header class="brand">
        <button
          type="button"
          class="brand-home"
          aria-label="Liminal Builder: overview"
          title="Overview (Ctrl+Alt+H)"
          aria-current={app.page.value === "home" ? "page" : undefined}
          onClick={() => {
            app.page.value = "home";
            app.drawer.value = false;
          }}
        >
          <Logo size={20} />
          <span class="brand-name">Liminal Builder</span>
        </button>
        <span class="grow" />
        <IconButton
          icon="search"
          label="Search all conversations (Ctrl+Shift+F)"
          onClick={() => {
            app.dialog.value = { kind: "search" };
          }}
        />
        <IconButton
          icon="close"
          label="Hide sidebar"
          class="only-phone"
          onClick={() => {
            app.drawer.value = false;
          }}
        />
      </header>
      <InboxButton />
      {app.projects.value.length > 0 && (
        <div class="filter">
          <Icon name="search" size={14} />
          <input
            type="search"
            placeholder="Filter sessions"
            aria-label="Filter sessions"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || filter.value === "") return;
              event.stopPropagation();
              filter.value = "";
            }}
          />
        </div>
      )}
      <StateFilter
        only={state}
        choose={(next) => {
          only.value = next;
        }}
      />
      <div class="project-list">
        {app.projectsKnown.value && app.projects.value.length === 0 && (
          <p class="empty-note">No projects yet. Sessions appear here, under the folder they work in.</p>
        )}
        <Sections asked={asked} />
        {filter.value !== "" && asked.value.found?.size === 0 && (
          <p class="empty-note">No session is called “{filter.value}”.</p>
        )}
      </div>
      <footer class="sidebar-foot">
        <button
          type="button"
          class="row-button"
          onClick={() => {
            app.dialog.value = { kind: "add-project" };
          }}
        >
          <Icon name="plus" />
          Add project
        </button>
        <Agents />
        <div class="foot-row">
          <button
            type="button"
            class="row-button"
            onClick={() => {
              app.page.value = "archived";
              app.drawer.value = false;
              void loadArchived(app);
            }}
          >
            <Icon name="archive" />
            Archived
          </button>
          <IconButton
            icon="gear"
            label="Settings"
            onClick={() => {
              app.dialog.value = { kind: "settings" };
            }}
          />
          <IconButton
            icon="question"
            label="Keyboard shortcuts (?)"
            onClick={() => {
              app.dialog.value = { kind: "shortcuts" };
            }}
          />
        </div>
      </footer>
    </nav>
  );
}

function InboxButton() {
  const app = useApp();
  const count = app.needsYou.value + app.failed.value.length;
  return (
    <button
      type="button"
      class={`row-button inbox-button ${app.page.value === "inbox" ? "current" : ""}`}
      aria-current={app.page.value === "inbox" ? "page" : undefined}
      onClick={() => {
        app.page.value = "inbox";
        app.drawer.value = false;
      }}
    >
      <Icon name="inbox" />
      Inbox
      <span class="grow" />
      {count > 0 && (
        <span class={`badge ${app.needsYou.value > 0 ? "needs" : "failed"}`}>
          {count}
          <span class="visually-hidden"> waiting</span>
        </span>
      )}
    </button>
  );
}

const kNone: readonly SessionInfo[] = [];

/** How many are in which state; a press shows only these. */
function StateFilter({
  only,
  choose,
}: {
  only: State | undefined;
  choose: (state: State | undefined) => void;
}) {
  const counts = useApp().counts.value;
  const there = states.filter((state) => counts[state] > 0);
  if (there.length === 0) return null;
  return (
    <div class="state-filter" role="group" aria-label="Sessions by state">
      {there.map((state) => (
        <button
          type="button"
          key={state}
          class={`state-count count-${state}`}
          aria-pressed={only === state}
          title={`${stateNames[state]}: show only these`}
          onClick={() => choose(only === state ? undefined : state)}
        >
          <span class="state-mark" aria-hidden="true">
            <StateMark state={state} label="" />
          </span>
          {counted(state, counts[state])}
        </button>
      ))}
    </div>
  );
}

/** `found`: the sessions that are asked for, by project, when any are. `named`: by a name and not only by a state. */
interface Asked {
  found: ReadonlyMap<string, readonly SessionInfo[]> | undefined;
  named: boolean;
}
const kAll: Asked = { found: undefined, named: false };

function narrowed(app: App, filter: string, only: State | undefined): Asked {
  if (filter === "" && only === undefined) return kAll;
  const names = new Map(app.agents.value.map((agent) => [agent.cliType, agent.name]));
  const found = new Map<string, readonly SessionInfo[]>();
  for (const [projectId, sessions] of app.byProject.value) {
    const project = app.project(projectId)?.name ?? "";
    const list = sessions.filter(
      (info) =>
        (only === undefined || stateOf(info) === only) &&
        (filter === "" ||
          fuzzy(filter, `${info.title} ${project} ${names.get(info.cliType) ?? info.cliType}`) !== undefined),
    );
    if (list.length > 0) found.set(projectId, list);
  }
  return { found, named: filter !== "" };
}

function Sections({ asked }: { asked: ReadonlySignal<Asked> }) {
  const projects = useApp().projects.value;
  const shownTo = useInTurn(
    asked.value,
    projects.map(({ projectId }) => projectId),
  );
  return (
    <>
      {projects.map((project) => {
        const shown = shownTo(project.projectId);
        return (
          shown && (
            <ProjectSection
              key={project.projectId}
              project={project}
              found={shown.found && (shown.found.get(project.projectId) ?? kNone)}
              named={shown.named}
            />
          )
        );
      })}
    </>
  );
}

function ProjectSection({
  project,
  found,
  named,
}: {
  project: Project;
  found: readonly SessionInfo[] | undefined;
  named: boolean;
}) {
  const app = useApp();
  const all = useSignal(false);
  const sessions = useComputed(() => app.byProject.value.get(project.projectId) ?? kNone).value;
  const matching = found ?? sessions;
  const closed = app.collapsed.value.includes(project.projectId) && !found;
  // Of many matches the newest: a first letter matches nearly everything, and a thousand rows are felt.
  const shown = all.value
    ? matching
    : matching.filter((info, index) => index < kFew || (!named && stateOf(info) !== "quiet"));
  const toggle = () => {
    const now = app.collapsed.peek();
    app.collapsed.value = closed ? now.filter((id) => id !== project.projectId) : [...now, project.projectId];
  };
  const creating = [...app.creating.value].filter(([, made]) => made.projectId === project.projectId);
  if (found?.length === 0) return null;
  return (
    <section class="project" aria-label={project.name}>
      <div class="project-head">
        <button
          type="button"
          class="project-name"
          aria-expanded={!closed}
          title={project.path}
          onClick={toggle}
        >
          <Icon name="chevron" size={12} />
          <bdi>{project.name}</bdi>
          {project.missing && (
            <span class="chip chip-failed" title={`There is no folder ${project.path} now`}>
              no folder
            </span>
          )}
        </button>
        {closed && <Glance sessions={sessions} />}
        <Menu
          label={`Menu of ${project.name}`}
          items={[
            {
              label: "New session",
              icon: "plus",
              run: () => {
                app.dialog.value = { kind: "new-session", projectId: project.projectId };
              },
            },
            { label: "Copy path", icon: "copy", run: () => void navigator.clipboard.writeText(project.path) },
            { label: "Remove project…", icon: "trash", danger: true, run: () => removeProject(app, project) },
          ]}
        />
        <IconButton
          icon="plus"
          label={`New session in ${project.name}`}
          onClick={() => {
            app.dialog.value = { kind: "new-session", projectId: project.projectId };
          }}
        />
      </div>
      {!closed && (
        <ul class="session-list">
          {creating.map(([id, made]) => (
            <li key={id} class="session-row">
              <button type="button" class="session-open" onClick={() => app.show(id)}>
                <AgentMark cliType={made.cliType} name={app.agent(made.cliType)?.name} />
                <span class="session-title">New Session</span>
                <Working label="Starting" />
              </button>
            </li>
          ))}
          {shown.map((info) => (
            <SessionRow key={info.sessionId} info={info} />
          ))}
          {sessions.length === 0 && creating.length === 0 && app.listed.value.has(project.projectId) && (
            <li class="empty-note">
              No sessions yet.{" "}
              <button
                type="button"
                class="link-button"
                onClick={() => {
                  app.dialog.value = { kind: "new-session", projectId: project.projectId };
                }}
              >
                Start one
              </button>
            </li>
          )}
          {shown.length < matching.length && (
            <li>
              <button
                type="button"
                class="link-button more"
                onClick={() => {
                  all.value = true;
                }}
              >
                Show {matching.length - shown.length} older
              </button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

/** A collapsed project still tells how many in it work or wait. */
function Glance({ sessions }: { sessions: readonly SessionInfo[] }) {
  const counts = countStates(sessions);
  const labels = {
    needs: "Someone needs you",
    failed: "Something failed",
    working: "Someone is working",
    done: "Unread",
  };
  return (
    <span class="glance">
      {states
        .filter((state) => counts[state] > 0)
        .map((state) => (
          <span key={state} class="glance-part">
            <StateMark state={state} label={labels[state]} />
            {counts[state]}
          </span>
        ))}
    </span>
  );
}

function SessionRow({ info }: { info: SessionInfo }) {
  const app = useApp();
  const active = app.page.value === "session" && app.tabs.value.active === info.sessionId;
  const agent = app.agent(info.cliType);
  return (
    <li class={`session-row ${active ? "current" : ""} ${info.unread ? "unread" : ""} is-${info.activity}`}>
      <button
        type="button"
        class="session-open"
        aria-current={active ? "page" : undefined}
        onClick={() => app.show(info.sessionId)}
      >
        <AgentMark cliType={info.cliType} name={agent?.name ?? info.cliType} />
        <span class="session-title" title={info.title || "New Session"}>
          <bdi>{info.title || "New Session"}</bdi>
        </span>
        {info.discovered && (
          <span class="outside" title="Started outside Liminal Builder">
            cli
          </span>
        )}
        <SessionState info={info} />
      </button>
      <Menu
        label={`Menu of ${info.title || "New Session"}`}
        items={[
          {
            label: "Rename",
            icon: "edit",
            run: () => {
              app.dialog.value = { kind: "rename", sessionId: info.sessionId };
            },
          },
          { label: "Archive", icon: "archive", run: () => void archiveSession(app, info.sessionId, true) },
        ]}
      />
    </li>
  );
}

export function SessionState({ info }: { info: SessionInfo }) {
  const app = useApp();
  const state = stateOf(info);
  if (state === "needs") return <span class="state-label needs">needs you</span>;
  if (state === "failed") return <span class="state-label failed">failed</span>;
  if (state === "working") return <Working />;
  return (
    <>
      {state === "done" && <StateMark state="done" label="Unread" />}
      <time class="age" dateTime={info.lastActiveAt}>
        {age(info.lastActiveAt, app.now.value)}
      </time>
    </>
  );
}
