// Starts the page: credential, link, state, first drawing.
import { effect } from "@preact/signals";
import { render } from "preact";
import { forgetUnmade } from "./actions/unmade";
import { Api } from "./api";
import { followAddress, takeAddress } from "./state/address";
import { visible } from "./reveal";
import { App } from "./state/app";
import { Connection } from "./state/link";
import { AppView } from "./views/app";
import { AppContext } from "./views/context";
import { conversation, loadSoon } from "./views/later";
import { showSizes, showTheme } from "./views/theme";

loadSoon();
const api = new Api();
const link = new Connection({
  ticket: () => api.ticket(),
  connect: (protocols) =>
    new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, protocols),
  random: Math.random,
});
const app = new App(api, link);
const { code, place, unknown } = takeAddress(window, app.start.id.peek());
forgetUnmade(app);
// Kept also while somebody still has to log in, here or in another window.
if (place) app.nav.comeBack(place);
if (unknown !== undefined) {
  app.nav.comeBack({ page: "home" });
  app.toasts.add("error", `There is nothing at ${visible(unknown).slice(0, 200)}.`);
}
followAddress(app.nav, window);

if (code !== undefined) void app.login.enter(code);
else if (api.token !== null) link.start();
else link.requireLogin();

effect(() => showTheme(document, app.prefs.theme.value));
effect(() => showSizes(document, app.prefs.textSize.value, app.prefs.density.value));
effect(() => {
  if (link.state.value.kind !== "online") api.distrust();
  else if (conversation.failed.peek()) void conversation.load();
});
window.addEventListener("popstate", () => {
  const asked = takeAddress(window, app.start.id.peek());
  app.nav.comeBack(asked.place ?? { page: "home" });
  if (asked.code !== undefined && link.state.peek().kind === "login") void app.login.enter(asked.code);
});
window.addEventListener("online", () => link.retryNow());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  link.retryNow();
  const { active } = app.nav.tabs.peek();
  const info = active === undefined ? undefined : app.sessions.of(active)?.peek();
  if (info) app.markRead(info);
});
setInterval(() => app.tick(), 1000);

render(
  <AppContext.Provider value={app}>
    <AppView />
  </AppContext.Provider>,
  document.getElementById("app")!,
);
