// One of several: a plain list while it can be looked over, a field to search in when it cannot (some agents have a hundred models).
import { useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { useDialogs } from "./later";

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
  const views = useDialogs(open);
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
      {open && views && (
        <views.ChoiceSearch
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
