// HTTP calls with the bearer, and the one exchange that gives us a bearer.
import { COMMANDS, type Commands } from "./wire";

/** What the server answered instead of what was asked for. `code` is for programs, `message` for people. */
export class WireError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly detail: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

const kTokenKey = "lb.token";

const encoder = new TextEncoder();
const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (text: string): Promise<string> =>
  hex(await crypto.subtle.digest("SHA-256", encoder.encode(text)));

/**
 * Makes the server prove that it knows our bearer before it gets it: while we were away another program may have taken the port.
 * Both sides know the bearer's hash; the host is part of the question, so that it cannot be passed on to the real server elsewhere.
 */
export async function proveServer(token: string, fetcher: typeof fetch): Promise<void> {
  const key = await sha256(token);
  const keyId = (await sha256(key)).slice(0, 32);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)).buffer);
  const response = await fetcher("/api/auth/prove", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ keyId, nonce }),
    cache: "no-store",
    credentials: "omit",
  });
  const answer = (await response.json().catch(() => ({}))) as {
    proof?: string;
    code?: string;
    message?: string;
  };
  if (!response.ok)
    throw new WireError(answer.code ?? "HTTP_ERROR", answer.message ?? "The server does not answer.");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  const expected = await crypto.subtle.sign(
    "HMAC",
    hmac,
    encoder.encode(`liminal-builder\n${location.host}\n${nonce}`),
  );
  if (answer.proof !== hex(expected))
    throw new WireError("WRONG_SERVER", "What answers here is not the server this page came from.");
}

export class Api {
  /** Called when the server no longer takes our credential. */
  onUnauthenticated: () => void = () => {};
  private proven: Promise<void> | undefined;
  constructor(
    private readonly fetcher: typeof fetch = (...args) => fetch(...args),
    private readonly prove: typeof proveServer = proveServer,
  ) {}

  /** The link is down: whoever answers next has to prove itself again. */
  distrust(): void {
    this.proven = undefined;
  }
  private trust(): Promise<void> {
    const proven = (this.proven ??= this.prove(this.token ?? "", this.fetcher));
    proven.catch(() => {
      if (this.proven === proven) this.proven = undefined;
    });
    return proven;
  }

  get token(): string | null {
    return localStorage.getItem(kTokenKey);
  }
  forget(): void {
    localStorage.removeItem(kTokenKey);
  }

  /** Swaps the single-use code of the launch address for a bearer of this browser. */
  async exchange(code: string): Promise<void> {
    const answer = await this.call<{ token: string }>("POST", "/api/auth/exchange", { code }, false);
    localStorage.setItem(kTokenKey, answer.token);
    this.distrust();
  }

  async ticket(): Promise<string> {
    return (await this.run("auth:ticket", {})).ticket;
  }

  /** Asks by the command's name. Where that is, and what the path takes of the request, the server's table says. */
  run<Name extends keyof Commands>(
    name: Name,
    request: Commands[Name]["request"],
    signal?: AbortSignal,
  ): Promise<Commands[Name]["response"]> {
    const { method, path } = COMMANDS[name];
    const rest = new Map<string, unknown>(Object.entries(request));
    const address = path.replace(/\{(\w+)\}/g, (_, field: string) => {
      const value = String(rest.get(field));
      rest.delete(field);
      return encodeURIComponent(value);
    });
    if (method === "POST") return this.call("POST", address, Object.fromEntries(rest), true, signal);
    const query = new URLSearchParams();
    for (const [field, value] of rest)
      if (value !== undefined) query.set(field, value === true ? "1" : String(value));
    return this.call("GET", query.size > 0 ? `${address}?${query}` : address, undefined, true, signal);
  }

  async text(path: string): Promise<string> {
    return (await this.raw("GET", path)).text();
  }
  async blob(path: string): Promise<Blob> {
    return (await this.raw("GET", path)).blob();
  }
  async upload<T>(path: string, file: Blob): Promise<T> {
    return (await this.raw("POST", path, file, file.type || "application/octet-stream")).json() as Promise<T>;
  }

  private async call<T>(
    method: string,
    path: string,
    body?: unknown,
    bearer = true,
    signal?: AbortSignal,
  ): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.raw(method, path, text, "application/json", bearer, signal);
    return response.json() as Promise<T>;
  }

  private async raw(
    method: string,
    path: string,
    body?: BodyInit,
    type?: string,
    bearer = true,
    signal?: AbortSignal,
  ) {
    const headers: Record<string, string> = {};
    if (body !== undefined && type !== undefined) headers["Content-Type"] = type;
    if (bearer) await this.trust();
    if (bearer) headers["Authorization"] = `Bearer ${this.token ?? ""}`;
    const response = await this.fetcher(path, {
      method,
      headers,
      body,
      signal,
      cache: "no-store",
      credentials: "omit",
    }).catch((why: unknown) => {
      this.distrust(); // Nobody answered: the next who does may be somebody else.
      throw why;
    });
    if (response.ok) return response;
    const problem = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
    if (response.status === 401 && bearer) this.onUnauthenticated();
    throw new WireError(
      problem.code ?? "HTTP_ERROR",
      problem.message ?? `The server answered ${response.status}.`,
      problem,
    );
  }
}
