// The whole page.
import { useEffect } from "preact/hooks";
import { handleKey } from "../commands/keys";
import { useApp } from "./context";
import { Head } from "./head";
import { Icon } from "./icons";
import { conversation, dialogs, fetchDialogs } from "./later";
import { OverviewPage } from "./pages";
import { Working } from "./parts";
import { Sidebar } from "./sidebar";
import { TabBar } from "./tab_bar";

export function AppView() {
  const app = useApp();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (handleKey(app, event)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const later = dialogs.module.value;
  const offline = app.link.state.value.kind === "offline";
  if (app.link.state.value.kind === "login") return <Seldom page="LoginPage" />;
  return (
    <div
      class={`app ${offline ? "offline" : ""} ${app.prefs.sidebarHidden.value ? "no-sidebar" : ""}`}
      style={{ "--sidebar": `${app.prefs.sidebarWidth.value}px` }}
    >
      <a class="skip" href="#main">
        Skip to the conversation
      </a>
      <Sidebar />
      {later && <later.Resizer />}
      {app.nav.drawer.value && <div class="scrim" onClick={() => app.nav.showDrawer(false)} />}
      <div class="main">
        {app.nav.tabs.value.ids.length > 0 && <TabBar />}
        <Head />
        <MainArea />
      </div>
      {later && <later.WorkbenchPlace />}
      <Dialogs />
      <div class="visually-hidden" role="status" aria-live="polite">
        {app.attention.announcement.value}
      </div>
    </div>
  );
}

function MainArea() {
  const app = useApp();
  const { active } = app.nav.tabs.value;
  const page = app.nav.page.value;
  if (page !== "home" && (page !== "session" || active !== undefined)) {
    if (page === "workspaces") return <Seldom page="WorkspacesPage" />;
    if (page === "inbox") return <Seldom page="InboxPage" />;
    if (page === "missing") return <Seldom page="MissingPage" />;
    if (page === "settings") return <Seldom page="SettingsPage" />;
    if (page === "audit") return <Seldom page="AuditPage" />;
    if (page === "archived") return <Seldom page="ArchivePage" />;
    const views = conversation.module.value;
    if (!views) return <NotYet />;
    return <views.SessionView key={app.sessions.madeAs.get(active!) ?? active} id={active!} />;
  }
  // The welcome lists the agents: they would push the rest of it down.
  const welcome = app.projects.list.value.length === 0;
  if (!app.projects.known.value || (welcome && !app.agents.known.value))
    return (
      <main class="page" id="main">
        <div class="loading" role="status">
          <Working label="Connecting" /> Connecting…
        </div>
      </main>
    );
  return welcome ? <Seldom page="WelcomePage" /> : <OverviewPage />;
}

/** A page that a visit does not begin with: its code comes with that of the dialogs, and takes from that of conversations. */
function Seldom({
  page,
}: {
  page:
    | "ArchivePage"
    | "AuditPage"
    | "InboxPage"
    | "LoginPage"
    | "MissingPage"
    | "SettingsPage"
    | "WelcomePage"
    | "WorkspacesPage";
}) {
  const Page = conversation.module.value && dialogs.module.value?.[page];
  useEffect(() => void dialogs.load(), []);
  return Page ? <Page /> : <NotYet of={conversation.failed.value ? conversation : dialogs} what="page" />;
}

/** The code is on its way; if it cannot come, the server that had it is gone or another. */
function NotYet({
  of = conversation,
  what = "conversation",
}: {
  of?: Pick<typeof conversation, "failed">;
  what?: string;
}) {
  return (
    <main class="page" id="main">
      {of.failed.value ? (
        <div class="loading" role="alert">
          <Icon name="alert" /> This page did not load completely.
          <button type="button" class="button small" onClick={() => location.reload()}>
            Reload the page
          </button>
        </div>
      ) : (
        <div class="loading" role="status">
          <Working label="Loading" /> Loading the {what}…
        </div>
      )}
    </main>
  );
}

/** What opens above the page. Its code is usually there long before; whoever is faster waits for it. */
function Dialogs() {
  const app = useApp();
  const dialog = app.nav.dialog.value;
  const views = dialogs.module.value;
  const missing = dialog !== undefined && !views;
  useEffect(() => {
    if (missing)
      void fetchDialogs(app).then((code) => {
        if (!code) app.nav.closeDialog();
      });
  }, [missing]);
  if (!dialog || !views) return null;
  const close = () => {
    app.nav.closeDialog();
  };
  return <views.DialogView key={dialog.kind} dialog={dialog} close={close} />;
}
