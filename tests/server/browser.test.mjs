// S8, S9 and S35 in a real Chromium: pages of strangers, and of other servers on this machine, against ours; and our page against a stranger.
import assert from "node:assert/strict";
import http from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { eventually, makeHome, Server, token } from "../support/server.mjs";

const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const place = makeHome();
let server;
let browser;
let stranger; // A web server of somebody else; `heard` is every request it received.
const heard = [];
before(async () => {
  server = await Server.start({ home: place.home, args: ["--log-level", "warn"] });
  stranger = http.createServer((request, response) => {
    heard.push({ url: request.url, headers: request.headers });
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>stranger</title><body>");
  });
  await new Promise((done) => stranger.listen(0, "127.0.0.1", done));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--host-resolver-rules=MAP evil.test 127.0.0.1"],
  });
});
after(async () => {
  await browser?.close();
  await server.stop();
  stranger.close();
  place.remove();
});

/** Everything a page can try against `target`; what it could read, and whether anything connected. */
function attack(target, project) {
  return [
    async (base) => (await fetch(`${base}/api/project/list`)).text(),
    async (base) => (await fetch(`${base}/api/project/list`, { headers: { authorization: "Bearer x" } })).text(),
    async (base, path) =>
      (await fetch(`${base}/api/project/add`, { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body: JSON.stringify({ path }) })).text(),
    async (base) => (await fetch(`${base}/healthz`)).text(),
    async (base) => (await fetch(`${base}/`)).text(),
    (base) =>
      new Promise((done, failed) => {
        const socket = new WebSocket(`${base.replace("http", "ws")}/ws`, ["liminal.v1", "liminal.ticket.x"]);
        socket.onopen = () => done("open");
        socket.onerror = () => failed(new Error("refused"));
      }),
    (base) =>
      new Promise((done, failed) => {
        const source = new EventSource(`${base}/api/session/x/events`);
        source.onopen = () => done("open");
        source.onerror = () => failed(new Error("refused"));
      }),
    (base) =>
      new Promise((done, failed) => {
        const image = new Image();
        image.onload = () => done("loaded");
        image.onerror = () => failed(new Error("refused"));
        image.src = `${base}/api/project/list`;
      }),
    (base) =>
      new Promise((done, failed) => {
        const script = document.createElement("script");
        script.onload = () => done("loaded");
        script.onerror = () => failed(new Error("refused"));
        script.src = `${base}/api/project/list`;
        document.body.append(script);
      }),
  ].map((attempt) => ({ attempt: attempt.toString(), target, project }));
}

async function tryAll(page, target) {
  const readable = [];
  for (const { attempt, project } of attack(target, place.project)) {
    const got = await page.evaluate(
      async ({ source, base, path }) => {
        try {
          const work = (0, eval)(`(${source})`)(base, path);
          const late = new Promise((_, failed) => setTimeout(() => failed(new Error("late")), 3000));
          return { read: await Promise.race([work, late]) };
        } catch (error) {
          return { refused: String(error) };
        }
      },
      { source: attempt, base: target, path: project },
    );
    if (got.read) readable.push({ attempt, got: got.read });
  }
  // A form needs no script and no permission to be sent.
  await page.evaluate(
    ({ base }) => {
      const frame = document.createElement("iframe");
      frame.name = "sink";
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", action: `${base}/api/auth/logout`, target: "sink", enctype: "text/plain" });
      document.body.append(frame, form);
      form.submit();
    },
    { base: target },
  );
  return readable;
}

async function untouched() {
  assert.deepEqual((await server.get("/api/project/list")).projects, []);
}

test("S8: a page whose name resolves to this machine reads nothing and changes nothing", async () => {
  const page = await browser.newPage();
  const port = stranger.address().port;
  await page.goto(`http://evil.test:${port}/`);
  for (const base of [`http://evil.test:${server.port}`, `http://127.0.0.1:${server.port}`, `http://localhost:${server.port}`]) {
    assert.deepEqual(await tryAll(page, base), [], base);
  }
  // The rebound name itself: the page that would be there is refused too.
  const own = await page.goto(`http://evil.test:${server.port}/`);
  assert.equal(own.status(), 403);
  await untouched();
  await page.close();
});

test("S9: a page on another port of this machine reads nothing, and no credential of ours arrives there", async () => {
  const ours = await browser.newContext();
  const user = await ours.newPage();
  await user.goto(server.readyLine.replace(/^.*: (http)/, "$1"));
  await user.waitForFunction(() => localStorage.length + sessionStorage.length > 0);
  const page = await ours.newPage();
  await page.goto(`http://localhost:${stranger.address().port}/`);
  for (const base of [`http://localhost:${server.port}`, `http://127.0.0.1:${server.port}`]) {
    assert.deepEqual(await tryAll(page, base), [], base);
  }
  assert.ok(heard.length > 0);
  for (const { url, headers } of heard) {
    assert.equal(headers.cookie, undefined);
    assert.equal(headers.authorization, undefined);
    assert.ok(!JSON.stringify([url, headers]).includes(server.code));
    assert.ok(!JSON.stringify([url, headers]).includes(token));
  }
  assert.deepEqual(await ours.cookies(), []);
  await untouched();
  await ours.close();
});

test("S35: an open page gives nothing to a stranger who takes the port, and comes back to the real server", async () => {
  const home = makeHome();
  let own = await Server.start({ home: home.home, args: ["--log-level", "warn"] });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(own.readyLine.replace(/^.*: (http)/, "$1"));
  await page.waitForFunction(() => localStorage.getItem("lb.token") !== null);
  const bearer = await page.evaluate(() => localStorage.getItem("lb.token"));
  // Connected and quiet: a page that is just asking has seen the proof a moment ago, and a browser repeats by itself what a broken connection left unanswered.
  await eventually(async () => /lb_streams 1\b/.test((await own.ask("GET", "/metrics")).text), "the page is connected", 60_000);
  await page.waitForLoadState("networkidle");
  const port = own.port;
  await own.kill();

  const requests = [];
  const upgrades = [];
  const answers = [{ status: 200, body: { proof: "0".repeat(64), ticket: "x", token: "x" } }, { status: 200, body: {} }, { status: 500, body: {} }];
  const thief = http.createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      requests.push({ url: request.url, headers: request.headers, body });
      const { status, body: answer } = answers[requests.length % answers.length];
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
  });
  thief.on("upgrade", (request, socket) => {
    upgrades.push(request.headers);
    socket.destroy();
  });
  await new Promise((done) => thief.listen(port, "127.0.0.1", done));
  await eventually(() => requests.filter(({ url }) => url.startsWith("/api/")).length >= 4, "the page tries to come back", 60_000);
  thief.closeAllConnections();
  await new Promise((done) => thief.close(done));
  assert.deepEqual(upgrades, []);
  for (const request of requests) {
    assert.equal(request.headers.authorization, undefined);
    assert.equal(request.headers.cookie, undefined);
    assert.ok(!JSON.stringify(request).includes(bearer));
    assert.ok(request.url === "/api/auth/prove" || !request.url.startsWith("/api/"), request.url);
  }

  own = await Server.start({ home: home.home, port, args: ["--log-level", "warn"] });
  await eventually(async () => /lb_streams 1\b/.test((await own.ask("GET", "/metrics")).text), "the page is back", 60_000);
  await context.close();
  await own.stop();
  home.remove();
});
