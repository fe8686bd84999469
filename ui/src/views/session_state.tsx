// The state of a session at the end of its row.
import { age } from "../format";
import { stateNames, stateOf } from "../glance";
import type { SessionInfo } from "../wire";
import { useApp } from "./context";
import { StateMark, Working } from "./parts";

export function SessionState({ info }: { info: SessionInfo }) {
  const app = useApp();
  const state = stateOf(info);
  if (state === "needs") return <span class="state-label needs">needs you</span>;
  if (state === "failed") return <span class="state-label failed">failed</span>;
  if (state === "working") return <Working />;
  return (
    <>
      {info.unread ? (
        <StateMark state="done" label="Unread" />
      ) : (
        state === "review" && <StateMark state={state} label={stateNames[state]} />
      )}
      <time class="age" dateTime={info.lastActiveAt}>
        {age(info.lastActiveAt, app.now.value)}
      </time>
    </>
  );
}
