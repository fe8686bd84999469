// Each action asks the server and reports a refusal; what happened comes back through the timelines.
import type { App } from "../state/app";
import type { Request } from "../state/link";

/** One request whose refusal is shown; true when it was accepted. */
export async function ask(app: App, message: Request): Promise<boolean> {
  try {
    await app.link.request(message);
    return true;
  } catch (error) {
    app.toasts.report(error);
    return false;
  }
}
