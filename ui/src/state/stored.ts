// Signals that are kept in local storage. Never conversations, never credentials. What is found there may be of another
// version, cut off, or anything at all: whoever reads makes the best of it, and the page starts.
import { effect, signal, type Signal } from "@preact/signals";

export function stored<T>(key: string, fallback: T, valid: (value: unknown) => value is T): Signal<T> {
  return salvaged(key, (found) => (valid(found) ? found : fallback));
}

/** `salvage` takes what is good of what it finds, which is null when nothing was kept. */
export function salvaged<T>(key: string, salvage: (found: unknown) => T): Signal<T> {
  const value = signal(salvage(parsed(read(key))));
  effect(() => {
    const text = JSON.stringify(value.value);
    try {
      localStorage.setItem(key, text);
    } catch {
      /* Storage is full or forbidden: the page still works. */
    }
  });
  return value;
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
