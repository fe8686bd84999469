// How much of an account's limits is used, as its agent told it.
import { clockTime } from "../format";
import type { AccountLimit } from "../wire";
import { useApp } from "./context";

/** From here on it is worth a place beside the message. */
const kNear = 0.75;

/** Those that still hold: a window that began anew says nothing until the agent tells of it. */
function holding(limits: readonly AccountLimit[] | undefined, now: number): readonly AccountLimit[] {
  return (limits ?? []).filter(({ resetsAt }) => !resetsAt || Date.parse(resetsAt) > now);
}

/** When it begins anew is worth its room where not much is left. */
function limitWords({ name, used, resetsAt, reached }: AccountLimit): string {
  const share = reached ? "limit reached" : `${Math.round(used * 100)} % used`;
  return `${name}: ${share}${resetsAt && used >= kNear ? `, resets ${clockTime(resetsAt)}` : ""}`;
}

/** All of them, below an agent. */
export function Limits({ limits }: { limits: readonly AccountLimit[] | undefined }) {
  const app = useApp();
  const shown = holding(limits, app.now.value);
  if (shown.length === 0) return null;
  return (
    <ul class="limits" aria-label="Limits of the account">
      {shown.map((limit) => (
        <li key={limit.window} class={limit.reached || limit.used >= 0.9 ? "full" : ""}>
          <meter min={0} max={1} value={limit.used} aria-hidden="true" />
          <span title={limit.resetsAt && `Resets ${clockTime(limit.resetsAt)}`}>{limitWords(limit)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The fullest, where it is near enough to matter. */
export function NearLimit({ limits }: { limits: readonly AccountLimit[] | undefined }) {
  const app = useApp();
  const near = holding(limits, app.now.value)
    .filter(({ used, reached }) => reached || used >= kNear)
    .sort((a, b) => b.used - a.used)[0];
  if (!near) return null;
  return (
    <p class={`near-limit ${near.reached || near.used >= 0.9 ? "full" : ""}`} role="status">
      Limit of the account, {limitWords(near)}
    </p>
  );
}
