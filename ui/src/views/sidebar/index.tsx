// Projects and their sessions: who works, who waits, who is done. Above them the inbox, below them the agents.
import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { withKeys } from "../../commands/keys";
import { run } from "../../commands/table";
import type { App } from "../../state/app";
import { fuzzy } from "../../fuzzy";
import { counted, stateNames, stateOf, states, type State } from "../../glance";
import type { SessionInfo } from "../../wire";
import { Agents } from "./agents";
import { useApp } from "../context";
import { useDrawerFocus } from "./drawer";
import { Icon, Logo } from "../icons";
import { useHand } from "./held";
import { useInTurn } from "./in_turn";
import { IconButton, StateMark } from "../parts";
import { ProjectSection, SessionRow } from "./project";

export function Sidebar() {
  const app = useApp();
  const filter = useSignal("");
  const only = useSignal<State | undefined>(undefined);
  // What nobody is in any more cannot be asked for. Counts change often, this seldom: the list is not drawn for each.
  const wanted = useComputed(() =>
    only.value !== undefined && app.sessions.counts.value[only.value] > 0 ? only.value : undefined,
  );
  const state = wanted.value;
  const pointed = useSignal(false);
  const focused = useSignal(false);
  const hand = useHand();
  const held = useComputed(() => pointed.value || focused.value || !hand.value);
  // Once for a key, for all sections: a thousand titles are looked at once.
  const asked = useComputed(() => narrowed(app, filter.value, wanted.value));
  return (
    <nav
      ref={useDrawerFocus(app.nav.drawer.value)}
      class={`sidebar ${app.nav.drawer.value ? "drawer-open" : ""}`}
      id="sidebar"
      aria-label="Projects and sessions"
    >
      <header class="brand">
        <button
          type="button"
          class="brand-home"
          aria-label="Liminal Builder: overview"
          title={withKeys("Overview", "home")}
          aria-current={app.nav.page.value === "home" ? "page" : undefined}
          onClick={() => run(app, "home")}
        >
          <Logo size={20} />
          <span class="brand-name">Liminal Builder</span>
        </button>
        <span class="grow" />
        <IconButton
          icon="search"
          label={withKeys("Search all conversations", "search")}
          onClick={() => run(app, "search")}
        />
        <IconButton
          icon="close"
          label="Hide sidebar"
          class="only-phone"
          data-drawer-close
          onClick={() => app.nav.showDrawer(false)}
        />
      </header>
      <InboxButton />
      <WorkspacesButton />
      <div class={`filter ${app.projects.list.value.length > 0 ? "" : "not-yet"}`}>
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
      <StateFilter
        only={state}
        choose={(next) => {
          only.value = next;
        }}
      />
      <div
        class="project-list"
        onPointerEnter={() => {
          pointed.value = true;
        }}
        onPointerLeave={() => {
          pointed.value = false;
        }}
        onFocusIn={() => {
          focused.value = true;
        }}
        onFocusOut={(event) => {
          focused.value = event.currentTarget.contains(event.relatedTarget as Node | null);
        }}
      >
        {app.projects.known.value && app.projects.list.value.length === 0 && (
          <p class="empty-note">No projects yet. Sessions appear here, under the folder they work in.</p>
        )}
        {asked.value.found === undefined && <Pinned />}
        <Sections asked={asked} held={held} />
        {filter.value !== "" && asked.value.found?.size === 0 && (
          <p class="empty-note">No session is called “{filter.value}”.</p>
        )}
      </div>
      <footer class="sidebar-foot">
        <button type="button" class="row-button" onClick={() => run(app, "add-project")}>
          <Icon name="plus" />
          Add project
        </button>
        <Agents />
        <div class="foot-row">
          <button type="button" class="row-button" onClick={() => run(app, "archived")}>
            <Icon name="archive" />
            Archived
          </button>
          <IconButton icon="gear" label="Settings" onClick={() => run(app, "settings")} />
          <IconButton
            icon="question"
            label={withKeys("Keyboard shortcuts", "shortcuts")}
            onClick={() => run(app, "shortcuts")}
          />
        </div>
      </footer>
    </nav>
  );
}

