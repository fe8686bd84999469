// HTTP calls with the bearer, and the one exchange that gives us a bearer.
import type { COMMANDS, Commands, ErrorMessage } from "./wire";

type Name = keyof Commands;
type AddressOf<N extends Name> = `${(typeof COMMANDS)[N]["method"]} ${(typeof COMMANDS)[N]["path"]}`;
/** As the server's table has it: a call that is not there, or asks for something else, does not compile. */
export type Address = { [N in Name]: AddressOf<N> }[Name];
type At<A extends Address> = { [N in Name]: AddressOf<N> extends A ? Commands[N] : never }[Name];
export type Asked<A extends Address> = At<A>["request"];
export type Answered<A extends Address> = At<A>["response"];

/** What the server answered instead of what was asked for. `code` is for programs, `message` for people. */
export class WireError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** What goes with it: the paths that are in the way, what is in a worktree. */
    readonly detail: Readonly<Partial<ErrorMessage>> = {},
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

const kPlain: RequestInit = { cache: "no-store", credentials: "omit" };
const kJson = { "Content-Type": "application/json" };

/** What was asked for, or what the server said instead. */
async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Partial<ErrorMessage>;
  throw new WireError(
    problem.code ?? "HTTP_ERROR",
    problem.message ?? `The server answered ${response.status}.`,
    problem,
  );
}

/**
 * Makes the server prove that it knows our bearer before it gets it: while we were away another program may have taken the port.
 * Both sides know the bearer's hash; the host is part of the question, so that it cannot be passed on to the real server elsewhere.
 */
export async function proveServer(token: string, fetcher: typeof fetch): Promise<void> {
  const key = await sha256(token);
  const keyId = (await sha256(key)).slice(0, 32);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)).buffer);
  const response = await fetcher("/api/auth/prove", {
    ...kPlain,
    method: "POST",
    headers: kJson,
    body: JSON.stringify({ keyId, nonce }),
  });
  const { proof } = (await (await accepted(response)).json()) as Answered<"POST /api/auth/prove">;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  const expected = await crypto.subtle.sign(
    "HMAC",
    hmac,
    encoder.encode(`liminal-builder\n${location.host}\n${nonce}`),
  );
  if (proof !== hex(expected))
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
    const { token } = await this.call("POST /api/auth/exchange", { code }, undefined, false);
    localStorage.setItem(kTokenKey, token);
    this.distrust();
  }

  async ticket(): Promise<string> {
    return (await this.call("POST /api/auth/ticket", {})).ticket;
  }

  /** What the address names in braces is taken from the request; the rest is the query of a GET, the body of a POST. */
  async call<A extends Address>(
    address: A,
    request: Asked<A>,
    signal?: AbortSignal,
    bearer = true,
  ): Promise<Answered<A>> {
    const [method, template] = address.split(" ") as [string, string];
    const rest = new Map<string, unknown>(Object.entries(request).filter(([, value]) => value !== undefined));
    const path = template.replace(/\{(\w+)\}/g, (_braces, name: string) => {
      const value = encodeURIComponent(String(rest.get(name)));
      rest.delete(name);
      return value;
    });
    const query = String(new URLSearchParams([...rest] as [string, string][]));
    const response = await (method === "GET"
      ? this.fetch(path + (query && `?${query}`), { signal }, bearer)
      : this.fetch(
          path,
          { method, signal, headers: kJson, body: JSON.stringify(Object.fromEntries(rest)) },
          bearer,
        ));
    return response.json() as Promise<Answered<A>>;
  }

  async text(path: string): Promise<string> {
    return (await this.fetch(path)).text();
  }
  /** With what the server says about saving it. */
  async file(path: string): Promise<{ blob: Blob; disposition: string }> {
    const response = await this.fetch(path);
    return { blob: await response.blob(), disposition: response.headers.get("Content-Disposition") ?? "" };
  }
  async blob(path: string): Promise<Blob> {
    return (await this.fetch(path)).blob();
  }
  async upload<T>(path: string, file: Blob): Promise<T> {
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    return (await this.fetch(path, { method: "POST", headers, body: file })).json() as Promise<T>;
  }

  private async fetch(path: string, init: RequestInit = {}, bearer = true): Promise<Response> {
    const headers: Record<string, string> = { ...(init.headers as Record<string, string>) };
    if (bearer) {
      await this.trust();
      headers["Authorization"] = `Bearer ${this.token ?? ""}`;
    }
    const response = await this.fetcher(path, { ...kPlain, ...init, headers }).catch((why: unknown) => {
      this.distrust(); // Nobody answered: the next who does may be somebody else.
      throw why;
    });
    if (response.status === 401 && bearer) this.onUnauthenticated();
    return accepted(response);
  }
}
