// The page of logins and of the audit trail: who can use this server, and who decided what and from where.
import { useEffect, useState } from "preact/hooks";
import { endLogin, readLogins, readTrail, type Trail } from "../../actions/audit";
import { jumpTo } from "../../actions/reading";
import { byWhom, loginName, place, told } from "../../audit";
import { age, clockTime } from "../../format";
import { titleOf } from "../../state/tabs";
import type { AuditEntry, Login } from "../../wire";
import { useApp } from "../context";
import { Revealed } from "../conversation/revealed";
import { Icon } from "../icons";
import { IconButton } from "../parts";

export function AuditPage() {
  const app = useApp();
  const [logins, setLogins] = useState<readonly Login[] | undefined>(undefined);
  const [trail, setTrail] = useState<Trail | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const failed = (error: unknown) => setProblem(error instanceof Error ? error.message : String(error));
  const refresh = () => {
    setProblem("");
    readLogins(app).then(setLogins, failed);
    readTrail(app).then(setTrail, failed);
  };
  useEffect(refresh, [app, app.link.state.value.kind]);
  const older = () => void readTrail(app, trail).then(setTrail, failed);
  return (
    <main class="page audit" id="main">
      <div class="page-column">
        <div class="audit-head">
          <h1>Logins and audit trail</h1>
          <IconButton icon="retry" label="Refresh" onClick={refresh} />
        </div>
        <p class="lead">Who can use this server, and who decided what.</p>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <h2>Logins</h2>
        {logins && (
          <ul class="card-list" aria-label="Logins">
            {order(logins).map((login) => (
              <LoginRow key={login.loginId} login={login} end={() => endLogin(app, login, refresh)} />
            ))}
          </ul>
        )}
        <h2>Audit trail</h2>
        {trail?.entries.length === 0 && <p class="muted">Nothing yet.</p>}
        {trail && (
          <ul class="card-list" aria-label="Audit trail">
            {trail.entries.map((entry) => (
              <TrailRow key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
        {trail?.before !== undefined && (
          <button type="button" class="button audit-older" onClick={older}>
            Show older
          </button>
        )}
      </div>
    </main>
  );
}

/** What needs a look first; then this browser; then the newest. */
function order(logins: readonly Login[]): Login[] {
  const rank = ({ origin, current }: Login) =>
    origin === "unknown" ? 0 : current ? 1 : origin === "token" ? 3 : 2;
  return [...logins].reverse().sort((a, b) => rank(a) - rank(b));
}

function LoginRow({ login, end }: { login: Login; end: () => void }) {
  const app = useApp();
  const unknown = login.origin === "unknown";
  const name = loginName(login);
  return (
    <li class={`audit-row ${unknown ? "audit-unknown tone-bad" : ""}`}>
      <Icon name={unknown ? "alert" : login.origin === "token" ? "terminal" : "globe"} />
      <div class="audit-words">
        <span class="audit-what">
          <strong>{name}</strong>
          {login.current && <span class="chip">This browser</span>}
        </span>
        <span class="muted">{unknown ? kUnknown : aboutLogin(login, app.now.value)}</span>
      </div>
      {login.origin !== "token" && (
        <button
          type="button"
          class={`button small ${unknown ? "danger" : ""}`}
          aria-label={`${unknown ? "Remove" : "Log out"}: ${name}`}
          onClick={end}
        >
          {unknown ? "Remove" : "Log out"}
        </button>
      )}
    </li>
  );
}

const kUnknown =
  "Somebody wrote it into the server's file of logins (grants). It lets nobody in. Find out which program did that.";

function aboutLogin(login: Login, now: number): string {
  const from = login.address === undefined ? "" : ` from ${place(login.address)}`;
  const seen = login.lastSeenAt && age(login.lastSeenAt, now);
  return [
    login.origin === "token" ? "A bearer from the server's environment" : "",
    login.issuedAt ? `Logged in ${clockTime(login.issuedAt)}${from}` : "",
    seen === undefined
      ? "Not used since the server started"
      : `Used ${seen === "now" ? "now" : `${seen} ago`}`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function TrailRow({ entry }: { entry: AuditEntry }) {
  const app = useApp();
  const { icon, tone, words } = told(entry);
  const { sessionId, itemId } = entry;
  const known = sessionId !== undefined && app.sessions.of(sessionId) !== undefined;
  const title = titleOf({ title: entry.sessionTitle ?? "" });
  const other = entry.kind === "login_ended" && entry.loginId !== entry.by.id;
  return (
    <li class={`audit-row ${tone && `tone-${tone}`}`}>
      <Icon name={icon} />
      <div class="audit-words">
        <span class="audit-what">
          <strong>
            <Revealed text={words} />
            {other && `: ${entry.loginName ?? "a login that this server did not issue"}`}
            {entry.times !== undefined && ` (${entry.times} times)`}
          </strong>
          {entry.title !== undefined && (
            <span class="audit-title">
              <Revealed text={entry.title} />
            </span>
          )}
        </span>
        <span class="muted">
          {[byWhom(entry), entry.why].filter((part) => part).join(" · ")}
          {sessionId !== undefined && (
            <>
              {" · "}
              {known ? (
                <button
                  type="button"
                  class="link-button"
                  onClick={() =>
                    itemId
                      ? void jumpTo(app, sessionId, itemId)
                      : app.nav.navigate({ page: "session", sessionId })
                  }
                >
                  <bdi>{title}</bdi>
                </button>
              ) : (
                <bdi>{title}</bdi>
              )}
            </>
          )}
        </span>
      </div>
      <time class="muted" dateTime={entry.at}>
        {clockTime(entry.at)}
      </time>
    </li>
  );
}
