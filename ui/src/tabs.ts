// The open tabs: pure functions on a small value, so that every rule of tabs can be tested alone.

export interface Tabs {
  ids: readonly string[];
  active: string | undefined;
}

export const noTabs: Tabs = { ids: [], active: undefined };

/** A session has one tab at most: opening it again only brings it to the front. */
export function openTab(tabs: Tabs, id: string): Tabs {
  return { ids: tabs.ids.includes(id) ? tabs.ids : [...tabs.ids, id], active: id };
}

/** The right neighbour becomes active, else the left one, else none. */
export function closeTab(tabs: Tabs, id: string): Tabs {
  const index = tabs.ids.indexOf(id);
  if (index < 0) return tabs;
  const ids = tabs.ids.filter((other) => other !== id);
  const active = tabs.active === id ? (ids[index] ?? ids[index - 1]) : tabs.active;
  return { ids, active };
}

export function closeTabs(tabs: Tabs, ids: readonly string[]): Tabs {
  return ids.reduce(closeTab, tabs);
}

/** Moves `id` to stand at `index` of the row. */
export function moveTab(tabs: Tabs, id: string, index: number): Tabs {
  if (!tabs.ids.includes(id)) return tabs;
  const rest = tabs.ids.filter((other) => other !== id);
  const at = Math.max(0, Math.min(rest.length, index));
  return { ...tabs, ids: [...rest.slice(0, at), id, ...rest.slice(at)] };
}

/** A session that was being made got its real id. */
export function renameTab(tabs: Tabs, from: string, to: string): Tabs {
  if (tabs.ids.includes(to)) return closeTab(tabs.active === from ? { ...tabs, active: to } : tabs, from);
  return {
    ids: tabs.ids.map((id) => (id === from ? to : id)),
    active: tabs.active === from ? to : tabs.active,
  };
}

export function neighbour(tabs: Tabs, step: 1 | -1): string | undefined {
  const index = tabs.active === undefined ? -1 : tabs.ids.indexOf(tabs.active);
  return tabs.ids[(index + step + tabs.ids.length) % tabs.ids.length];
}

export function isTabs(value: unknown): value is Tabs {
  if (typeof value !== "object" || value === null) return false;
  const { ids, active } = value as { ids?: unknown; active?: unknown };
  return (
    Array.isArray(ids) &&
    ids.every((id) => typeof id === "string") &&
    (active === undefined || (typeof active === "string" && ids.includes(active)))
  );
}
