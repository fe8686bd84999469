// The open sessions. Arrow keys move between tabs, Ctrl+Shift+arrows move the tab itself, Delete closes it.
import { useEffect, useRef, useState } from "preact/hooks";
import { withKeys } from "../commands/keys";
import { run } from "../commands/table";
import { stateNames, stateOf } from "../glance";
import { titleOf } from "../state/tabs";
import { useApp } from "./context";
import { AgentMark } from "./faces";
import { Icon } from "./icons";
import { IconButton, StateMark, Working } from "./parts";

export function TabBar() {
  const app = useApp();
  const { active } = app.nav.tabs.value;
  const ids = app.nav.row.value;
  const pinned = app.nav.pinned.value;
  const list = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState<string>();
  const dragged = useRef<string>(undefined);
  const focus = (id: string | undefined) =>
    requestAnimationFrame(() =>
      [...(list.current?.querySelectorAll<HTMLElement>("[data-tab]") ?? [])]
        .find((tab) => tab.dataset["tab"] === id)
        ?.focus(),
    );
  const onKey = (event: KeyboardEvent, id: string) => {
    const index = ids.indexOf(id);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0 && event.ctrlKey && event.shiftKey) {
      app.nav.moveTab(id, index + step);
      focus(id);
    } else if (step !== 0) {
      const next = ids[(index + step + ids.length) % ids.length]!;
      app.nav.navigate({ page: "session", sessionId: next });
      focus(next);
    } else if (event.key === "Home" || event.key === "End") {
      const next = event.key === "Home" ? ids[0]! : ids[ids.length - 1]!;
      app.nav.navigate({ page: "session", sessionId: next });
      focus(next);
    } else if (event.key === "Delete") {
      app.closeTabs([id]);
      focus(app.nav.tabs.peek().active);
    } else return;
    event.preventDefault();
  };
  // With more tabs than room, the one in front is in view.
  useEffect(() => {
    list.current?.querySelector(".tab.active")?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [active, ids.length, active === undefined ? -1 : ids.indexOf(active)]);
  return (
    <div class="tab-bar">
      <div class="tabs" role="tablist" aria-label="Open sessions" ref={list}>
        {ids.map((id) => (
          <div
            key={id}
            class={`tab ${id === active && app.nav.page.value === "session" ? "active" : ""} ${over === id ? "over" : ""} ${pinned.includes(id) ? "pinned" : ""}`}
            draggable
            role="presentation"
            onDragStart={(event) => {
              dragged.current = id;
              event.dataTransfer?.setData("text/plain", id);
            }}
            onDragOver={(event) => {
              if (dragged.current) {
                event.preventDefault();
                setOver(id);
              }
            }}
            onDragLeave={() => setOver(undefined)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(undefined);
              if (dragged.current) app.nav.moveTab(dragged.current, ids.indexOf(id));
              dragged.current = undefined;
            }}
            onAuxClick={(event) => {
              if (event.button === 1) app.closeTabs([id]);
            }}
          >
            <TabButton
              id={id}
              selected={id === active && app.nav.page.value === "session"}
              onKey={(event) => onKey(event, id)}
            />
            <button
              type="button"
              class="tab-close"
              tabIndex={-1}
              aria-hidden="true"
              aria-label={`Close ${titleOf(app.sessions.nameOf(id))}`}
              title="Close tab (Delete)"
              onClick={() => app.closeTabs([id])}
            >
              <Icon name="close" size={12} />
            </button>
          </div>
        ))}
      </div>
      <SwitchButton />
      <IconButton
        icon="plus"
        label={withKeys("New session", "new-session")}
        onClick={() => run(app, "new-session")}
      />
    </div>
  );
}

/** How many are open, and the way to each of them: a row of tabs shows as many as can be read. */
export function SwitchButton({ class: extra = "" }: { class?: string }) {
  const app = useApp();
  const count = app.nav.tabs.value.ids.length;
  if (count === 0) return null;
  const label = withKeys(count === 1 ? "1 open session" : `${count} open sessions`, "switch");
  return (
    <button
      type="button"
      class={`switch-button ${extra}`}
      aria-label={label}
      title={label}
      aria-haspopup="dialog"
      onClick={() => run(app, "switch")}
    >
      {count}
      <Icon name="down" size={12} />
    </button>
  );
}

function TabButton({
  id,
  selected,
  onKey,
}: {
  id: string;
  selected: boolean;
  onKey: (event: KeyboardEvent) => void;
}) {
  const app = useApp();
  const name = app.sessions.nameOf(id);
  const title = titleOf(name);
  const info = app.sessions.of(id)?.value;
  const state = info && stateOf(info);
  const cliType = name?.cliType ?? "";
  return (
    <button
      type="button"
      role="tab"
      data-tab={id}
      aria-selected={selected}
      aria-keyshortcuts="Delete"
      tabIndex={selected ? 0 : -1}
      aria-label={title === "" ? "Session, not loaded yet" : undefined}
      title={title}
      onClick={() => app.nav.navigate({ page: "session", sessionId: id })}
      onKeyDown={onKey}
    >
      <AgentMark cliType={cliType} name={app.agents.of(cliType)?.name} />
      <span class="tab-title">
        <bdi>{title}</bdi>
      </span>
      {(state === "needs" || state === "failed") && <StateMark state={state} label={stateNames[state]} />}
      {(state === "working" || app.sessions.creating.value.get(id)?.draft === false) && <Working />}
      {state === "done" && !selected && <StateMark state="done" label="Unread" />}
    </button>
  );
}
