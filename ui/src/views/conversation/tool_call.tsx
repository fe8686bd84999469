// A tool call as a developer wants to see it: what it does, how it goes, and on demand everything.
import { plainText } from "../../ansi";
import { unwrapped } from "../../asked";
import { duration, within } from "../../format";
import { narrow } from "../../narrow";
import { onOneLine, visible } from "../../reveal";
import { isFinal, type Timeline } from "../../state/timeline";
import type { Item } from "../../wire";
import { fold, useApp } from "../context";
import { Icon, type IconName } from "../icons";
import { useDialogs } from "../later";
import { ItemView } from "./items";
import { DiffStat, DiffView, useDiff } from "./diff_view";
import { PlaceLink, useRoot } from "./places";
import { Revealed } from "./revealed";
import { StateMark, Working } from "../parts";
import { begunAt, stoppedHow, toldToStop, waitsBehind, wasRejected } from "./call_state";

export type ToolCall = Extract<Item, { type: "tool_call" }>;

const icons: Record<string, IconName> = {
  read: "file",
  edit: "edit",
  delete: "trash",
  move: "move",
  search: "search",
  execute: "terminal",
  think: "brain",
  fetch: "globe",
  other: "tool",
};

/** What a tool does, where neither its title nor its name says more than its argument. */
const kindVerbs: Record<string, string> = {
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Search",
  execute: "Run",
  fetch: "Fetch",
};

/** The argument that says most, for the one line that is always visible. Nothing is said twice. */
export function headline(item: ToolCall, root = ""): { verb: string; what: string } {
  const args = (item.toolArguments as Record<string, unknown> | undefined) ?? {};
  const first = ["command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt"]
    .map((key) => args[key])
    .find((value) => typeof value === "string" || Array.isArray(value));
  const what = within(
    root,
    Array.isArray(first)
      ? unwrapped(first.map(String))
      : ((first as string | undefined) ?? item.locations?.[0]?.path ?? item.diffs?.[0]?.path ?? ""),
  );
  const short = (text: string) => (root === "" ? text : text.replaceAll(`${root}/`, ""));
  const repeats = (text: string) => what !== "" && what.startsWith(text.replace(/…$/, ""));
  const title = short(item.title ?? "");
  const name = title === "" || repeats(title) ? short(item.toolName) : title;
  if (repeats(name)) return { verb: kindVerbs[item.kind ?? ""] ?? "Tool", what };
  return { verb: name, what: name.includes(what) ? "" : what };
}

/** Why it failed, unless its turn failed for the same reason: that is said once, where the turn ends. */
export function ownProblem(
  timeline: Timeline,
  item: { turnId: string; errorMessage?: string },
): string | undefined {
  const turn = timeline.turn(item.turnId)?.value;
  return turn?.type === "turn_error" && turn.errorMessage === item.errorMessage
    ? undefined
    : item.errorMessage;
}

function StateIcon({ item, timeline }: { item: ToolCall; timeline: Timeline }) {
  if (!isFinal(item) && timeline.approvalOf(item.callId)?.state === "pending")
    return <StateMark state="needs" label="Waits for your answer" />;
  if (!isFinal(item) && waitsBehind(timeline, item))
    return <EndMark look="muted" icon="clock" name="Waits its turn" />;
  if (!isFinal(item)) return <Working label="Running" />;
  if (wasRejected(timeline, item)) return <EndMark look="muted" icon="refused" name="Rejected" />;
  if (item.status === "cancelled") return <EndMark look="muted" icon="stop" name="Stopped" />;
  if (item.status === "error" || item.toolOutputIsError)
    return <EndMark look="failed" icon="close" name="Failed" />;
  return <EndMark look="done" icon="check" name="Done" />;
}

function EndMark({ look, icon, name }: { look: string; icon: IconName; name: string }) {
  return (
    <span class={`state ${look}`} title={name}>
      <Icon name={icon} size={icon === "stop" ? 12 : 14} />
      <span class="visually-hidden">{name}</span>
    </span>
  );
}

function Took({ item, timeline }: { item: ToolCall; timeline: Timeline }) {
  const app = useApp();
  const begun = begunAt(timeline, item);
  if (begun === undefined) return null;
  if (isFinal(item)) {
    const ms = item.endedAt ? Date.parse(item.endedAt) - begun : 0;
    return ms >= 100 ? <span class="took">{duration(ms)}</span> : null;
  }
  // Without the server nobody knows whether it still runs.
  if (app.link.state.value.kind !== "online") return null;
  const ms = app.now.value - begun;
  return ms >= 2000 ? <span class="took">{duration(ms)}</span> : null;
}

