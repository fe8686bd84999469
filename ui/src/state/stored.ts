// Signals that are kept in local storage. Never conversations, never credentials. What is found there may be of another
// version, cut off, or anything at all: whoever reads makes the best of it, and the page starts.
import { effect, signal, type Signal } from "@preact/signals";

export function stored<T>(key: string, fallback: T, valid: (value: unknown) => value is T): Signal<T> {
  return salvaged(key, (found) => (valid(found) ? found : fallback));
}

/** `salvage` takes what is good of what it finds, which is null when nothing was kept. */
export function salvaged<T>(key: string, salvage: (found: unknown) => T): Signal<T> {
  const value = signal(salvage(parsed(read(key))));
  effect(() => keep(key, value.value));
  return value;
}

function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* Storage is full or forbidden: the page still works. */
  }
}

type Fields<T> = Readonly<Record<string, T>>;
const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * A record that every window of the page writes: each keeps the fields that it changed and leaves the others' alone. `live`:
 * what another window changes changes here too, except where this one has something else.
 */
export function shared<T>(
  key: string,
  salvage: (found: unknown) => Fields<T>,
  live: boolean,
): Signal<Fields<T>> {
  const value = signal(salvage(parsed(read(key))));
  let kept: Fields<T> | undefined;
  effect(() => {
    const now = value.value;
    const there = kept && parsed(read(key));
    keep(key, kept && isRecord(there) ? withFields<unknown>(there, changed(kept, now), now) : now);
    kept = now;
  });
  const onStorage = ({ key: which, oldValue, newValue }: StorageEvent) => {
    if (which !== key || newValue === null) return;
    // What is there now: a busy window hears late, and may have written since.
    const [before, after, mine] = [salvage(parsed(oldValue)), salvage(parsed(read(key))), value.peek()];
    const theirs = changed(before, after).filter((id) => same(mine[id], before[id]));
    if (theirs.length === 0) return;
    kept = withFields(mine, theirs, after);
    value.value = kept;
  };
  if (live) addEventListener("storage", onStorage);
  return value;
}

const changed = (before: Fields<unknown>, after: Fields<unknown>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((id) => !same(before[id], after[id]));

/** The record with these fields as the other one has them. */
function withFields<T>(record: Fields<T>, ids: readonly string[], other: Fields<T>): Fields<T> {
  const all = { ...record };
  for (const id of ids)
    if (other[id] === undefined) delete all[id];
    else all[id] = other[id];
  return all;
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Other windows hear of it, and forget too. */
export function removeStored(keys: readonly string[]): void {
  for (const key of keys)
    try {
      localStorage.removeItem(key);
    } catch {
      /* Forbidden: then nothing is kept there either. */
    }
}

export const isString = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** As the server's ids are, and longer ones of our own that are made of them. */
export const isId = (value: unknown): value is string =>
  isString(value) && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/.test(value);

/** The good ones of a list. */
export const goodOf = <T>(found: unknown, valid: (value: unknown) => value is T): T[] =>
  Array.isArray(found) ? found.filter(valid) : [];
/** The good fields of a record. */
export const goodIn = <T>(found: unknown, valid: (value: unknown) => value is T): Record<string, T> =>
  Object.fromEntries(
    isRecord(found)
      ? Object.entries(found).filter((field): field is [string, T] => isId(field[0]) && valid(field[1]))
      : [],
  );
