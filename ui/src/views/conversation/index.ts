// What draws conversations and questions, in one piece that is fetched after the frame around it. Other parts take from it
// what they share with it: a file of its own for that would take more.
export { AgentRow } from "../agent_row";
export { Choice } from "../choice";
export { InboxPage } from "./inbox";
export { SessionView } from "./session";
export { StartBox } from "./start";
