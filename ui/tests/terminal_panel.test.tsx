// Terminals and ports in the workbench, over the development server's scripted shell.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addTerminal, connectTerminal, shellAt, type DevSocket } from "../dev/terminals.mjs";
import { World } from "../dev/world.mjs";
import { benchOf } from "../src/state/bench";
import type { LineSocket } from "../src/state/terminal_line";
import { network, openTerminals } from "../src/views/terminal/open";
import { terminal as terminalCode, workbench } from "../src/views/workbench/later";
import { $, $$, button, press, startPage, texts, until, type Harness } from "./harness";

/** Both ends of a terminal's socket. */
class Pipe implements LineSocket {
  binaryType: BinaryType = "arraybuffer";
  readyState = 1;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  private heard: (data?: unknown, binary?: boolean) => void = () => {};
  private left: () => void = () => {};
  readonly server: DevSocket = {
    send: (data) => {
      const copy = typeof data === "string" ? data : Uint8Array.from(data).buffer;
      queueMicrotask(() => this.readyState === 1 && this.onmessage?.({ data: copy } as MessageEvent));
    },
    on: (event, listener) => {
      if (event === "message") this.heard = listener;
      else this.left = listener;
    },
    close: () => this.close(),
  };
  send(data: string | Uint8Array) {
    const binary = typeof data !== "string";
    queueMicrotask(() => this.heard(data, binary));
  }
  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.left();
    queueMicrotask(() => this.onclose?.({ code: 1006 } as CloseEvent));
  }
}

let page: Harness;
let world: World;
let pipes: Pipe[];
const connect = network.connect;

beforeEach(async () => {
  await Promise.all([workbench.load(), terminalCode.load()]);
  pipes = [];
  network.connect = (path) => {
    const pipe = new Pipe();
    const url = new URL(path, "http://page.test");
    const shell = shellAt(world, url);
    pipes.push(pipe);
    if (shell) connectTerminal(shell, pipe.server, url);
    else queueMicrotask(() => pipe.close());
    return pipe;
  };
  world = new World("busy");
  page = await startPage(world);
});
afterEach(() => {
  page.close();
  network.connect = connect;
  vi.restoreAllMocks();
});

const show = async (tab: "terminal" | "ports") => {
  const id = [...world.sessions.values()].find(({ info }) => info.title?.includes("rounding"))!.info
    .sessionId;
  page.app.nav.navigate({ page: "session", sessionId: id });
  benchOf(page.app).show(tab);
  await until(() => $(page.root, ".bench"));
  return id;
};
const inFront = (id: string) => openTerminals(page.app).terminals.front(id)!;
const opened = (id: string) => openTerminals(page.app).known(inFront(id)?.terminalId)!;
const lines = (id: string) => {
  const buffer = opened(id).screen.terminal.buffer.active;
  return Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)!.translateToString(true));
};
const made = async () => {
  const id = await show("terminal");
  (await until(() => $$(page.root, ".terminal-empty button")[0])).click();
  await until(() => inFront(id) && lines(id).some((line) => line.includes("$")), "a prompt");
  return id;
};

it("explains itself, makes a terminal with one button and shows what it says", async () => {
  const id = await show("terminal");
  await until(() => $(page.root, ".terminal-empty"));
  expect($(page.root, ".terminal-empty")!.textContent).toContain("shell of your own");
  button(page.root, "New terminal").click();
  await until(() => texts(page.root, ".terminal-tab bdi")[0] === "Terminal 1");
  await until(() => lines(id).some((line) => line.includes("web-shop main $")), "a prompt");
  opened(id).line.type("echo hello there\r");
  await until(() => lines(id).includes("hello there"));
});

it("says why there are none", async () => {
  world.terminalProblem = "Terminals are switched off: terminal = false.";
  await show("terminal");
  await until(() => $(page.root, ".terminal-empty")?.textContent?.includes("terminal = false"));
  expect($$(page.root, ".terminal-empty button")).toHaveLength(0);
});

