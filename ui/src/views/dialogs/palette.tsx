// Find anything by typing: sessions, projects, commands, own messages.
import { useState } from "preact/hooks";
import { jumpTo } from "../../actions/reading";
import { available, commands, run, type CommandId } from "../../commands/table";
import { rank } from "../../completion";
import { age, plainLine } from "../../format";
import type { App } from "../../state/app";
import { useApp } from "../context";
import { Modal } from "./modal";
import { Picker, type Entry } from "./picker";
import { titleOf } from "../../state/tabs";

/** In the order in which they are offered before anything is typed. */
const kOffered: readonly CommandId[] = [
  "new-session",
  "add-project",
  "search",
  "home",
  "question",
  "inbox",
  "workspaces",
  "archived",
  "settings",
  "audit",
  "messages",
  "shortcuts",
  "sidebar",
  "workbench",
  "changes",
  "quick-open",
  "terminal",
  "ports",
  "theme-light",
  "theme-dark",
  "theme-system",
  "switch",
  "rename",
  "pin",
  "unpin",
  "rewind",
  "edit-again",
  "overlaps",
  "land",
  "push",
  "pull-request",
  "open-vscode",
  "open-cursor",
  "open-zed",
  "run-setup",
  "restore-workspace",
  "remove-workspace",
  "archive",
  "bring-back",
  "copy-link",
  "copy-id",
  "export-md",
  "close-tab",
];

function offered(app: App): Entry[] {
  return kOffered
    .filter((id) => available(app, id))
    .map((id) => {
      const { label, inPalette, icon, keys } = commands[id];
      return { key: id, label: inPalette ?? label, icon, keys, run: () => run(app, id) };
    });
}

function entries(app: App): Entry[] {
  const sessions = app.sessions.used.peek();
  return [
    ...sessions.map((info): Entry => ({
      key: info.sessionId,
      label: titleOf(info),
      detail: app.projects.of(info.projectId)?.name,
      cliType: info.cliType,
      info,
      run: () => app.nav.navigate({ page: "session", sessionId: info.sessionId }),
    })),
    ...app.projects.list.peek().map((project): Entry => ({
      key: `project:${project.projectId}`,
      label: `New session in ${project.name}`,
      detail: project.path,
      icon: "folder",
      run: () => run(app, "new-session", { projectId: project.projectId }),
    })),
    ...offered(app),
  ];
}

/** The user's own messages of the session on screen: a long conversation is found again by what was asked. */
function prompts(app: App): Entry[] {
  const active = app.nav.session.peek();
  if (!active) return [];
  const timeline = app.timelines.of(active);
  return timeline.order.peek().flatMap((id): Entry[] => {
    const item = timeline.item(id)!.peek();
    if (item.type !== "message" || item.origin !== "user") return [];
    return [
      {
        key: `prompt:${id}`,
        label: plainLine(item.content).slice(0, 120),
        detail: `your message · ${age(item.startedAt, Date.now())}`,
        icon: "move",
        run: () => void jumpTo(app, active, id),
      },
    ];
  });
}

export function Palette({ close }: { close: () => void }) {
  const app = useApp();
  const [query, setQuery] = useState("");
  const [all] = useState(() => [...entries(app), ...prompts(app).reverse()]);
  const found =
    query === ""
      ? [...all.filter((entry) => entry.cliType).slice(0, 6), ...offered(app)]
      : rank(query, all, (entry) => `${entry.label} ${entry.detail ?? ""}`).slice(0, 30);
  return (
    <Modal title="Command palette" hideTitle onClose={close} class="palette">
      <Picker
        query={query}
        onQuery={setQuery}
        placeholder="Find a session, a command, or a message of yours here"
        label="Commands"
        entries={found}
        choose={(entry) => {
          close();
          entry.run();
        }}
      />
      {found.length === 0 && (
        <p class="muted picker-note">
          Nothing is called so.{" "}
          <button
            type="button"
            class="link-button"
            onClick={() => app.nav.openDialog({ kind: "search", query })}
          >
            Search all conversations for “{query}”
          </button>
        </p>
      )}
    </Modal>
  );
}
