// Find anything by typing: sessions, projects, commands; and words in all conversations.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  archiveSession,
  closeSessionTab,
  copySessionId,
  copySessionLink,
  exportSession,
  jumpTo,
  loadArchived,
  nextQuestion,
} from "../../actions";
import type { App, Theme } from "../../state/app";
import { rank } from "../../completion";
import { age, keyName, plainLine } from "../../format";
import { shortcuts } from "../../keyboard";
import type { SessionInfo } from "../../wire";
import { useApp } from "../context";
import { AgentMark, Icon, type IconName } from "../icons";
import { Modal } from "../parts";
import { SessionState } from "../sidebar";

interface Entry {
  key: string;
  label: string;
  detail?: string;
  snippet?: string;
  icon?: IconName;
  cliType?: string;
  /** A session: its state is shown. */
  info?: SessionInfo;
  /** The shortcut that does the same. */
  keys?: readonly string[];
  run: () => void;
}

const keysOf = (label: string) => shortcuts.find((entry) => entry.label === label)?.keys;

function commands(app: App): Entry[] {
  const { active } = app.tabs.peek();
  const info = active ? app.session(active)?.peek() : undefined;
  const theme = (value: Theme, label: string): Entry => ({
    key: `theme:${value}`,
    label: `Theme: ${label}`,
    icon: "gear",
    run: () => {
      app.theme.value = value;
    },
  });
  return [
    {
      key: "new",
      label: "New session",
      keys: keysOf("New session"),
      icon: "plus",
      run: () => {
        app.dialog.value = { kind: "new-session" };
      },
    },
    {
      key: "add",
      label: "Add project",
      icon: "folder",
      run: () => {
        app.dialog.value = { kind: "add-project" };
      },
    },
    {
      key: "search",
      label: "Search all conversations",
      keys: keysOf("Search all conversations"),
      icon: "search",
      run: () => {
        app.dialog.value = { kind: "search" };
      },
    },
    {
      key: "home",
      label: "Overview",
      keys: keysOf("Overview"),
      icon: "list",
      run: () => {
        app.page.value = "home";
      },
    },
    {
      key: "question",
      label: "Go to the question that waits",
      keys: keysOf("Go to the question that waits"),
      icon: "question",
      run: () =>
        void nextQuestion(app).then((found) => {
          if (!found) app.toast("info", "Nobody waits for you.");
        }),
    },
    {
      key: "inbox",
      label: "Open inbox",
      keys: keysOf("Inbox"),
      icon: "inbox",
      run: () => {
        app.page.value = "inbox";
      },
    },
    {
      key: "archived",
      label: "Archived sessions",
      icon: "archive",
      run: () => {
        app.page.value = "archived";
        void loadArchived(app);
      },
    },
    {
      key: "settings",
      label: "Settings",
      icon: "gear",
      run: () => {
        app.dialog.value = { kind: "settings" };
      },
    },
    {
      key: "keys",
      label: "Keyboard shortcuts",
      keys: keysOf("This sheet"),
      icon: "question",
      run: () => {
        app.dialog.value = { kind: "shortcuts" };
      },
    },
    theme("light", "light"),
    theme("dark", "dark"),
    theme("system", "as the system"),
    ...(info
      ? [
          {
            key: "rename",
            label: "Rename this session",
            icon: "edit" as const,
            run: () => {
              app.dialog.value = { kind: "rename", sessionId: info.sessionId };
            },
          },
          {
            key: "archive",
            label: "Archive this session",
            icon: "archive" as const,
            run: () => void archiveSession(app, info.sessionId, true),
          },
          {
            key: "link",
            label: "Copy link to this session",
            icon: "link" as const,
            run: () => void copySessionLink(app, info.sessionId),
          },
          {
            key: "id",
            label: "Copy session id",
            icon: "copy" as const,
            run: () => void copySessionId(app, info.sessionId),
          },
          {
            key: "export",
            label: "Export this session as Markdown",
            icon: "file" as const,
            run: () => void exportSession(app, info.sessionId, info.title, "md"),
          },
          {
            key: "close",
            label: "Close this tab",
            keys: keysOf("Close tab"),
            icon: "close" as const,
            run: () => closeSessionTab(app, info.sessionId),
          },
        ]
      : []),
  ];
}

function entries(app: App): Entry[] {
  const sessions = app.listedSessions.peek();
  return [
    ...sessions.map((info): Entry => ({
      key: info.sessionId,
      label: info.title || "New Session",
      detail: app.project(info.projectId)?.name,
      cliType: info.cliType,
      info,
      run: () => app.show(info.sessionId),
    })),
    ...app.projects.peek().map((project): Entry => ({
      key: `project:${project.projectId}`,
      label: `New session in ${project.name}`,
      detail: project.path,
      icon: "folder",
      run: () => {
        app.dialog.value = { kind: "new-session", projectId: project.projectId };
      },
    })),
    ...commands(app),
  ];
}

/** The user's own messages of the session on screen: a long conversation is found again by what was asked. */
function prompts(app: App): Entry[] {
  const { active } = app.tabs.peek();
  if (!active || app.page.peek() !== "session") return [];
  const store = app.store(active);
  return store.order.peek().flatMap((id): Entry[] => {
    const item = store.item(id)!.peek();
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
      ? [...all.filter((entry) => entry.cliType).slice(0, 6), ...commands(app)]
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
            onClick={() => {
              app.dialog.value = { kind: "search", query };
            }}
          >
            Search all conversations for “{query}”
          </button>
        </p>
      )}
    </Modal>
  );
}

