// What was put away: to be read, or to be brought back.
import { archiveSession, readArchived } from "../../actions/sessions";
import { age } from "../../format";
import { titleOf } from "../../state/tabs";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Icon } from "../icons";

export function ArchivePage() {
  const app = useApp();
  return (
    <main class="page archive" id="main">
      <div class="page-column">
        <h1>Archived sessions</h1>
        {app.sessions.archived.value.length === 0 && (
          <div class="inbox-empty">
            <Icon name="archive" size={24} />
            <p>Nothing is archived.</p>
            <p class="muted">
              Archive a session from its menu: it leaves the list and can be brought back here.
            </p>
          </div>
        )}
        <ul class={app.sessions.archived.value.length > 0 ? "card-list" : ""}>
          {app.sessions.archived.value.map((info) => (
            <li key={info.sessionId} class="card-row">
              <AgentMark cliType={info.cliType} name={app.agents.of(info.cliType)?.name} />
              <span class="card-title">
                <bdi>{titleOf(info)}</bdi>
                <span class="muted">
                  {app.projects.of(info.projectId)?.name} · {age(info.lastActiveAt, app.now.value)}
                </span>
              </span>
              <button type="button" class="button small" onClick={() => readArchived(app, info)}>
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