/** In sessions, as everywhere else: how many have a question, and how many failed that nobody has looked at. */
function InboxButton() {
  const app = useApp();
  const asking = app.inbox.sessions.value;
  const failed = app.sessions.failed.value.length;
  return (
    <button
      type="button"
      class={`row-button inbox-button ${app.nav.page.value === "inbox" ? "current" : ""}`}
      aria-current={app.nav.page.value === "inbox" ? "page" : undefined}
      onClick={() => run(app, "inbox")}
    >
      <Icon name="inbox" />
      Inbox
      <span class="grow" />
      {failed > 0 && (
        <span class="badge failed" title={counted("failed", failed)}>
          {failed}
          <span class="visually-hidden"> failed</span>
        </span>
      )}
      {asking > 0 && (
        <span class="badge needs" title={counted("needs", asking)}>
          {asking}
          <span class="visually-hidden"> waiting</span>
        </span>
      )}
    </button>
  );
}

function WorkspacesButton() {
  const app = useApp();
  const here = app.nav.page.value === "workspaces";
  return (
    <button
      type="button"
      class={`row-button inbox-button ${here ? "current" : ""}`}
      aria-current={here ? "page" : undefined}
      onClick={() => run(app, "workspaces")}
    >
      <Icon name="branch" />
      Workspaces
      <span class="grow" />
      {app.workspaces.count.value > 0 && <span class="muted">{app.workspaces.count.value}</span>}
    </button>
  );
}

const kNone: readonly SessionInfo[] = [];

/** How many are in which state; a press shows only these. Its room is always there: nothing below it ever moves. */
function StateFilter({
  only,
  choose,
}: {
  only: State | undefined;
  choose: (state: State | undefined) => void;
}) {
  const app = useApp();
  const counts = app.sessions.counts.value;
  const none = app.projects.list.value.length === 0;
  return (
    <div class={`state-filter ${none ? "not-yet" : ""}`} role="group" aria-label="Sessions by state">
      {states.map((state) => (
        <button
          type="button"
          key={state}
          class={`state-count count-${state}`}
          aria-pressed={only === state}
          disabled={counts[state] === 0}
          title={`${stateNames[state]}: ${counts[state] === 0 ? "none" : "show only these"}`}
          onClick={() => choose(only === state ? undefined : state)}
        >
          <span class="state-mark" aria-hidden="true">
            <StateMark state={state} label="" />
          </span>
          <span class="state-number">{counts[state]}</span>
          <span class="state-word">{counted(state, counts[state]).replace(/^\d+/, "")}</span>
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
  const names = new Map(app.agents.list.value.map((agent) => [agent.cliType, agent.name]));
  const found = new Map<string, readonly SessionInfo[]>();
  for (const [projectId, sessions] of app.sessions.byProject.value) {
    const project = app.projects.of(projectId)?.name ?? "";
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

/** The sessions that the user keeps at hand, in the order in which they were pinned. */
function Pinned() {
  const app = useApp();
  void app.sessions.ids.value;
  const pinned = app.nav.pinned.value.flatMap((id) => app.sessions.of(id)?.value ?? []);
  const shown = pinned.filter((info) => !info.archived);
  if (shown.length === 0) return null;
  return (
    <section class="project pinned" aria-label="Pinned">
      <h2 class="pinned-head">
        <Icon name="pin" size={12} />
        Pinned
      </h2>
      <ul class="session-list">
        {shown.map((info) => (
          <SessionRow key={info.sessionId} info={info} />
        ))}
      </ul>
    </section>
  );
}

function Sections({ asked, held }: { asked: ReadonlySignal<Asked>; held: ReadonlySignal<boolean> }) {
  const app = useApp();
  const all = app.projects.list.value;
  // A list that is still on its way would push down what stands below it.
  const missing = all.findIndex(({ projectId }) => !app.sessions.listedProjects.value.has(projectId));
  const projects = missing < 0 ? all : all.slice(0, missing + 1);
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
              held={held}
            />
          )
        );
      })}
    </>
  );
}
