// Logging out of this browser.
import type { App } from "../state/app";

/** It deletes what was written here and not sent: asks first where there is any. */
export function logOut(app: App): void {
  const drafts = app.drafts.begun;
  const unsent = app.outbox.entries.peek().filter(({ state }) => state !== "accepted").length;
  if (drafts + unsent === 0) return void app.login.leave();
  const what = [
    drafts > 0 ? (drafts === 1 ? "a draft" : `${drafts} drafts`) : "",
    unsent > 0
      ? unsent === 1
        ? "a message that was not sent"
        : `${unsent} messages that were not sent`
      : "",
  ];
  app.nav.openDialog({
    kind: "confirm",
    title: "Log this browser out?",
    text: `This deletes ${what.filter((part) => part !== "").join(" and ")}, here only. Conversations stay on the server.`,
    action: "Log out",
    run: () => void app.login.leave(),
  });
}
