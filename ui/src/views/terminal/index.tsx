// Terminals and ports of a session, in the workbench: one piece with the emulator, fetched when it is opened.
import xtermRules from "@xterm/xterm/css/xterm.css?inline";
import { adopt } from "./adopted_style";
import rules from "./terminal.css?inline";

adopt(xtermRules);
adopt(rules);

export { TerminalPanel } from "./panel";
export { PortsCount, PortsPanel } from "./ports";