/** What kind of thing the words were found in, where that is not a message. */
const kinds: Record<string, string> = {
  thinking: "thought",
  tool_call: "tool",
  approval: "question",
  plan: "plan",
};

interface Result {
  sessionId: string;
  itemId: string;
  type: string;
  title: string;
  cliType: string;
  projectId: string;
  snippet: string;
  at: string;
}

const kMostResults = 40;

export function SearchDialog({ close, query: first }: { close: () => void; query: string }) {
  const app = useApp();
  const [query, setQuery] = useState(first);
  const results = useSignal<readonly Result[] | undefined>(undefined);
  const problem = useSignal("");
  useEffect(() => {
    if (query.trim().length < 2) {
      results.value = undefined;
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(
      () =>
        app.api
          .get<{ results: Result[] }>(
            `/api/search?q=${encodeURIComponent(query)}&limit=${kMostResults}`,
            abort.signal,
          )
          .then(
            (answer) => {
              results.value = answer.results;
              problem.value = "";
            },
            (error: Error) => {
              if (error.name !== "AbortError") problem.value = error.message;
            },
          ),
      120,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  const found = (results.value ?? []).map((result): Entry => ({
    key: `${result.sessionId}:${result.itemId}`,
    label: result.title || "New Session",
    cliType: result.cliType,
    snippet: plainLine(result.snippet),
    detail: [kinds[result.type], app.project(result.projectId)?.name, age(result.at, app.now.value)]
      .filter(Boolean)
      .join(" · "),
    run: () => void jumpTo(app, result.sessionId, result.itemId),
  }));
  return (
    <Modal title="Search all conversations" hideTitle onClose={close} class="palette">
      <Picker
        query={query}
        onQuery={setQuery}
        placeholder="Search all conversations"
        label="Results"
        entries={found}
        choose={(entry) => {
          close();
          entry.run();
        }}
      />
      {results.value?.length === 0 && <p class="muted picker-note">No message has these words.</p>}
      {found.length > 0 && (
        <p class="muted picker-note" role="status">
          {found.length === kMostResults
            ? `The best ${kMostResults}. More words find less.`
            : `${found.length} ${found.length === 1 ? "result" : "results"}`}
        </p>
      )}
      {problem.value !== "" && (
        <p class="problem picker-note" role="alert">
          {problem.value}
        </p>
      )}
      {results.value === undefined && problem.value === "" && (
        <p class="muted picker-note">Type at least two letters. Enter jumps to the message.</p>
      )}
    </Modal>
  );
}

/** The words that were looked for, marked in the text that has them. */
export function marked(text: string, query: string): { text: string; hit: boolean }[] {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (words.length === 0) return [{ text, hit: false }];
  return text
    .split(new RegExp(`(${words.join("|")})`, "gi"))
    .map((part, index) => ({ text: part, hit: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}

function Picker({
  query,
  onQuery,
  placeholder,
  label,
  entries: found,
  choose,
}: {
  query: string;
  onQuery: (query: string) => void;
  placeholder: string;
  label: string;
  entries: readonly Entry[];
  choose: (entry: Entry) => void;
}) {
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const at = Math.min(selected, Math.max(0, found.length - 1));
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView?.({ block: "nearest" });
  }, [at]);
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setSelected((at + step + found.length) % found.length);
    }
    if (event.key === "Enter" && found[at]) {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <>
      <div class="picker-input">
        <Icon name="search" />
        <input
          data-autofocus
          type="text"
          value={query}
          placeholder={placeholder}
          aria-label={placeholder}
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="picker-list"
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `pick-${at}` : undefined}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => {
            onQuery(event.currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      {found.length > 0 && (
        <ul class="picker-list" id="picker-list" role="listbox" aria-label={label} ref={list}>
          {found.map((entry, index) => (
            <li
              key={entry.key}
              id={`pick-${index}`}
              role="option"
              aria-selected={index === at}
              onPointerMove={() => setSelected(index)}
              onClick={() => choose(entry)}
            >
              <span class="pick-icon">
                {entry.cliType ? (
                  <AgentMark cliType={entry.cliType} />
                ) : (
                  <Icon name={entry.icon ?? "chevron"} />
                )}
              </span>
              <span class="pick-label">
                <bdi>{entry.label}</bdi>
              </span>
              {entry.detail && (
                <span class="muted pick-detail">
                  <bdi>{entry.detail}</bdi>
                </span>
              )}
              {entry.info && (
                <span class="pick-state">
                  <SessionState info={entry.info} />
                </span>
              )}
              {entry.keys && (
                <span class="pick-keys" aria-hidden="true">
                  {entry.keys.map((key) => (
                    <kbd key={key}>{keyName(key)}</kbd>
                  ))}
                </span>
              )}
              {entry.snippet && (
                <span class="pick-snippet">
                  {marked(entry.snippet, query).map((part, at2) =>
                    part.hit ? <mark key={at2}>{part.text}</mark> : part.text,
                  )}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
