import { afterEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { broken, httpViolations, violations } from "./contract";
import { approval, turn } from "./data";
import { startPage, until, type Harness } from "./harness";

let page: Harness | undefined;
afterEach(() => {
  page?.close();
  page = undefined;
});

describe("the contract between the page and its world", () => {
  it("takes what is described", () => {
    expect(violations("Item", approval("a"))).toEqual([]);
    expect(violations("Turn", turn("t"))).toEqual([]);
    expect(violations("ClientMessage", { type: "session:queue", sessionId: "s", content: null })).toEqual([]);
  });

  it("finds what is missing, of a wrong type, of an unknown name or nowhere described", () => {
    const { title: _title, ...untitled } = approval("a");
    expect(violations("Item", untitled)).toEqual(["Item.title: missing"]);
    expect(violations("Item", approval("a", { rev: "1" as never }))[0]).toMatch(/^Item\.rev: not a integer/);
    expect(violations("Item", approval("a", { state: "open" as never }))[0]).toMatch(
      /^Item\.state: not one of/,
    );
    expect(violations("Item", { ...approval("a"), titel: "x" })).toEqual(["Item.titel: not described"]);
    expect(violations("Item", approval("not an id"))[0]).toMatch(/^Item\.itemId: does not match/);
    expect(violations("Turn", turn("t", { startedAt: "yesterday" }))[0]).toMatch(/not a timestamp/);
    expect(violations("ClientMessage", { type: "session:sing", sessionId: "s" })).not.toEqual([]);
    const nested = { type: "session:upsert", sessionId: "s", rev: 1, payload: untitled };
    expect(violations("ServerMessage", nested)).toEqual(["ServerMessage.payload.title: missing"]);
  });

  it("knows the HTTP calls of the server's table, with what is in their address", () => {
    const at = (path: string) => new URL(path, "http://page.test");
    const agents = JSON.stringify({ agents: [] });
    expect(httpViolations("GET", at("/api/agents"), undefined, 200, agents)).toEqual([]);
    expect(httpViolations("GET", at("/api/agents"), undefined, 200, "{}")).toEqual([
      "AgentsBody.agents: missing",
    ]);
    expect(httpViolations("GET", at("/api/secrets"), undefined, 200, "{}")).toHaveLength(1);
    expect(httpViolations("GET", at("/api/agents"), undefined, 503, "{}")).toEqual([
      "GET /api/agents 503.code: missing",
      "GET /api/agents 503.message: missing",
    ]);
    const warm = JSON.stringify({ warm: true });
    expect(httpViolations("POST", at("/api/agents/demo/warm"), { projectId: "p" }, 202, warm)).toEqual([]);
    expect(httpViolations("POST", at("/api/agents/demo/warm"), {}, 202, warm)).toHaveLength(1);
    const found = JSON.stringify({ results: [] });
    expect(httpViolations("GET", at("/api/search?q=x&limit=4"), undefined, 200, found)).toEqual([]);
    expect(httpViolations("GET", at("/api/search?q=x&limit=few"), undefined, 200, found)).toHaveLength(1);
    expect(httpViolations("GET", at("/api/search?q=x&most=4"), undefined, 200, found)).toEqual([
      "SearchRequest.most: not described",
    ]);
  });

  it("is held against every message in a test, whoever sends it", async () => {
    page = await startPage(new World("busy"));
    expect(broken).toEqual([]);
    page.world.broadcast({ type: "session:sent", sessionId: "s-1" });
    await until(() => broken.length > 0);
    expect(broken.splice(0)).toEqual(["ServerMessage.turnId: missing"]);
    void page.app.link
      .request({ type: "session:rename", sessionId: "s-1", title: 7 as never })
      .catch(() => {});
    expect(broken.splice(0)[0]).toMatch(/^ClientMessage\.title: not a string/);
    // The world believes the client, and tells everybody.
    await until(() => broken.length > 0);
    expect(broken.splice(0)[0]).toMatch(/^ServerMessage\.title: not a string/);
  });
});
