// The tabs of the terminals. Arrow keys move between them, F2 names one, Delete closes it, Enter goes into it.
import { useEffect, useRef, useState } from "preact/hooks";
import { keyName } from "../../format";
import type { Terminal } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Confined, IconButton } from "../parts";
import { Popup } from "../popup";
import type { OpenTerminals } from "./open";

const keys = (...names: string[]) => names.map(keyName).join("+");

interface Bar {
  session: string;
  open: OpenTerminals;
  terminals: readonly Terminal[];
  front: Terminal;
}

export function TerminalBar({ session, open, terminals, front }: Bar) {
  const app = useApp();
  const list = useRef<HTMLDivElement>(null);
  const [naming, setNaming] = useState<string>();
  const [menu, setMenu] = useState<Element>();
  const focusTab = () =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  const close = (terminal: Terminal) => {
    const ended = terminal.state === "ended" || open.terminals.isLost(terminal.terminalId);
    const run = () => void open.terminals.close(terminal);
    if (ended) return run();
    app.nav.openDialog({
      kind: "confirm",
      title: `Close ${terminal.name}?`,
      text: "Its shell and everything that runs in it will be ended.",
      action: "Close terminal",
      run,
    });
  };
  const step = (by: number) => {
    const at = terminals.findIndex(({ terminalId }) => terminalId === front.terminalId);
    open.terminals.choose(terminals[(at + by + terminals.length) % terminals.length]!);
    focusTab();
  };
  const onKey = (event: KeyboardEvent) => {
    if (naming !== undefined) return;
    if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "F2") setNaming(front.terminalId);
    else if (event.key === "Delete") close(front);
    else if (event.key === "Enter" || event.key === "ArrowDown") open.known(front.terminalId)?.screen.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="terminal-bar">
      <div class="terminal-tabs" role="tablist" aria-label="Terminals" ref={list} onKeyDown={onKey}>
        {terminals.map((terminal) =>
          naming === terminal.terminalId ? (
            <NameField
              key={terminal.terminalId}
              name={terminal.name}
              done={(name) => {
                setNaming(undefined);
                if (name !== undefined && name !== terminal.name)
                  void open.terminals.rename(terminal.terminalId, name);
                focusTab();
              }}
            />
          ) : (
            <Tab
              key={terminal.terminalId}
              terminal={terminal}
              open={open}
              selected={terminal.terminalId === front.terminalId}
              close={() => close(terminal)}
              name={() => setNaming(terminal.terminalId)}
            />
          ),
        )}
      </div>
      <IconButton icon="plus" label="New terminal" onClick={() => void open.terminals.create(session)} />
      <span class="terminal-room" />
      <button
        type="button"
        class="button small terminal-add"
        title={`Put the selection, or what the last command said, into the prompt (${keys("Ctrl", "Shift", "Enter")})`}
        // The selection stays where it is.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => open.addToPrompt(front)}
      >
        Add to prompt
      </button>
      <IconButton
        icon="more"
        label="Terminal menu"
        aria-haspopup="menu"
        aria-expanded={menu !== undefined}
        onClick={(event) => setMenu(menu ? undefined : (event.currentTarget as Element))}
      />
      {menu && (
        <TerminalMenu
          anchor={menu}
          open={open}
          front={front}
          onClose={() => setMenu(undefined)}
          rename={() => setNaming(front.terminalId)}
          close={() => close(front)}
        />
      )}
    </div>
  );
}

