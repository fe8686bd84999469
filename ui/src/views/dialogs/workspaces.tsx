// The page of all worktrees: what is in them, who works there, and what can be done with them.
import { useEffect, useState } from "preact/hooks";
import { aheadWords, inOrder, size, unusedWords } from "../../disk";
import { available, commands, run, type CommandId } from "../../commands/table";
import { age } from "../../format";
import { titleOf } from "../../state/tabs";
import type { Workspace } from "../../wire";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Icon } from "../icons";
import { Menu } from "../menu";
import { IconButton, Working } from "../parts";
import { SessionState } from "../session_state";

export function WorkspacesPage() {
  const app = useApp();
  const [problem, setProblem] = useState("");
  const [onlyOld, setOnlyOld] = useState(false);
  const refresh = () => void app.workspaces.refresh().then((error) => setProblem(error?.message ?? ""));
  useEffect(refresh, [app, app.link.state.value.kind]);
  const all = app.workspaces.list.value.filter(({ projectId }) => app.projects.of(projectId));
  const old = all.filter((one) => one.old && !one.foreign && one.state === "ready");
  const review = onlyOld && old.length > 0;
  const shown = inOrder(review ? old : all);
  const projects = app.projects.list.value.filter(({ projectId }) =>
    shown.some((one) => one.projectId === projectId),
  );
  return (
    <main class="page workspaces" id="main">
      <div class="page-column">
        <div class="audit-head">
          <h1>Workspaces</h1>
          <IconButton icon="retry" label="Refresh" onClick={refresh} />
        </div>
        <p class="lead">Worktrees of your repositories: each session in its own, none in another's way.</p>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {old.length > 0 && (
          <p class="workspaces-old">
            <Icon name="clock" size={15} />
            <span class="grow">{unusedWords(old)}</span>
            <button type="button" class="link-button" onClick={() => setOnlyOld(!review)}>
              {review ? "Show all" : "Review…"}
            </button>
          </p>
        )}
        {app.workspaces.known.value && shown.length === 0 && (
          <div class="inbox-empty">
            <Icon name="branch" size={24} />
            <p>No worktrees yet. Choose “New worktree” where you begin a session.</p>
          </div>
        )}
        {projects.map((project) => (
          <section key={project.projectId} aria-label={`Worktrees of ${project.name}`}>
            <h2>{project.name}</h2>
            <ul class="card-list workspace-list">
              {shown
                .filter(({ projectId }) => projectId === project.projectId)
                .map((workspace) => (
                  <WorkspaceRow key={workspace.workspaceId} workspace={workspace} />
                ))}
            </ul>
          </section>
        ))}
      </div>
    </main>
  );
}

const kMenu: readonly CommandId[] = [
  "land",
  "push",
  "pull-request",
  "open-vscode",
  "open-cursor",
  "open-zed",
  "copy-path",
  "run-setup",
  "remove-workspace",
];

function WorkspaceRow({ workspace }: { workspace: Workspace }) {
  const app = useApp();
  const { workspaceId, path, branch, baseRef, foreign, state } = workspace;
  const about = { workspaceId };
  const name = branch ?? "No branch";
  const way = (id: CommandId) =>
    available(app, id, about) && (
      <button
        type="button"
        class="button small"
        aria-label={`${commands[id].label} ${name}`}
        onClick={() => run(app, id, about)}
      >
        {commands[id].label}
      </button>
    );
  return (
    <li class={`workspace-row is-${state} ${foreign ? "foreign" : ""}`}>
      <div class="workspace-head">
        <Icon name="branch" />
        <h3 class="workspace-name" title={path}>
          <bdi>{name}</bdi>
          {baseRef && (
            <span class="muted">
              {" "}
              → <bdi>{baseRef}</bdi>
            </span>
          )}
        </h3>
        <StateChip workspace={workspace} />
        <span class="grow" />
        {!foreign && (
          <span class="workspace-ways">
            {way("run-setup")}
            {way("restore-workspace")}
            {(workspace.dirty || workspace.ahead !== 0) && way("land")}
            {state !== "removed" && state !== "creating" && (
              <Menu label={`Menu of ${name}`} items={kMenu} about={about} />
            )}
          </span>
        )}
      </div>
      <Facts workspace={workspace} />
      {workspace.problem && <p class="problem said-words">{workspace.problem}</p>}
      <SessionLinks ids={workspace.sessionIds} />
    </li>
  );
}

function StateChip({ workspace: { state, progress, missing, foreign, setup } }: { workspace: Workspace }) {
  if (state === "creating")
    return (
      <span class="chip" role="status">
        <Working label="Being made" /> {progress ?? "Being made"}
      </span>
    );
  if (state === "failed") return <span class="chip chip-failed">could not be made</span>;
  if (state === "removed") return <span class="chip">removed</span>;
  if (missing) return <span class="chip chip-failed">folder is gone</span>;
  if (foreign)
    return (
      <span class="chip" title="Made by another program, or by hand: shown here and left alone">
        not made here
      </span>
    );
  if (setup === "running")
    return (
      <span class="chip">
        <Working label="Setup" /> setup runs
      </span>
    );
  if (setup === "failed") return <span class="chip chip-failed">setup failed</span>;
  return null;
}

function Facts({ workspace }: { workspace: Workspace }) {
  const app = useApp();
  const { dirty, bytes, ports, createdAt, removedAt, path } = workspace;
  const since = age(removedAt ?? createdAt, app.now.value);
  const when = since === "now" ? "just now" : `${since} ago`;
  const facts = [
    dirty === undefined ? "" : dirty ? "uncommitted changes" : "all committed",
    aheadWords(workspace),
    bytes === undefined ? "" : size(bytes),
    `${removedAt ? "removed" : "made"} ${when}`,
    ports && !removedAt ? `ports ${ports.first}–${ports.last}` : "",
  ].filter(Boolean);
  return (
    <p class="workspace-facts muted">
      {facts.map((fact, at) => (
        <span key={fact} class={fact === "uncommitted changes" ? "is-dirty" : ""}>
          {at > 0 && " · "}
          {fact}
        </span>
      ))}
      <span class="workspace-path" title={path}>
        {path}
      </span>
    </p>
  );
}

function SessionLinks({ ids }: { ids: readonly string[] }) {
  const app = useApp();
  void app.sessions.ids.value;
  const infos = ids.flatMap((id) => app.sessions.of(id)?.value ?? []);
  if (infos.length === 0) return null;
  return (
    <ul class="workspace-sessions" aria-label="Its sessions">
      {infos.map((info) => (
        <li key={info.sessionId}>
          <button
            type="button"
            class="workspace-session"
            onClick={() => app.nav.navigate({ page: "session", sessionId: info.sessionId })}
          >
            <AgentMark cliType={info.cliType} name={app.agents.of(info.cliType)?.name} />
            <bdi>{titleOf(info)}</bdi>
            <SessionState info={info} />
          </button>
        </li>
      ))}
    </ul>
  );
}
