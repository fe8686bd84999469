// From one session to another: those that were on screen last come first, so that one key and Enter go back and forth.
import { useState } from "preact/hooks";
import { rank } from "../../completion";
import type { App } from "../../state/app";
import { titleOf } from "../../state/tabs";
import { isTemporary } from "../../state/temporary";
import { useApp } from "../context";
import { Modal } from "./modal";
import { Picker, type Entry } from "./picker";

/** Every session that can be gone to: last visited first, then open ones, then the rest, newest first. */
export function switchOrder(app: App): string[] {
  const known = (id: string) =>
    isTemporary(id) ? app.nav.tabs.peek().ids.includes(id) : app.sessions.of(id) !== undefined;
  const all = [
    ...app.nav.visited.peek(),
    ...app.nav.row.peek(),
    ...app.sessions.used.peek().map(({ sessionId }) => sessionId),
  ];
  return [...new Set(all)].filter(known);
}

function entry(app: App, id: string): Entry {
  const info = app.sessions.of(id)?.peek();
  const projectId = info?.projectId ?? app.sessions.creating.peek().get(id)?.projectId ?? "";
  const name = app.sessions.nameOf(id);
  return {
    key: id,
    label: titleOf(name),
    detail: app.projects.of(projectId)?.name,
    cliType: name?.cliType ?? "",
    info,
    run: () => app.nav.navigate({ page: "session", sessionId: id }),
  };
}

export function Switcher({ close }: { close: () => void }) {
  const app = useApp();
  const [query, setQuery] = useState("");
  const [all] = useState(() => switchOrder(app).map((id) => entry(app, id)));
  const found = query === "" ? all : rank(query, all, ({ label, detail }) => `${label} ${detail ?? ""}`);
  const here = all[0]?.key === app.nav.session.peek();
  return (
    <Modal title="Switch session" hideTitle onClose={close} class="palette">
      <Picker
        query={query}
        onQuery={setQuery}
        placeholder="Switch to a session"
        label="Sessions, the last one first"
        entries={found}
        first={here && all.length > 1 ? 1 : 0}
        again="e"
        choose={(chosen) => {
          close();
          chosen.run();
        }}
      />
      {found.length === 0 && <p class="muted picker-note">No session is called so.</p>}
    </Modal>
  );
}
