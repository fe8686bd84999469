// What waits for the user over all sessions.
import { useEffect, useState } from "preact/hooks";
import { sendAgain } from "../../actions/messages";
import { lastFailure, type Failure } from "../../actions/lately";
import { jumpTo } from "../../actions/reading";
import { dismissFailure } from "../../actions/running";
import { age } from "../../format";
import type { SessionInfo } from "../../wire";
import { useApp } from "../context";
import { ApprovalView } from "../conversation";
import { AgentMark } from "../faces";
import { Icon } from "../icons";
import { Commands } from "../remedy";
import { titleOf } from "../../state/tabs";

/** Everything that waits for the user, over all sessions, answerable in place. */
export function InboxPage() {
  const app = useApp();
  const failed = app.sessions.failed.value;
  return (
    <main class="page inbox" id="main">
      <div class="page-column">
        <h1>Inbox</h1>
        {app.inbox.waiting.value.length + failed.length === 0 && (
          <div class="inbox-empty">
            <Icon name="check" size={24} />
            <p>Nobody waits for you.</p>
            <p class="muted">Approvals, questions and failures of all sessions appear here.</p>
          </div>
        )}
        {app.inbox.waiting.value.map(({ sessionId, title, item }) => {
          const info = app.sessions.of(sessionId)?.value;
          return (
            <section key={item.itemId} class="inbox-item">
              <button
                type="button"
                class="inbox-from"
                onClick={() => void jumpTo(app, sessionId, item.itemId)}
              >
                <AgentMark cliType={info?.cliType ?? ""} name={app.agents.of(info?.cliType ?? "")?.name} />
                <strong>
                  <bdi>{titleOf({ title })}</bdi>
                </strong>
                <span class="muted">
                  {app.projects.of(info?.projectId ?? "")?.name} · {age(item.startedAt, app.now.value)}
                </span>
                <Icon name="chevron" size={12} />
              </button>
              <ApprovalView item={item} alone />
            </section>
          );
        })}
        {failed.length > 1 && (
          <div class="inbox-rest">
            <h2>Failed {failed.length}</h2>
            <button
              type="button"
              class="button small"
              onClick={() => failed.forEach((info) => void dismissFailure(app, info.sessionId))}
            >
              Dismiss all
            </button>
          </div>
        )}
        {failed.map((info) => (
          <FailedCard key={info.sessionId} info={info} />
        ))}
      </div>
    </main>
  );
}

/** A turn that failed while nobody looked: why, and what can be done about it from here. */
function FailedCard({ info }: { info: SessionInfo }) {
  const app = useApp();
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    lastFailure(app, info.sessionId).then(
      (found) => {
        if (!gone) setFailure(found);
      },
      () => {}, // The card still says that it failed, and opens.
    );
    return () => {
      gone = true;
    };
  }, [info.sessionId, info.lastActiveAt]);
  const prompt = failure?.prompt;
  return (
    <section class="inbox-item failed-item">
      <button
        type="button"
        class="inbox-from"
        onClick={() => app.nav.navigate({ page: "session", sessionId: info.sessionId })}
      >
        <AgentMark cliType={info.cliType} name={app.agents.of(info.cliType)?.name} />
        <strong>
          <bdi>{titleOf(info)}</bdi>
        </strong>
        <span class="state-label failed">failed</span>
        <span class="muted">
          {app.projects.of(info.projectId)?.name} · {age(info.lastActiveAt, app.now.value)}
        </span>
        <Icon name="chevron" size={12} />
      </button>
      <div class="failed-body">
        <p class="failed-why">
          <Commands text={failure?.turn.errorMessage ?? "The turn did not end well."} />
        </p>
        <div class="approval-actions">
          {prompt && (
            <button type="button" class="button" onClick={() => sendAgain(app, info.sessionId, prompt)}>
              <Icon name="retry" size={14} />
              Retry
            </button>
          )}
          <button type="button" class="button" onClick={() => void dismissFailure(app, info.sessionId)}>
            Dismiss
          </button>
        </div>
      </div>
    </section>
  );
}
