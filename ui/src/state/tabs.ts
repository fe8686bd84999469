// The open tabs: pure functions on a small value, so that every rule of tabs can be tested alone.
import { titled } from "../reveal";
import { goodOf, isId, isRecord } from "./stored";
import type { TabName } from "./types";

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

/** Those that are pinned stand first. */
export function inRow({ ids }: Tabs, pinned: readonly string[]): readonly string[] {
  const first = ids.filter((id) => pinned.includes(id));
  return first.length === 0 ? ids : [...first, ...ids.filter((id) => !pinned.includes(id))];
}

type Names = Record<string, TabName>;

/** The last known names of the sessions in tabs. The same object when nothing changed; a tab that closed is forgotten. */
export function namesOf(tabs: Tabs, before: Names, known: (id: string) => TabName | undefined): Names {
  const now: Names = {};
  let same = Object.keys(before).length;
  for (const id of tabs.ids) {
    const old = before[id];
    const found = known(id);
    if (!old && !found) continue;
    const keeps = old && (!found || (found.title === old.title && found.cliType === old.cliType));
    now[id] = keeps ? old : { title: found!.title, cliType: found!.cliType };
    same += keeps ? -1 : 1;
  }
  return same === 0 ? before : now;
}

/** What a session is called on screen; nothing as long as nobody knows. */
export function titleOf(name: Pick<TabName, "title"> | undefined): string {
  return name ? titled(String(name.title)) || "New Session" : "";
}

/** The tabs of another visit, as far as they can be read. */
export function salvageTabs(found: unknown): Tabs {
  const { ids, active } = isRecord(found) ? found : { ids: [], active: undefined };
  const good = [...new Set(goodOf(ids, isId))];
  return { ids: good, active: good.find((id) => id === active) };
}
