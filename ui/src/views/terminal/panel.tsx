// The terminals of a session: their tabs, the one in front, and what became of it.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Terminal } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";
import { openTerminals, type OpenTerminals } from "./open";
import { TerminalBar } from "./bar";
import { TouchKeys } from "./touch_keys";

export function TerminalPanel({ session }: { session: string }) {
  const app = useApp();
  const open = openTerminals(app);
  const [refused, setRefused] = useState<Error>();
  const found = open.terminals.of(session);
  const ask = () => {
    setRefused(undefined);
    void open.terminals.refresh(session).then(setRefused);
  };
  useEffect(ask, [session]);
  if (!found)
    return refused ? (
      <div class="bench-empty" role="alert">
        <p>{refused.message}</p>
        <button type="button" class="button" onClick={ask}>
          Try again
        </button>
      </div>
    ) : (
      <p class="bench-empty" role="status">
        <Working label="Loading" /> Loading…
      </p>
    );
  const front = open.terminals.front(session);
  if (!front)
    return (
      <Empty session={session} open={open} problem={found.available ? undefined : (found.problem ?? "")} />
    );
  return (
    <div class="terminal-panel">
      <TerminalBar session={session} open={open} terminals={found.terminals} front={front} />
      <Front key={front.terminalId} terminal={front} open={open} />
    </div>
  );
}

function Empty({
  session,
  open,
  problem,
}: {
  session: string;
  open: OpenTerminals;
  problem: string | undefined;
}) {
  const app = useApp();
  const [busy, setBusy] = useState(false);
  const confined = app.sessions.of(session)?.value.confined;
  if (problem !== undefined)
    return (
      <div class="bench-empty terminal-empty">
        <Icon name="terminal" size={28} />
        <p>{problem === "" ? "Terminals are not available here." : problem}</p>
      </div>
    );
  return (
    <div class="bench-empty terminal-empty">
      <Icon name="terminal" size={28} />
      <p>
        A terminal is a shell of your own in the folder of this session
        {confined ? ", behind the same walls as its agent" : ""}. It keeps running when you leave; the agent
        does not see it.
      </p>
      <button
        type="button"
        class="button primary"
        disabled={busy}
        data-autofocus
        onClick={() => {
          setBusy(true);
          void open.terminals.create(session).finally(() => setBusy(false));
        }}
      >
        New terminal
      </button>
    </div>
  );
}

/** The picture of the one in front. */
function Front({ terminal, open }: { terminal: Terminal; open: OpenTerminals }) {
  const place = useRef<HTMLDivElement>(null);
  const { screen, line } = open.of(terminal);
  const [foreign, setForeign] = useState(false);
  const size = line.size.value;
  const compare = () => setForeign(open.isSizedElsewhere(terminal.terminalId));
  useEffect(compare, [size]);
  useLayoutEffect(() => {
    const { terminalId } = terminal;
    let gone = false;
    const fit = () => {
      open.takeSize(terminalId);
      compare();
    };
    const look = () => {
      if (line.state.peek().kind === "open") screen.replaying(); // What was said meanwhile.
      line.look(!gone && document.visibilityState === "visible");
    };
    const made = open.terminals.takeMade(terminalId);
    // Whoever asked for the panel, or has just made this terminal, goes on in it.
    const wanted = () =>
      made || document.activeElement?.id === "bench-panel" || inPanel(document.activeElement);
    const inPanel = (element: Element | null) =>
      place.current?.closest(".terminal-panel")?.contains(element) ?? false;
    const observer = new ResizeObserver(fit);
    void screen.show(place.current!).then(() => {
      if (gone) return;
      if (place.current) observer.observe(place.current);
      look();
      if (wanted()) screen.focus();
      fit();
    });
    addEventListener("focus", fit);
    addEventListener("blur", compare);
    document.addEventListener("visibilitychange", look);
    return () => {
      gone = true;
      observer.disconnect();
      removeEventListener("focus", fit);
      removeEventListener("blur", compare);
      document.removeEventListener("visibilitychange", look);
      line.look(false);
    };
  }, []);
  return (
    <>
      <div
        ref={place}
        class="terminal-place"
        id={`terminal-${terminal.terminalId}`}
        role="tabpanel"
        aria-label={terminal.name}
        onMouseUp={(event) => {
          if (event.target === event.currentTarget) screen.focus();
        }}
      />
      {foreign && (
        <p class="terminal-sized" title="Work in this window, and it has the size of this one">
          Sized by another window
        </p>
      )}
      <Outcome terminal={terminal} open={open} />
      <TouchKeys screen={screen} />
    </>
  );
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1).replace(/\.$/, "")}.`;

/** What became of a terminal that does not run, or cannot be reached. */
function Outcome({ terminal, open }: { terminal: Terminal; open: OpenTerminals }) {
  const { line } = open.of(terminal);
  const state = line.state.value;
  const { sessionId } = terminal;
  if (state.kind === "offline")
    return (
      <div class="terminal-outcome" role="status">
        <Working label="Connecting" />
        <span>Not connected. What you type goes nowhere until it is back.</span>
        <button type="button" class="button small" onClick={() => line.retryNow()}>
          Try now
        </button>
      </div>
    );
  const text =
    state.kind === "gone"
      ? "This terminal ended when the server restarted."
      : state.kind === "ended"
        ? sentence(state.how)
        : terminal.state === "ended"
          ? sentence(terminal.ended ?? "ended")
          : undefined;
  if (text === undefined) return null;
  return (
    <div class="terminal-outcome" role="status">
      <span>{text}</span>
      <button
        type="button"
        class="button small primary"
        onClick={() => void open.terminals.create(sessionId)}
      >
        New terminal
      </button>
      <button type="button" class="button small" onClick={() => void open.terminals.close(terminal)}>
        Close
      </button>
    </div>
  );
}
