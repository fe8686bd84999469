// Starts the page: credential, link, app, first drawing.
import { effect } from "@preact/signals";
import { render } from "preact";
import { forgetUnmade } from "./actions";
import { Api, takeAddress, WireError } from "./api";
import { App } from "./state/app";
import { Connection } from "./state/link";
import { AppView } from "./views/app";
import { AppContext } from "./views/context";
import { conversation, loadSoon } from "./views/later";

loadSoon();
const { code, sessionId } = takeAddress(location, history);
const api = new Api();
const link = new Connection({
  ticket: () => api.ticket(),
  connect: (protocols) =>
    new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, protocols),
  random: Math.random,
});
const app = new App(api, link);
forgetUnmade(app);
// Its tab is kept like any other, also while somebody still has to log in, here or in another window.
if (sessionId !== undefined) app.show(sessionId);

async function enter(launchCode: string): Promise<void> {
  try {
    await api.exchange(launchCode);
    app.loginProblem.value = "";
    link.state.value = { kind: "connecting" };
    link.start();
  } catch (error) {
    // A used code is no harm when this browser already has its key: a reload of the launch address, a second tab.
    if (api.token !== null) {
      link.start();
      return;
    }
    app.loginProblem.value = !(error instanceof WireError)
      ? "The server does not answer. Try again in a moment."
      : error.code === "INVALID_CODE"
        ? "This code was used already, is too old or is wrong. The command above prints a new one."
        : error.message;
    link.requireLogin();
  }
}

if (code !== undefined) void enter(code);
else if (api.token !== null) link.start();
else link.requireLogin();

effect(() => {
  document.documentElement.dataset["theme"] = app.theme.value;
});
effect(() => {
  if (link.state.value.kind !== "online") api.distrust();
  else if (conversation.failed.peek()) void conversation.load();
});
window.addEventListener("hashchange", () => {
  const asked = takeAddress(location, history);
  if (asked.sessionId !== undefined) app.show(asked.sessionId);
  if (asked.code !== undefined && link.state.peek().kind === "login") void enter(asked.code);
});
window.addEventListener("online", () => link.retryNow());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  link.retryNow();
  const active = app.tabs.peek().active;
  const info = active === undefined ? undefined : app.session(active)?.peek();
  if (info) app.markRead(info);
});
// Ages move slowly; a running turn counts its seconds.
setInterval(() => {
  const working = app.sessionIds.peek().some((id) => app.session(id)?.peek().activity === "working");
  if (working || Date.now() - app.now.peek() > 30_000) app.now.value = Date.now();
}, 1000);

render(
  <AppContext.Provider value={app}>
    <AppView onCode={enter} />
  </AppContext.Provider>,
  document.getElementById("app")!,
);
