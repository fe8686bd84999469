// Choosing for every browser: the server keeps it and tells all of them.
import type { App } from "../state/app";
import type { SessionDefaults, Settings } from "../wire";

export async function changeSettings(
  app: App,
  change: { sendKey?: Settings["sendKey"]; defaults?: SessionDefaults },
): Promise<void> {
  try {
    app.settings.set((await app.api.call("POST /api/settings", change)).settings);
  } catch (error) {
    app.toasts.report(error, () => void changeSettings(app, change));
  }
}