it("shows how it ended and offers another", async () => {
  const id = await made();
  opened(id).line.type("exit 3\r");
  await until(() => $(page.root, ".terminal-outcome")?.textContent?.includes("Exited with code 3."));
  expect(texts(page.root, ".terminal-mark")).toEqual(["ended"]);
  button($(page.root, ".terminal-outcome")!, "Close").click(); // Without a question: nothing runs.
  await until(() => $(page.root, ".terminal-empty"));
});

it("asks before it closes one that runs; another window's terminals come and go", async () => {
  const id = await made();
  const other = addTerminal(world, id, { name: "build" });
  await until(() => texts(page.root, ".terminal-tab bdi").length === 2);
  openTerminals(page.app).terminals.choose(other.terminal);
  await until(() => $(page.root, ".terminal-tab.active bdi")?.textContent === "build");
  await press($(page.root, '.terminal-tab.active [role="tab"]')!, "Delete");
  await until(() => $(page.root, "dialog")?.textContent?.includes("Close build?"));
  button($(page.root, "dialog")!, "Close terminal").click();
  await until(() => !world.shells!.has(other.terminal.terminalId));
  await until(() => texts(page.root, ".terminal-tab bdi").join() === "Terminal 1");
});

it("is renamed with F2, for every window", async () => {
  const id = await made();
  await press($(page.root, '.terminal-tab.active [role="tab"]')!, "F2");
  const field = await until(() => $(page.root, ".terminal-name") as HTMLInputElement | null);
  field.value = "tests";
  // The field goes with its answer, and loses the focus by it: no second answer, and no error.
  const problems: unknown[] = [];
  const onError = (event: ErrorEvent) => problems.push(event.error);
  addEventListener("error", onError);
  await press(field, "Enter");
  field.dispatchEvent(new FocusEvent("blur"));
  removeEventListener("error", onError);
  expect(problems).toEqual([]);
  await until(() => world.shells!.get(inFront(id).terminalId)!.terminal.name === "tests");
  await until(() => texts(page.root, ".terminal-tab bdi")[0] === "tests");
});

it("says so where another window sets its size", async () => {
  const id = await made();
  const { screen, line } = opened(id);
  const focus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
  const { cols, rows } = line.size.value!;
  Object.defineProperty(screen, "room", { configurable: true, get: () => ({ cols: cols + 9, rows }) });
  dispatchEvent(new Event("blur"));
  await until(() => $(page.root, ".terminal-sized")?.textContent === "Sized by another window");
  focus.mockReturnValue(true);
  dispatchEvent(new Event("focus"));
  await until(() => !$(page.root, ".terminal-sized"));
  focus.mockRestore();
});

it("tells the server when nobody looks, and goes on where it was", async () => {
  const id = await made();
  const shell = world.shells!.get(inFront(id).terminalId)!;
  const { line } = opened(id);
  benchOf(page.app).show("ports");
  await until(() => [...shell.readers].every(({ looking }) => !looking));
  shell.say("said while away\r\n");
  benchOf(page.app).show("terminal");
  await until(() => lines(id).some((one) => one.includes("said while away")));
  expect(opened(id).line).toBe(line);
  expect(pipes).toHaveLength(1);
});

it("says so when the server was started anew; the picture stays until it is closed", async () => {
  const id = await made();
  opened(id).line.type("echo before\r");
  await until(() => lines(id).includes("before"));
  world.shells!.clear();
  world.startedAt = new Date(Date.now() + 1).toISOString();
  pipes.forEach((pipe) => pipe.close());
  page.pipes.forEach((pipe) => pipe.close());
  await until(() =>
    $(page.root, ".terminal-outcome")?.textContent?.includes("ended when the server restarted"),
  );
  expect(lines(id)).toContain("before");
  button($(page.root, ".terminal-outcome")!, "New terminal").click();
  await until(() => texts(page.root, ".terminal-tab bdi").length === 2);
});

it("closes what another window closed while this one was away", async () => {
  const id = await made();
  addTerminal(world, id, { name: "build" });
  await until(() => texts(page.root, ".terminal-tab bdi").length === 2);
  world.shells!.delete(inFront(id).terminalId);
  pipes.forEach((pipe) => pipe.close());
  page.pipes.forEach((pipe) => pipe.close());
  await until(() => texts(page.root, ".terminal-tab bdi").length === 1);
  expect($(page.root, ".terminal-outcome")?.textContent ?? "").not.toContain("restarted");
});

