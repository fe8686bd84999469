import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { startSession } from "../src/actions/create";
import { openDraft } from "../src/actions/unmade";
import { followAddress, pathOf, placeAt, sessionLink, takeAddress } from "../src/state/address";
import { $, button, startPage, until, type Harness } from "./harness";

describe("an address", () => {
  it("names each place, and each place has one", () => {
    for (const path of [
      "/overview",
      "/inbox",
      "/archived",
      "/settings",
      "/audit",
      "/new",
      "/s/s-1",
      "/s/codex:a.b_c-d",
    ])
      expect(pathOf(placeAt(path, "new:1")!)).toBe(path);
    expect(pathOf({ page: "session", sessionId: "new:1:p" })).toBe("/new");
    expect(new URL(sessionLink("s-1")).pathname).toBe("/s/s-1");
  });

  it("that is no place of ours asks for nothing", () => {
    for (const path of ["/", "/s/", "/s/a/b", "/s/new:1", "/s/-p", `/s/${"x".repeat(129)}`, "/inbox/", "/x"])
      expect(placeAt(path, "new:1"), path).toBeUndefined();
  });

  it("loses a launch code and the old form of a link before anything else happens", () => {
    const replaced: string[] = [];
    const take = (hash: string, pathname = "/") =>
      takeAddress(
        {
          location: { hash, pathname, search: "" } as Location,
          history: {
            replaceState: (_state: unknown, _title: string, url: string) => replaced.push(url),
          } as unknown as History,
        },
        "new:1",
      );
    const session = { page: "session", sessionId: "s-1" };
    expect(take("#code=abc")).toEqual({ code: "abc" });
    expect(take("#code=abc", "/s/s-1")).toEqual({ code: "abc", place: session });
    expect(take("#session=s-1&code=abc")).toEqual({ code: "abc", place: session });
    expect(take("#session=codex%3Aa")).toEqual({ place: { page: "session", sessionId: "codex:a" } });
    expect(replaced).toEqual(["/", "/s/s-1", "/s/s-1", "/s/codex:a"]);
    expect([take("#session=new:1"), take("#session=a/b")]).toEqual([{}, {}]);
    replaced.length = 0;
    expect([take(""), take("#main")]).toEqual([{}, {}]);
    expect(take("", "/nowhere")).toEqual({ unknown: "/nowhere" });
    expect(take("", "/")).toEqual({});
    expect(take("#main", "/inbox")).toEqual({ place: { page: "inbox" } });
    expect(replaced).toEqual([]);
  });
});

describe("the address bar", () => {
  let page: Harness;
  let stop: () => void;
  const session = (sessionId: string) => page.app.nav.navigate({ page: "session", sessionId });
  const onPop = () =>
    page.app.nav.comeBack(placeAt(location.pathname, page.app.start.id.peek()) ?? { page: "home" });
  const back = async (path: string) => {
    history.back();
    await until(() => location.pathname === path, `Back to ${path}`);
  };
  beforeEach(async () => {
    page = await startPage(new World("busy"));
    history.replaceState(null, "", "/");
    stop = followAddress(page.app.nav, window);
    window.addEventListener("popstate", onPop);
  });
  afterEach(() => {
    window.removeEventListener("popstate", onPop);
    stop();
    page.close();
  });

  it("follows what is on screen, and Back and Forward lead along it", async () => {
    expect(location.pathname).toBe("/overview");
    session("s-1");
    session("s-6");
    session("s-6");
    page.app.nav.navigate({ page: "inbox" });
    expect(location.pathname).toBe("/inbox");
    await back("/s/s-6");
    await until(() => page.app.nav.session.value === "s-6");
    await back("/s/s-1");
    await back("/overview");
    await until(() => page.app.nav.page.value === "home");
    history.forward();
    await until(() => page.app.nav.session.value === "s-1");
  });

  it("gives the entry of a closed tab to its neighbour; an older one opens it again", async () => {
    ["s-1", "s-6", "s-7"].forEach(session);
    const entries = history.length;
    page.app.closeTabs(["s-7"]);
    expect(location.pathname).toBe("/s/s-6");
    expect(history.length).toBe(entries);
    session("s-1");
    page.app.closeTabs(["s-6"]);
    expect(location.pathname).toBe("/s/s-1");
    await back("/s/s-6");
    await until(() => page.app.nav.tabs.value.ids.includes("s-6"));
  });

  it("calls a session that is written or being made /new, and by its name once it has one, in the same entry", async () => {
    session("s-1");
    const entries = history.length;
    openDraft(page.app);
    expect(location.pathname).toBe("/new");
    const made = startSession(page.app, "Hello");
    expect(location.pathname).toBe("/new");
    await made;
    expect(location.pathname).toBe(`/s/${page.app.nav.session.value}`);
    expect(history.length).toBe(entries + 1);
    await back("/s/s-1");
  });

  it("of a session that is not there says so and stays; a tab that one had of it goes", async () => {
    session("s-1");
    session("s-unknown");
    const heading = await until(() => $(page.root, ".missing h1"));
    expect(heading.textContent).toBe("This session is not here");
    expect(location.pathname).toBe("/s/s-unknown");
    expect(page.app.nav.tabs.value.ids).toEqual(["s-1"]);
    expect($(page.root, ".toast")).toBeNull();
    button(page.root, "Overview").click();
    await until(() => $(page.root, ".home"));
    await back("/s/s-unknown");
    await until(() => $(page.root, ".missing"));
    await back("/s/s-1");
    await until(() => $(page.root, ".session .composer"));
  });

  it("of a session that was deleted while one was away is the same", async () => {
    session("s-1");
    await until(() => page.app.timelines.of("s-1").loaded.value);
    page.world.sessions.delete("s-1");
    await page.reload();
    await until(() => $(page.root, ".missing"));
    expect(page.app.nav.tabs.value.ids).toEqual([]);
  });
});
