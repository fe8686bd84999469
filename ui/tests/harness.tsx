// For tests: the whole page in a simulated browser, against the development server's world, without a network.
import { render } from "preact";
import { bodyOf } from "../dev/fail.mjs";
import { World } from "../dev/world.mjs";
import { forgetUnmade } from "../src/actions/unmade";
import { Api } from "../src/api";
import { App } from "../src/state/app";
import { expectHttp, expectWire } from "./contract";
import { Connection, type SocketLike } from "../src/state/link";
import { AppView } from "../src/views/app";
import { AppContext } from "../src/views/context";
import { conversation, dialogs } from "../src/views/later";

type Listener = (data: unknown) => void;

/** Both ends of a socket in one object: what one side sends the other receives, a moment later, in order. */
class Pipe implements SocketLike {
  readyState = 1;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readonly heard: Record<string, unknown>[] = [];
  private readonly answers = new Set<unknown>();
  private readonly listeners: Record<string, Listener> = {};
  readonly server = {
    send: (text: string) => {
      expectWire("ServerMessage", text);
      this.answers.add((JSON.parse(text) as { requestId?: string }).requestId);
      if (this.readyState === 1) queueMicrotask(() => this.onmessage?.({ data: text } as MessageEvent));
    },
    on: (event: string, listener: Listener) => {
      this.listeners[event] = listener;
    },
  };
  /** Whether every request of this type has its answer. */
  answered(type: string): boolean {
    return this.heard.every((message) => message["type"] !== type || this.answers.has(message["requestId"]));
  }
  send(data: string): void {
    expectWire("ClientMessage", data);
    this.heard.push(JSON.parse(data) as Record<string, unknown>);
    queueMicrotask(() => this.listeners["message"]?.(data));
  }
  close(code = 1006): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.listeners["close"]?.(undefined);
    queueMicrotask(() => this.onclose?.({ code } as CloseEvent));
  }
}

export interface Harness {
  world: World;
  app: App;
  root: HTMLElement;
  pipes: Pipe[];
  /** Paths of HTTP calls so far. */
  asked: string[];
  heard(type: string): Record<string, unknown>[];
  reload(): Promise<void>;
  /** How often the page wanted to be reloaded. */
  reloads: number;
  close(): void;
  online: { value: boolean };
}

export async function startPage(world: World, options: { wait?: boolean } = {}): Promise<Harness> {
  await Promise.all([conversation.load(), dialogs.load()]);
  const pipes: Pipe[] = [];
  const asked: string[] = [];
  const online = { value: true };
  const fetcher = (async (path: string, init: RequestInit) => {
    let answer = { status: 500, body: "" as unknown };
    let headers: Record<string, string> = {};
    const request: unknown = typeof init.body === "string" ? JSON.parse(init.body) : init.body;
    const url = new URL(path, "http://page.test");
    asked.push(path);
    if (url.pathname === "/api/auth/ticket")
      answer = online.value
        ? { status: 200, body: { ticket: "t", expiresInMs: 30_000 } }
        : { status: 503, body: { code: "UNAVAILABLE", message: "The server is stopping." } };
    else
      await world
        .http(
          init.method ?? "GET",
          url,
          request,
          (status, body) => {
            answer = { status, body };
          },
          {
            writeHead(_status: number, said: Record<string, string>) {
              headers = said;
            },
            end(body: unknown) {
              answer = { status: 200, body };
            },
          },
        )
        .catch((error: Error & { status?: number }) => {
          answer = { status: error.status ?? 500, body: bodyOf(error) };
        });
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    expectHttp(init.method ?? "GET", url, request, answer.status, text);
    return new Response(text, { status: answer.status, headers });
  }) as unknown as typeof fetch;

  const build = () => {
    const link = new Connection({
      ticket: () => api.ticket(),
      random: () => 0,
      connect: () => {
        const pipe = new Pipe();
        pipes.push(pipe);
        world.connect(pipe.server);
        return pipe;
      },
    });
    const api = new Api(fetcher, async () => {});
    localStorage.setItem("lb.token", "token");
    const app = new App(api, link, () => {
      harness.reloads++;
    });
    forgetUnmade(app);
    link.start();
    const root = document.createElement("div");
    document.body.replaceChildren(root);
    render(
      <AppContext.Provider value={app}>
        <AppView />
      </AppContext.Provider>,
      root,
    );
    return { app, root };
  };
  const harness = {
    world,
    pipes,
    asked,
    online,
    reloads: 0,
    heard: (type: string) =>
      pipes.flatMap((pipe) => pipe.heard).filter((message) => message["type"] === type),
    /** As a reload of the page: everything in memory is gone, storage stays. */
    async reload(this: Harness) {
      this.close();
      Object.assign(this, build());
      await until(() => this.app.projects.known.value && this.app.agents.list.value.length > 0);
    },
    close(this: Harness) {
      render(null, this.root);
      pipes.forEach((pipe) => pipe.close());
      this.app.link.requireLogin();
    },
  } as Harness;
  Object.assign(harness, build());
  if (options.wait !== false)
    await until(
      () =>
        harness.app.projects.known.value &&
        harness.app.agents.list.value.length > 0 &&
        world.projects.every((project) => harness.app.sessions.listedProjects.value.has(project.projectId)),
    );
  return harness;
}

/** Waits for a condition with a deadline; the error says what was waited for. */
export async function until<T>(
  condition: () => T,
  what = condition.toString(),
  ms = 30_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = condition();
    if (value) return value as NonNullable<T>;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const $ = (root: ParentNode, selector: string) => root.querySelector<HTMLElement>(selector);
export const $$ = (root: ParentNode, selector: string) => [...root.querySelectorAll<HTMLElement>(selector)];
export const texts = (root: ParentNode, selector: string) =>
  $$(root, selector).map((element) => element.textContent?.trim() ?? "");

export function button(root: ParentNode, name: string | RegExp): HTMLButtonElement {
  const matches = (text: string | null) =>
    text !== null && (typeof name === "string" ? text.trim() === name : name.test(text.trim()));
  const found = [...root.querySelectorAll("button")].find(
    (candidate) => matches(candidate.getAttribute("aria-label")) || matches(candidate.textContent),
  );
  if (!found)
    throw new Error(
      `no button ${name}; there are: ${[...root.querySelectorAll("button")].map((b) => b.getAttribute("aria-label") ?? b.textContent).join(" | ")}`,
    );
  return found;
}

export async function type(element: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void> {
  element.value = text;
  element.selectionStart = element.selectionEnd = text.length;
  element.dispatchEvent(new Event("input", { bubbles: true }));
  await tick();
}

export async function press(element: Element, key: string, more: KeyboardEventInit = {}): Promise<void> {
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  await tick();
}

export const tick = () => new Promise((resolve) => setTimeout(resolve, 15));
