// Who is logged in, and who decided what.
import { loginName } from "../audit";
import type { App } from "../state/app";
import type { AuditMessage, Login } from "../wire";
import { logOut } from "./leave";

export type Trail = Pick<AuditMessage, "entries" | "before">;

const kPage = 100;

export const readLogins = async (app: App): Promise<readonly Login[]> =>
  (await app.api.call("GET /api/logins", {})).logins;

/** The newest lines, or those that come before the last one of `trail`. */
export async function readTrail(app: App, trail?: Trail): Promise<Trail> {
  const before = trail?.before;
  const page = await app.api.call("GET /api/audit", {
    limit: kPage,
    ...(before === undefined ? {} : { before }),
  });
  return { ...page, entries: [...(trail?.entries ?? []), ...page.entries] };
}

/** Asks first where it takes somebody's access away. `done` when it is over. */
export function endLogin(app: App, login: Login, done: () => void): void {
  if (login.current) return logOut(app);
  const end = () =>
    void app.api
      .call("POST /api/login/{loginId}/end", { loginId: login.loginId })
      .catch((error: unknown) => app.toasts.report(error))
      .finally(done);
  if (login.origin === "unknown") return end();
  app.nav.openDialog({
    kind: "confirm",
    title: `Log out ${loginName(login)}?`,
    text: "It is out at once, in all its windows, and needs a new launch address to come back.",
    action: "Log out",
    run: end,
  });
}