export function ToolCallView({ item }: { item: ToolCall }) {
  const app = useApp();
  const timeline = app.timelines.of(item.sessionId);
  const children = timeline
    .childrenOf(item.callId)
    .filter((id) => timeline.item(id)?.peek().type !== "approval");
  const hasDiff = (item.diffs?.length ?? 0) > 0;
  // While it is asked about, the question shows what it would change.
  const waits = !isFinal(item) && timeline.approvalOf(item.callId)?.state === "pending";
  const waiting = waits || waitsBehind(timeline, item);
  const { open, toggle } = fold(`tool:${item.sessionId}:${item.itemId}`, hasDiff && !waits);
  const views = useDialogs(open);
  const rejected = wasRejected(timeline, item);
  const root = useRoot(item.sessionId);
  const { verb, what } = headline(item, root);
  const own = ownProblem(timeline, item);
  const stopped = item.status === "cancelled";
  const problem = own ?? (item.toolOutputIsError && !stopped ? saidLine(item) : undefined);
  return (
    <section
      class={`tool tool-${rejected ? "rejected" : item.status} ${open ? "open" : ""}`}
      aria-label={`Tool ${visible(verb)}`}
    >
      <button type="button" class="tool-head" aria-expanded={open} onClick={toggle}>
        <Icon name={children.length > 0 ? "agent" : (icons[item.kind ?? "other"] ?? "tool")} size={15} />
        <span class="verb">
          <bdi>
            <Revealed text={onOneLine(verb).slice(0, 200)} />
          </bdi>
        </span>
        {what !== "" && (
          <code class="what" title={visible(what).slice(0, 2000)}>
            <bdi>
              <Revealed text={oneLine(what)} />
            </bdi>
          </code>
        )}
        {hasDiff && item.diffs!.length === 1 && <Stat diff={item.diffs![0]!} />}
        {children.length > 0 && <span class="chip">{children.length} steps</span>}
        {item.exitCode !== undefined && item.exitCode !== 0 && (
          <span class="chip chip-failed">exit {item.exitCode}</span>
        )}
        <span class="grow" />
        <Took item={item} timeline={timeline} />
        <StateIcon item={item} timeline={timeline} />
        <Icon name="chevron" size={12} />
      </button>
      {problem && !open && !rejected && <p class="tool-problem">{problem}</p>}
      {open && (
        <div class="tool-body">
          <Details item={item} root={root} shown={what} />
          {own && <p class="tool-problem">{own}</p>}
          {item.diffs?.map((diff) => (
            <DiffView
              key={diff.path}
              id={`${item.sessionId}:${item.itemId}`}
              diff={diff}
              root={root}
              bare={item.diffs!.length === 1}
            />
          ))}
          {children.length > 0 && (
            <div class="subagent">
              {children.map((id) => {
                const child = timeline.item(id);
                return child && <ItemView key={id} item={child} />;
              })}
            </div>
          )}
          {stopped && <p class="muted">{stoppedHow(item)}</p>}
          {!hasDiff && item.toolOutput !== undefined && !toldToStop(item) && views && (
            <views.Output
              sessionId={item.sessionId}
              itemId={item.itemId}
              text={item.toolOutput}
              size={item.outputBytes}
              isError={!rejected && !stopped && (item.toolOutputIsError ?? item.status === "error")}
            />
          )}
          {item.toolOutput === undefined && !stopped && !hasDiff && children.length === 0 && (
            <p class="muted">{isFinal(item) ? "No output." : waiting ? "Not begun." : "Running…"}</p>
          )}
        </div>
      )}
    </section>
  );
}

function Stat({ diff }: { diff: NonNullable<ToolCall["diffs"]>[number] }) {
  return <DiffStat {...useDiff(diff)} />;
}

/** A line that the head shows as a whole, and in which nothing can hide. */
const fitsHead = (text: string) => !narrow.matches && /^[\x20-\x7e]{1,60}$/.test(text);

/** The arguments: a command as it was run, files as links, anything else as JSON; `shown` stands in the head. */
function Details({ item, root, shown }: { item: ToolCall; root: string; shown: string }) {
  const args = item.toolArguments as Record<string, unknown> | undefined;
  const command = args?.["command"] ?? args?.["cmd"];
  if (typeof command === "string" && command === shown && fitsHead(command)) return null;
  if (typeof command === "string" || Array.isArray(command))
    return (
      <pre class="command" tabIndex={0} aria-label="Command">
        <span class="prompt" aria-hidden="true">
          ${" "}
        </span>
        <Revealed text={Array.isArray(command) ? command.join(" ") : command} words />
      </pre>
    );
  // Several diffs name their files themselves.
  const places = (item.diffs?.length ?? 0) > 1 ? [] : (item.locations ?? []);
  const named = places.length > 0 ? places : item.diffs?.length === 1 ? [{ path: item.diffs[0]!.path }] : [];
  if (named.length > 0)
    return (
      <ul class="places">
        {named.map((place) => (
          <li key={`${place.path}:${place.line}`}>
            <PlaceLink place={place} root={root} />
          </li>
        ))}
      </ul>
    );
  if (item.diffs?.length || !args || Object.keys(args).length === 0) return null;
  return (
    <pre class="arguments" tabIndex={0} aria-label="Arguments">
      <Revealed text={JSON.stringify(args, null, 2)} />
    </pre>
  );
}

/** A path tells most at its end, anything else at its beginning. */
const kLongestPath = 72;
export const oneLine = (text: string) =>
  /^[^\s"'|&;]*\/[^\s"'|&;]*$/.test(text) && !/^\w+:/.test(text) && text.length > kLongestPath
    ? `…${text.slice(-kLongestPath)}`
    : onOneLine(text).slice(0, 200);

/**
 * What went wrong, in a line and without the colours of a terminal: commands tell it at their end, others at once.
 */
function saidLine(item: ToolCall): string | undefined {
  const text = (item.toolOutput ?? "").trim();
  const atEnd = item.kind === "execute";
  const lines = plainText(atEnd ? text.slice(-4000) : text.slice(0, 4000))
    .split("\n")
    .map((line) => line.trim());
  return (atEnd ? lines.findLast((line) => line !== "") : lines.find((line) => line !== ""))?.slice(0, 300);
}
