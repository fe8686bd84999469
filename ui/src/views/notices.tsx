// What the page has to say, in the head: there it covers no control, and moves nothing when it comes or goes.
import type { ComponentChildren } from "preact";
import { run } from "../commands/table";
import type { Toast } from "../state/types";
import { useApp } from "./context";
import { Icon, type IconName } from "./icons";
import { IconButton } from "./parts";

/** A message while it is new; else what is so for longer: no link, a page that is too old, something that was not sent. */
export function Notice() {
  const app = useApp();
  const toast = app.toasts.shown.value;
  const link = app.link.state.value.kind;
  if (toast) return <ToastView key={toast.id} toast={toast} />;
  if (app.version.reloadNeeded.value)
    return (
      <Banner icon="retry" text="The server was updated.">
        <button type="button" class="button small" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Banner>
    );
  if (link === "offline" || (link === "connecting" && app.projects.known.value))
    return (
      <Banner
        icon="alert"
        kind="warn"
        text="Not connected. Trying again… What you send waits here until then."
      >
        <button type="button" class="button small" onClick={() => app.link.retryNow()}>
          Try now
        </button>
      </Banner>
    );
  return <Unsent />;
}

/** Messages that were not sent and stand in no conversation on screen: nobody has to go looking for them. */
function Unsent() {
  const app = useApp();
  const elsewhere = app.outbox.failed.value.filter((entry) => entry.sessionId !== app.nav.session.value);
  if (elsewhere.length === 0) return null;
  const text =
    elsewhere.length === 1 ? "A message was not sent." : `${elsewhere.length} messages were not sent.`;
  return (
    <Banner icon="alert" kind="warn" text={text}>
      <button type="button" class="button small" onClick={() => app.nav.openDialog({ kind: "unsent" })}>
        Show
      </button>
    </Banner>
  );
}

function Banner({
  icon,
  text,
  kind = "",
  children,
}: {
  icon: IconName;
  text: string;
  kind?: string;
  children: ComponentChildren;
}) {
  return (
    <div class={`notice banner ${kind}`} role="status" title={text}>
      <Icon name={icon} />
      <span class="notice-text">{text}</span>
      {children}
    </div>
  );
}

/** It stays as long as a pointer or the focus is on it. */
function ToastView({ toast }: { toast: Toast }) {
  const { toasts } = useApp();
  const hold = () => toasts.hold();
  const release = () => toasts.release();
  return (
    <div
      class={`notice toast ${toast.kind}`}
      role={toast.kind === "error" ? "alert" : "status"}
      title={toast.text}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      <Icon name={toast.kind === "error" ? "alert" : "check"} />
      <span class="notice-text">{toast.text}</span>
      {toast.action && (
        <button type="button" class="button small" onClick={() => toasts.act(toast)}>
          {toast.action.label}
        </button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={() => toasts.dismiss()} />
    </div>
  );
}

/** The way to what was said before; a number says what went wrong since one looked. */
export function MessagesButton() {
  const app = useApp();
  const { unseen, kept } = app.toasts;
  if (kept.value.length === 0) return null;
  const failed = kept.value.some(({ kind }) => kind === "error");
  const label = unseen.value > 0 ? `Messages: ${unseen.value} new` : "Messages";
  return (
    <span class="messages-button">
      <IconButton icon={failed ? "alert" : "list"} label={label} onClick={() => run(app, "messages")} />
      {unseen.value > 0 && (
        <span class="badge failed" aria-hidden="true">
          {unseen.value}
        </span>
      )}
    </span>
  );
}
