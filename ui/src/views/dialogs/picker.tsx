// A field and the list of what fits it: arrow keys choose, Enter takes.
import { useEffect, useRef, useState } from "preact/hooks";
import { keyName } from "../../format";
import type { SessionInfo } from "../../wire";
import { AgentMark } from "../faces";
import { Icon, type IconName } from "../icons";
import { SessionState } from "../session_state";

export interface Entry {
  key: string;
  label: string;
  detail?: string;
  snippet?: string;
  icon?: IconName;
  cliType?: string;
  /** A session: its state is shown. */
  info?: SessionInfo;
  /** The shortcut that does the same. */
  keys?: readonly string[];
  run: () => void;
}

/** The words that were looked for, marked in the text that has them. */
export function marked(text: string, query: string): { text: string; hit: boolean }[] {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (words.length === 0) return [{ text, hit: false }];
  return text
    .split(new RegExp(`(${words.join("|")})`, "gi"))
    .map((part, index) => ({ text: part, hit: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}

export function Picker({
  query,
  onQuery,
  placeholder,
  label,
  entries: found,
  choose,
  first = 0,
  again,
}: {
  query: string;
  onQuery: (query: string) => void;
  placeholder: string;
  label: string;
  entries: readonly Entry[];
  choose: (entry: Entry) => void;
  /** Which one is meant before anything is typed. */
  first?: number;
  /** The key that opened the list: pressed again, with Ctrl, it goes down the list. */
  again?: string;
}) {
  const [selected, setSelected] = useState(first);
  const list = useRef<HTMLUListElement>(null);
  const at = Math.min(selected, Math.max(0, found.length - 1));
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView?.({ block: "nearest" });
  }, [at]);
  const onKey = (event: KeyboardEvent) => {
    const repeated = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === again;
    const down = event.key === "ArrowDown" || (repeated && !event.shiftKey);
    const step = down ? 1 : event.key === "ArrowUp" || repeated ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setSelected((at + step + found.length) % found.length);
    }
    if (event.key === "Enter" && found[at]) {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <>
      <div class="picker-input">
        <Icon name="search" />
        <input
          data-autofocus
          type="text"
          value={query}
          placeholder={placeholder}
          aria-label={placeholder}
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="picker-list"
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `pick-${at}` : undefined}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => {
            onQuery(event.currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      {found.length > 0 && (
        <ul class="picker-list" id="picker-list" role="listbox" aria-label={label} ref={list}>
          {found.map((entry, index) => (
            <li
              key={entry.key}
              id={`pick-${index}`}
              role="option"
              aria-selected={index === at}
              onPointerMove={() => setSelected(index)}
              onClick={() => choose(entry)}
            >
              <span class="pick-icon">
                {entry.cliType ? (
                  <AgentMark cliType={entry.cliType} />
                ) : (
                  <Icon name={entry.icon ?? "chevron"} />
                )}
              </span>
              <span class="pick-label">
                <bdi>{entry.label}</bdi>
              </span>
              {entry.detail && (
                <span class="muted pick-detail">
                  <bdi>{entry.detail}</bdi>
                </span>
              )}
              {entry.info && (
                <span class="pick-state">
                  <SessionState info={entry.info} />
                </span>
              )}
              {entry.keys && (
                <span class="pick-keys" aria-hidden="true">
                  {entry.keys.map((key) => (
                    <kbd key={key}>{keyName(key)}</kbd>
                  ))}
                </span>
              )}
              {entry.snippet && (
                <span class="pick-snippet">
                  {marked(entry.snippet, query).map((part, at2) =>
                    part.hit ? <mark key={at2}>{part.text}</mark> : part.text,
                  )}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
