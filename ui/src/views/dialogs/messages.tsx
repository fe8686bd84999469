// What the page has said: errors that left the screen, and what can still be done about them.
import { useEffect } from "preact/hooks";
import { clockTime } from "../../format";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Modal } from "./modal";

export function Messages({ close }: { close: () => void }) {
  const app = useApp();
  const kept = app.toasts.kept.value;
  useEffect(() => app.toasts.look(), [kept]);
  return (
    <Modal title="Messages" onClose={close}>
      {kept.length === 0 && <p class="muted">Nothing went wrong since this page was opened.</p>}
      <ul class="kept-messages">
        {[...kept].reverse().map((toast) => (
          <li key={toast.id} class={toast.kind}>
            <Icon name={toast.kind === "error" ? "alert" : "check"} />
            <p>{toast.text}</p>
            <time class="age" dateTime={toast.at}>
              {clockTime(toast.at)}
            </time>
            {toast.action && (
              <button
                type="button"
                class="button small"
                onClick={() => {
                  close();
                  app.toasts.act(toast);
                }}
              >
                {toast.action.label}
              </button>
            )}
          </li>
        ))}
      </ul>
      <footer class="modal-foot">
        {kept.length > 0 && (
          <button type="button" class="button apart" onClick={() => app.toasts.clear()}>
            Clear
          </button>
        )}
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </footer>
    </Modal>
  );
}
