// Shortcuts of the whole page, in one table that is also the help sheet.
import { closeSessionTab, nextQuestion, stepTab } from "./actions";
import type { App } from "./state/app";

export interface Shortcut {
  keys: string[];
  label: string;
  group: "Everywhere" | "Tabs" | "Writing" | "Reading and answering";
  match?: (event: KeyboardEvent) => boolean;
  run?: (app: App) => void;
}

const mod = (event: KeyboardEvent) => event.ctrlKey || event.metaKey;
const typing = (event: KeyboardEvent) =>
  event.target instanceof HTMLElement &&
  (event.target.matches("input, textarea, select") || event.target.isContentEditable);

export const shortcuts: readonly Shortcut[] = [
  {
    keys: ["Ctrl", "K"],
    label: "Command palette",
    group: "Everywhere",
    match: (e) => mod(e) && !e.shiftKey && e.key.toLowerCase() === "k",
    run: (app) => {
      app.dialog.value = { kind: "palette" };
    },
  },
  {
    keys: ["Ctrl", "Shift", "F"],
    label: "Search all conversations",
    group: "Everywhere",
    match: (e) => mod(e) && e.shiftKey && e.key.toLowerCase() === "f",
    run: (app) => {
      app.dialog.value = { kind: "search" };
    },
  },
  {
    keys: ["Ctrl", "Alt", "N"],
    label: "New session",
    group: "Everywhere",
    match: (e) => mod(e) && e.altKey && e.code === "KeyN",
    run: (app) => {
      app.dialog.value = { kind: "new-session" };
    },
  },
  {
    keys: ["Ctrl", "Alt", "I"],
    label: "Inbox",
    group: "Everywhere",
    match: (e) => mod(e) && e.altKey && e.code === "KeyI",
    run: (app) => {
      app.page.value = "inbox";
    },
  },
  {
    keys: ["Ctrl", "Alt", "H"],
    label: "Overview",
    group: "Everywhere",
    match: (e) => mod(e) && e.altKey && e.code === "KeyH",
    run: (app) => {
      app.page.value = "home";
    },
  },
  {
    keys: ["Ctrl", "1…9"],
    label: "Tab 1 to 9 (or Alt)",
    group: "Tabs",
    match: (e) => (mod(e) || e.altKey) && !e.shiftKey && /^Digit[1-9]$/.test(e.code),
  },
  {
    keys: ["Ctrl", "Alt", "→ ←"],
    label: "Next or previous tab",
    group: "Tabs",
    match: (e) => mod(e) && e.altKey && (e.key === "ArrowRight" || e.key === "ArrowLeft"),
  },
  {
    keys: ["Ctrl", "Alt", "W"],
    label: "Close tab",
    group: "Tabs",
    match: (e) => mod(e) && e.altKey && e.code === "KeyW",
    run: (app) => {
      const { active } = app.tabs.peek();
      if (active) closeSessionTab(app, active);
    },
  },
  {
    keys: ["Ctrl", "Alt", "B"],
    label: "Sidebar, in narrow windows",
    group: "Everywhere",
    match: (e) => mod(e) && e.altKey && e.code === "KeyB",
    run: (app) => {
      app.drawer.value = !app.drawer.peek();
    },
  },
  {
    keys: ["/"],
    label: "Write a message",
    group: "Writing",
    match: (e) => e.key === "/" && !mod(e) && !e.altKey && !typing(e),
    run: () => {
      document.querySelector<HTMLElement>(".composer textarea")?.focus();
    },
  },
  {
    keys: ["?"],
    label: "This sheet",
    group: "Everywhere",
    match: (e) => e.key === "?" && !mod(e) && !typing(e),
    run: (app) => {
      app.dialog.value = { kind: "shortcuts" };
    },
  },
  { keys: ["Enter"], label: "Send, or queue while a turn runs", group: "Writing" },
  { keys: ["Shift", "Enter"], label: "New line", group: "Writing" },
  { keys: ["Esc"], label: "Stop the running turn", group: "Writing" },
  { keys: ["↑"], label: "Your earlier messages", group: "Writing" },
  { keys: ["@"], label: "Mention a file", group: "Writing" },
  {
    keys: ["Alt", "↑ ↓"],
    label: "Jump between your messages",
    group: "Reading and answering",
    match: (e) => e.altKey && !mod(e) && (e.key === "ArrowUp" || e.key === "ArrowDown"),
  },
  {
    keys: ["Ctrl", "Alt", "A"],
    label: "Go to the question that waits",
    group: "Reading and answering",
    match: (e) => mod(e) && e.altKey && e.code === "KeyA",
    run: (app) => void nextQuestion(app),
  },
  {
    // Not Ctrl+Alt, which types braces and the like on many keyboards: nobody may answer by writing.
    keys: ["Alt", "Shift", "1…9"],
    label: "Answer the question on screen",
    group: "Reading and answering",
    match: (e) => e.altKey && e.shiftKey && !mod(e) && /^Digit[1-9]$/.test(e.code),
  },
  { keys: ["1…9"], label: "Answer the question in focus", group: "Reading and answering" },
  { keys: ["Ctrl", "Shift", "→ ←"], label: "Move the focused tab", group: "Tabs" },
  { keys: ["Del"], label: "Close the focused tab", group: "Tabs" },
];

/** Looks one event up; true when something was done. */
export function handleKey(app: App, event: KeyboardEvent): boolean {
  if (app.dialog.peek() && event.key !== "Escape") return false;
  const shortcut = shortcuts.find((entry) => entry.match?.(event));
  if (!shortcut) return stopWithEscape(app, event);
  if (/^Digit/.test(event.code) && event.shiftKey) {
    // A key that is held must not answer the next question as well.
    if (!event.repeat) answerOnScreen(app, Number(event.code.slice(5)));
  } else if (/^Digit/.test(event.code) && (mod(event) || event.altKey)) {
    const id = app.tabs.peek().ids[Number(event.code.slice(5)) - 1];
    if (id) app.show(id);
  } else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
    stepTab(app, event.key === "ArrowRight" ? 1 : -1);
  else if (event.key === "ArrowUp" || event.key === "ArrowDown")
    return app.stepPrompt?.(event.key === "ArrowUp" ? -1 : 1) ?? false;
  else shortcut.run?.(app);
  return true;
}

/** Answers the first question of the session on screen. What the reader does not see is shown instead. */
function answerOnScreen(app: App, number: number): void {
  const question = document.querySelector(".session .approval.pending");
  if (!question) return void nextQuestion(app);
  const button = question.querySelector<HTMLButtonElement>(`[data-answer="${number}"]`);
  const view = question.closest(".chat-scroll")?.getBoundingClientRect();
  const place = button?.getBoundingClientRect();
  const seen = place && (!view || (place.top >= view.top && place.bottom <= view.bottom));
  if (button && !seen) void nextQuestion(app);
  else button?.click();
}

/** Escape outside of any input stops the active session's turn, as it does in the composer. */
function stopWithEscape(app: App, event: KeyboardEvent): boolean {
  const { active } = app.tabs.peek();
  if (
    event.key !== "Escape" ||
    typing(event) ||
    event.defaultPrevented ||
    app.dialog.peek() ||
    app.page.peek() !== "session" ||
    !active
  )
    return false;
  const activity = app.session(active)?.peek().activity;
  if (activity !== "working" && activity !== "needs-approval") return false;
  void app.link.request({ type: "session:cancel", sessionId: active }).catch((error) => app.report(error));
  return true;
}
