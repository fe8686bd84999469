// What opens above the page or in it, pages that a visit does not begin with, and what no conversation begins with: one
// piece that is fetched when there is a moment.
import "../../commands/more_rows";
import type { Dialog } from "../../state/types";
import { AddProject } from "./add_project";
import { Commit } from "./commit";
import { Land } from "./land";
import { Messages } from "./messages";
import { Overlaps } from "./overlaps";
import { Palette } from "./palette";
import { PullRequest } from "./pull_request";
import { QuickOpen } from "./quick_open";
import { RemoveWorkspace } from "./remove_workspace";
import { Rewind } from "./rewind";
import { RunSetup } from "./run_setup";
import { SearchDialog } from "./search";
import { Shortcuts } from "./shortcuts";
import { Confirm, Rename } from "./small";
import { Switcher } from "./switcher";
import { TextDialog } from "./text";
import { Unsent } from "./unsent";

export * as acts from "../../actions/seldom";
export { attachFile, attachPasted } from "../../actions/attach";
export { removeEmpty } from "../../actions/empty";
export { ChoiceSearch } from "../choice_search";
export { Completion } from "../conversation/completion";
export { ConfinedNote, WorktreeForm } from "../conversation/new_session";
export { MoreAnswers } from "../conversation/more_answers";
export { Output } from "../conversation/output";
export { PlaceMenu } from "../conversation/place_menu";
export { Queue } from "../conversation/queue";
export { WorkspaceStrip } from "../conversation/workspace_strip";
export { Resizer } from "../resizer";
export { draftsIn } from "../../state/comments";
export { PlanComments } from "../workbench/plan";
export { TurnChanges } from "../workbench/turn";
export { WorkbenchButton, WorkbenchPlace } from "../workbench/place";
export { ArchivePage } from "./archive";
export { AuditPage } from "./audit";
export { InboxPage } from "./inbox";
export { MissingPage } from "./missing";
export { SettingsPage } from "./settings";
export { LoginPage, WelcomePage } from "./welcome";
export { WorkspacesPage } from "./workspaces";

export function DialogView({ dialog, close }: { dialog: Dialog; close: () => void }) {
  switch (dialog.kind) {
    case "add-project":
      return <AddProject close={close} />;
    case "rename":
      return <Rename sessionId={dialog.sessionId} close={close} />;
    case "palette":
      return <Palette close={close} />;
    case "search":
      return <SearchDialog close={close} query={dialog.query ?? ""} />;
    case "shortcuts":
      return <Shortcuts close={close} />;
    case "switcher":
      return <Switcher close={close} />;
    case "messages":
      return <Messages close={close} />;
    case "unsent":
      return <Unsent close={close} />;
    case "text":
      return <TextDialog dialog={dialog} close={close} />;
    case "land":
      return <Land workspaceId={dialog.workspaceId} close={close} />;
    case "pull-request":
      return <PullRequest workspaceId={dialog.workspaceId} close={close} />;
    case "run-setup":
      return <RunSetup workspaceId={dialog.workspaceId} close={close} />;
    case "remove-workspace":
      return <RemoveWorkspace workspaceId={dialog.workspaceId} close={close} />;
    case "rewind":
      return <Rewind dialog={dialog} close={close} />;
    case "overlaps":
      return <Overlaps sessionId={dialog.sessionId} close={close} />;
    case "quick-open":
      return <QuickOpen sessionId={dialog.sessionId} close={close} />;
    case "commit":
      return <Commit sessionId={dialog.sessionId} close={close} />;
    case "confirm":
      return <Confirm dialog={dialog} close={close} />;
  }
}
