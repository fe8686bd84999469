// One project and its sessions.
import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { run, type CommandId } from "../../commands/table";
import { countStates, emptyOnes, isEmpty, stateOf, states } from "../../glance";
import { titleOf } from "../../state/tabs";
import type { Project, SessionInfo } from "../../wire";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Icon } from "../icons";
import { fetchDialogs } from "../later";
import { Marks } from "../marks";
import { Menu } from "../menu";
import { Confined, IconButton, StateMark, Working } from "../parts";
import { useHeld } from "./held";
import { SessionState } from "../session_state";

/** How many quiet sessions are shown unasked. */
const kFew = 8;
const kNone: readonly SessionInfo[] = [];
const kProjectMenu: readonly CommandId[] = ["new-session", "copy-path", "remove-project"];

export function ProjectSection({
  project,
  found,
  named,
  held,
}: {
  project: Project;
  found: readonly SessionInfo[] | undefined;
  named: boolean;
  held: ReadonlySignal<boolean>;
}) {
  const app = useApp();
  const all = useSignal(false);
  const sessions = useComputed(() => app.sessions.byProject.value.get(project.projectId) ?? kNone).value;
  const pinned = app.nav.pinned.value;
  const open = useComputed(() => app.nav.tabs.value.ids).value;
  // What is pinned stands above the projects.
  const matching = found ?? sessions.filter((info) => !pinned.includes(info.sessionId));
  const closed = app.prefs.collapsed.value.includes(project.projectId) && !found;
  // Those in which nothing was ever said are one line together, unless they are open or something is being written in them.
  const written = useComputed(() => Object.keys(app.drafts.texts.value).sort().join()).value;
  const empty = named
    ? kNone
    : matching.filter(
        (info) => isEmpty(info) && !open.includes(info.sessionId) && !written.includes(info.sessionId),
      );
  const said = empty.length === 0 ? matching : matching.filter((info) => !empty.includes(info));
  // Of many matches the newest: a first letter matches nearly everything, and a thousand rows are felt.
  const few = all.value
    ? said
    : said.filter((info, index) => index < kFew || (!named && stateOf(info) !== "quiet"));
  const shown = useHeld(few, {
    held: held.value && found === undefined,
    all: matching,
    mine: (id) => app.sessions.madeAs.has(id),
    question: all.value,
  });
  const about = { projectId: project.projectId };
  const creating = [...app.sessions.creating.value].filter(
    ([id, made]) => made.projectId === project.projectId && (!made.draft || open.includes(id)),
  );
  if (found?.length === 0) return null;
  return (
    <section class="project" aria-label={project.name}>
      <div class="project-head">
        <button
          type="button"
          class="project-name"
          aria-expanded={!closed}
          title={project.path}
          onClick={() => app.prefs.fold(project.projectId, !closed)}
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
        <Menu label={`Menu of ${project.name}`} items={kProjectMenu} about={about} />
        <IconButton
          icon="plus"
          label={`New session in ${project.name}`}
          onClick={() => run(app, "new-session", about)}
        />
      </div>
      {!closed && (
        <ul class="session-list">
          {creating.map(([id, made]) => (
            <li key={id} class={`session-row ${app.nav.session.value === id ? "current" : ""}`}>
              <button
                type="button"
                class="session-open"
                aria-current={app.nav.session.value === id ? "page" : undefined}
                onClick={() => app.nav.navigate({ page: "session", sessionId: id })}
              >
                <AgentMark cliType={made.cliType} name={app.agents.of(made.cliType)?.name} />
                <span class="session-title">New Session</span>
                {!made.draft && <Working label="Starting" />}
              </button>
            </li>
          ))}
          {shown.map((info) => (
            <SessionRow key={info.sessionId} info={info} />
          ))}
          {sessions.length === 0 &&
            creating.length === 0 &&
            app.sessions.listedProjects.value.has(project.projectId) && (
              <li class="empty-note">
                No sessions yet.{" "}
                <button type="button" class="link-button" onClick={() => run(app, "new-session", about)}>
                  Start one
                </button>
              </li>
            )}
          {shown.length < said.length && (
            <li>
              <button
                type="button"
                class="link-button more"
                onClick={() => {
                  all.value = true;
                }}
              >
                Show {said.length - shown.length} more
              </button>
            </li>
          )}
          {empty.length > 0 && <EmptySessions sessions={empty} />}
        </ul>
      )}
    </section>
  );
}

/** What earlier visits and other programs left without a word: one line to look into, one press to be rid of them. */
function EmptySessions({ sessions }: { sessions: readonly SessionInfo[] }) {
  const app = useApp();
  const open = useSignal(false);
  const name = emptyOnes(sessions.length);
  const remove = async () => {
    const code = await fetchDialogs(app);
    await code?.removeEmpty(
      app,
      sessions.map(({ sessionId }) => sessionId),
    );
  };
  return (
    <>
      <li class="empty-sessions">
        <button
          type="button"
          class="link-button more"
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          {name}
        </button>
        <button type="button" class="link-button" aria-label={`Remove ${name}`} onClick={() => void remove()}>
          Remove
        </button>
      </li>
      {open.value && sessions.map((info) => <SessionRow key={info.sessionId} info={info} />)}
    </>
  );
}

/** A collapsed project still tells how many in it work or wait. */
function Glance({ sessions }: { sessions: readonly SessionInfo[] }) {
  const counts = countStates(sessions);
  const labels = {
    needs: "Someone needs you",
    failed: "Something failed",
    working: "Someone is working",
    review: "Needs review",
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

const kRowMenu: readonly CommandId[] = ["rename", "pin", "unpin", "overlaps", "land", "archive"];

export function SessionRow({ info }: { info: SessionInfo }) {
  const app = useApp();
  const active = app.nav.page.value === "session" && app.nav.tabs.value.active === info.sessionId;
  const agent = app.agents.of(info.cliType);
  return (
    <li class={`session-row ${active ? "current" : ""} ${info.unread ? "unread" : ""} is-${info.activity}`}>
      <button
        type="button"
        class="session-open"
        aria-current={active ? "page" : undefined}
        onClick={() => app.nav.navigate({ page: "session", sessionId: info.sessionId })}
      >
        <AgentMark cliType={info.cliType} name={agent?.name ?? info.cliType} />
        <span class="session-title" title={titleOf(info)}>
          <bdi>{titleOf(info)}</bdi>
        </span>
        <Marks info={info} />
        {info.confined && <Confined />}
        {info.discovered && (
          <span class="outside" title="Started outside Liminal Builder">
            cli
          </span>
        )}
        <SessionState info={info} />
      </button>
      <Menu label={`Menu of ${titleOf(info)}`} items={kRowMenu} about={{ sessionId: info.sessionId }} />
    </li>
  );
}
