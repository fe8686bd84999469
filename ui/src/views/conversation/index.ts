// What draws conversations and questions, in one piece that is fetched after the frame around it.
export { AgentRow } from "../agent_row";
export { InboxPage } from "./inbox";
export { SessionView } from "./session";
export { StartBox } from "./start";
