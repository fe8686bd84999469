// The radar: which sessions change the same files as this one.
import { titleOf } from "../../state/tabs";
import { useApp } from "../context";
import { AgentMark } from "../faces";
import { Icon } from "../icons";
import { Working } from "../parts";
import { useAnswer } from "./answer";
import { Modal } from "./modal";
import { Paths } from "./paths";

export function Overlaps({ sessionId, close }: { sessionId: string; close: () => void }) {
  const app = useApp();
  // Asked again when another one joins.
  const key = app.sessions.of(sessionId)?.value.overlaps?.join() ?? "";
  const { value, error } = useAnswer(key, () =>
    app.api.call("GET /api/session/{sessionId}/overlaps", { sessionId }),
  );
  const title = titleOf(app.sessions.nameOf(sessionId));
  return (
    <Modal title="Also changed by others" onClose={close} class="workspace-dialog">
      <p class="muted">
        These sessions change the same files as <bdi>{title}</bdi>.
      </p>
      {error && (
        <p class="problem" role="alert">
          {error.message}
        </p>
      )}
      {!value && !error && <Working label="Loading" />}
      {value?.overlaps.length === 0 && <p>Nobody else changes the same files any more.</p>}
      {value && (
        <ul class="overlap-list">
          {value.overlaps.map((overlap) => {
            const info = app.sessions.of(overlap.sessionId)?.value;
            const known = app.sessions.nameOf(overlap.sessionId);
            return (
              <li key={overlap.sessionId}>
                <div class="overlap-head">
                  <AgentMark
                    cliType={known?.cliType ?? ""}
                    name={app.agents.of(known?.cliType ?? "")?.name ?? ""}
                  />
                  <button
                    type="button"
                    class="link-button overlap-open"
                    onClick={() => {
                      close();
                      app.nav.navigate({ page: "session", sessionId: overlap.sessionId });
                    }}
                  >
                    <bdi>{titleOf(known) || "Another session"}</bdi>
                  </button>
                  {info?.branch && <code class="muted">{info.branch}</code>}
                  <span class="grow" />
                  {overlap.conflicts ? (
                    <span class="chip chip-failed">
                      <Icon name="alert" size={12} /> does not merge
                    </span>
                  ) : (
                    <span class="chip">merges so far</span>
                  )}
                </div>
                <Paths paths={overlap.paths} label={`Files also changed by ${titleOf(known)}`} />
              </li>
            );
          })}
        </ul>
      )}
    </Modal>
  );
}
