// Where a session is begun, on the page that is not one.
import { useApp } from "../context";
import { Composer } from "./composer";
import { lockReason } from "./session";
import { MissingAgent } from "./start_line";

/** The message of the session that is next, on a page of its own kind. */
export function StartBox() {
  const app = useApp();
  const id = app.start.id.value;
  const agent = app.start.agent.value;
  const name = agent?.name ?? "";
  return (
    <>
      <Composer
        key={id}
        timeline={app.timelines.of(id)}
        working={false}
        locked={lockReason(agent, name)}
        agentName={name}
      />
      <MissingAgent agent={agent} />
    </>
  );
}