it("answers a shell that was made here from its first word on, and none that was there before", async () => {
  const id = await show("terminal");
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const there = addTerminal(world, id);
  there.say("\u001b[c drawn");
  await until(() => inFront(id) && opened(id) && lines(id).some((line) => line.includes("drawn")));
  const terminal = (await openTerminals(page.app).terminals.create(id))!;
  world.shells!.get(terminal.terminalId)!.say("\u001b[c");
  // The scripted shell shows what it is told.
  await until(() => opened(id)?.terminalId === terminal.terminalId && lines(id)[0]?.includes("[?1;2c"));
  expect(Buffer.from(there.bytes).toString()).not.toContain("[?1;2c");
});

it("adds what the last command said to the prompt", async () => {
  const id = await made();
  const { screen } = opened(id);
  screen.press("echo one two");
  screen.press("\r");
  await until(() => lines(id).includes("one two"));
  button(page.root, "Add to prompt").click();
  const draft = await until(() => page.app.drafts.texts.value[id]);
  expect(draft).toMatch(/^From the terminal “Terminal 1”:\n\n```\n.*\$ echo one two\none two\n```$/);
});

it("asks before it pastes several lines into a program that would run each", async () => {
  const id = await made();
  const { screen } = opened(id);
  const paste = (text: string) => {
    const event = new Event("paste", { bubbles: true, cancelable: true });
    Object.assign(event, { clipboardData: { getData: () => text } });
    screen.host.dispatchEvent(event);
  };
  paste("echo a\necho b\n");
  await until(() => $(page.root, "dialog")?.textContent?.includes("Paste 2 lines?"));
  expect(lines(id)).not.toContain("a");
  button($(page.root, "dialog")!, "Paste").click();
  await until(() => lines(id).includes("b"));
  await new Promise<void>((resolve) => screen.terminal.write("\u001b[?2004h", resolve));
  paste("echo c\necho d\u001b[201~\n");
  await until(() => lines(id).includes("d[201~"));
  expect($(page.root, "dialog[open]")).toBeNull();
});

it("follows a link only after the target was seen, unless it was clicked with Ctrl and is what it says", async () => {
  const id = await made();
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const { options } = opened(id).screen.terminal;
  const range = { start: { x: 1, y: 1 }, end: { x: 2, y: 1 } };
  const click = (uri: string, ctrlKey: boolean) =>
    options.linkHandler!.activate(new MouseEvent("click", { ctrlKey }), uri, range);
  click("javascript:hit()", true);
  click("https://example.com/evil", true); // Its text may say something else.
  await until(() => $(page.root, "dialog")?.textContent?.includes("https://example.com/evil"));
  expect(open).not.toHaveBeenCalled();
  button($(page.root, "dialog")!, "Open in a new tab").click();
  expect(open).toHaveBeenCalledExactlyOnceWith("https://example.com/evil", "_blank", "noopener,noreferrer");
});

it("lists ports with who listens, and marks what others can reach", async () => {
  world.ports = [
    { port: 3000, address: "127.0.0.1", pid: 1, program: "node", sessionId: "s-1" },
    { port: 5173, address: "0.0.0.0", pid: 2, program: "vite", cliType: "opencode" },
  ];
  const id = await show("ports");
  world.ports[0]!.sessionId = id;
  await until(() => $$(page.root, ".ports li").length > 0);
  await until(() => $$(page.root, ".ports li").length === 2, "both ports");
  const [first, second] = $$(page.root, ".ports li");
  expect(first!.querySelector("a")!.rel).toBe("noopener noreferrer");
  expect(first!.textContent).not.toContain("reachable");
  expect(second!.textContent).toContain("reachable from other machines");
  expect($(page.root, "#bench-tab-ports .bench-count")!.textContent).toBe("2");
});

it("says that nothing listens", async () => {
  await show("ports");
  await until(() => $(page.root, ".terminal-empty")?.textContent?.includes("Nothing listens yet"));
});
