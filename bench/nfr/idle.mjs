// Agents that have nothing to do cost nothing.
import { agentsOf, cpuMs } from "../../tests/support/proc.mjs";
import { eventually, sleep, Socket } from "../../tests/support/server.mjs";
import { figure } from "./figures.mjs";
import { makePlace, startServer } from "./place.mjs";

const kAgents = 10;
const kSeconds = 15;

export async function idle() {
  const place = makePlace({ demoAgents: kAgents });
  const server = await startServer(place);
  const socket = new Socket(server.port, { onMessage: () => {} });
  await socket.open;
  for (let i = 1; i <= kAgents; ++i) {
    const { sessionId } = await server.create(place.shop, `twin-${i}`);
    socket.send({ type: "session:open", sessionId, appends: true });
    await server.deliver(sessionId, "/tools 3");
    await eventually(() => server.isIdle(sessionId), "the end of the turn");
  }
  await sleep(3000); // The index and the checkpoint follow the last write.
  const agents = agentsOf(server.child.pid, `HOME=${place.home}`);
  const own = () => agents.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const [before, theirs] = [cpuMs(server.child.pid), own()];
  await sleep(kSeconds * 1000);
  const percent = (ms) => ms / (kSeconds * 10);
  // The kernel counts in 10 ms: one tick is 0.07 %.
  figure({ name: "idle_server_cpu", what: `processor time of the server with ${kAgents} idle agents and a reader, over ${kSeconds} s`, value: percent(cpuMs(server.child.pid) - before), unit: "%", limit: 0.5 });
  figure({ name: "idle_agents_cpu", what: `the ${agents.length} idle agents themselves`, value: percent(own() - theirs), unit: "%", limit: 0.5 });
  socket.destroy();
  await server.stop();
  place.remove();
  return [place.home];
}
