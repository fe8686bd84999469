// The list of a choice that is too long to be looked over, with a field to search in. It comes with the dialogs.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { rank } from "../completion";
import type { Option } from "./choice";
import { Icon } from "./icons";

export function ChoiceSearch({
  label,
  options,
  value,
  choose,
  close,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  choose: (id: string) => void;
  close: () => void;
}) {
  const [query, setQuery] = useState("");
  const [selected, setSelected] = useState(() =>
    Math.max(
      0,
      options.findIndex(({ id }) => id === value),
    ),
  );
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const found = rank(query, options, ({ id, name }) => (name.includes(id) ? name : `${name} ${id}`));
  const at = Math.min(selected, Math.max(0, found.length - 1));
  useLayoutEffect(() => {
    list.current?.children[at]?.scrollIntoView?.({ block: "nearest" });
  }, [at, query]);
  useLayoutEffect(() => {
    const away = (event: PointerEvent) => {
      if (!frame.current?.parentElement?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, []);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) setSelected(Math.min(found.length - 1, Math.max(0, at + step)));
    else if (event.key === "Enter") {
      if (found[at]) choose(found[at].id);
    } else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={frame}
      class="choice-list"
      role="dialog"
      aria-label={label}
      onFocusOut={(event) => {
        if (event.relatedTarget && !frame.current?.contains(event.relatedTarget as Node)) close();
      }}
    >
      <input
        type="text"
        ref={(field) => field?.focus()}
        value={query}
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls="choice-options"
        aria-activedescendant={found.length > 0 ? `choice-${at}` : undefined}
        aria-label={`Search: ${label}`}
        placeholder={`Search ${options.length}`}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="choice-options" role="listbox" aria-label={label} ref={list}>
        {found.map((option, index) => (
          <li
            key={option.id}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === at}
            title={option.description}
            onPointerMove={() => setSelected(index)}
            onClick={() => choose(option.id)}
          >
            <span class="choice-name">{option.name}</span>
            {option.id === value && <Icon name="check" size={14} />}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">Nothing has these words.</p>}
    </div>
  );
}
