// How the worktree of a conversation is, when that is worth a line. It comes with the dialogs.
import { available, commands, run, type CommandId } from "../../commands/table";
import type { SessionInfo } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Working } from "../parts";

export function WorkspaceStrip({ info: { workspaceId, sessionId } }: { info: SessionInfo }) {
  const app = useApp();
  const workspace = app.workspaces.of(workspaceId);
  if (!workspace) return null;
  const { state, progress, problem, missing, setup } = workspace;
  const way = (id: CommandId) =>
    available(app, id, { sessionId }) && (
      <button type="button" class="button" onClick={() => run(app, id, { sessionId })}>
        {commands[id].label}
      </button>
    );
  if (state === "creating")
    return (
      <div class="strip" role="status">
        <Working label="Making its worktree" /> Making its worktree: {progress ?? "one moment"}…
      </div>
    );
  if (state === "failed" || state === "removed" || missing)
    return (
      <div class="strip warn" role="status">
        <Icon name="alert" />{" "}
        <span class="grow">
          {state === "failed"
            ? `Its worktree could not be made. ${problem ?? ""}`
            : state === "removed"
              ? "Its worktree was removed. Restore it to go on here."
              : (problem ?? "The folder of its worktree is gone.")}
        </span>
        {way("restore-workspace")}
      </div>
    );
  if (setup === "unconfirmed" || setup === "failed")
    return (
      <div class="strip" role="status">
        <Icon name="terminal" />{" "}
        <span class="grow">
          {setup === "failed"
            ? "The setup commands of this worktree failed: their output is in the conversation."
            : "The setup commands of this repository have not run in its worktree."}
        </span>
        {way("run-setup")}
      </div>
    );
  return null;
}