function Tab({
  terminal,
  open,
  selected,
  close,
  name,
}: {
  terminal: Terminal;
  open: OpenTerminals;
  selected: boolean;
  close: () => void;
  name: () => void;
}) {
  const known = open.known(terminal.terminalId);
  const line = known?.line.state.value.kind;
  const ended = terminal.state === "ended" || line === "gone" || line === "ended";
  const title = known?.screen.title.value;
  const words = [title, terminal.folder, ended ? sentenceOf(terminal) : "", "F2 renames, Delete closes"];
  return (
    <div class={`terminal-tab ${selected ? "active" : ""} ${ended ? "ended" : ""}`} role="presentation">
      <button
        type="button"
        role="tab"
        aria-selected={selected}
        aria-controls={`terminal-${terminal.terminalId}`}
        aria-keyshortcuts="F2 Delete"
        tabIndex={selected ? 0 : -1}
        title={words.filter(Boolean).join("\n")}
        onClick={() => {
          open.terminals.choose(terminal);
          open.known(terminal.terminalId)?.screen.focus();
        }}
        onDblClick={name}
        onAuxClick={(event) => event.button === 1 && close()}
      >
        <bdi>{terminal.name}</bdi>
        {terminal.confined && <Confined />}
        {ended && <span class="terminal-mark">ended</span>}
        {known?.screen.bell.value && <span class="needs-dot" role="img" aria-label="Bell" title="It rang" />}
      </button>
      <button
        type="button"
        class="terminal-close"
        tabIndex={-1}
        aria-hidden="true"
        aria-label={`Close ${terminal.name}`}
        title="Close (Delete)"
        onClick={close}
      >
        <Icon name="close" size={11} />
      </button>
    </div>
  );
}

const sentenceOf = ({ ended }: Terminal) => (ended ? `It ${ended}.` : "It ended.");

function NameField({ name, done }: { name: string; done: (name: string | undefined) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  // The field goes when it is done, and by going loses the focus: that is no second answer.
  const isDone = useRef(false);
  const end = (said: string | undefined) => {
    if (isDone.current) return;
    isDone.current = true;
    done(said);
  };
  const save = () => end(input.current?.value.trim() || undefined);
  return (
    <input
      ref={input}
      class="terminal-name"
      type="text"
      aria-label="Name of the terminal"
      maxLength={60}
      defaultValue={name}
      onBlur={save}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") save();
        else if (event.key === "Escape") end(undefined);
      }}
    />
  );
}

function TerminalMenu({
  anchor,
  open,
  front,
  onClose,
  rename,
  close,
}: {
  anchor: Element;
  open: OpenTerminals;
  front: Terminal;
  onClose: () => void;
  rename: () => void;
  close: () => void;
}) {
  const { screen } = open.of(front);
  const size = open.terminals.fontSize.value;
  const reader = open.terminals.reader.value;
  const item = (
    label: string,
    run: () => void,
    more: { hint?: string; checked?: boolean; class?: string } = {},
  ) => (
    <button
      type="button"
      role={more.checked === undefined ? "menuitem" : "menuitemcheckbox"}
      aria-checked={more.checked}
      class={more.class ?? ""}
      onClick={() => {
        onClose();
        run();
      }}
    >
      {more.checked ? <Icon name="check" size={14} /> : <span class="terminal-check" />}
      <span class="terminal-item">{label}</span>
      {more.hint && <kbd>{more.hint}</kbd>}
    </button>
  );
  return (
    <Popup label="Terminal menu" anchor={anchor} onClose={onClose} class="terminal-menu">
      {item("Copy selection", () => void open.copy(screen), { hint: keys("Ctrl", "Shift", "C") })}
      {item("Add to prompt", () => open.addToPrompt(front), { hint: keys("Ctrl", "Shift", "Enter") })}
      {item("Leave the terminal", () => leave(anchor), { hint: keys("Ctrl", "Shift", ".") })}
      {item("Larger text", () => open.setFontSize(size + 1))}
      {item("Smaller text", () => open.setFontSize(size - 1))}
      {item("Screen reader mode", () => open.setReader(!reader), { checked: reader })}
      {item("Rename…", rename, { hint: "F2" })}
      {item("Close", close, { class: "danger" })}
    </Popup>
  );
}

const leave = (inside: Element) =>
  inside.closest(".terminal-bar")?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
