import { createHash, createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { Api, WireError } from "../src/api";
import { complete, rank, triggerAt } from "../src/completion";
import { fuzzy } from "../src/fuzzy";
import { age, bytes, cost, count, duration } from "../src/format";
import { $, $$, press, startPage, texts, tick, type, until, type Harness } from "./harness";
import { Connection, type SocketLike } from "../src/state/link";
import { marked } from "../src/views/dialogs/picker";
import type { ServerMessage } from "../src/wire";

let page: Harness | undefined;
afterEach(() => {
  page?.close();
  page = undefined;
});

describe("keyboard", () => {
  const open = async () => {
    page = await startPage(new World("busy"));
    return page;
  };

  it("Ctrl+K finds sessions, projects and commands", async () => {
    const { root, app } = await open();
    await press(document.body, "k", { ctrlKey: true });
    const input = await until(() => $(root, ".palette input") as HTMLInputElement);
    await type(input, "mesh");
    expect(texts(root, ".picker-list .pick-label")[0]).toBe("Port the mesh loader to C++23");
    await press(input, "Enter");
    expect(app.nav.tabs.value.active).toBe("s-6");
    await press(document.body, "k", { metaKey: true });
    await type(await until(() => $(root, ".palette input") as HTMLInputElement), "theme dark");
    await press($(root, ".palette input")!, "Enter");
    expect(app.prefs.theme.value).toBe("dark");
  });

  it("search jumps to the message", async () => {
    const { root, app } = await open();
    await press(document.body, "F", { ctrlKey: true, shiftKey: true });
    await type(await until(() => $(root, ".palette input") as HTMLInputElement), "off by one cent");
    await until(() => $$(root, ".picker-list li").length > 0);
    await press($(root, ".palette input")!, "Enter");
    await until(() => app.nav.tabs.value.active === "s-1");
    await until(() => $(root, ".row.found .message.user"));
  });

  it("? shows the sheet, digits switch tabs, Escape stops the turn", async () => {
    const { root, app, heard } = { ...(await open()), ...page! };
    await press(document.body, "?");
    await until(() => $(root, ".shortcuts"));
    app.nav.closeDialog();
    app.nav.navigate({ page: "session", sessionId: "s-1" });
    app.nav.navigate({ page: "session", sessionId: "s-3" });
    await press(document.body, "1", { altKey: true, code: "Digit1" });
    expect(app.nav.tabs.value.active).toBe("s-1");
    app.nav.navigate({ page: "session", sessionId: "s-3" });
    await tick();
    await press(document.body, "Escape");
    await until(() => heard("session:cancel")[0]?.["sessionId"] === "s-3");
  });

  it("the sidebar is resized by keyboard within its limits", async () => {
    const { root, app } = await open();
    const handle = $(root, "[role=separator]")!;
    await press(handle, "ArrowRight", { shiftKey: true });
    expect(app.prefs.sidebarWidth.value).toBe(312);
    await press(handle, "Home");
    expect(handle.getAttribute("aria-valuenow")).toBe("220");
  });
});

describe("attention", () => {
  it("counts who waits in the title and says aloud who is done", async () => {
    page = await startPage(new World("busy"));
    await until(() => document.title === "(1) Liminal Builder");
    page.world.change(page.world.session("s-3"), { activity: "idle" });
    await until(
      () => page!.app.attention.announcement.value === "Translate the checkout into French is done",
    );
  });

  it("notifies only who asked for it", async () => {
    page = await startPage(new World("busy"));
    const shown: string[] = [];
    const Fake = class {
      static permission = "granted";
      static requestPermission = async () => "granted";
      onclick = null;
      close() {}
      constructor(title: string) {
        shown.push(title);
      }
    };
    vi.stubGlobal("Notification", Fake);
    Object.assign(window, { Notification: Fake });
    page.world.change(page.world.session("s-3"), { activity: "needs-approval" });
    await until(() => page!.app.attention.announcement.value.endsWith("needs you"));
    expect(shown).toEqual([]);
    await page.app.attention.turnOn();
    page.world.change(page.world.session("s-3"), { activity: "failed" });
    await until(() => shown.length === 1);
    expect(shown).toEqual(["Translate the checkout into French failed"]);
    vi.unstubAllGlobals();
  });
});

describe("getting in", () => {
  it("S35: the bearer is sent only to a server that proves to know it, and again after a disconnect", async () => {
    localStorage.setItem("lb.token", "the bearer");
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    const asked: { path: string; bearer: string | undefined }[] = [];
    let honest = true;
    let away = false;
    const fetcher = (async (path: string, init: RequestInit) => {
      if (away) throw new TypeError("Failed to fetch");
      asked.push({ path, bearer: (init.headers as Record<string, string>)["Authorization"] });
      if (path !== "/api/auth/prove") return new Response("{}");
      const { keyId, nonce } = JSON.parse(init.body as string) as { keyId: string; nonce: string };
      const key = sha256("the bearer");
      expect(keyId).toBe(sha256(key).slice(0, 32));
      const question = `liminal-builder\n${location.host}\n${nonce}`;
      const proof = createHmac("sha256", honest ? key : "guess")
        .update(question)
        .digest("hex");
      return new Response(JSON.stringify({ proof }));
    }) as typeof fetch;
    const api = new Api(fetcher);
    await api.call("GET /api/info", {});
    await api.call("GET /api/session/{sessionId}/timeline", { sessionId: "a/b", tail: 9, since: undefined });
    expect(asked.map(({ path }) => path)).toEqual([
      "/api/auth/prove",
      "/api/info",
      "/api/session/a%2Fb/timeline?tail=9",
    ]);
    expect(asked[2]!.bearer).toBe("Bearer the bearer");
    away = true;
    await expect(api.call("GET /api/info", {})).rejects.toThrow("Failed to fetch");
    away = false;
    asked.length = 0;
    await api.call("GET /api/info", {});
    expect(asked.map(({ path }) => path)).toEqual(["/api/auth/prove", "/api/info"]);
    honest = false;
    api.distrust();
    asked.length = 0;
    await expect(api.call("GET /api/info", {})).rejects.toThrow("not the server");
    await expect(api.ticket()).rejects.toThrow("not the server");
    expect(asked.map(({ path }) => path)).toEqual(["/api/auth/prove", "/api/auth/prove"]);
    expect(asked.every(({ bearer }) => bearer === undefined)).toBe(true);
  });
});

describe("Connection", () => {
  const make = (ticket: () => Promise<string>) => {
    const sockets: (SocketLike & { sent: string[]; protocols: string[] })[] = [];
    const link = new Connection({
      ticket,
      random: () => 1,
      connect: (protocols) => {
        const socket = {
          readyState: 1,
          onmessage: null,
          onclose: null,
          sent: [] as string[],
          protocols,
          send(data: string) {
            this.sent.push(data);
          },
          close() {
            this.readyState = 3;
          },
        };
        sockets.push(socket);
        return socket;
      },
    });
    const say = (message: object) =>
      sockets.at(-1)!.onmessage!({ data: JSON.stringify(message) } as MessageEvent);
    return { link, sockets, say };
  };

  it("offers the ticket as a subprotocol and answers requests by id", async () => {
    const { link, sockets, say } = make(async () => "T");
    link.start();
    await until(() => sockets.length === 1);
    expect(sockets[0]!.protocols).toEqual(["liminal.v1", "liminal.ticket.T"]);
    say({ type: "hello", version: "1", wireVersion: 2, epoch: "e" });
    const answer = link.request({ type: "project:list" });
    const refused = link.request({ type: "project:add", path: "x" });
    const [first, second] = sockets[0]!.sent.map((text) => JSON.parse(text) as { requestId: string });
    say({ type: "error", requestId: second!.requestId, code: "PROJECT_PATH_INVALID", message: "no" });
    say({ type: "project:list", requestId: first!.requestId, projects: [] });
    expect((await answer).type).toBe("project:list");
    await expect(refused).rejects.toBeInstanceOf(WireError);
  });

  it("fails what was asked when the link drops, and waits longer each time", async () => {
    vi.useFakeTimers();
    const { link, sockets, say } = make(async () => "T");
    const seen: ServerMessage[] = [];
    link.onMessage = (message) => seen.push(message);
    link.start();
    await vi.advanceTimersByTimeAsync(0);
    say({ type: "hello", version: "1", wireVersion: 2, epoch: "e" });
    const lost = link.request({ type: "project:list" }).catch((error: Error) => error.message);
    sockets[0]!.onclose!({ code: 1006 } as CloseEvent);
    expect(await lost).toContain("Not connected");
    const delays: number[] = [];
    for (let round = 0; round < 8; round++) {
      const state = link.state.value;
      if (state.kind !== "offline") throw new Error("should wait");
      delays.push(state.retryAt - Date.now());
      await vi.advanceTimersByTimeAsync(state.retryAt - Date.now());
      sockets.at(-1)!.onclose!({ code: 1006 } as CloseEvent);
    }
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 10000, 10000]);
    vi.useRealTimers();
  });

  it("a refused ticket asks for a login, a failing server does not", async () => {
    const refused = make(async () => {
      throw new WireError("UNAUTHENTICATED", "no");
    });
    refused.link.start();
    await until(() => refused.link.state.value.kind === "login");
    const down = make(async () => {
      throw new TypeError("Failed to fetch");
    });
    down.link.start();
    await until(() => down.link.state.value.kind === "offline");
    down.link.requireLogin();
  });
});

