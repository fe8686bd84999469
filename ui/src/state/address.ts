// What stands in the address bar: each place of the page has an address, and history leads from one to the next.
import { effect } from "@preact/signals";
import type { Navigation } from "./navigation";
import { isTemporary } from "./temporary";
import type { Place } from "./types";

type Bar = Pick<Window, "location" | "history">;

/** What an address asks for: a launch code that lets in, a place to show. */
export interface Asked {
  code?: string;
  place?: Place;
  /** It is the address of nothing. */
  unknown?: string;
}

/** The server answers each of these with the page (src/server/assets.cpp); "/" is wherever one was last. */
const kPages = {
  home: "/overview",
  inbox: "/inbox",
  workspaces: "/workspaces",
  archived: "/archived",
  settings: "/settings",
  audit: "/audit",
} as const;

/** As the server's ids are: whatever else somebody put into an address is not a session. */
const kId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const isId = (id: string) => kId.test(id) && !isTemporary(id);

export function pathOf(place: Place): string {
  if (place.page === "missing") return `/s/${place.sessionId}`;
  if (place.page !== "session") return kPages[place.page];
  return isTemporary(place.sessionId) ? "/new" : `/s/${place.sessionId}`;
}

/** `draft`: what is called the session that is being written. */
export function placeAt(path: string, draft: string): Place | undefined {
  if (path === "/new") return { page: "session", sessionId: draft };
  for (const [page, address] of Object.entries(kPages))
    if (path === address) return { page: page as keyof typeof kPages };
  const sessionId = path.startsWith("/s/") ? path.slice(3) : "";
  return isId(sessionId) ? { page: "session", sessionId } : undefined;
}

export const sessionLink = (sessionId: string) => location.origin + pathOf({ page: "session", sessionId });

/**
 * Reads the address. A code is secret: it leaves the bar and the history before anything else happens. So does the form in
 * which links named a session once.
 */
export function takeAddress({ location, history }: Bar, draft: string): Asked {
  const asked = new URLSearchParams(location.hash.slice(1));
  const code = asked.get("code");
  const sessionId = asked.get("session");
  const place: Place | undefined =
    sessionId !== null && isId(sessionId)
      ? { page: "session", sessionId }
      : placeAt(location.pathname, draft);
  if (code !== null || sessionId !== null)
    history.replaceState(null, "", place ? pathOf(place) : location.pathname);
  const unknown = place || location.pathname === "/" ? undefined : location.pathname;
  return {
    ...(code === null ? {} : { code }),
    ...(place ? { place } : {}),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/**
 * From now on the address says what is on screen, and Back and Forward change it. A place that was gone to is a new entry;
 * one that took the place of another, as the neighbour of a closed tab does, stands in its entry.
 */
export function followAddress(nav: Navigation, { location, history }: Bar) {
  let first = true;
  return effect(() => {
    const path = pathOf(nav.place.value);
    if (path !== location.pathname) {
      if (first || nav.replaced) history.replaceState(null, "", path);
      else history.pushState(null, "", path);
    }
    first = false;
  });
}
