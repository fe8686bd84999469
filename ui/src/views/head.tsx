// Above everything: what is on screen, how it is, what can be done with it, and what the page has to say.
import type { CommandId } from "../commands/table";
import { stateNames, stateOf } from "../glance";
import { titleOf } from "../state/tabs";
import { useApp } from "./context";
import { AgentMark } from "./faces";
import { dialogs } from "./later";
import { HeadMarks } from "./marks";
import { Menu } from "./menu";
import { MessagesButton, Notice } from "./notices";
import { PhoneMenu, StateMark } from "./parts";
import { SwitchButton } from "./tab_bar";

const kMenu: readonly CommandId[] = [
  "rename",
  "pin",
  "unpin",
  "fork",
  "overlaps",
  "land",
  "push",
  "pull-request",
  "run-setup",
  "restore-workspace",
  "copy-link",
  "copy-id",
  "export-md",
  "export-json",
  "stop-process",
  "archive",
  "bring-back",
  "close-tab",
  "remove-workspace",
  "delete",
];

export function Head() {
  const app = useApp();
  const id = app.nav.session.value;
  const later = dialogs.module.value;
  const known = id !== undefined && app.sessions.nameOf(id) !== undefined && app.sessions.of(id);
  return (
    <header class={`head ${id === undefined ? "" : "session-head"}`}>
      <PhoneMenu />
      <div class="head-middle">
        {id !== undefined && <About id={id} />}
        <Notice />
      </div>
      <MessagesButton />
      <SwitchButton class="only-phone" />
      {id !== undefined && <span class="bench-room">{known && later && <later.WorkbenchButton />}</span>}
      {known ? (
        <Menu label="Session menu" items={kMenu} about={{ sessionId: id }} />
      ) : (
        id !== undefined && <span class="menu-room" />
      )}
    </header>
  );
}

/** Which session this is, and how it is. */
function About({ id }: { id: string }) {
  const app = useApp();
  const name = app.sessions.nameOf(id);
  const info = app.sessions.of(id)?.value;
  const project = app.projects.of(info?.projectId ?? app.sessions.creating.value.get(id)?.projectId ?? "");
  const title = titleOf(name);
  const cliType = name?.cliType ?? "";
  const state = info && stateOf(info);
  return (
    <>
      <AgentMark cliType={cliType} name={app.agents.of(cliType)?.name ?? cliType} />
      <h1 title={title}>
        <bdi>{title}</bdi>
      </h1>
      {(state === "needs" || state === "failed" || state === "working") && (
        <span class={`head-state is-${state}`}>
          <span class="state-mark" aria-hidden="true">
            <StateMark state={state} label="" />
          </span>
          <span class="head-state-word">{stateNames[state]}</span>
        </span>
      )}
      {info && <HeadMarks info={info} />}
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
    </>
  );
}
