// What draws conversations and questions, in one piece that is fetched after the frame around it. The dialogs import it, so
// that what both need is in here and not in a file of its own.
import "../more_icons";

export { AgentRow } from "../agent_row";
export { ApprovalView } from "./approval";
export { SessionView } from "./session";
export { StartBox } from "./start";
