// The panels of the workbench, in their order.
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { CommandId } from "../../commands/table";
import type { BenchTab } from "../../state/bench";
import { terminal } from "./later";
import { Working } from "../parts";
import { ChangesPanel, ChangesCount } from "./changes";
import { FilesPanel } from "./files";

type OfSession = ComponentType<{ session: string }>;
interface Panel {
  id: BenchTab;
  label: string;
  /** Whose key shows it. */
  command: CommandId;
  View: OfSession;
  /** How many there are, behind its name. */
  Count?: OfSession;
}

const fromTerminal = (name: "TerminalPanel" | "PortsPanel"): OfSession =>
  function Terminals({ session }) {
    useEffect(() => void terminal.load(), []);
    const View = terminal.module.value?.[name];
    if (View) return <View session={session} />;
    return terminal.failed.value ? (
      <p class="bench-empty" role="alert">
        This part of the page did not load.{" "}
        <button type="button" class="button small" onClick={() => void terminal.load()}>
          Try again
        </button>
      </p>
    ) : (
      <p class="bench-empty" role="status">
        <Working label="Loading" /> Loading…
      </p>
    );
  };

function PortsCount({ session }: { session: string }) {
  const Count = terminal.module.value?.PortsCount;
  return Count ? <Count session={session} /> : null;
}

export const panels: readonly Panel[] = [
  { id: "changes", label: "Changes", command: "changes", View: ChangesPanel, Count: ChangesCount },
  { id: "files", label: "Files", command: "quick-open", View: FilesPanel },
  { id: "terminal", label: "Terminal", command: "terminal", View: fromTerminal("TerminalPanel") },
  { id: "ports", label: "Ports", command: "ports", View: fromTerminal("PortsPanel"), Count: PortsCount },
];