describe("small words", () => {
  it("ages, durations, counts", () => {
    const now = Date.parse("2026-11-15T12:00:00Z");
    const ago = (minutes: number) => age(new Date(now - minutes * 60_000).toISOString(), now);
    expect([0, 5, 60 * 3, 60 * 24 * 2, 60 * 24 * 30].map(ago)).toEqual(["now", "5m", "3h", "2d", "4w"]);
    expect([12, 4200, 48_000, 125_000, 7_500_000].map(duration)).toEqual([
      "12 ms",
      "4.2 s",
      "48 s",
      "2 min 5 s",
      "2 h 5 min",
    ]);
    expect([count(999), count(12_840), count(1_200_000), cost(0.0042), cost(1.5), bytes(900_000)]).toEqual([
      "999",
      "12.8k",
      "1.2M",
      "$0.0042",
      "$1.50",
      "879 KiB",
    ]);
  });

  it("search marks the words that were looked for", () => {
    expect(
      marked("Off by one (cent)", "CENT) by")
        .filter((part) => part.hit)
        .map((part) => part.text),
    ).toEqual(["by", "cent)"]);
    expect(marked("text", " ")).toEqual([{ text: "text", hit: false }]);
  });

  it("completion knows what the cursor asks for", () => {
    expect(triggerAt("/rev", 4)).toMatchObject({ kind: "command", query: "rev" });
    expect(triggerAt("see @src/a", 10)).toMatchObject({ kind: "file", query: "src/a", from: 4 });
    expect(triggerAt("mail a@b", 8)).toBeUndefined();
    expect(triggerAt("and /rev", 8)).toBeUndefined();
    expect(complete("see @sr please", { kind: "file", query: "sr", from: 4, to: 7 }, "src/a.ts")).toEqual({
      text: "see @src/a.ts please",
      cursor: 14,
    });
    expect(fuzzy("xyz", "abc")).toBeUndefined();
    expect(rank("ns", ["Close this tab", "New session"], (text) => text)[0]).toBe("New session");
  });
});
