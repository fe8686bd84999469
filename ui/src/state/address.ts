// What stands in the address bar.
import { isTemporary } from "./temporary";

/** What an address of ours may ask for: a launch code that lets in, a session to show. */
export interface Address {
  code?: string;
  sessionId?: string;
}

/** Far more than an id has: whatever else somebody put into an address is not kept. */
const kLongestId = 200;

/** Takes it out of the address bar and the history at once: a code is secret, and a reload shows what is open then. */
export function takeAddress(location: Location, history: History): Address {
  const asked = new URLSearchParams(location.hash.slice(1));
  const code = asked.get("code");
  const sessionId = asked.get("session");
  if (code === null && sessionId === null) return {};
  history.replaceState(null, "", location.pathname + location.search);
  const known = sessionId && sessionId.length <= kLongestId && !isTemporary(sessionId);
  return { ...(code === null ? {} : { code }), ...(known ? { sessionId } : {}) };
}

export const sessionLink = (sessionId: string) =>
  `${location.origin}/#${new URLSearchParams({ session: sessionId })}`;
