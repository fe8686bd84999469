// Below the message: what the agent may do, which model it is, how full its context is.
import { setMode, setModel, setThinking } from "../../actions/running";
import { cost, count } from "../../format";
import type { Timeline } from "../../state/timeline";
import { Choice, isSearched } from "../choice";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Confined } from "../parts";

/** Mode, model and thinking as the agent offers them. The mode is always visible, also when it cannot be changed. */
export function Switches({ timeline }: { timeline: Timeline }) {
  const app = useApp();
  const { modes, mode, models, model, thinkingLevels, thinking } = timeline.facts.value;
  const select = (
    label: string,
    choices: typeof modes,
    value: string | undefined,
    change: (id: string) => void,
  ) => {
    if (!choices?.length)
      return value ? (
        <span class="chip" title={label}>
          {value}
        </span>
      ) : null;
    const risky = label === "Permission mode" && /bypass|yolo|full|dangerous/i.test(value ?? "");
    const choice = <Choice label={label} options={choices} value={value} onChange={change} />;
    if (isSearched(choices)) return <span class="switch">{choice}</span>;
    return (
      <label class={`switch ${risky ? "risky" : ""}`} title={label}>
        {choice}
        <Icon name="down" size={12} />
      </label>
    );
  };
  return (
    <>
      {app.sessions.of(timeline.sessionId)?.value.confined && <Confined />}
      {select("Permission mode", modes, mode, (id) => void setMode(app, timeline.sessionId, id))}
      {select("Model", models, model, (id) => void setModel(app, timeline.sessionId, id))}
      {thinkingLevels &&
        thinkingLevels.length > 0 &&
        select("Thinking", thinkingLevels, thinking, (id) => void setThinking(app, timeline.sessionId, id))}
    </>
  );
}

/** What the session has cost so far; each turn says its own below itself. */
export function SessionCost({ timeline }: { timeline: Timeline }) {
  const { costUsd, usage } = timeline.facts.value;
  if (costUsd === undefined || costUsd <= 0) return null;
  const tokens = usage ? `, ${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out` : "";
  const words = `This session has cost ${cost(costUsd)} so far${tokens}`;
  return (
    <span class="session-cost" title={words}>
      <span class="visually-hidden">{words}</span>
      <span aria-hidden="true">{cost(costUsd)}</span>
    </span>
  );
}

export function ContextUse({ timeline }: { timeline: Timeline }) {
  const { context } = timeline.facts.value;
  if (!context || context.size === 0 || context.used === 0) return null;
  const share = Math.min(1, context.used / context.size);
  const percent = `${Math.round(share * 100)} %`;
  const words = `${percent} of the agent's context is used: ${count(context.used)} of ${count(context.size)} tokens`;
  return (
    <span class={`context ${share > 0.85 ? "full" : ""}`} title={words}>
      <span class="visually-hidden">{words}</span>
      <span class="context-word" aria-hidden="true">
        Context
      </span>
      <meter min={0} max={1} value={share} aria-hidden="true" />
      <span aria-hidden="true">{percent}</span>
    </span>
  );
}
