// The list of offers above the message: commands of the agent, files of the project (found by the server). It comes with
// the dialogs.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { complete, rank, triggerAt, type Trigger } from "../../completion";
import { visible } from "../../reveal";
import type { App } from "../../state/app";
import type { Timeline } from "../../state/timeline";
import type { Command } from "../../wire";
import { useApp } from "../context";
import { Revealed } from "./revealed";

/** Enough to look through: the list scrolls, and typing on says it better. */
const kFiles = 40;
/** How far Page Up and Page Down go: about what is seen at once. */
const kPage = 7;
const kListId = "completion-list";

interface Offer {
  value: string;
  label: string;
  detail?: string;
}

/** Of a session that does not exist yet its agent's commands are known from the last one. */
function commandsOf(app: App, { sessionId, facts }: Timeline): readonly Command[] {
  const { cliType } = app.sessions.creating.value.get(sessionId) ?? {};
  return facts.value.commands ?? app.prefs.known.value[cliType ?? ""]?.commands ?? [];
}

function offersFor(
  now: Trigger | undefined,
  files: readonly Offer[],
  commands: readonly Command[],
): readonly Offer[] {
  if (!now) return [];
  if (now.kind === "file") return files;
  return rank(now.query, commands, (command) => command.name).map((command) => ({
    value: command.name,
    label: `/${command.name}`,
    detail: command.description,
  }));
}

const kSteps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: kPage,
  PageUp: -kPage,
};

/** What the field that is written in tells the list. */
export interface Completing {
  update(): void;
  close(): void;
  /** Whether the key was for the list. */
  onKey(event: KeyboardEvent): boolean;
}

export function Completion({
  timeline,
  input,
  completing,
}: {
  timeline: Timeline;
  input: { readonly current: HTMLTextAreaElement | null };
  completing: { current: Completing | undefined };
}) {
  const app = useApp();
  const trigger = useSignal<Trigger | undefined>(undefined);
  const files = useSignal<readonly Offer[]>([]);
  const selected = useSignal(0);
  const abort = useRef<AbortController>(undefined);
  const shown = useRef<HTMLUListElement>(null);
  const offers = offersFor(trigger.value, files.value, commandsOf(app, timeline));

  const update = () =>
    queueMicrotask(() => {
      const element = input.current;
      if (!element) return; // The session was closed in this moment.
      const now = triggerAt(element.value, element.selectionStart);
      if (now?.query !== trigger.peek()?.query || now?.kind !== trigger.peek()?.kind) selected.value = 0;
      trigger.value = now;
      if (now?.kind === "file") void findFiles(now.query);
    });
  const findFiles = async (query: string) => {
    const info = app.sessions.of(timeline.sessionId)?.peek();
    const projectId = info?.projectId ?? app.sessions.creating.peek().get(timeline.sessionId)?.projectId;
    const apart = info?.workspaceId === undefined ? {} : { workspaceId: info.workspaceId };
    if (!projectId) return;
    abort.current?.abort();
    abort.current = new AbortController();
    try {
      const found = await app.api.call(
        "GET /api/project/{projectId}/files",
        { projectId, ...apart, q: query, limit: kFiles },
        abort.current.signal,
      );
      files.value = found.files.map(({ path }) => ({ value: path, label: path }));
    } catch {
      /* A newer question replaced this one, or there is no answer: nothing to offer. */
    }
  };
  const close = () => {
    trigger.value = undefined;
    files.value = [];
  };
  const choose = (offer: Offer) => {
    const element = input.current!;
    const done = complete(element.value, trigger.peek()!, offer.value);
    app.drafts.set(timeline.sessionId, done.text);
    close();
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(done.cursor, done.cursor);
    });
  };
  const open = offers.length > 0;
  const onKey = (event: KeyboardEvent): boolean => {
    if (!open) return false;
    // A command typed to its end is meant as it stands: Enter sends it.
    const whole =
      trigger.peek()?.kind === "command" && offers[selected.peek()]?.value === trigger.peek()?.query;
    if (event.key === "Enter" && whole) {
      close();
      return false;
    }
    const step = kSteps[event.key];
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (step !== undefined && plain)
      selected.value = Math.min(offers.length - 1, Math.max(0, selected.peek() + step));
    else if (event.key === "Enter" || event.key === "Tab") choose(offers[selected.peek()] ?? offers[0]!);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  useLayoutEffect(() => {
    shown.current?.children[selected.value]?.scrollIntoView?.({ block: "nearest" });
  }, [selected.value, offers.length]);
  const active = open ? `offer-${selected.value}` : undefined;
  useLayoutEffect(() => {
    const field = input.current!;
    for (const [name, value] of [
      ["aria-controls", open ? kListId : undefined],
      ["aria-activedescendant", active],
    ] as const)
      if (value) field.setAttribute(name, value);
      else field.removeAttribute(name);
  }, [open, active]);
  useLayoutEffect(() => {
    completing.current = { update, close, onKey };
  });
  if (!open) return null;
  return (
    <ul
      ref={shown}
      class="completion"
      id={kListId}
      role="listbox"
      aria-label={trigger.value?.kind === "file" ? "Files" : "Commands"}
    >
      {offers.map((offer, index) => (
        <li
          key={offer.value}
          id={`offer-${index}`}
          role="option"
          aria-selected={index === selected.value}
          title={offer.detail && visible(offer.detail)}
          onPointerDown={(event) => {
            event.preventDefault();
            choose(offer);
          }}
        >
          <bdi>
            <Revealed text={offer.label} />
          </bdi>
          {offer.detail && (
            <span class="muted">
              <Revealed text={offer.detail} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
