// A development server that speaks docs/wire.md from memory: for working on the page, its screenshots and its measurements.
// Usage: node dev/server.mjs [--port N] [--story first-run|busy|crowd|long|wide|workspaces|review|many-files|huge-file|test] [--dist DIR]
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { createHash, createHmac, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { bodyOf } from "./fail.mjs";
import { connectTerminal, shellAt } from "./terminals.mjs";
import { World } from "./world.mjs";

export const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types lb-md dompurify";
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

export async function startServer({
  port = 0,
  story = "busy",
  dist = fileURLToPath(new URL("../dist", import.meta.url)),
  code = "dev",
  world = new World(story),
} = {}) {
  const tickets = new Set();
  const codes = new Set([code]);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://x");
    const send = (status, body) => {
      response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
      response.end(JSON.stringify(body));
    };
    if (!url.pathname.startsWith("/api/")) return serveFile(url.pathname, dist, response);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const body =
      request.headers["content-type"] === "application/json" && raw.length > 0
        ? JSON.parse(raw.toString())
        : raw;
    if (url.pathname === "/api/auth/exchange")
      return codes.delete(body.code)
        ? send(200, { token: "token" })
        : send(401, { code: "INVALID_CODE", message: "This launch code was used or is too old." });
    if (url.pathname === "/api/auth/prove") {
      const key = createHash("sha256").update("token").digest("hex");
      const question = `liminal-builder\n${request.headers.host}\n${body.nonce}`;
      return send(200, { proof: createHmac("sha256", key).update(question).digest("hex") });
    }
    if (request.headers.authorization !== "Bearer token")
      return send(401, { code: "UNAUTHENTICATED", message: "No valid credential." });
    if (url.pathname === "/api/auth/ticket") {
      const ticket = randomUUID();
      tickets.add(ticket);
      return send(200, { ticket, expiresInMs: 30000 });
    }
    try {
      await world.http(request.method, url, body, send, response);
    } catch (error) {
      send(error.status ?? 500, bodyOf(error));
    }
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "liminal.v1" });
  server.on("upgrade", (request, socket, head) => {
    const ticket = /liminal\.ticket\.(\S+)/.exec(request.headers["sec-websocket-protocol"] ?? "")?.[1];
    if (!tickets.delete(ticket)) {
      socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      return;
    }
    const url = new URL(request.url, "http://x");
    const shell = shellAt(world, url);
    if (shell === null) return void socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (ws) =>
      shell ? connectTerminal(shell, ws, url) : world.connect(ws),
    );
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const stop = () => {
    for (const ws of sockets.clients) ws.terminate();
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return {
    url,
    launch: `${url}#code=${code}`,
    world,
    stop,
    open: () => {
      const fresh = randomUUID();
      codes.add(fresh);
      return `${url}#code=${fresh}`;
    },
    dropSockets: () => {
      for (const ws of sockets.clients) ws.terminate();
    },
  };
}

function serveFile(path, dist, response) {
  const place = /^\/(overview|inbox|workspaces|archived|settings|audit|new|s\/[^/]+)?$/.test(path);
  const file = place ? join(dist, "index.html") : resolve(dist, `.${path}`);
  if (!file.startsWith(resolve(dist)) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404);
    response.end();
    return;
  }
  response.writeHead(200, {
    "Content-Type": types[extname(file)] ?? "application/octet-stream",
    "Content-Security-Policy": csp,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": place ? "no-store" : "public, max-age=31536000, immutable",
  });
  createReadStream(file).pipe(response);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const option = (name, fallback) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? fallback : process.argv[at + 1];
  };
  const { launch } = await startServer({
    port: Number(option("port", 4760)),
    story: option("story", "busy"),
  });
  console.log(`Development server: ${launch}`);
}
