// What stands beside a conversation: changes, files, terminals, ports.
import { benchOf, type BenchTab } from "../state/bench";
import { info, type Command, type Look } from "./command";

const panel = (tab: BenchTab, look: Look): Command => ({
  ...look,
  when: (app, about) => info(app, about) !== undefined && app.nav.session.peek() === about.sessionId,
  run: (app) => benchOf(app).toggle(tab),
});

export const workbenchRows = {
  workbench: {
    label: "Show or hide the workbench",
    icon: "bench",
    keys: ["Ctrl", "J"],
    when: (app, about) => info(app, about) !== undefined && app.nav.session.peek() === about.sessionId,
    run: (app) => benchOf(app).toggle(),
  },
  changes: panel("changes", {
    label: "Changes",
    inPalette: "Changes of this session",
    icon: "diff",
    keys: ["Ctrl", "Shift", "G"],
  }),
  "quick-open": {
    label: "Open a file…",
    icon: "file",
    keys: ["Ctrl", "P"],
    when: (app, about) => info(app, about) !== undefined && app.nav.session.peek() === about.sessionId,
    run: (app, { sessionId }) => app.nav.openDialog({ kind: "quick-open", sessionId: sessionId! }),
  },
  terminal: panel("terminal", {
    label: "Terminal",
    inPalette: "Terminals of this session",
    icon: "terminal",
    keys: ["Ctrl", "`"],
  }),
  ports: panel("ports", {
    label: "Ports",
    inPalette: "Ports that this session's programs listen on",
    icon: "globe",
    keys: ["Ctrl", "Alt", "P"],
  }),
} satisfies Record<string, Command>;
