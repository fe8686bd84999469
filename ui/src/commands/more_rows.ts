// Rows of the table that nobody needs for the first picture: they come with the code of the dialogs.
import { addCommands } from "./table";
import { workbenchRows } from "./workbench_rows";
import { workspaceRows } from "./workspace_rows";

const rows = { ...workspaceRows, ...workbenchRows };
export type MoreRows = typeof rows;

addCommands(rows);
