// One of several: a plain list while it can be looked over, a field to search in when it cannot (some agents have a hundred models).
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { rank } from "../completion";
import { Icon } from "./icons";

export interface Option {
  id: string;
  name: string;
  description?: string;
}
interface Props {
  label: string;
  options: readonly Option[];
  value: string | undefined;
  /** What nothing chosen is called; left out: something always is. */
  none?: string;
  onChange: (id: string) => void;
}

/** More than this are searched. */
const kLookedOver = 15;

export const isSearched = (options: readonly Option[]): boolean => options.length > kLookedOver;

export function Choice(props: Props) {
  return isSearched(props.options) ? <SearchedChoice {...props} /> : <PlainChoice {...props} />;
}

function PlainChoice({ label, options, value, none, onChange }: Props) {
  const unknown = value !== undefined && value !== "" && !options.some(({ id }) => id === value);
  return (
    <select
      aria-label={label}
      value={value ?? (none === undefined ? undefined : "")}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {unknown && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.id} value={option.id} title={option.description}>
          {option.name}
        </option>
      ))}
    </select>
  );
}

function SearchedChoice({ label, options, value, none, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const name = options.find(({ id }) => id === value)?.name ?? (value || none) ?? "";
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span class="searched">
      <button
        ref={button}
        type="button"
        class="choice-button"
        aria-label={`${label}: ${name}`}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="choice-name">{name}</span>
        <Icon name="down" size={12} />
      </button>
      {open && (
        <Search
          label={label}
          options={none === undefined ? options : [{ id: "", name: none }, ...options]}
          value={value ?? ""}
          choose={(id) => {
            close();
            if (id !== (value ?? "")) onChange(id);
          }}
          close={close}
        />
      )}
    </span>
  );
}

function Search({
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
