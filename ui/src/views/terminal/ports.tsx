// What the programs of a session listen on, and the way there.
import { useEffect, useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { ListeningPort } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";
import { openTerminals } from "./open";

const kAgainMs = 3000;

/** Everyone who can reach this machine can reach it. */
export const isPublic = (address: string): boolean => !/^(127\.|::1$|::ffff:127\.)/.test(address);

/** Where a browser finds it: a page from another machine finds nothing at its own `localhost`. */
export function portAddress(port: number, pageHost: string = location.hostname): string {
  const here = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(pageHost);
  return `http://${here ? "localhost" : pageHost}:${port}/`;
}

export function fromWhere(app: App, { terminalId, sessionId, cliType }: ListeningPort): string {
  const { terminals } = openTerminals(app);
  const all = Object.values(terminals.bySession.value).flatMap((one) => one.terminals);
  if (terminalId !== undefined)
    return `Terminal ${all.find((one) => one.terminalId === terminalId)?.name ?? ""}`.trim();
  if (cliType !== undefined)
    return `${app.agents.of(cliType)?.name ?? cliType}, whose process several sessions share`;
  return sessionId === undefined ? "Unknown" : "The agent of this session";
}

/** Each number once: a server that listens on IPv4 and IPv6 is one server. */
export function byNumber(ports: readonly ListeningPort[]): { port: ListeningPort; open: boolean }[] {
  const found = new Map<number, { port: ListeningPort; open: boolean }>();
  for (const port of ports) {
    const known = found.get(port.port);
    if (known) known.open ||= isPublic(port.address);
    else found.set(port.port, { port, open: isPublic(port.address) });
  }
  return [...found.values()];
}

/** Asks while somebody looks: at once, and every few seconds. */
function usePorts(session: string): Error | undefined {
  const { terminals } = openTerminals(useApp());
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      if (document.visibilityState === "visible") {
        const refused = await terminals.refreshPorts(session);
        if (!stopped) setProblem(refused);
      }
      if (!stopped) timer = setTimeout(() => void ask(), kAgainMs);
    };
    void ask();
    void terminals.refresh(session); // For the names of terminals.
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [session]);
  return problem;
}

export function PortsPanel({ session }: { session: string }) {
  const app = useApp();
  const problem = usePorts(session);
  const ports = openTerminals(app).terminals.ports.value[session];
  if (!ports)
    return problem ? (
      <p class="bench-empty" role="alert">
        {problem.message}
      </p>
    ) : (
      <p class="bench-empty" role="status">
        <Working label="Loading" /> Loading…
      </p>
    );
  if (ports.length === 0)
    return (
      <div class="bench-empty terminal-empty">
        <Icon name="globe" size={28} />
        <p>
          Nothing listens yet. When the agent or a terminal of this session starts a server, it appears here
          with a link.
        </p>
      </div>
    );
  return (
    <ul class="ports" aria-label="Ports">
      {byNumber(ports).map(({ port, open }) => {
        const address = portAddress(port.port);
        return (
          <li key={port.port}>
            <a
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              title={`Open ${address} in a new tab`}
            >
              <Icon name="globe" size={14} />
              {new URL(address).host}
            </a>
            <span class="port-program" title={`Process ${port.pid}`}>
              <bdi>{port.program}</bdi>
            </span>
            <span class="port-from">{fromWhere(app, port)}</span>
            {open && (
              <span class="port-open" title={`It listens on ${port.address}, not only for this machine`}>
                <Icon name="alert" size={13} /> reachable from other machines
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Behind the name of the tab, once somebody has looked. */
export function PortsCount({ session }: { session: string }) {
  const ports = openTerminals(useApp()).terminals.ports.value[session];
  return ports && ports.length > 0 ? <span class="bench-count">{byNumber(ports).length}</span> : null;
}
